"""Check that the double of trtexec is like trtexec: its flags, its words, its files, its failures."""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
from itertools import product
from pathlib import Path

import pytest

from trexreport.collector.causes import explain_failure
from trexreport.collector.commands import plan_commands
from trexreport.collector.jobs import Job
from trexreport.collector.versions import Version
from trexreport.reader.profile_file import read_profile
from trexreport.reader.trtexec_log import read_trtexec_log

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"
#: Versions with the real writers' output beside the checkout, and the folder's name.
WRITERS = {
    "8.6.1": "writer-8.6.1",
    "10.0.1": "writer-10.0.1",
    "10.13.3": "writer-10.13.3",
    "10.16.0": "writer-10.16",
    "11.0.0": "writer-11.0",
    "11.1.0": "writer-11.1",
}
#: Lines that hang on the engine and not on the version.
OF_THE_ENGINE = (
    *("Using random values", "Input binding", "Output binding", "Layers", "Layer Information", "Average on"),
    *("Trace averages", "Input inference", "Setting persistent", "Warmup", "Timing trace", "Capturing"),
    *("Successfully", "TF32", "Created execution"),
)
#: Flags that are tried; each takes a process.
MOST_REFUSALS = 40
FAILURES = {
    "06_unknown_option": ("", "--onnx=m.onnx --bogus=1"),
    "07_build_fails": ("build", "--onnx=m.onnx --saveEngine=x.plan"),
    "08_missing_onnx": ("", "--onnx=nope.onnx --saveEngine=x.plan"),
    "09_missing_engine": ("", "--loadEngine=nope.plan"),
    "15_no_gpu": ("no_gpu", "--onnx=m.onnx"),
}
#: Not seen with this version.
NOT_RUN = {("10.13.3", "15_no_gpu")}
#: What trexreport says of each of these failures.
CAUSES = {
    "06_unknown_option": "does not know --bogus",
    "07_build_fails": "engine could not be built",
    "08_missing_onnx": "could not open a file",
    "09_missing_engine": "could not open a file",
    "15_no_gpu": "driver is too old for this CUDA, or there is none",
}
#: What the double stated when it was compared with trtexec's own writers; see the tests.
COMPARED = json.loads(Path(__file__).with_name("compared_with_trtexec.json").read_text("utf-8"))


@pytest.fixture
def run(double, tmp_path):
    def run(*words, **wishes):
        double.wish(**wishes)
        return subprocess.run(
            [*double.program, *words], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60
        )

    return run


def keys(log):
    """Return the text before the colon of each line, section by section; library lines left out."""
    found, section = set(), ""
    for line in log.splitlines():
        match = re.match(r"\[[^]]*\] \[I\] (?!\[TRT\])(.*)", line)
        if not match or not match[1].strip():
            continue
        if heading := re.fullmatch(r"=== (.*) ===", match[1].strip()):
            section = re.sub(r"\d+", "N", heading[1])
        if section.startswith("Profile") or match[1].startswith(OF_THE_ENGINE):
            continue
        found.add((section, re.sub(r"\b\d[\d.e-]*", "N", match[1].partition(":")[0].strip())))
    return found


def build(run, version):
    """Return what the double says while it builds."""
    words = ["--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference", "--profilingVerbosity=detailed"]
    done = run(*words, "--timingCacheFile=01.cache", version=version)
    assert done.returncode == 0, done.stderr
    return done.stdout


def measure(run, version):
    """Return what the double says while it measures."""
    run("--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference", version=version)
    words = ["--loadEngine=m.plan", "--exportTimes=t.json", "--exportProfile=p.json"]
    done = run(*words, "--separateProfileRun", version=version)
    assert done.returncode == 0, done.stderr
    return done.stdout


def release_of(log):
    """Return the line that names the release, without the command."""
    return log.splitlines()[0].partition(" # ")[0]


def plain_errors(text):
    """Return the lines of standard error without what differs from run to run."""
    lines = [re.sub(r"^\[[^]]*\] |/src\S+:\d+", "", line) for line in text.splitlines()]
    return [re.sub(r" at ?$", "", line.replace(" at :", ":")) for line in lines]


def digest(value):
    """Return a short hash in place of trtexec's own words, which are not copied here."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]


@pytest.mark.parametrize("version", WRITERS)
def test_its_words_are_those_that_were_compared_with_trtexec(run, model, version):
    """Compare with the real writers' output, by the tests below, before a digest is changed."""
    built, measured = build(run, version), measure(run, version)
    found = {
        "release": digest(release_of(built)),
        "build": digest(sorted(keys(built))),
        "measurement": digest(sorted(keys(measured))),
    }
    assert found == {key: COMPARED[version][key] for key in found}


