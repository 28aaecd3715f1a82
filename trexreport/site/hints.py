"""What distinguishes engines of a site beside their names: parts of the places of their captures."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from trexreport.site.entries import Entry

#: The length of a year: a shorter part of a place is not a date.
_YEAR = 4


def place_hints(entries: Sequence[Entry], shown_date: Callable[[str], str]) -> dict[str, str]:
    """Return the part of a place that says more of an engine than its name and its date.

    Of engines of equal names it is what distinguishes them, in as few folders as possible; else the folder,
    if neither name contains the other.

    Args:
        entries: The engines.
        shown_date: What of a date is shown beside a hint, which then does not repeat it.
    """
    dates = {entry.place: shown_date(entry.summary.date) for entry in entries}
    hints = ((place, _without_date(hint, dates[place])) for place, hint in _hints(entries).items())
    return {place: hint for place, hint in hints if hint}


def _without_date(hint: str, date: str) -> str:
    return "/".join(part for part in hint.split("/") if len(part) < _YEAR or not date.startswith(part))


def _hints(entries: Sequence[Entry]) -> dict[str, str]:
    by_name: dict[str, list[list[str]]] = {}
    for entry in entries:
        by_name.setdefault(entry.summary.name, []).append(entry.place.split("/"))
    found = {}
    for name, places in by_name.items():
        if len(places) > 1:
            found.update({"/".join(parts): hint for parts, hint in _apart(places)})
        else:
            *around, last = places[0]
            # Of several engines in a folder, a place ends with the name of the engine's files.
            folder = around[-1] if last.startswith(name) and len(around) > 1 else last
            if not _says_the_same(folder, name):
                found["/".join(places[0])] = folder
    return found


def _apart(places: Sequence[Sequence[str]]) -> list[tuple[Sequence[str], str]]:
    """Return each place with its parts that distinguish it: first the part that distinguishes most places."""
    depths = range(1, max(map(len, places)) + 1)

    def hints(chosen: Collection[int]) -> list[str]:
        from_above = sorted(chosen, reverse=True)
        return [
            "/".join(parts[-depth] for depth in from_above if depth <= len(parts)) or parts[-1]
            for parts in places
        ]

    chosen: list[int] = []
    known = 0
    while known < len(places):
        counts = {depth: len({*hints({*chosen, depth})}) for depth in depths}
        best = max(counts, key=counts.__getitem__)
        if counts[best] == known:
            break
        chosen.append(best)
        known = counts[best]
    return list(zip(places, hints(chosen), strict=True))


def _says_the_same(folder: str, name: str) -> bool:
    """Return whether one name contains the other, but for what is between words."""
    plain, other = (re.sub(r"[\W_]+", "", text.lower()) for text in (folder, name))
    return plain in other or other in plain
