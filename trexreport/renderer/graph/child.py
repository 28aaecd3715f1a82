"""Run another program within a time limit, and leave nothing of it behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress


def run_limited(command: Sequence[str], data: bytes, time_limit_s: float) -> bytes:
    """Give a program its input and return its output.

    Raises:
        subprocess.TimeoutExpired: It was killed, with all that it started.
        subprocess.CalledProcessError: It failed.
        OSError: It could not be started, or did not take its input.
    """
    child = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        answer, _ = child.communicate(data, timeout=time_limit_s)
    finally:
        _end(child)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    return answer


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a child that still runs and all that it started; it may be a wrapper script."""
    if child.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
        child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
