"""Lines in which programs print times of layers, and those among them that are sums of the others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field

from trexreport.lazy_dataclass import dataclass
from trexreport.reader.printed_forms import LIKE_LAYERS, OF_LAYERS
from trexreport.regex import regex

#: Among fewer lines a sum may be chance.
_MIN_LINES = 5
#: What a program measures as a whole takes what the layers take together, and a little more on the host.
_LEAST, _MOST = 0.995, 1.06
_WORDS = regex(r"[A-Za-z][A-Za-z ]*")


@dataclass(frozen=True)
class PrintedLine:
    """A line of a layer.

    Attributes:
        name: As it is printed.
        ms: The time, of a table the sum over `count` runs.
        count: Of the runs in a table; None where it is not stated.
        share: Percentage of all layers; None where it is not stated.
        width: That of the name with what fills it; 0 if the form has none.
        has_tab: Whether tabs are in the line.
    """

    name: str
    ms: float
    count: int | None
    share: float | None
    width: int
    has_tab: bool


@dataclass
class Printout:
    """Lines up to the one that states the time of all layers, or up to the end of the text."""

    lines: list[PrintedLine] = field(default_factory=list)
    total_ms: float | None = None


def without_sums(printouts: Sequence[Printout]) -> tuple[list[Printout], list[str]]:
    """Return printouts that end where a line states the time of those above it, and the names of such lines.

    "infer: 36.9ms" after the layers is not a layer: it would be half of all time. It ends the text, or a next
    inference follows, or the same name states the sum each time.
    """
    found: list[Printout] = []
    names: list[str] = []
    for printout in printouts:
        begun, total_ms = Printout(total_ms=printout.total_ms), 0.0
        for position, line in enumerate(printout.lines):
            following = printout.lines[position + 1 : position + 2]
            first = begun.lines[0].name if begun.lines else ""
            ends = not following or following[0].name == first or line.name in names
            if _is_sum(line, len(begun.lines), total_ms) and (
                ends or _is_sum_each_time(line.name, printout.lines)
            ):
                names += [line.name] * (line.name not in names)
                found.append(Printout(begun.lines))
                begun, total_ms = Printout(total_ms=printout.total_ms), 0.0
            else:
                begun.lines.append(line)
                total_ms += line.ms
        found.append(begun)
    return found, names


def _is_sum(line: PrintedLine, above: int, total_ms: float) -> bool:
    """Return whether a line that is not named like a layer states the time of the number of lines above."""
    if above < _MIN_LINES or not _LEAST * total_ms <= line.ms <= _MOST * total_ms or line.ms <= 0:
        return False
    if not _WORDS.fullmatch(line.name):
        return False
    return not (OF_LAYERS.search(line.name) or LIKE_LAYERS.search(line.name))


def _is_sum_each_time(name: str, lines: Sequence[PrintedLine]) -> bool:
    """Return whether a name that is there several times states the time of the lines before it each time."""
    at = [position for position, line in enumerate(lines) if line.name == name]
    starts = [0, *(position + 1 for position in at)]
    return len(at) > 1 and all(
        _is_sum(lines[position], position - start, math.fsum(each.ms for each in lines[start:position]))
        for start, position in zip(starts, at, strict=False)
    )
