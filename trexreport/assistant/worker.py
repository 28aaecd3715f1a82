"""A process that makes the answers, so that one that takes too long or too much memory can be ended.

A thread can't be ended. Answers are made one after another: engines that were read once are kept there.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any

from trexreport.errors import InputError, ToolFailedError, TrexReportError
from trexreport.numbers import middle_ellipsis
from trexreport.pipeline.settings import Settings
from trexreport.visible import one_line

#: Longest time of one answer, and of waiting for those before it, in seconds.
TIME_LIMIT_S = 120.0
MAX_WAITING = 16
_MAX_ERROR = 500


class Worker:
    """A process with `Answers`, begun when it is first asked.

    Args:
        folders: That may be read.
        settings: Of all analyses.
        time_limit_s: Of one answer.
    """

    def __init__(
        self, folders: Sequence[str], settings: Settings, time_limit_s: float = TIME_LIMIT_S
    ) -> None:
        self._begin_with = (tuple(map(os.path.abspath, folders)), settings.portable())
        self._limit_s = time_limit_s
        self._turn, self._waiting = threading.Lock(), threading.BoundedSemaphore(MAX_WAITING)
        self._process: Any = None
        self._pipe: Connection | None = None

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """Return an answer; may be called by several threads.

        Raises:
            ToolFailedError: It takes too long, too many are asked for at once, or the process ended.
            InputError: What `Answers` raises, in one line.
        """
        if not self._waiting.acquire(blocking=False):
            raise ToolFailedError(f"More than {MAX_WAITING} questions wait.", "Ask again later.")
        try:
            with self._turn:
                return self._ask(tool, arguments)
        finally:
            self._waiting.release()

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None

    def _ask(self, tool: str, arguments: Mapping[str, Any]) -> str:
        pipe = self._started()
        try:
            pipe.send((tool, dict(arguments)))
            if not pipe.poll(self._limit_s):
                self.close()
                raise ToolFailedError(
                    f"The answer took more than {self._limit_s:g} s and was ended.", "Use the command line."
                )
            is_answer, text = pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise ToolFailedError(
                "The process that made the answer ended, possibly for lack of memory.",
                "Use the command line.",
            ) from None
        if not is_answer:
            raise InputError(text)
        return str(text)

    def _started(self) -> Connection:
        if self._pipe is not None and self._process is not None and self._process.is_alive():
            return self._pipe
        self.close()
        # A fork of a program with threads can block for ever.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, *self._begin_with), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe


def _serve(pipe: Connection, folders: Sequence[str], settings: Settings) -> None:
    """Answer until the other end is closed."""
    from trexreport.assistant.answers import Answers
    from trexreport.assistant.places import Places

    # The parent handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = Answers(Places(folders), settings)
    while True:
        try:
            tool, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_result(answers, tool, arguments))


def _result(answers: Any, tool: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
    try:
        return True, answers.answer(tool, arguments)
    except TrexReportError as error:
        return False, middle_ellipsis(one_line(str(error)), _MAX_ERROR)
    except MemoryError:
        return False, "The capture needs more memory than there is."
    except Exception as error:  # noqa: BLE001 - one bad question must not end the server
        return (
            False,
            f"{tool} failed unexpectedly ({type(error).__name__}). Try `trexreport summary`, and report it.",
        )
