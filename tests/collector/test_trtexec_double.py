"""Check that the double of trtexec is like trtexec: its flags, its words, its files, its failures."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from trexreport.collector.commands import Job, plan_commands
from trexreport.collector.versions import Version
from trexreport.reader.profile_file import read_profile
from trexreport.reader.trtexec_log import read_trtexec_log

SHARED = Path(__file__).resolve().parents[3] / "shared" / "trtexec"
#: Versions of which the real writers' output stands beside the checkout, with the folder's name.
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
FAILURES = {
    "06_unknown_option": ("", "--onnx=m.onnx --bogus=1"),
    "07_build_fails": ("build", "--onnx=m.onnx --saveEngine=x.plan"),
    "08_missing_onnx": ("", "--onnx=nope.onnx --saveEngine=x.plan"),
    "09_missing_engine": ("", "--loadEngine=nope.plan"),
    "15_no_gpu": ("no_gpu", "--onnx=m.onnx"),
}


@pytest.fixture
def run(double, tmp_path):
    def run(*words, **wishes):
        double.wish(**wishes)
        return subprocess.run(
            [*double.program, *words], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=60
        )

    return run


def keys(log):
    """Return what stands before the colon of each line, section by section; library lines left out."""
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


@pytest.mark.engines
@pytest.mark.parametrize("version", WRITERS)
def test_a_build_says_what_trtexecs_own_writers_say(run, model, version):
    folder = SHARED / WRITERS[version]
    if not folder.is_dir():
        pytest.skip("the writers' output is not beside this checkout")
    done = run(
        "--onnx=m.onnx",
        "--saveEngine=m.plan",
        "--skipInference",
        "--profilingVerbosity=detailed",
        "--timingCacheFile=01.cache",
        version=version,
    )
    assert done.returncode == 0, done.stderr
    assert keys(done.stdout) == keys((folder / "01_build.stdout.log").read_text())
    first, real = (
        text.splitlines()[0] for text in (done.stdout, (folder / "01_build.stdout.log").read_text())
    )
    assert first.partition(" # ")[0] == real.partition(" # ")[0]


@pytest.mark.engines
@pytest.mark.parametrize("version", WRITERS)
def test_a_measurement_says_what_trtexecs_own_writers_say(run, model, version):
    folder = SHARED / WRITERS[version]
    if not folder.is_dir():
        pytest.skip("the writers' output is not beside this checkout")
    run("--onnx=m.onnx", "--saveEngine=m.plan", "--skipInference", version=version)
    words = ["--loadEngine=m.plan", "--exportTimes=t.json", "--exportProfile=p.json"]
    done = run(*words, "--separateProfileRun", version=version)
    assert done.returncode == 0, done.stderr
    real = keys((folder / "02_profile_separate.stdout.log").read_text())
    # The real one prints the table, too, if asked to.
    assert keys(done.stdout) == {each for each in real if not each[0].startswith("Profile")}


@pytest.mark.engines
@pytest.mark.parametrize("scenario", FAILURES)
@pytest.mark.parametrize("version", WRITERS)
def test_it_fails_as_trtexec_does(run, model, version, scenario):
    folder = SHARED / WRITERS[version]
    if not (folder / f"{scenario}.stderr.log").is_file():
        pytest.skip("this failure of trtexec does not stand beside this checkout")
    failure, words = FAILURES[scenario]
    done = run(*words.split(), version=version, fails=failure)
    real = (folder / f"{scenario}.stderr.log").read_text()

    def plain(text):
        return [re.sub(r"^\[[^]]*\] |/src\S+:\d+", "", line) for line in text.splitlines()]

    ours = [re.sub(r" at ?$", "", line.replace(" at :", ":")) for line in plain(done.stderr)]
    theirs = [re.sub(r" at ?$", "", line.replace(" at :", ":")) for line in plain(real)]
    assert ours == theirs
    status = int(re.search(rf"{scenario} rc=(\d+)", (folder / "rc.txt").read_text())[1])
    assert done.returncode == (-signal.SIGABRT if status == 134 else status)
    failed = "&&&& FAILED" in (folder / f"{scenario}.stdout.log").read_text()
    assert ("&&&& FAILED" in done.stdout) is failed


@pytest.mark.engines
def test_it_refuses_the_flags_that_the_parsers_refuse(run, answers, model):
    checked = 0
    for command, by_version in answers.items():
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
    assert all(isinstance(layer, str) for layer in json.loads((tmp_path / "g.json").read_text())["Layers"])


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
