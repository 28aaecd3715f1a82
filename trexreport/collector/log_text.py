"""Read a log of trtexec, however long it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from trexreport.regex import regex

#: What only --verbose shows: hundreds of megabytes of a large model's build, and nothing that is asked for.
_VERBOSE = b"] [V] "
#: Several threads may write on one line.
_NOT_ONLY_VERBOSE = regex(rb"\] \[[IWEF]\] ")
_MOST_BYTES = 2**24
_LONGEST_LINE_BYTES = 2**16


def text_of_log(path: str | Path) -> str:
    """Return what a log says without its verbose lines; of a huge one the beginning and the end."""
    with Path(path).open("rb") as file:
        parts = iter(lambda: file.readline(_LONGEST_LINE_BYTES), b"")
        lines = (line for line in parts if _VERBOSE not in line or _NOT_ONLY_VERBOSE.search(line))
        beginning = list(_taken(lines, _MOST_BYTES))
        end: deque[bytes] = deque()
        size = 0
        for line in lines:
            end.append(line)
            size += len(line)
            while size > _MOST_BYTES:
                size -= len(end.popleft())
    return b"".join([*beginning, *end]).decode("utf-8", "replace")


def _taken(lines: Iterator[bytes], most_bytes: int) -> Iterator[bytes]:
    """Yield the first lines, up to a size."""
    size = 0
    while size < most_bytes and (line := next(lines, b"")):
        size += len(line)
        yield line
