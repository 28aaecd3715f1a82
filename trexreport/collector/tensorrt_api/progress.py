"""Report how far a build has come, from the phases that TensorRT reports (10.0 and later).

Phases nest, and their numbers of steps are TensorRT's guesses: the share shown never falls.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from trexreport.collector.tensorrt_api.console import Console

_MIN_INTERVAL_S = 0.5


@dataclass
class _Phase:
    """A phase that is under way."""

    name: str
    parent: str | None
    steps: int
    done: int = 0


class BuildProgress:
    """Adds up nested phases; safe to use from several threads.

    It has the methods that TensorRT's IProgressMonitor calls, with the names of their parameters there.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._phases: dict[str, _Phase] = {}
        self._shown = 0
        self._reported_at = 0.0

    def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None:
        """Begin a phase within another."""
        with self._lock:
            self._phases[phase_name] = _Phase(phase_name, parent_phase, max(1, num_steps))
            self._report(phase_name)

    def step_complete(self, phase_name: str, step: int) -> bool:
        """Count a step of a phase, numbered from 0, as done; to return False would cancel the build."""
        with self._lock:
            if phase_name in self._phases:
                self._phases[phase_name].done = step + 1
                self._report(phase_name)
        return True

    def phase_finish(self, phase_name: str) -> None:
        """End a phase, whether all its steps were done or not."""
        with self._lock:
            self._phases.pop(phase_name, None)

    def percent(self) -> int:
        """Return how much is done, of 100."""
        roots = [each for each in self._phases.values() if each.parent not in self._phases]
        return int(100 * max((self._share(root) for root in roots), default=0.0))

    def _share(self, phase: _Phase) -> float:
        inner = [self._share(each) for each in self._phases.values() if each.parent == phase.name]
        return min(1.0, (phase.done + max(inner, default=0.0)) / phase.steps)

    def _report(self, name: str) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _MIN_INTERVAL_S:
            self._reported_at = now
            self._shown = max(self._shown, self.percent())
            self._console.info(f"[progress] {self._shown}% {name}")


def make_monitor(trt: Any, console: Console) -> Any:
    """Return a progress monitor for the builder, or None if this version has none."""
    if not hasattr(trt, "IProgressMonitor"):
        return None

    class Monitor(BuildProgress, trt.IProgressMonitor):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProgressMonitor.__init__(self)
            BuildProgress.__init__(self, console)

    return Monitor()
