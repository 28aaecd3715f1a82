"""Take samples of a GPU in the background while something is measured."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from trexreport.collector.gpu.device import COLUMNS, Gpu
from trexreport.collector.gpu.tegrastats import Tegra

#: Listing processes is slower than a sample, and they come and go slowly.
_PROCESSES_EVERY_S = 1.0


class GpuWatch:
    """Samples of one GPU, in columns of equal length, taken in phases.

    Attributes:
        columns: Seconds since the watch began, and the quantities of `COLUMNS`; None where NVML reports
            none.
        phases: Name, begin and end in seconds of what was measured.
    """

    def __init__(self, gpu: Gpu | Tegra, interval_ms: float, own_programs: Collection[str] = ()) -> None:
        self._gpu = gpu
        self._interval_s = interval_ms / 1000
        self._own_programs = frozenset(own_programs)
        self._begin = time.monotonic()
        self.columns: dict[str, list[float | int | None]] = {name: [] for name in ("time_s", *COLUMNS)}
        self.phases: list[tuple[str, float, float]] = []
        self._foreign: dict[int, tuple[str | None, int | None]] = {}
        # Who is there before anything was started is certainly not ours, whatever namespace it runs in.
        self._before = frozenset(gpu.processes()) - {os.getpid()}
        self._note_processes()

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Take samples while the block runs."""
        stop = threading.Event()
        sampler = threading.Thread(target=self._sample_until, args=(stop,), name="gpu-watch", daemon=True)
        begin = self._now()
        sampler.start()
        try:
            yield
        finally:
            stop.set()
            sampler.join()
            self.phases.append((name, begin, self._now()))

    @property
    def other_processes(self) -> list[tuple[int, str | None, int | None]]:
        """The processes of others that were seen: number, program, bytes of GPU memory."""
        return [(pid, *what) for pid, what in sorted(self._foreign.items())]

    def _sample_until(self, stop: threading.Event) -> None:
        begin, count, listed = time.monotonic(), 0, 0.0
        while True:
            now = self._now()
            sample = self._gpu.sample()
            for name, column in self.columns.items():
                column.append(now if name == "time_s" else sample[name])
            if now - listed >= _PROCESSES_EVERY_S:
                listed = now
                self._note_processes()
            count += 1
            # To the next moment of a fixed grid, so that the time a sample takes does not add up.
            late = time.monotonic() - begin - count * self._interval_s
            count += max(0, int(late // self._interval_s) + 1) if late > 0 else 0
            if stop.wait(max(0.0, begin + count * self._interval_s - time.monotonic())):
                return

    def _note_processes(self) -> None:
        for pid, memory in self._gpu.processes().items():
            name = self._foreign[pid][0] if pid in self._foreign else self._gpu.process_name(pid)
            if not self._is_own(pid, name):
                self._foreign[pid] = (name, memory)

    def _is_own(self, pid: int, name: str | None) -> bool:
        if _descends_from(pid, os.getpid()):
            return True
        # In a container, or on the other end of ssh, the program has a parent that is not ours.
        program = PurePath(name.replace("\\", "/")).name if name else ""
        return pid not in self._before and program in self._own_programs

    def _now(self) -> float:
        return round(time.monotonic() - self._begin, 4)


def _descends_from(pid: int, ancestor: int) -> bool:
    """Return whether a process is another or a child of its children; no where /proc does not say."""
    for _ in range(64):
        if pid == ancestor:
            return True
        try:
            status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            # The second field is a name in brackets, which may itself hold brackets and spaces.
            pid = int(status.rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
    return False
