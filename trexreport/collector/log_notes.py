"""Read a log of trtexec, however long it is, and find what a user should know of a run that went well."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path

from trexreport.reader.trtexec_lines import Banner, split_log
from trexreport.regex import regex

#: What only --verbose shows: hundreds of megabytes of a large model's build, and nothing that is asked for.
_VERBOSE = b"] [V] "
#: Several threads may write on one line.
_NOT_ONLY_VERBOSE = regex(rb"\] \[[IWEF]\] ")
_MOST_BYTES = 2**24
_LONGEST_LINE_BYTES = 2**16


def warnings_of(log: str) -> list[str]:
    """Return what a log warns of, each once, a warning over several lines as one."""
    found: list[str] = []
    for each in split_log(log):
        if isinstance(each, Banner) or each.severity != "W":
            continue
        if each.text.startswith("  ") and found:
            found[-1] += f" {each.text.strip()}"
        else:
            found.append(each.text.strip().removeprefix("* "))
    return list(dict.fromkeys(found))


#: What trtexec says when it builds, and when it loads an engine; no blank follows the second's name.
_OVERRIDDEN = regex(
    r"(?:Dynamic dimensions required for input: ?(?P<built>.+?), but no shapes were provided.*"
    r"|Shape missing for input with dynamic shape: (?P<loaded>.+?) ?Automatically setting shape to): ?"
    r"(?P<shape>[\dx]+)"
)


def notes_on_log(log: str, *, builds: bool) -> list[str]:
    """Return what the user should know from the log of a run that went well.

    Args:
        log: Its text.
        builds: Whether the engine is built here, so that the ranges of its shapes can be chosen.
    """
    others = ", or --minShapes, --optShapes and --maxShapes" if builds else ""
    found = (_OVERRIDDEN.search(warning) for warning in warnings_of(log))
    taken = ((match["built"] or match["loaded"], match["shape"]) for match in found if match)
    return [
        f"The model has dynamic shapes and none were given: trtexec took {shape} for {name}. "
        f"Give --shapes={name}:…{others}."
        for name, shape in taken
    ]


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
