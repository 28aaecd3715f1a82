"""`collect`, `run` and `doctor` as a user runs them, with the double of trtexec on PATH."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from trexreport.cli.doctor import _print

pytestmark = pytest.mark.skipif(os.name != "posix", reason="trexreport collects on POSIX systems")

DOUBLE = Path(__file__).parents[1] / "collector" / "trtexec_double.py"
#: Each measurement starts a process: one is enough where their number does not matter.
ONCE = ("--runs", "1")


@pytest.fixture
def wish(tmp_path, monkeypatch, run):
    """Put the double on PATH and a model into the folder; return a function that chooses what it does."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "trtexec").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{DOUBLE}" "$@"\n')
    (programs / "trtexec").chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.delenv("TREXREPORT_TRTEXEC", raising=False)
    (tmp_path / "m.onnx").write_text("a model")

    def choose(version="10.16.0", **wishes):
        monkeypatch.setenv("TRTEXEC_DOUBLE", json.dumps({"version": version, **wishes}))

    choose()
    return choose


def manifest(folder="out"):
    return json.loads(Path(folder, "m.engine.capture.json").read_text())


@pytest.mark.parametrize("command", ["collect", "run", "doctor"])
def test_every_command_has_help(run, command):
    assert f"{command} [OPTIONS]" in run(command, "--help").output


def test_collect_and_report(run, wish):
    stated = run("collect", *ONCE, "m.onnx", "-o", "out", "--", "--shapes=x:1x3x224x224").stderr
    assert "Collecting with trtexec of TensorRT 10.16.0." in stated
    assert "build: building the engine" in stated
    assert stated.endswith("Next: trexreport report out\n")
    assert manifest()["complete"] is True
    run("report", "out", "-o", "r.html", "--charts", "static")
    assert "NVIDIA L4" in Path("r.html").read_text()


def test_collect_in_two_steps_with_the_folder_in_place(run, wish):
    stated = run("collect", "m.onnx", "out", "fp16", "--build-only").stderr
    assert stated.endswith("Next: trexreport collect m.onnx -o out --profile-only\n")
    assert [each["title"] for each in manifest()["runs"]] == ["build"]
    assert "--fp16" in manifest()["runs"][0]["command"]
    run("collect", "m.onnx", "out", "--profile-only", "--runs", "1")
    assert [each["title"] for each in manifest()["runs"]] == ["profile", "timing"]
    assert Path("out/m.engine.build.log").exists()


@pytest.mark.parametrize("arguments", [(), ("fp16",), ("shapes=x:1",)])
def test_collect_without_a_folder(run, arguments):
    stated = run("collect", "m.onnx", *arguments, code=2).stderr
    assert "The folder of the capture is missing." in stated


def test_the_report_of_a_run_can_be_redacted(run, wish):
    run("run", *ONCE, "m.onnx", "-o", "plain.json")
    run("run", *ONCE, "m.onnx", "-o", "redacted.json", "--redact", "host")
    uuid = manifest("redacted.capture")["gpu"]["uuid"]
    assert uuid in Path("plain.json").read_text()
    assert uuid not in Path("redacted.json").read_text()


def test_arguments_without_dashes_are_treated_alike(run, wish):
    run("collect", *ONCE, "m.onnx", "-o", "a", "--", "--fp16", "--shapes=x:1x3")
    run("collect", *ONCE, "m.onnx", "-o", "b", "fp16", "shapes=x:1x3")
    one, other = (
        [[word.replace("a/", "b/") for word in each["command"]] for each in manifest(folder)["runs"]]
        for folder in ("a", "b")
    )
    assert one == other


def test_a_flag_of_trtexec_among_ours(run, wish):
    stated = run("collect", "m.onnx", "-o", "out", "--fp16", code=2).stderr
    assert "--fp16 is for trtexec." in stated
    assert "--" in stated
    stated = run("collect", "m.onnx", "-o", "out", "--frobnicate", code=2).stderr
    assert "No such option" in stated
    assert "trtexec" not in stated.lower().partition("error:")[2]


