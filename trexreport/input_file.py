"""Read files that the user names without waiting for what is none: pipes, devices, sockets, /proc."""

from __future__ import annotations

import errno
import os
import select
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

#: How long a pipe may be silent; a program that unpacks a file into one writes within that time.
PIPE_SECONDS = 10.0
_PART_BYTES = 2**20
_KINDS = (
    (stat.S_ISCHR, "it is a device, not a file"),
    (stat.S_ISBLK, "it is a device, not a file"),
    (stat.S_ISSOCK, "it is a socket, not a file"),
)


def read_input(path: str | Path, most: int) -> bytes:
    """Return a file's content, or what comes through a pipe.

    Args:
        path: The file or the pipe.
        most: How many bytes are read at most; to learn of more, ask for one more.

    Raises:
        OSError: It can't be read, or is neither a file nor a pipe that is written to.
    """
    with open_input(path, pipes=True) as file:
        is_pipe = stat.S_ISFIFO(os.fstat(file.fileno()).st_mode)
        parts, size = [], 0
        for part in _pipe_parts(file) if is_pipe else iter(lambda: file.read(_PART_BYTES), b""):
            parts.append(part[: most - size])
            size += len(parts[-1])
            if size >= most:
                break
    return parts[0] if len(parts) == 1 else b"".join(parts)


def open_input(path: str | Path, *, pipes: bool = False) -> BinaryIO:
    """Open a file for reading; neither this nor reading a regular file waits for another program.

    Args:
        path: The file.
        pipes: Whether it may be a pipe; reading one does not wait either.

    Raises:
        OSError: It can't be opened, or is not a file.
    """
    # Opening a device can have effects.
    _refuse(os.stat(path).st_mode, pipes=pipes)  # noqa: PTH116 - a path may be a str
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115 - the caller closes it
    try:
        mode = os.fstat(file.fileno()).st_mode
        _refuse(mode, pipes=pipes)
        if stat.S_ISREG(mode):
            _refuse_content_without_size(file)
    except BaseException:
        file.close()
        raise
    return file


def _refuse_content_without_size(file: BinaryIO) -> None:
    """Raise for a file such as those of /proc; reading some of them waits, or gives None."""
    if not os.fstat(file.fileno()).st_size:
        if file.read(1) != b"" and not os.fstat(file.fileno()).st_size:
            raise OSError(errno.EINVAL, "it is a file of the system, not a saved one")
        file.seek(0)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refuse(mode: int, *, pipes: bool) -> None:
    for is_kind, reason in _KINDS:
        if is_kind(mode):
            raise OSError(errno.EINVAL, reason)
    if stat.S_ISFIFO(mode) and not pipes:
        raise OSError(errno.EINVAL, "it is a pipe, not a file")


def _pipe_parts(pipe: BinaryIO) -> Iterator[bytes]:
    while select.select([pipe], [], [], PIPE_SECONDS)[0]:
        part = os.read(pipe.fileno(), _PART_BYTES)
        if not part:
            return
        yield part
    raise OSError(errno.ETIMEDOUT, f"nothing was written to this pipe for {PIPE_SECONDS:g} s")
