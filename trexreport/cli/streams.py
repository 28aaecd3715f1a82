"""Standard input, output and error as they are found: closed, full, or of a folder that is gone."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

from trexreport.numbers import middle_ellipsis
from trexreport.visible import one_line

#: The system has no more files or memory for us.
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
_MAX_PATH = 100


def open_closed_streams() -> None:
    """Open what the caller has closed, so that no file that is opened later gets its number.

    A message to a closed stream may be lost, but a result must not be: writing one fails.
    """
    if sys.stdin is None:
        sys.stdin = os.fdopen(os.open(os.devnull, os.O_RDONLY), encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def drop_output() -> None:
    """Let what is still to be written to standard output vanish: Python would complain of it at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def system_error_text(error: OSError) -> str | None:
    """Return what is wrong with the streams or the place that we were given; None if something else is."""
    if error.errno in _EXHAUSTED:
        return f"The system has no more to give: {error.strerror}."
    if error.errno == errno.ENOENT and not _has_folder():
        return "The working folder is gone. Change to one that exists."
    if error.errno == errno.ENAMETOOLONG and error.filename is not None:
        return f"{middle_ellipsis(one_line(str(error.filename)), _MAX_PATH)} is longer than a path can be."
    # Only what is written to a stream that was open already has no name.
    if error.filename is None:
        return f"Standard output can't be written: {error.strerror or error}."
    return None


def _has_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - pathlib asks the same
    except OSError:
        return False
    return True
