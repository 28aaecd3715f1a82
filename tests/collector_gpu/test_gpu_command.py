"""`trexreport collect` watches and holds the GPU that is measured, and no other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TRTEXEC = Path(__file__).parents[1] / "collector" / "trtexec_double.py"


@pytest.fixture
def collect(tmp_path, monkeypatch, board):
    """Return a function that collects with the double of trtexec, here or "on" another machine."""
    programs = {
        "trtexec": f'exec "{sys.executable}" "{TRTEXEC}" "$@"',
        "ssh": 'shift; exec sh -c "$*"',  # as ssh does: its words are joined and read by a shell
    }
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("TRTEXEC_DOUBLE", json.dumps({"version": "10.16.0"}))
    (tmp_path / "m.onnx").write_text("a model")

    def run(*words):
        command = [
            sys.executable,
            "-m",
            "trexreport",
            "collect",
            str(tmp_path / "m.onnx"),
            "-o",
            str(tmp_path / "out"),
        ]
        environment = {**os.environ, "PYTHONPATH": f"{os.environ['PYTHONPATH']}:{Path(__file__).parents[2]}"}
        done = subprocess.run(
            [*command, *words], capture_output=True, text=True, check=False, env=environment
        )
        assert done.returncode == 0, done.stderr
        return tmp_path / "out", done.stderr

    return run


def test_samples_of_all_runs_are_beside_the_capture(collect, board):
    folder, stated = collect("--lock-clocks", "1410")
    samples = json.loads((folder / "m.engine.gpu.json").read_text())
    assert [phase["name"] for phase in samples["phases"]] == ["profile", "timing", "timing 2", "timing 3"]
    assert set(samples["samples"]["sm_clock_mhz"]) == {1410}
    assert samples["other_processes"] == []
    assert board["locked"] is None
    assert "note" not in stated


def test_samples_are_as_dense_as_wanted(collect, board):
    folder, _ = collect("--gpu-interval", "10")
    samples = json.loads((folder / "m.engine.gpu.json").read_text())
    assert samples["interval_ms"] == 10
    collect("--gpu-interval", "0", "--force")
    assert not (folder / "m.engine.gpu.json").exists()


def test_without_the_right_to_lock_it_says_how_and_measures(collect, board):
    board.set(refuses={"nvmlDeviceSetGpuLockedClocks": 4})
    folder, stated = collect("--lock-clocks", "1410")
    assert "The clocks were not locked: Insufficient Permissions." in stated
    manifest = json.loads((folder / "m.engine.capture.json").read_text())
    assert manifest["complete"] is True
    assert any("--lock-gpu-clocks=1410" in note for note in manifest["notes"])


def test_the_gpu_here_is_left_alone_when_another_machine_measures(collect, board):
    folder, stated = collect("--trtexec", "ssh host trtexec", "--lock-clocks", "1410")
    assert "The GPU was not watched or held: It is in another machine." in stated
    assert not (folder / "m.engine.gpu.json").exists()
    assert board["calls"] == []
