"""Shorten texts so that different ones do not become alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix

from trexreport.regex import regex
from trexreport.renderer.charts.text import LABEL_SIZE, fit, text_width

#: Between the parts of names of layers and kernels.
_BETWEEN = regex(r"[_./ +:]+")
#: A word before a number: "tilesize" of "tilesize64x64", but not "i" of "i8".
_WORD = regex(r"([A-Za-z]{4,})[0-9].*", re.DOTALL)
#: Texts and their parts that are compared; beyond, they are shortened one by one.
_MAX_TEXTS, _MAX_PARTS = 100, 200


def fit_apart(texts: Sequence[str], room: float, size: float = LABEL_SIZE) -> list[str]:
    """Shorten texts to the room, in pixels.

    Of those that would become alike the first part stays, and of the others only as many as they differ in,
    with what a number counts where that has room: "sm80…i8f16…64x64x64…t1r3s3", "backbone/layers.0". What
    still does not fit is shortened in its middle, or begins where it differs.
    """
    short = {text: fit(text, room, size) for text in texts}
    # Only texts with equally many parts are compared part by part.
    groups: dict[tuple[str, int], list[str]] = {}
    for text, fitted in short.items():
        groups.setdefault((fitted, len(_parts(text))), []).append(text)
    for alike in groups.values():
        if 1 < len(alike) <= _MAX_TEXTS:
            own = [fit(text, room, size) for text in _differences(alike, room, size)]
            if len(set(own)) > 1:
                short |= dict(zip(alike, own, strict=True))
    for begin in (_with_end, _from_difference):
        short |= _distinct(short, begin, room, size)
    return [short[text] for text in texts]


def _distinct(
    short: dict[str, str], begin: Callable[[str, str, str], str], room: float, size: float
) -> dict[str, str]:
    """Return texts of which several were shortened to the same, with the ends in which they differ.

    Args:
        short: What each text was shortened to.
        begin: Returns a text to shorten again, of what all were shortened to, the letters at their beginning,
            and one of them; "" for nothing better.
        room: In pixels.
        size: Of the letters.
    """
    groups: dict[str, list[str]] = {}
    for text, fitted in short.items():
        groups.setdefault(fitted, []).append(text)
    found: dict[str, str] = {}
    for fitted, alike in groups.items():
        if 1 < len(alike) <= _MAX_TEXTS:
            shared = commonprefix(alike)  # noqa: RUF071 - letters are wanted, not folders
            own = [fit(begin(fitted, shared, text), room, size) for text in alike]
            if all(own) and len(set(own)) == len(own):
                found |= dict(zip(alike, own, strict=True))
    return found


def _with_end(fitted: str, shared: str, text: str) -> str:
    begin = max((each.end() for each in _BETWEEN.finditer(shared)), default=0)
    return f"{fitted}…{text[begin:]}" if begin else ""


def _from_difference(_: str, shared: str, text: str) -> str:
    return f"…{text[len(shared) :]}"


def _parts(text: str) -> list[str]:
    return _BETWEEN.split(text, maxsplit=_MAX_PARTS)


def _differences(texts: Sequence[str], room: float, size: float) -> list[str]:
    """Return of each text its first part, those that it differs in, and what numbers of these count."""
    columns = list(zip(*map(_parts, texts), strict=True))
    differ = {
        at: _without_shared_letters(column) for at, column in enumerate(columns) if len(set(column)) > 1
    }
    needed = dict(differ)
    # What other parts determine says nothing more; the longest, as sizes of tiles, say most.
    for at in sorted(differ, key=lambda at: (max(map(len, differ[at])), at)):
        rest = [column for other, column in needed.items() if other != at]
        if rest and len(set(zip(*rest, strict=True))) == len(texts):
            del needed[at]
    numbers = [at for at, column in needed.items() if at and "".join(column).isdecimal()]
    first = next((at for at, column in enumerate(columns) if any(column)), 0)
    needed[0] = columns[0]
    shown = _joined(texts, needed)
    for at in (*(each - 1 for each in sorted(numbers, reverse=True)), first):
        more = _joined(texts, needed | {at: columns[at]})
        if all(text_width(text, size) <= room for text in more):
            needed[at], shown = columns[at], more
    return shown


def _joined(texts: Sequence[str], columns: Mapping[int, Sequence[str]]) -> list[str]:
    """Return parts of each text with what is between them; dots where others are left out."""
    found = [""] * len(texts)
    before = None
    for at in sorted(columns):
        for row, text in enumerate(texts):
            between = "" if before is None else "…"
            if before == at - 1:
                between = _BETWEEN.findall(text)[before]
            found[row] += between + columns[at][row]
        before = at
    return found


def _without_shared_letters(column: Sequence[str]) -> Sequence[str]:
    """Return parts without a word that all begin with: "64x64" for "tilesize64x64", but "i8f16" as it is."""
    found = [_WORD.match(part) for part in column]
    words = {each[1] if each else "" for each in found}
    if len(words) != 1 or not all(words):
        return column
    (word,) = words
    return [part[len(word) :] for part in column]
