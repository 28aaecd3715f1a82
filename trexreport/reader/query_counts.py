"""Read how many queries of a run warmed up and were timed, which trtexec states before it sums them up."""

from __future__ import annotations

import re
from dataclasses import dataclass

from trexreport.regex import regex

WARMED_UP, TIMED = "Warmup completed ", "Timing trace has "
_LINE = regex(
    rf"({WARMED_UP}|{TIMED})(\d{{1,12}}) queries(?: over (\d{{1,9}}(?:\.\d{{1,12}})?) s)?", re.ASCII
)


@dataclass
class QueryCounts:
    """Takes the lines of a run in turn; the first ones count.

    Attributes:
        warm_up, timed: How many queries; None where not stated. trtexec 7 to 8.4 exports the times of both.
        timed_s: In which time the queries were timed.
    """

    warm_up: int | None = None
    timed: int | None = None
    timed_s: float | None = None

    def __bool__(self) -> bool:
        return self.warm_up is not None or self.timed is not None

    def take(self, text: str) -> bool:
        """Read a line, and return whether it states a number of queries."""
        found = _LINE.match(text)
        if found is None:
            return False
        if found[1] == WARMED_UP:
            self.warm_up = int(found[2]) if self.warm_up is None else self.warm_up
        elif self.timed is None:
            self.timed, self.timed_s = int(found[2]), float(found[3]) if found[3] else None
        return True
