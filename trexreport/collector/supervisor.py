"""Run a program that must not outlive the collector; this file is a script of its own and imports no other.

`python supervisor.py GRACE_S WORD...` runs the words as a command, in a session and process group of its own.
Standard input is one end of a pair of sockets whose other end the collector holds. When that closes, because
the collector wants no more of it or was itself killed by a signal that no program can catch, the group gets
SIGTERM and, after the time of grace, SIGKILL. Back through the socket go lines of JSON: which process it is,
and how it ended or why it could not be started. Whatever it leaves running in its group ends with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time


def main(grace_s: float, words: list[str]) -> None:
    """Run the command and report its end."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    # A handler, unlike SIG_IGN, is not passed on to the program.
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    # A copy, as the child has another standard input by the time at which it speaks.
    lifeline = socket.socket(fileno=os.dup(0))
    try:
        program = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            # It says who it is before it becomes the program, so that the collector always knows it.
            preexec_fn=lambda: _report(lifeline, {"pid": os.getpid()}),  # noqa: PLW1509 - one thread
        )
    except OSError as error:
        _report(lifeline, {"errno": error.errno, "reason": error.strerror or str(error)})
        return
    end = _wait(program, lifeline.fileno(), woken, grace_s)
    _signal_group(program, signal.SIGKILL)
    _report(lifeline, {"status": end})


def _wait(program: subprocess.Popen[bytes], lifeline: int, woken: int, grace_s: float) -> int:
    """Return the program's exit status, having ended it if no process waits for it any more."""
    watched = [lifeline, woken]
    deadline = None
    while program.poll() is None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        ready, _, _ = select.select(watched, [], [], left)
        if woken in ready:
            os.read(woken, 4096)
        # Nothing is ever sent, so something to read is the end.
        if lifeline in ready:
            watched.remove(lifeline)
            deadline = time.monotonic() + grace_s
            _signal_group(program, signal.SIGTERM)
        elif deadline is not None and not ready:
            _signal_group(program, signal.SIGKILL)
            deadline = None
    return program.returncode


def _signal_group(program: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, number)


def _report(lifeline: socket.socket, content: dict[str, object]) -> None:
    with contextlib.suppress(OSError):
        lifeline.sendall(json.dumps(content).encode() + b"\n")


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
