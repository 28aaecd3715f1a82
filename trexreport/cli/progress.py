"""Show what a collector does: a moving line on a terminal, plain lines elsewhere, the log, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trexreport.cli.messages import say
from trexreport.collector.backend import Progress
from trexreport.visible import one_line

if TYPE_CHECKING:
    from rich.progress import Progress as Bars
    from rich.progress import TaskID


class Plain(Progress):
    """One line for each step, for logs of CI systems; or all lines of the log."""

    def __init__(self, *, verbose: bool) -> None:
        self._verbose = verbose
        self._title = self._stated = ""
        self._begun_s = 0.0

    def begin(self, title: str) -> None:
        """Say which run begins."""
        self._title, self._stated, self._begun_s = title, "", time.monotonic()
        say(f"{title} …")

    def advance(self, text: str, fraction: float | None = None) -> None:
        """Say what the run does, once however often it moves on."""
        del fraction
        if not self._verbose and text != self._stated:
            self._stated = text
            say(f"{self._title}: {text}")

    def line(self, text: str) -> None:
        """Repeat the line of the log."""
        if self._verbose:
            say(f"  {text}")

    def end(self, text: str) -> None:
        """Say how long it took."""
        say(f"{text} after {time.monotonic() - self._begun_s:.1f} s")


class Moving(Progress):
    """A line for each run that moves as long as it lasts."""

    def __init__(self, bars: Bars) -> None:
        self._bars = bars
        self._task: TaskID | None = None

    def begin(self, title: str) -> None:
        """Add a line."""
        self._task = self._bars.add_task(title, total=None, doing="")

    def advance(self, text: str, fraction: float | None = None) -> None:
        """Say what the run does, and fill the line as far as it is known to be done."""
        if self._task is not None:
            self._bars.update(self._task, doing=one_line(text))
            if fraction is not None:
                self._bars.update(self._task, total=1.0, completed=fraction)

    def end(self, text: str) -> None:
        """Fill the line."""
        if self._task is not None:
            self._bars.update(self._task, description=text, doing="", total=1.0, completed=1.0)
            self._bars.stop_task(self._task)


@contextmanager
def open_progress(*, quiet: bool, verbose: bool) -> Iterator[Progress]:
    """Yield what shows progress as the user wishes and the terminal can."""
    if quiet:
        yield Progress()
    elif verbose or not sys.stderr.isatty():
        yield Plain(verbose=verbose)
    else:
        from rich.console import Console
        from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bars

        with Bars(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[doing]}", markup=False),
            TimeElapsedColumn(),
            console=Console(stderr=True),
        ) as bars:
            yield Moving(bars)