def test_quiet_says_nothing_and_verbose_shows_the_log(run, wish):
    assert run("collect", *ONCE, "m.onnx", "-o", "a", "--quiet").output == ""
    stated = run("collect", *ONCE, "m.onnx", "-o", "b", "--verbose").stderr
    assert "&&&& RUNNING TensorRT.trtexec [TensorRT v101600]" in stated
    assert "=== Performance summary ===" in stated


def test_a_failure_is_one_line_then_the_log_that_shows(run, wish):
    wish(fails="onnx")
    stated = run("collect", "m.onnx", "-o", "out", code=5).stderr.splitlines()
    (place,) = [number for number, line in enumerate(stated) if line.startswith("Error: ")]
    assert stated[place].startswith("Error: The build run failed: A plugin ")
    assert stated[place + 1].startswith("  In node 7")
    assert stated[-1] == "  The whole log: out/m.engine.build.log"
    assert not any("Traceback" in line for line in stated)


def test_no_trtexec(run, wish, monkeypatch):
    stated = run("collect", "m.onnx", "-o", "out", "--trtexec", "/nowhere/trtexec", code=4).stderr
    assert '"/nowhere/trtexec" was not found.' in stated
    assert not Path("out").exists()


def test_a_model_that_is_not_there(run, wish):
    assert "n.onnx does not exist" in run("collect", "n.onnx", "-o", "out", code=3).stderr


def test_an_earlier_capture(run, wish):
    run("collect", *ONCE, "m.onnx", "-o", "out", "-q")
    assert "--force" in run("collect", *ONCE, "m.onnx", "-o", "out", code=3).stderr
    run("collect", *ONCE, "m.onnx", "-o", "out", "--force")


def test_what_to_run_next_can_be_pasted(run, wish):
    assert "trexreport report 'my out'" in run("collect", *ONCE, "m.onnx", "-o", "my out").stderr
    assert "sh 'a b.sh'" in run("collect", *ONCE, "m.onnx", "-o", "x", "--script", "a b.sh").stderr


def test_a_folder_without_a_name(run, wish):
    assert "name of the folder is empty" in run("collect", "m.onnx", "-o", "", code=2).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_to(run, wish, tmp_path):
    (tmp_path / "out").mkdir(mode=0o500)
    assert "Permission denied" in run("collect", "m.onnx", "-o", "out", code=3).stderr


def test_a_full_disk_says_so(run, wish, monkeypatch):
    import errno

    from trexreport.collector import workspace

    def full(*_arguments, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(workspace.shutil, "copyfile", full)
    Path("out").mkdir()
    Path("out/timing.cache").write_bytes(b"earlier")
    assert (
        "out can't be written to: No space left on device."
        in run("collect", "m.onnx", "-o", "out", code=3).stderr
    )
    assert Path("out/timing.cache").read_bytes() == b"earlier"


def test_dry_run_prints_commands_and_runs_nothing(run, wish):
    result = run("collect", "m.onnx", "-o", "out", "--dry-run", "--", "--workspace=1024")
    assert [line.split()[1] for line in result.stdout.splitlines()] == [
        "--onnx=m.onnx",
        *["--loadEngine=out/m.engine"] * 4,
    ]
    assert "--memPoolSize=workspace:1024" in result.stdout
    assert not Path("out").exists()


def test_a_script_does_what_collect_does(run, wish):
    run("collect", "m.onnx", "-o", "by-script", "--script", "c.sh", "--for-version", "10.16")
    subprocess.run(["sh", "c.sh"], check=True, capture_output=True, timeout=120)
    run("collect", "m.onnx", "-o", "by-hand", "-q")
    made = {path.name for path in Path("by-script").iterdir()}
    wanted = {path.name for path in Path("by-hand").iterdir()}
    assert wanted - made == {
        *("m.engine.capture.json", "m.engine.build.metadata.json", "m.engine.profile.metadata.json"),
        *({"m.engine.gpu.json"} & wanted),
    }


def test_a_script_is_written_again_but_nothing_else_is_overwritten(run, wish):
    for version in ("8.6", "10.16"):
        run("collect", "m.onnx", "-o", "out", "--script", "c.sh", "--for-version", version)
    assert "with trtexec of TensorRT 10.16.0." in Path("c.sh").read_text()
    Path("c.sh").write_text("mine")
    run("collect", "m.onnx", "-o", "out", "--script", "c.sh", "--for-version", "8.6", code=3)
    assert Path("c.sh").read_text() == "mine"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--for-version", "10.3"), "needs --dry-run"),
        (("--dry-run", "--for-version", "new"), "is not a version"),
        (("--lock-clocks", "fast"), "is not a clock"),
        (("--trtexec", ""), "is empty"),
        (("--runs", "-1"), "--runs"),
        (("--timeout", "0"), "--timeout"),
        (("--backend", "other"), "--backend"),
    ],
)
def test_options_that_mean_nothing(run, wish, options, message):
    assert message in run("collect", "m.onnx", "-o", "out", *options, code=2).stderr
    assert not Path("out").exists()


