"""Run a program with its output in a log, follow it, and end it with all its children whatever happens."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from trexreport.collector.interruption import signals_wait
from trexreport.errors import MissingToolError, OutputError, ToolFailedError, explained
from trexreport.toml_table import quoted

#: Between the polite and the other signal. trtexec ends at once; a container passes the first one on.
GRACE_S = 3.0
_LOOK_S = 0.1
#: What is read at a time. Between two parts the clock is looked at: a log may grow faster than it is read.
_PART_BYTES = 2**20
_LONGEST_LINE_BYTES = 2**16
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


def run_logged(
    words: Sequence[str],
    log: str | Path,
    *,
    timeout_s: float | None = None,
    on_line: Callable[[str], None] = lambda _: None,
) -> int:
    """Run a program until it ends and return its exit status, negative for a signal.

    Standard output and standard error go into the log. The program writes there itself, so that nothing of
    it is lost with us; its lines are given to `on_line` as they come. An exception on the way here, such as
    KeyboardInterrupt, ends the program first.

    Raises:
        MissingToolError: It is not there, or may not be executed.
        ToolFailedError: It took longer than `timeout_s`, or no process could be made.
        OutputError: The log can't be written.
    """
    with ExitStack() as ends:
        # A signal between the start of the program and our knowing of it would leave it to itself.
        with signals_wait():
            with explained(OutputError, f"{log} can't be written"), Path(log).open("wb") as output:
                supervised = _Supervised(words, output)
            ends.callback(supervised.stop)
        follower = _Follower(ends.enter_context(Path(log).open("rb")), on_line)
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        is_behind = False
        while not supervised.has_ended(0.0 if is_behind else _LOOK_S):
            is_behind = follower.look()
            if deadline is not None and time.monotonic() > deadline:
                message = f"{quoted(words[0])} was ended after {timeout_s:g} s, as it took too long."
                raise ToolFailedError(message, "--timeout gives it more.")
        while follower.look():
            pass
        follower.finish()
        return supervised.end(words)


class _Supervised:
    """A program under a supervisor, which ends it when our end of the socket closes."""

    def __init__(self, words: Sequence[str], output: IO[bytes]) -> None:
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._answer = b""
        self._closed = False
        try:
            with theirs:
                # Away from the terminal's group: Ctrl-C there is ours to pass on.
                self._supervisor = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(_SUPERVISOR), str(GRACE_S), *words],
                    stdin=theirs.fileno(),
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            ours.close()
            why = error.strerror or str(error)
            raise ToolFailedError(f"No process could be started for {quoted(words[0])}: {why}.") from None

    def has_ended(self, wait_s: float) -> bool:
        """Return whether the program has ended, after waiting a little for it."""
        if not self._closed and select.select([self._socket], [], [], wait_s)[0]:
            part = self._socket.recv(4096)
            self._answer += part
            self._closed = not part
        return self._closed

    def end(self, words: Sequence[str]) -> int:
        """Return the program's exit status.

        Raises:
            MissingToolError: It was never started.
            ToolFailedError: The exit status is unknown, because the supervisor was killed.
        """
        answer: dict[str, Any] = {}
        for line in self._answer.splitlines():
            with contextlib.suppress(ValueError):
                answer |= json.loads(line)
        if isinstance(answer.get("status"), int):
            return int(answer["status"])
        if "errno" in answer:
            raise _not_started(words[0], answer["errno"], answer.get("reason", ""))
        if "pid" in answer:
            # No process is left to end it.
            with contextlib.suppress(OSError):
                os.killpg(answer["pid"], signal.SIGKILL)
        raise ToolFailedError(f"{quoted(words[0])} was ended by something else on this machine.")

    def stop(self) -> None:
        """End the program if it still runs, and wait until it has."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        try:
            self._supervisor.wait()
        finally:
            self._socket.close()


def _not_started(program: str, number: Any, reason: str) -> MissingToolError:
    if number == errno.ENOENT:
        return MissingToolError(f"{quoted(program)} was not found.", "Check the name or the path.")
    if number == errno.EACCES:
        return MissingToolError(f"{quoted(program)} may not be executed.", "Is it a program? chmod +x helps.")
    if number == errno.ENOEXEC:
        return MissingToolError(f"{quoted(program)} is not a program for this machine.")
    return MissingToolError(f"{quoted(program)} can't be started: {reason}.")


class _Follower:
    """Reads what is added to a log, line by line."""

    def __init__(self, file: IO[bytes], on_line: Callable[[str], None]) -> None:
        self._file, self._on_line = file, on_line
        self._rest = b""

    def look(self) -> bool:
        """Pass on some of the lines that were added, and return whether there may be more."""
        part = self._file.read(_PART_BYTES)
        *lines, self._rest = (self._rest + part).split(b"\n")
        for line in lines:
            self._pass_on(line)
        if len(self._rest) > _LONGEST_LINE_BYTES:
            self.finish()
        return len(part) == _PART_BYTES

    def finish(self) -> None:
        """Pass on what is left of a line without an end."""
        if self._rest:
            self._pass_on(self._rest)
            self._rest = b""

    def _pass_on(self, line: bytes) -> None:
        self._on_line(line.decode("utf-8", "replace").rstrip("\r"))
