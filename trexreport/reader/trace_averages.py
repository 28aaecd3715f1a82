"""Read the averages of several queries each that trtexec 7 and later print of a run.

Such a line is "Average on 10 runs - GPU latency: 2.24 ms - Host latency: 6.5 ms (enqueue 6.4 ms)"; up to 8.4
the bracket begins with "end to end 6.51 ms, ".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from trexreport.model import TraceAverages
from trexreport.regex import regex

_NUMBER = r"(\d{1,9}(?:\.\d{1,12})?) ms"
_LINE = regex(
    rf"Average on (\d{{1,6}}) runs? - GPU latency: {_NUMBER}(?: - Host latency: {_NUMBER}"
    rf"(?: \((?:end to end {_NUMBER}, )?enqueue {_NUMBER}\))?)?",
    re.ASCII,
)


@dataclass
class AverageLines:
    """Takes the lines of a run in turn."""

    _found: list[tuple[int, float, float | None, float | None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self._found)

    def take(self, text: str) -> bool:
        """Read a line, and return whether it states averages."""
        if not text.startswith("Average on ") or (found := _LINE.match(text)) is None:
            return False
        whole, enqueue = (float(each) if each else None for each in (found[3], found[5]))
        self._found.append((int(found[1]), float(found[2]), whole, enqueue))
        return True

    def averages(self) -> TraceAverages | None:
        """Return them; None without, or where they are of several numbers of queries."""
        sizes = {queries for queries, *_ in self._found}
        if len(sizes) != 1:
            return None
        columns = zip(*(times for _, *times in self._found), strict=True)
        gpu, latency, enqueue = (() if None in column else column for column in columns)
        return TraceAverages(sizes.pop(), gpu, latency, enqueue)
