"""Read files whole, up to a size: what is larger is not a file of a capture, and would fill the memory."""

from __future__ import annotations

import difflib
import hashlib
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from trexreport.errors import InputError
from trexreport.input_file import open_input, read_input
from trexreport.model import InputWarning, Source
from trexreport.numbers import format_limit
from trexreport.reader.accuracy.limits import LARGEST_BYTES as LARGEST_ACCURACY_BYTES
from trexreport.reader.large_log import LARGE_BYTES, LARGEST_LOG_BYTES, read_large_log
from trexreport.regex import regex

#: The largest are logs of verbose builds, which are read in pieces.
LARGEST_BYTES = 2**30
_PART_BYTES = 2**20
#: A path that was a URL; a drive of Windows has one letter.
_URL = regex(r"[a-z][a-z0-9+.-]+:/", re.ASCII | re.IGNORECASE)
#: Saved outputs take several times their size in memory.
_OF_ACCURACY = ("accuracy", "accuracy-reference")


def read_bytes(path: Path) -> bytes:
    """Return a file's content, or raise an InputError that says why it can't be read."""
    with explained_reading(path):
        if is_too_large(path):
            raise _too_large(path)
        data = read_input(path, LARGEST_BYTES + 1)
    # A pipe may have no end, and a file may grow while it is read.
    if len(data) > LARGEST_BYTES:
        raise _too_large(path)
    return data


def read_content(path: Path, role: str | None) -> tuple[bytes, list[InputWarning]]:
    """Return the content of a file that has a role; of a large log what is used of it, with a note.

    Raises:
        InputError: It can't be read.
    """
    largest = _largest_of(role)
    if role != "log" and largest < LARGEST_BYTES and _is_larger(path, largest):
        raise InputError(
            f"{path.name} is larger than {format_limit(largest)}.",
            "Save outputs of fewer tensors or iterations, or Polygraphy's --save-accuracy-results.",
        )
    if role != "log" or not is_large_file(path):
        return read_bytes(path), []
    with explained_reading(path):
        return read_large_log(path)


def _largest_of(role: str | None) -> int:
    """Return how many bytes a file of a role may have."""
    if role == "log":
        return LARGEST_LOG_BYTES
    return LARGEST_ACCURACY_BYTES if role in _OF_ACCURACY else LARGEST_BYTES


def file_sha256(path: Path) -> str:
    """Return the hash of a file of any size, in hexadecimal.

    Raises:
        InputError: It can't be read.
    """
    digest = hashlib.sha256()
    with explained_reading(path), open_input(path) as file:
        while part := file.read(_PART_BYTES):
            digest.update(part)
    return digest.hexdigest()


@contextmanager
def explained_reading(path: Path) -> Iterator[None]:
    """Turn an error of the system while a file is read into an InputError that says why it can't be."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.", _nearest(path)) from None
    except IsADirectoryError:
        raise InputError(
            f"{path} is a folder where a file is expected.", "Name the file inside it."
        ) from None
    except PermissionError:
        raise InputError(f"{path} may not be read by this user.", "Change its permissions.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{path} can't be read: {reason}.") from None


def read_head(path: Path, size: int) -> bytes:
    """Return a file's first bytes; none if it is not a file, or can't be read."""
    try:
        if not path.is_file():
            return b""
        with open_input(path) as file:
            return file.read(size)
    except (OSError, ValueError):
        return b""


def read_sources(files: Iterable[tuple[str, Path]]) -> tuple[list[Source], list[InputWarning]]:
    """Read files that were found with their roles; one that is too large is left out with a note.

    Without layer information there is no report of layers, so that this is an error.

    Raises:
        InputError: A file can't be read, or that of the layers is too large.
    """
    sources, notes = [], []
    for role, path in files:
        largest = _largest_of(role)
        if role != "graph" and _is_larger(path, largest):
            message = f"{_too_large(path, largest)} It was left out."
            notes.append(InputWarning("degraded", "file-too-large", message, path.name))
        else:
            content, condensed = read_content(path, role)
            sources.append(Source(role, path.name, content))
            notes += condensed
    return sources, notes


def is_too_large(path: Path) -> bool:
    """Return whether a file is larger than what is read whole; what has no size is not."""
    return _is_larger(path, LARGEST_BYTES)


def is_large_file(path: Path) -> bool:
    """Return whether a file is read in pieces if it is a log."""
    return _is_larger(path, LARGE_BYTES)


def _is_larger(path: Path, limit: int) -> bool:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(found.st_mode) and found.st_size > limit


def _too_large(path: Path, largest: int | None = None) -> InputError:
    limit = format_limit(LARGEST_BYTES if largest is None else largest)
    return InputError(f"{path.name} is larger than {limit}, and no file of a capture is.")


def _nearest(path: Path) -> str:
    if _URL.match(path.as_posix()):
        return "Only `trexreport site` reads URLs: download the files first."
    try:
        siblings = [entry.name for entry in path.parent.iterdir()]
    except (OSError, ValueError):
        return "Check the path."
    if path.name in siblings:
        return "It is a link to a file that is not there: copy the file itself."
    close = difflib.get_close_matches(path.name, siblings, n=1, cutoff=0.7)
    return f"Did you mean {path.parent / close[0]}?" if close else "Check the path."
