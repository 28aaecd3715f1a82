"""What tests of several parts share."""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

# CI runs the same cases each time, so that failures can be reproduced. Slow machines do not fail tests.
settings.register_profile("ci", max_examples=40, derandomize=True, deadline=None, print_blob=True)
settings.register_profile("local", max_examples=40, deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
#: What some checkouts have beside them: engines and logs of users, answers of NVIDIA's tools.
SHARED = ROOT.parent / "shared"


def pytest_configure():
    """Look for garbage less often, wait for no disk, and receive SIGINT.

    A shell starts background jobs with SIGINT ignored.
    """
    # With Python's thresholds, a seventh of the time goes into looking for garbage among the tests.
    gc.set_threshold(100_000, 20, 50)
    # Each written file waits for the disk, in case that the power fails; no test goes on after that.
    os.fsync = lambda _: None
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_xdist_auto_num_workers():
    """Use a worker more than there are processors: a sixth of the time of tests is waiting for others."""
    workers = yield
    return workers if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") else workers + 1


def pytest_collection_modifyitems(config, items):
    """Leave out the tests that need reference material where there is none."""
    if SHARED.is_dir():
        return
    left_out = [item for item in items if item.get_closest_marker("engines")]
    items[:] = [item for item in items if not item.get_closest_marker("engines")]
    config.hook.pytest_deselected(items=left_out)


def pytest_collection_finish():
    """Look for garbage no more among what lives until the end: modules and tests."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter):
    """Say in a line or two what did not run, and why."""
    if not SHARED.is_dir():
        terminalreporter.write_line(f"Tests of real engines were left out: there is no {SHARED}.")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in skipped_tests(terminalreporter)
    )
    if reasons:
        stated = "; ".join(f"{reason} ({number})" for reason, number in sorted(reasons.items()))
        terminalreporter.write_line(f"{reasons.total()} tests skipped: {stated}")


def skipped_tests(terminalreporter):
    """Return the reports of the tests that were skipped; those expected to fail give no reason."""
    return [
        report for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)
    ]


@pytest.fixture(autouse=True)
def no_step_summary(monkeypatch):
    """Keep what commands say of test engines out of the summary of a CI job that runs the tests."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    # Workers of the tests state one.
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def real_engines():
    """The folder of engines that users built, beside the checkout."""
    return SHARED / "engines"


@pytest.fixture(scope="session")
def generated_engines(tmp_path_factory):
    """The folder of captures that the samples' generator makes of every kind of engine."""
    if str(SAMPLES) not in sys.path:
        sys.path.insert(0, str(SAMPLES))
    from generator.field import FIELD_ENGINES

    folder = tmp_path_factory.mktemp("generated")
    for name, files in FIELD_ENGINES.items():
        (folder / name).mkdir()
        for file_name, content in files().items():
            (folder / name / file_name).write_bytes(content)
    return folder


@pytest.fixture(scope="session", params=["generated", pytest.param("real", marks=pytest.mark.engines)])
def engine_source(request):
    """Where the engines are from; a test that asks for it runs for both kinds."""
    return request.param


@pytest.fixture(scope="session")
def engines_folder(engine_source, request):
    """A folder with one folder for each kind of engine: generated, and real if available."""
    return request.getfixturevalue(f"{engine_source}_engines")


@pytest.fixture
def capture(tmp_path):
    """Return a function that writes files of a capture and returns their folder.

    Values are written as JSON, unless they are texts or bytes already.
    """

    def write(**contents):
        for role, content in contents.items():
            name = {"log": "x.build.log"}.get(role, f"x.{role.replace('_', '.')}.json")
            text = content if isinstance(content, (str, bytes)) else json.dumps(content)
            (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return tmp_path

    return write
