"""Kill the collector at random moments: no process is left, and no incomplete capture reads as complete."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import wait_until

from trexreport.reader import read_engine

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="it looks for processes in /proc"
)

#: For each signal. Set the variable for a longer search.
MOMENTS = int(os.environ.get("TREXREPORT_KILL_MOMENTS", "7"))
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
MARK = "TREXREPORT_KILL_TEST"
DOUBLE = Path(__file__).with_name("trtexec_double.py")


def environment_of(entry):
    """Return the environment of a process; none if it is over meanwhile, or not ours."""
    try:
        return (entry / "environ").read_bytes().split(b"\0") if entry.name.isdecimal() else []
    except OSError:
        return []


class Collector:
    """A collector in a separate process, whose children are found by a variable in their environment."""

    def __init__(self, folder):
        self.folder = folder
        self.out = folder / "out"
        self.mark = f"{MARK}={folder}"
        (folder / "m.onnx").write_text("a model")

    def start(self, *options, version="10.16.0", seconds=0.15):
        wishes = {"version": version, "seconds": seconds}
        name, _, value = self.mark.partition("=")
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "trexreport", "collect", str(self.folder / "m.onnx")),
                *("-o", str(self.out), "--trtexec", f"{sys.executable} {DOUBLE}", *options),
            ],
            env={**os.environ, name: value, "TRTEXEC_DOUBLE": json.dumps(wishes)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def processes(self):
        """Return the processes that are not over and have the mark."""
        return [
            entry.name for entry in Path("/proc").iterdir() if self.mark.encode() in environment_of(entry)
        ]

    def wait_for_end(self):
        wait_until(lambda: not self.processes(), "the end of all processes")


@pytest.fixture(scope="module")
def whole_run_s(tmp_path_factory):
    """How long an undisturbed run takes here and now."""
    collector = Collector(tmp_path_factory.mktemp("whole"))
    start = time.monotonic()
    _, stated = collector.start().communicate(timeout=120)
    assert manifest_of(collector.out)["complete"] is True, stated
    return time.monotonic() - start


def manifest_of(folder):
    path = folder / "m.engine.capture.json"
    return json.loads(path.read_text()) if path.exists() else None


def check_folder(folder):
    """Whatever a folder has, it must not read as a whole capture unless it is one."""
    data = [path for path in folder.iterdir() if path.is_file() and path.name.startswith("m.engine")]
    written = manifest_of(folder)
    if written is None:
        assert not [path.name for path in data if not path.name.startswith(".")]
        return
    if written["complete"]:
        engine = (folder / "m.engine").read_bytes()
        assert hashlib.sha256(engine).hexdigest() == written["engine"]["sha256"]
        for run in written["runs"]:
            assert run["finished"]
            assert "&&&& PASSED" in (folder / run["log"]).read_text()
            for name in run["writes"]:
                assert (folder / name).stat().st_size
                assert not name.endswith(".json") or json.loads((folder / name).read_text())
    elif (folder / "m.engine.graph.json").exists():
        assert any(note.slug == "capture-incomplete" for note in read_engine(folder).notes)


@pytest.mark.parametrize("count", [2, pytest.param(MOMENTS, marks=pytest.mark.slow)])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_killed_collector_leaves_nothing_that_runs_or_lies(tmp_path, whole_run_s, number, count):
    moments = random.Random(int(number))
    assert count > 1
    for attempt in range(count):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        collector = Collector(folder)
        has_earlier = attempt % 2 == 1
        if has_earlier:
            collector.start(version="8.6.1", seconds=0).communicate(timeout=120)
            assert manifest_of(collector.out)["complete"] is True
        process = collector.start("--force")
        time.sleep(moments.uniform(0, 1.2 * whole_run_s))
        process.send_signal(number)
        _, stated = process.communicate(timeout=60)
        collector.wait_for_end()
        if not collector.out.exists():
            continue
        check_folder(collector.out)
        left = collector.out / "m.engine.incomplete"
        if left.exists():
            check_folder(left)
            assert not (manifest_of(left) or {}).get("complete")
        if has_earlier:
            written = manifest_of(collector.out)
            assert written is not None
            # Only while files are moved is neither the earlier nor the new one whole.
            assert written["complete"] or number == signal.SIGKILL, stated
            assert written["versions"]["tensorrt"] in {"8.6.1", "10.16.0"}


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_exit_status_and_the_words_show_what_happened(tmp_path, number, status):
    collector = Collector(tmp_path)
    process = collector.start(seconds=20)
    while not (collector.out / "m.engine.incomplete" / "m.engine.build.log").exists():
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(number)
    _, stated = process.communicate(timeout=60)
    assert process.returncode == status
    assert f"Interrupted by {number.name}. What was finished is in {collector.out}, incomplete." in stated
    assert manifest_of(collector.out)["failure"] == f"It was interrupted by {number.name}."
    assert collector.processes() == []


def test_after_a_kill_the_next_run_goes_through(tmp_path):
    collector = Collector(tmp_path)
    process = collector.start(seconds=20)
    while not (collector.out / "m.engine.incomplete" / "m.engine.build.log").exists():
        time.sleep(0.02)
        assert process.poll() is None
    process.kill()
    process.communicate(timeout=60)
    assert manifest_of(collector.out / "m.engine.incomplete")["complete"] is False
    collector.wait_for_end()
    collector.start(seconds=0).communicate(timeout=120)
    assert manifest_of(collector.out)["complete"] is True
    assert not (collector.out / "m.engine.incomplete").exists()