def test_what_a_version_no_longer_takes_is_explained_before_anything_runs(run, wish):
    wish("11.1.0")
    stated = run("collect", "m.onnx", "-o", "out", "fp16", code=2).stderr
    assert "trtexec 11.1 no longer takes --fp16." in stated
    assert not Path("out").exists()


def test_repeats_are_read_as_runs(run, wish):
    run("collect", "m.onnx", "-o", "out", "-q")
    assert len(list(Path("out").glob("*.timing*.json"))) == 3
    run("report", "out", "-o", "r.json")
    assert Path("r.json").stat().st_size


def test_from_log(run, wish):
    run("collect", *ONCE, "m.onnx", "-o", "out", "-q")
    run("collect", "--from-log", "out/m.engine.build.log", "out/m.engine.timing.log", "-o", "logs")
    assert manifest("logs")["complete"] is False
    assert "NVIDIA L4" in run("summary", "logs").output


def test_run_writes_a_report_and_keeps_the_capture(run, wish):
    for _ in range(2):
        stated = run("run", *ONCE, "m.onnx", "-o", "r.html", "shapes=x:1x3x224x224").stderr
        assert "Wrote r.html (" in stated
    assert manifest("r.capture")["complete"] is True
    assert "NVIDIA L4" in Path("r.html").read_text()


def test_run_writes_every_kind_of_report(run, wish):
    run("run", *ONCE, "m.onnx", "-o", "r.json", "-q")
    assert json.loads(Path("r.json").read_text())["generator"]
    assert "names no format" in run("run", *ONCE, "m.onnx", "-o", "r.docx", code=2).stderr
    assert not Path("r.docx.capture").exists()


def test_run_refuses_before_it_measures(run, wish, tmp_path):
    Path("mine.html").write_text("mine")
    assert "did not write it" in run("run", *ONCE, "m.onnx", "-o", "mine.html", code=3).stderr
    assert "can't be written to standard output" in run("run", *ONCE, "m.onnx", "-o", "-", code=2).stderr
    run("collect", *ONCE, "m.onnx", "-o", "out", "-q")
    assert "--force" in run("run", *ONCE, "m.onnx", "-o", "r.html", "--capture", "out", code=3).stderr
    assert not Path("r.html").exists()


def test_run_says_why_there_is_no_report(run, wish):
    wish(fails="memory")
    assert "not enough memory" in run("run", "m.onnx", "-o", "r.html", code=5).stderr
    assert not Path("r.html").exists()


def test_doctor(run, wish):
    lines = run("doctor").stdout.splitlines()
    assert lines[0].startswith("ok       trexreport: ")
    assert any(line.startswith("ok       trtexec: TensorRT 10.16.0, ") for line in lines)


