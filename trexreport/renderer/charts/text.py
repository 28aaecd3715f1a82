"""Texts in a drawing: made harmless, measured without a browser, shortened to the room there is."""

from __future__ import annotations

import math
import unicodedata
from functools import lru_cache

from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.visible import is_plain, visible

#: Sizes in pixels: of labels, and of ticks and notes.
LABEL_SIZE = 12.0
TICK_SIZE = 11.0
#: Room for fonts that run wider than the one the estimates are made for.
_SAFETY = 1.14
_WIDTHS = (
    (regex(r"[iljI.,:;'|!`]"), 0.27),
    (regex(r"[ftr()\[\]{}/\\\s\-\"*]"), 0.36),
    (regex(r"[mwMW@%]"), 0.88),
    (regex(r"[A-Z&+<>=~#_]"), 0.67),
    (regex(r"[0-9a-z$?]"), 0.55),
)
#: Longer texts are rarely measured twice.
_LONGEST_REMEMBERED = 100
_SPACES = regex("[\t\n\r\u2028\u2029]+")


def clean(text: str) -> str:
    """Return a text on one line with marks for what no drawing can show, as in tables; not escaped yet."""
    text = str(text)
    return _short_clean(text) if len(text) <= _LONGEST_REMEMBERED else _clean(text)


@lru_cache(maxsize=8192)
def _short_clean(text: str) -> str:
    """Return that of a name or a number, which several drawings have."""
    return _clean(text)


def _clean(text: str) -> str:
    return text if is_plain(text) else visible(_SPACES.sub(" ", text))


def text_width(text: str, size: float = LABEL_SIZE) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return _short_width(text, size) if len(text) <= _LONGEST_REMEMBERED else _width(text, size)


@lru_cache(maxsize=8192)
def _short_width(text: str, size: float) -> float:
    """Return that of a name or a number, which several drawings have."""
    return _width(text, size)


def _width(text: str, size: float) -> float:
    return math.fsum(map(_character_width, text)) * size * _SAFETY


@lru_cache(maxsize=1024)
def fit(text: str, room: float, size: float = LABEL_SIZE) -> str:
    """Shorten a text in its middle until it takes no more than the room, in pixels; "" if nothing fits."""
    if text_width(text, size) <= room:
        return text
    low, high = 0, min(len(text), int(room / (0.25 * size)) + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(middle_ellipsis(text, middle), size) <= room:
            low = middle
        else:
            high = middle - 1
    # Two letters and dots between them name nothing.
    return middle_ellipsis(text, low) if low >= 3 else ""


@lru_cache(maxsize=4096)
def _character_width(character: str) -> float:
    """Return a share of the font size, as a usual sans serif face has it."""
    for pattern, width in _WIDTHS:
        if pattern.match(character):
            return width
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Mn"):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(character) in "WF" else 0.62
