"""A board to watch and to set, shared with the child processes of a test."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from pathlib import Path

import pytest
from waiting import wait_until

DOUBLES = Path(__file__).with_name("doubles")
UUID = "GPU-0d0b1e00-0000-4000-8000-000000000001"


class Board:
    """The board of the double: what it has set, and how it behaves."""

    uuid = UUID

    def __init__(self, path):
        self._path = path
        self.set(
            locked=None,
            knows_tdp=True,
            power_limit_mw=300_000,
            reasons=0x4,
            refuses={},
            processes={},
            calls=[],
            gpus=[{"uuid": UUID, "pci": "00000000:3B:00.0", "name": "NVIDIA H100 PCIe"}],
        )

    def set(self, **values):
        with self._path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            text = json.dumps({**json.loads(file.read() or "{}"), **values})
            file.truncate(0)
            file.write(text)

    def __getitem__(self, key):
        with self._path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            return json.load(file)[key]

    def holders(self):
        """Return the processes that hold settings of this board."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
                environment = (process / "environ").read_bytes()
            except OSError:
                continue
            if any(word.endswith(b"holder.py") for word in words) and str(self._path).encode() in environment:
                found.append(int(process.name))
        return found

    def wait_until_left_alone(self):
        """Wait until no process holds settings anymore."""
        wait_until(lambda: not self.holders(), "the end of the holder of settings")


@pytest.fixture
def board(tmp_path, monkeypatch):
    path = tmp_path / "board.json"
    monkeypatch.setenv("NVML_DOUBLE", str(path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(DOUBLES), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.delenv("CUDA_DEVICE_ORDER", raising=False)
    monkeypatch.syspath_prepend(str(DOUBLES))
    monkeypatch.delitem(sys.modules, "pynvml", raising=False)
    yield Board(path)
    sys.modules.pop("pynvml", None)