def test_doctor_fits_a_terminal(run, wish, monkeypatch):
    monkeypatch.setenv("COLUMNS", "50")
    long = [line for line in run("doctor").stdout.splitlines() if len(line) > 50]
    assert long
    shown = io.StringIO()
    shown.isatty = lambda: True
    monkeypatch.setattr("sys.stdout", shown)
    _print("missing  ", "trtexec: " + "many words " * 10)
    lines = shown.getvalue().splitlines()
    assert max(map(len, lines)) <= 50
    assert all(line.startswith(" " * 9) for line in lines[1:])


def test_control_characters_of_a_log_are_shown_not_obeyed(run, wish, tmp_path):
    (tmp_path / "bad\x1b[31m.onnx").write_text("a model")
    stated = run("collect", *ONCE, "bad\x1b[31m.onnx", "-o", "out", "--verbose").stderr
    assert "\x1b" not in stated
    assert "␛[31m" in stated


def test_an_end_while_the_version_is_asked_for(tmp_path):
    slow = tmp_path / "slow"
    slow.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\nexec sleep 60\n")
    slow.chmod(0o755)
    (tmp_path / "m.onnx").write_text("a model")
    (tmp_path / "tmp").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "trexreport", "collect", "m.onnx", "-o", "out", "--trtexec", str(slow)],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (tmp_path / "asked").exists():
        assert process.poll() is None
        time.sleep(0.02)
    process.terminate()
    _, stated = process.communicate(timeout=60)
    assert process.returncode == 143
    assert stated == "Interrupted by SIGTERM.\n"
    assert not list((tmp_path / "tmp").iterdir())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", ["--timeout", "--gpu-interval", "--power-limit"])
def test_no_limit_is_nan(run, option):
    # Nothing is longer than NaN: it would be no limit at all.
    assert "nan is not a number" in run("collect", "m.onnx", "-o", "out", option, "nan", code=2).output


def test_phases_are_collected_and_reported(run, wish):
    flags = ("--runs", "1", "--", "--fp16")
    stated = run(
        *("collect", "--phase", "prefill=m.onnx", "--phase", "de/code=m.onnx", "--times", "de/code=128"),
        *("-o", "set", *flags),
    ).stderr
    assert stated.endswith("Next: trexreport report set\n")
    listed = json.loads(Path("set/trexreport-phases.json").read_text())["phases"]
    assert [(each["name"], each.get("times")) for each in listed] == [("prefill", None), ("de/code", 128)]
    assert all("--fp16" in manifest(f"set/{each['path']}")["runs"][0]["command"] for each in listed)
    document = json.loads(run("summary", "set", "--json").stdout)
    assert [each["times"] for each in document["together"]["phases"]] == [None, 128]
    assert document["title"] == "set"
    stated = run("collect", "--phase", "prefill=m.onnx", "-o", "set", code=2).stderr
    assert "--force" in stated


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--phase", "a=m.onnx"), "folder of the phases is missing"),
        (("--phase", "a=m.onnx", "-o", "x", "--dry-run"), "exclude each other"),
        (("m.onnx", "-o", "x", "--times", "a=1"), "for several phases"),
        ((), "nothing to collect from"),
    ],
)
def test_phases_that_can_not_be_collected(run, arguments, message):
    assert message in run("collect", *arguments, code=2).stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["m.onnx", "--build-only", "--nsys"], "--nsys runs the engine, and --build-only does not"),
        (["m.onnx", "--build-only", "--ncu"], "--ncu runs the engine, and --build-only does not"),
        (["--phase", "a=m.onnx", "--dry-run"], "--phase and --dry-run exclude each other"),
        (["--phase", "a=m.onnx", "--profile-only"], "--phase and --profile-only exclude each other"),
    ],
)
def test_options_that_exclude_each_other_are_named(run, options, message):
    assert message in run("collect", *options, "-o", "out", code=2).output
    assert not Path("out").exists()