@pytest.mark.parametrize("scenario", FAILURES)
@pytest.mark.parametrize("version", WRITERS)
def test_its_failures_are_those_that_were_compared_and_are_explained(run, model, version, scenario):
    failure, words = FAILURES[scenario]
    done = run(*words.split(), version=version, fails=failure)
    found = [digest(plain_errors(done.stderr)), done.returncode, "&&&& FAILED" in done.stdout]
    assert found == COMPARED[version][scenario]
    # Standard error may come first, or last.
    for log in (done.stdout + done.stderr, done.stderr + done.stdout):
        assert CAUSES[scenario] in explain_failure(log, 1).message


@pytest.mark.engines
@pytest.mark.parametrize("version", WRITERS)
def test_a_build_says_what_trtexecs_own_writers_say(run, model, version):
    built = build(run, version)
    real = (SHARED / WRITERS[version] / "01_build.stdout.log").read_text()
    assert keys(built) == keys(real)
    assert release_of(built) == release_of(real)


@pytest.mark.engines
@pytest.mark.parametrize("version", WRITERS)
def test_a_measurement_says_what_trtexecs_own_writers_say(run, model, version):
    real = keys((SHARED / WRITERS[version] / "02_profile_separate.stdout.log").read_text())
    # The real one was asked to print the table, too.
    assert keys(measure(run, version)) == {each for each in real if not each[0].startswith("Profile")}


@pytest.mark.engines
@pytest.mark.parametrize(("version", "scenario"), sorted(set(product(WRITERS, FAILURES)) - NOT_RUN))
def test_it_fails_as_trtexec_does(run, model, version, scenario):
    folder = SHARED / WRITERS[version]
    failure, words = FAILURES[scenario]
    done = run(*words.split(), version=version, fails=failure)
    assert plain_errors(done.stderr) == plain_errors((folder / f"{scenario}.stderr.log").read_text())
    status = int(re.search(rf"{scenario} rc=(\d+)", (folder / "rc.txt").read_text())[1])
    assert done.returncode == (-signal.SIGABRT if status == 134 else status)
    failed = "&&&& FAILED" in (folder / f"{scenario}.stdout.log").read_text()
    assert ("&&&& FAILED" in done.stdout) is failed


def test_it_refuses_the_flags_that_the_parsers_refuse(run, answers, model):
    checked = 0
    for command, by_version in answers.items():
        if checked == MOST_REFUSALS:
            break
        unknown = re.findall(r"Unknown option: --(\w+)", by_version["11.1"].words)
        words = command.split()
        if unknown and words[0] == "--onnx=m.onnx" and len(words) == 2 and "nvtxVerbosity" not in command:
            done = run(*words, version="11.1")
            assert done.returncode == 1, command
            assert f"Unknown option: --{unknown[0]}" in done.stderr
            checked += 1
    assert checked > 10


def test_names_may_be_written_as_trtexec_does_without_escapes(run, model, tmp_path):
    run("--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference")
    done = run("--loadEngine=m.plan", "--exportProfile=p.json", "--separateProfileRun", fails="nasty")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "p.json").read_text()
    with pytest.raises(ValueError, match="delimiter"):
        json.loads(text)
    assert any('a"b\\c' in row.name for row in read_profile(text, "p.json").rows)


def test_without_detailed_verbosity_there_are_names_only(run, model, tmp_path):
    run("--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference")
    run("--loadEngine=m.plan", "--exportLayerInfo=g.json", "--profilingVerbosity=detailed")
    layers = json.loads((tmp_path / "g.json").read_text())["Layers"]
    assert {type(layer) for layer in layers} == {str}


def test_a_profile_that_is_not_separate_costs_the_times_of_queries(run, model, tmp_path):
    run("--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference")
    run("--loadEngine=m.plan", "--exportProfile=p.json", "--exportTimes=t.json")
    assert (tmp_path / "p.json").exists()
    assert not (tmp_path / "t.json").exists()


@pytest.mark.parametrize("version", ["8.4.3", "8.6.1", "10.16.0", "11.1.0"])
def test_the_log_is_read_without_a_note(run, model, tmp_path, version):
    job = Job("m.onnx", ".", ("shapes=x:1x3x224x224",))
    for command in plan_commands(job, Version.parse(version)).commands:
        done = run(*command.words[1:], version=version)
        assert done.returncode == 0, done.stderr
        facts = read_trtexec_log(done.stdout, "log")
        assert facts.finished
        assert facts.setup.tensorrt_version == version
        assert [note for note in facts.notes if note.severity != "info"] == []
    assert facts.measurement.summary["Latency"].median_ms > 0


def test_it_dies_by_signal_if_it_is_to(run, model):
    assert run("--onnx=m.onnx", "--saveEngine=e", fails="crash").returncode == -signal.SIGSEGV


def test_it_is_a_program_of_its_own(double, tmp_path):
    """It runs from any folder and without the package on its path."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [*double.program, "--help"], capture_output=True, text=True, check=True, cwd=tmp_path, env=environment
    )
    assert done.stdout.startswith("&&&& RUNNING TensorRT.trtexec [TensorRT v101600]")
