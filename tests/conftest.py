"""What tests of several parts share."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

# CI runs the same cases each time, so that failures can be reproduced. Slow machines do not fail tests.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("local", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "samples"
#: What some checkouts have beside them: engines and logs of users, answers of NVIDIA's tools.
SHARED = ROOT.parent / "shared"
NOT_COLLECTED = pytest.StashKey[int]()


def pytest_collection_modifyitems(config, items):
    """Leave out the tests that need reference material where there is none, and count them."""
    if SHARED.is_dir():
        return
    left_out = [item for item in items if item.get_closest_marker("engines")]
    items[:] = [item for item in items if not item.get_closest_marker("engines")]
    config.stash[NOT_COLLECTED] = len(left_out)
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_sessionfinish(session):
    """Tell the process that started this worker, if one did."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["not_collected"] = session.config.stash.get(NOT_COLLECTED, 0)


class WorkerReports:
    """Hear from pytest-xdist's workers, where that is installed."""

    def __init__(self, config):
        self.config = config

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        count = getattr(node, "workeroutput", {}).get("not_collected", 0)
        self.config.stash[NOT_COLLECTED] = max(count, self.config.stash.get(NOT_COLLECTED, 0))


def pytest_configure(config):
    config.pluginmanager.register(WorkerReports(config))


def pytest_terminal_summary(terminalreporter, config):
    """Say in a line or two what did not run, and why."""
    count = config.stash.get(NOT_COLLECTED, 0)
    if count:
        terminalreporter.write_line(f"{count} tests of real engines not collected: no {SHARED}")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in skipped_tests(terminalreporter)
    )
    if reasons:
        said = "; ".join(f"{reason} ({number})" for reason, number in sorted(reasons.items()))
        terminalreporter.write_line(f"{reasons.total()} tests skipped: {said}")


def skipped_tests(terminalreporter):
    """Return the reports of the tests that were skipped; those expected to fail give no reason."""
    return [
        report for report in terminalreporter.stats.get("skipped", []) if isinstance(report.longrepr, tuple)
    ]


@pytest.fixture(autouse=True)
def no_step_summary(monkeypatch):
    """Keep what commands say of test engines out of the summary of a CI job that runs the tests."""
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)


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
