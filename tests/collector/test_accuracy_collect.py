"""A capture made with --accuracy: stand-ins for Polygraphy and trtexec write their files."""

import json
import os
import shlex
from dataclasses import replace

import pytest
from collected import UNWATCHED, Progress, names

from trexreport.collector import trtexec as trtexec_module
from trexreport.collector.collect import collect
from trexreport.collector.jobs import Job
from trexreport.collector.polygraphy import Polygraphy, ask_polygraphy
from trexreport.collector.request import CollectRequest
from trexreport.collector.trtexec import TrtexecBackend
from trexreport.collector.versions import Version
from trexreport.errors import MissingToolError, OutputError, ToolFailedError
from trexreport.reader import read_engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

RESULTS = {
    "lst": [
        {
            "lst": [
                [
                    ["trt-runner-N0-11/22/26-12:34:25", "onnxrt-runner-N0-11/22/26-12:34:25"],
                    [{"t1": {"snr": 20.0, "polygraphy_class": "SnrResult"}}],
                ]
            ],
            "polygraphy_class": "AccuracyResult",
        }
    ],
    "polygraphy_class": "AccuracyResults",
}
#: Its last word is the file that it writes. It ends with 1 where values differ, as Polygraphy does.
TOOL = """#!/bin/sh
if [ "$2" = --help ]; then
    echo "usage: polygraphy run {options}"
    exit 0
fi
for last; do :; done
{write}
exit {status}
"""


@pytest.fixture
def polygraphy(tmp_path, monkeypatch):
    """Return a function that puts a stand-in for Polygraphy on PATH."""
    folder = tmp_path / "tools"
    folder.mkdir()
    results = tmp_path / "results.json"
    results.write_text(json.dumps(RESULTS))
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def make(options="--save-accuracy-results Using '*' alone", write='cp "$RESULTS" "$last"', status=1):
        monkeypatch.setenv("RESULTS", str(results))
        tool = folder / "polygraphy"
        tool.write_text(TOOL.format(options=options, write=write, status=status))
        tool.chmod(0o755)
        return folder

    return make


@pytest.fixture
def program(tmp_path, double):
    """Return the path of the double of trtexec, as one word."""
    path = tmp_path / "trtexec"
    path.write_text(f'#!/bin/sh\nexec {shlex.join(double.program)} "$@"\n')
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def collected(tmp_path, double, model, program):
    """Return a function that makes a capture with the double of trtexec, and returns its folder."""

    def make(tool, *arguments, version="10.16.0"):
        double.wish(version)
        job = Job(str(model), str(tmp_path / "out"), arguments, runs=1, accuracy=tool)
        collect(job, TrtexecBackend((program,), Version.parse(version)), Progress(), UNWATCHED)
        return tmp_path / "out"

    return make


def test_the_report_finds_what_polygraphy_wrote(polygraphy, collected):
    polygraphy()
    folder = collected(Polygraphy())
    assert {"m.engine.accuracy.json", "m.engine.accuracy.out"} <= names(folder)
    engine = read_engine(folder)
    assert [(each.name, each.relative_error) for each in engine.accuracy.tensors] == [("t1", 0.1)]
    manifest = json.loads((folder / "m.engine.capture.json").read_text())
    assert manifest["complete"]
    assert (manifest["runs"][-1]["title"], manifest["runs"][-1]["exit_status"]) == ("accuracy", 1)


def test_the_report_finds_the_ranges_of_both_engines(collected):
    folder = collected("trtexec", "fp16")
    assert {"m.engine.accuracy.json", "m.engine.accuracy-reference.json"} <= names(folder)
    (tensor,) = read_engine(folder).accuracy.tensors
    assert (tensor.candidate_non_finite, tensor.reference_non_finite) == (True, False)
    assert tensor.reference_range == (-1.5, 70000.0)
    # The times of an engine with marks are not a measurement.
    assert not (folder / "tensor_summary.json").exists()


@pytest.mark.parametrize(
    ("write", "status", "message"),
    [
        ("echo '[!] Module: '\"'tensorrt'\"' is required'", 1, "needs the Python package tensorrt"),
        (":", 2, "polygraphy failed with exit status 2"),
        ('printf \'{"lst": [\' >"$last"', 1, "accuracy.json is cut short"),
    ],
)
def test_a_comparison_that_fails_is_named(polygraphy, collected, tmp_path, *, write, status, message):
    polygraphy(write=write, status=status)
    with pytest.raises(ToolFailedError, match=message):
        collected(Polygraphy())
    # What was measured before is kept, and what is missing is stated.
    manifest = json.loads((tmp_path / "out" / "m.engine.capture.json").read_text())
    assert not manifest["complete"]
    assert message.replace("\\", "") in manifest["missing"]["m.engine.accuracy.json"]
    assert (tmp_path / "out" / "m.engine.timing.json").exists()


def test_a_file_that_no_report_reads_is_named(polygraphy, collected, monkeypatch):
    monkeypatch.setattr(trtexec_module, "LARGEST_BYTES", 100)
    polygraphy()
    with pytest.raises(ToolFailedError, match=r"The accuracy run wrote more than 100\sB"):
        collected(Polygraphy())


def test_the_help_of_polygraphy_states_what_it_takes(polygraphy):
    polygraphy()
    assert ask_polygraphy(()).takes_star
    polygraphy(options="--save-accuracy-results")
    assert not ask_polygraphy(()).takes_star
    polygraphy(options="--save-outputs")
    with pytest.raises(MissingToolError, match="has no --save-accuracy-results"):
        ask_polygraphy(())


@pytest.fixture
def planned(double, model, tmp_path, program):
    """Return a function that returns the tool of the last run, for a version of trtexec."""

    def plan(version, **stated):
        double.wish(version)
        request = CollectRequest((), "auto", program, 1, None, None, None, 0, False, False, **stated)
        return request.plan(str(model), str(tmp_path / "out"), None).commands[-1].tool

    return plan


def test_polygraphy_is_preferred(polygraphy, planned):
    polygraphy()
    assert planned("10.16.0", accuracy=True) == "polygraphy"
    assert planned("10.16.0", accuracy=True, accuracy_tool="trtexec") == "trtexec"
    assert planned("10.16.0") is None


def test_without_polygraphy_trtexec_writes_ranges_where_it_can(planned, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    assert planned("10.16.0", accuracy=True) == "trtexec"
    with pytest.raises(MissingToolError, match="polygraphy was not found"):
        planned("10.7.0", accuracy=True)
    with pytest.raises(MissingToolError, match="polygraphy was not found"):
        planned("10.16.0", accuracy=True, accuracy_tool="polygraphy")


def test_accuracy_of_an_earlier_engine_does_not_stay(collected, tmp_path, double, program, model):
    folder = tmp_path / "out"
    folder.mkdir()
    for name in ("m.engine.accuracy.json", "m.engine.accuracy-reference.json"):
        (folder / name).write_text("{}")
    with pytest.raises(OutputError, match="earlier capture"):
        collected(None)
    job = Job(str(model), str(folder), runs=1)
    backend = TrtexecBackend((program,), Version.parse("10.16.0"))
    collect(job, backend, Progress(), replace(UNWATCHED, force=True))
    assert not {each for each in names(folder) if "accuracy" in each}
