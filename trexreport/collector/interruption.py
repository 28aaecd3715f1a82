"""Turn the signals that ask for an end into an exception, at moments at which that leaves nothing behind."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ()


class Interrupted(KeyboardInterrupt):
    """The user or the system wants an end.

    Attributes:
        signal: Number of the signal.
        kept_in: The folder that holds what was finished.
    """

    def __init__(self, number: int, kept_in: Path | None = None) -> None:
        super().__init__(f"Interrupted by {signal.Signals(number).name}.")
        self.signal = number
        self.kept_in = kept_in


class _Waiting:
    """A signal that waits. To block signals would not do: any other thread may be the one that gets them."""

    depth = 0
    number: int | None = None


@contextmanager
def signals_wait() -> Iterator[None]:
    """Let signals wait for what takes no time worth an interruption, and must not be left half done.

    It holds what `signals_raise` would raise, which comes as the outermost of such blocks ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Waiting.depth += 1
    try:
        yield
    finally:
        _Waiting.depth -= 1
        number = _Waiting.number
        if number is not None and not _Waiting.depth:
            _Waiting.number = None
            raise Interrupted(number)


@contextmanager
def signals_raise() -> Iterator[None]:
    """Turn the signals that ask for an end into an `Interrupted`, so that everything is left in order."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if not _Waiting.depth:
            raise Interrupted(number)
        _Waiting.number = number

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, interrupt) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
