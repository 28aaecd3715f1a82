"""Remove what saved a log wrote around each of its lines: containers, CI systems, journals, grep, loggers.

A terminal may also have broken them at its width.

There are too many forms to list. What they have in common: the text before TensorRT's own mark has one shape
on all lines, but for numbers and levels, and lines without a mark begin with it, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from trexreport.regex import regex

#: What trtexec and TensorRT's logger begin a line with, stamp included. A logger that states the level itself
#: is none of these: its prefix is needed.
_MARK = regex(
    rb"(?:\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] )?(?:\[TRT\] )?\[[VIWEF]\](?: |\s*$)"
    rb"|&&&& (?:RUNNING|PASSED|FAILED)"
)
#: What differs from line to line in one prefix.
_VARIES = regex(rb"(\d+)|\b(VERBOSE|DEBUG|INFO|WARNING|WARN|ERROR|stdout|stderr)\b|([ \t]+)")
_PATTERNS = (rb"\d+", rb"[A-Za-z]{4,7}", rb"[ \t]+")
_LONGEST = 160
_FEWEST_LINES = 4
#: What a table, a list, a page or a terminal without its escapes closes a line with.
_CLOSE = regex(rb"(?:\[0?m|</?\w{1,10} ?/?>|\\n|[\"'`|,;])(?:\[0?m|</?\w{1,10} ?/?>|\\n|[\"'`|,;]|\s)*$")
#: Other output may be between the lines.
_MOST_OF = 0.9
#: The first and the last line of a run are the longest of most logs; no logger breaks them.
_BANNER = b"&&&& "
_NARROWEST, _FEWEST_BROKEN = 60, 2


def common_prefix(lines: Sequence[bytes]) -> re.Pattern[bytes] | None:
    """Return what all lines begin with, as a pattern; None for a log without a prefix.

    Args:
        lines: The first ones of a log, without colors.
    """
    shapes: Counter[bytes] = Counter()
    marked = 0
    for line in lines:
        found = _MARK.search(line, 0, _LONGEST + 60)
        if found is None:
            continue
        marked += 1
        if 0 < found.start() <= _LONGEST:
            shapes[_pattern(line[: found.start()])] += 1
    if marked < _FEWEST_LINES or not shapes:
        return None
    (shape, count), *_ = shapes.most_common(1)
    if count < _MOST_OF * marked or not shape:
        return None
    prefix = re.compile(shape)
    written = [line for line in lines if line.strip()]
    return prefix if sum(bool(prefix.match(line)) for line in written) >= _MOST_OF * len(written) else None


def common_end(lines: Sequence[bytes]) -> bytes:
    """Return what all lines close with, as the cells of a table do; empty for most logs.

    The names of a list of layers close alike, too, but not the lines of the logger.
    """
    written = [line.rstrip() for line in lines if line.strip()]
    marked = [line for line in written if _MARK.search(line, 0, _LONGEST + 60)]
    ends = Counter(found[0] for line in marked if (found := _CLOSE.search(line, max(0, len(line) - 40))))
    (end, count), *_ = ends.most_common(1) or [(b"", 0)]
    closed = sum(line.endswith(end) for line in written)
    is_common = count >= max(_FEWEST_LINES, _MOST_OF * len(marked)) and closed >= _MOST_OF * len(written)
    return end if is_common else b""


def broken_width(lines: Sequence[bytes]) -> int:
    """Return the width at which a terminal broke long lines; 0 for most logs.

    Args:
        lines: The first ones of a log, without colors and prefixes.
    """
    width = widest(lines)
    broken = {line for line, rest in pairwise(lines) if _width(line) == width and _may_be_broken(line, rest)}
    has_banner = any(line.startswith(_BANNER) for line in broken)
    return width if width >= _NARROWEST and has_banner and len(broken) >= _FEWEST_BROKEN else 0


def widest(lines: Iterable[bytes]) -> int:
    """Return how many characters the longest line has."""
    return max(map(_width, lines), default=0)


def rejoined(lines: Iterable[bytes], width: int) -> Iterator[bytes]:
    """Yield lines as they were before they were broken at a width."""
    parts: list[bytes] = []
    for line in lines:
        is_rest = parts and _width(parts[-1]) == width and _may_be_broken(parts[0], line)
        if parts and not is_rest:
            yield b"".join(parts)
            parts = []
        parts.append(line)
    yield b"".join(parts)


def without_common_prefix(line: bytes, prefix: re.Pattern[bytes]) -> bytes:
    """Return a line without the prefix; one that lacks it is returned as it is."""
    found = prefix.match(line)
    return line[found.end() :] if found else line


def _width(line: bytes) -> int:
    return len(line if line.isascii() else line.decode(errors="replace"))


def _may_be_broken(line: bytes, rest: bytes) -> bool:
    """Return whether the second of two lines, which no logger wrote, may be the rest of one that it wrote."""
    return bool(_MARK.match(line) and rest.strip() and not _MARK.match(rest))


def _pattern(text: bytes) -> bytes:
    body = text.rstrip(b" \t")
    parts, at = [], 0
    for found in _VARIES.finditer(body):
        parts += [re.escape(body[at : found.start()]), _PATTERNS[(found.lastindex or 1) - 1]]
        at = found.end()
    # What follows may be indented; where it is empty, an editor may have cut the end of the line.
    end = rb"(?:" + re.escape(text[len(body) :]) + rb"|\s*$)" if body else b""
    return b"".join([*parts, re.escape(body[at:]), end])
