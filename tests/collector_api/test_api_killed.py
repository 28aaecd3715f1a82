"""Whatever ends a collection, no process, no locked clock and nothing that reads as complete is left."""

from __future__ import annotations

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

BOARD = {
    "locked": None,
    "knows_tdp": True,
    "power_limit_mw": 300_000,
    "reasons": 0,
    "refuses": {},
    "processes": {},
    "calls": [],
    "gpus": [{"uuid": "GPU-1", "name": "NVIDIA H100 PCIe"}],
}
#: A whole collection takes about three seconds.
_RANDOM = random.Random(6)
MOMENTS = [
    pytest.param(number, round(_RANDOM.uniform(0.2, 3.0), 2), marks=pytest.mark.slow if at else [])
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
    for at in range(4)
]


@pytest.fixture
def board(tmp_path, monkeypatch, api):
    path = tmp_path / "board.json"
    path.write_text(json.dumps(BOARD))
    nvml = Path(__file__).resolve().parents[1] / "collector_gpu" / "doubles"
    monkeypatch.setenv("NVML_DOUBLE", str(path))
    monkeypatch.setenv("PYTHONPATH", str(nvml), prepend=os.pathsep)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    api.be("10.16.0")
    return path


def processes_of(board):
    """Return the processes that were started for a board, but this one."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue
        if str(board).encode() in environment and int(process.name) != os.getpid():
            found.append(process.name)
    return found


def words(api):
    flags = ["--lock-clocks", "1410", "--power-limit", "200", "--backend", "api", "--quiet"]
    quick = ["--", "--duration=0.4", "--warmUp=50", "--iterations=12"]
    command = [sys.executable, "-m", "trexreport", "collect", str(api.model), "-o", str(api.folder)]
    return [*command, *flags, *quick]


def test_left_alone_it_locks_measures_and_frees(api, board):
    done = subprocess.run(words(api), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    state = json.loads(board.read_text())
    assert state["calls"].count("nvmlDeviceSetGpuLockedClocks") == 1
    assert state["locked"] is None
    assert state["power_limit_mw"] == 300_000
    samples = api.json(".gpu.json")
    assert set(samples["samples"]["sm_clock_mhz"]) == {1410}
    assert [phase["name"] for phase in samples["phases"]] == ["profile", "timing", "timing 2", "timing 3"]
    assert api.json(".capture.json")["complete"] is True


@pytest.mark.parametrize(("number", "moment_s"), MOMENTS)
def test_ended_at_any_moment_it_leaves_nothing(api, board, number, moment_s):
    with subprocess.Popen(words(api), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as collector:
        time.sleep(moment_s)
        collector.send_signal(number)
        collector.wait(120)
    wait_until(lambda: not processes_of(board), "the end of all processes")
    state = json.loads(board.read_text())
    assert state["locked"] is None
    assert state["power_limit_mw"] == 300_000
    manifest = api.path(".capture.json")
    if manifest.exists() and api.json(".capture.json")["complete"]:
        for ending in ("", ".graph.json", ".profile.json", ".samples.json", ".timing.json"):
            assert api.path(ending).stat().st_size
            assert not ending or json.loads(api.text(ending))
