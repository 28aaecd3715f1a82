"""Check the shell script of a plan by running it with a double of trtexec."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trexreport.collector.commands import plan_commands
from trexreport.collector.jobs import Job
from trexreport.collector.polygraphy import Polygraphy
from trexreport.collector.script import render_script
from trexreport.collector.versions import Version

#: Writes down its arguments and every file that it is asked for; behaves badly on demand.
STAND_IN = """
import pathlib, sys
with open({calls!r}, "a") as calls:
    print(repr(sys.argv[1:]), file=calls)
print("out"); print("err", file=sys.stderr)
options = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
if {fails!r} in options:
    sys.exit(7)
for name in ("saveEngine", "exportLayerInfo", "exportProfile", "exportTimes"):
    if name in options:
        pathlib.Path(options[name]).write_text("" if name == {empty!r} else "x")
"""

pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="there is no POSIX shell")


@pytest.fixture
def run_script(tmp_path):
    def run(fails="", empty="", folder="out dir's $HOME"):
        program = tmp_path / "stand in.py"
        program.write_text(STAND_IN.format(calls=str(tmp_path / "calls"), fails=fails, empty=empty))
        job = Job(
            "my 'model`.onnx",
            str(tmp_path / folder),
            ("shapes=x:0:1x3", "fp16"),
            program=(sys.executable, str(program)),
            runs=2,
        )
        plan = plan_commands(job, Version(10, 3))
        script = tmp_path / "collect.sh"
        script.write_text(render_script(plan))
        done = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=False, timeout=60)
        calls = tmp_path / "calls"
        return plan, done, calls.read_text().splitlines() if calls.exists() else []

    return run


def test_the_script_runs_the_commands_word_by_word(run_script):
    plan, done, calls = run_script()
    assert done.returncode == 0, done.stderr
    assert len(calls) == 4
    assert calls == [repr(list(command.words[2:])) for command in plan.commands]
    for command in plan.commands:
        assert (
            Path(command.log).read_text().splitlines() == ["out", "err"]
            or "err" in Path(command.log).read_text()
        )
        assert all(Path(path).stat().st_size for path in command.writes)
    assert f"trexreport report {shlex.quote(plan.job.folder)}\n" in done.stdout


def test_a_run_that_fails_ends_the_script(run_script):
    plan, done, calls = run_script(fails="exportProfile")
    assert done.returncode == 5
    assert len(calls) == 2
    assert "profile run failed with exit status 7" in done.stderr
    assert plan.commands[1].log in done.stderr


def test_an_empty_engine_ends_the_script(run_script):
    plan, done, calls = run_script(empty="saveEngine")
    assert done.returncode == 5
    assert len(calls) == 1
    assert f"{plan.job.engine} is missing or empty" in done.stderr


def test_after_a_failure_the_script_runs_again(run_script, tmp_path):
    plan, done, _ = run_script(empty="saveEngine")
    mark = Path(plan.job.path(".unfinished"))
    assert done.returncode == 5
    assert mark.exists()
    _, done, calls = run_script()
    assert done.returncode == 0, done.stderr
    assert len(calls) == 5
    assert not mark.exists()
    _, done, _ = run_script()
    assert "is there already" in done.stderr


def test_an_earlier_capture_is_left_alone(run_script, tmp_path):
    earlier = tmp_path / "out" / "my 'model`.engine.profile.json"
    earlier.parent.mkdir()
    earlier.write_text("earlier")
    _, done, calls = run_script(folder="out")
    assert done.returncode == 5
    assert calls == []
    assert earlier.read_text() == "earlier"
    assert "is there already" in done.stderr


def test_comments_stay_comments():
    """A name with a line end must not begin a command."""
    plan = plan_commands(Job("a\nrm -rf x\n.onnx", "o"), Version(10, 3))
    comment = next(line for line in render_script(plan).splitlines() if line.startswith("# Collect"))
    assert "rm -rf x" in comment


@pytest.mark.parametrize(("status", "ended"), [(0, 0), (1, 0), (2, 5)])
def test_values_that_differ_do_not_end_the_script(tmp_path, monkeypatch, status, ended):
    tool = tmp_path / "tools" / "polygraphy"
    tool.parent.mkdir()
    tool.write_text(f'#!/bin/sh\nfor last; do :; done\necho "{{}}" >"$last"\nexit {status}\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    program = tmp_path / "trtexec.py"
    program.write_text(STAND_IN.format(calls=str(tmp_path / "calls"), fails="", empty=""))
    program = (sys.executable, str(program))
    job = Job("m.onnx", str(tmp_path / "out"), (), program, runs=1, accuracy=Polygraphy(), launcher=())
    script = tmp_path / "accuracy.sh"
    script.write_text(render_script(plan_commands(job, Version(10, 3))))
    ran = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == ended, ran.stderr
    assert ("The accuracy run failed with exit status 2" in ran.stderr) == bool(ended)
