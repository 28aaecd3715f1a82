"""Read the averages of several queries each that trtexec prints of a run.

Such a line is "Average on 10 runs - GPU latency: 2.24 ms - Host latency: 6.5 ms (enqueue 6.4 ms)"; up to 8.4
the bracket begins with "end to end 6.51 ms, ". trtexec 5 prints "Average over 10 runs is 2.24 ms (host
walltime is 2.4 ms, 99% percentile time is 2.3).".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trexreport.model import TraceAverages
from trexreport.model.commands import FORMAT_OF_7, LOG_FORMAT
from trexreport.regex import regex

_NUMBER = r"(\d{1,9}(?:\.\d{1,12})?) ms"
_LINE = regex(
    rf"Average (?:on|over) (\d{{1,6}}) runs? (?:- GPU latency:|is) {_NUMBER}(?: - Host latency: {_NUMBER}"
    rf"(?: \((?:end to end {_NUMBER}, )?enqueue {_NUMBER}\))?)?",
    re.ASCII,
)


def states_averages(text: str) -> bool:
    """Return whether a line states averages."""
    return _match(text) is not None


def _match(text: str) -> re.Match[str] | None:
    return _LINE.match(text) if text.startswith("Average o") else None


@dataclass
class AverageLines:
    """Takes the lines of a run in turn.

    Attributes:
        are_late: Lines stand after the summary, where trtexec writes none.
    """

    are_late: bool = False
    _found: list[tuple[int, float, float | None, float | None]] = field(default_factory=list)
    _is_earliest: bool = False

    def __bool__(self) -> bool:
        return bool(self._found)

    def take(self, text: str, *, is_late: bool) -> bool:
        """Read a line, and return whether it states averages."""
        found = _match(text)
        if found is None:
            return False
        self.are_late |= is_late
        self._is_earliest |= text.startswith("Average over")
        whole, enqueue = (float(each) if each else None for each in (found[3], found[5]))
        self._found.append((int(found[1]), float(found[2]), whole, enqueue))
        return True

    def sizes(self) -> list[int]:
        """Return of how many queries the averages are: one number, unless lines are damaged."""
        return sorted({queries for queries, *_ in self._found})

    def facts(self) -> dict[str, str]:
        """Return what the form of the lines says of the version that wrote them."""
        return {LOG_FORMAT: FORMAT_OF_7} if self._is_earliest else {}

    def averages(self) -> TraceAverages | None:
        """Return them; None without, or where they are of several numbers of queries."""
        sizes = self.sizes()
        if len(sizes) != 1:
            return None
        columns = zip(*(times for _, *times in self._found), strict=True)
        gpu, latency, enqueue = (() if None in column else column for column in columns)
        return TraceAverages(sizes[0], gpu, latency, enqueue)
