"""Find what the errors in a log mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trexreport.reader.error_causes import AtWork, Cause, known_causes
from trexreport.regex import regex

#: A log may have a million errors, and one as long as a network: the first and last ones say why.
_MOST_LINES, _MOST_CHARACTERS = 1000, 5000


class Explained(NamedTuple):
    """What one of several lines means, which one, and what names the part of the network."""

    message: str
    hint: str
    line: int
    at_work: AtWork


def first_cause(lines: Sequence[str], others: Iterable[Cause] = ()) -> Explained | None:
    """Return the first cause, of `others` and then of those known, that a line shows; None if none does."""
    kept = _without_middle(lines)
    for cause in (*others, *known_causes()):
        pattern = regex(cause.pattern, re.IGNORECASE)
        for index, line in kept:
            if match := pattern.search(line):
                return Explained(cause.message.format(**match.groupdict()), cause.hint, index, cause.at_work)
    return None


def _without_middle(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Return the beginnings of the first and the last lines, with their indices."""
    half = _MOST_LINES // 2
    first = range(min(half, len(lines)))
    last = range(max(half, len(lines) - half), len(lines))
    return [(index, lines[index][:_MOST_CHARACTERS]) for index in (*first, *last)]
