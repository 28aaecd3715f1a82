"""Make every text from a file fit to be shown: control characters visible, nothing that no page can hold."""

from __future__ import annotations

import re
import unicodedata

from trexreport.regex import regex

#: Overrides of the direction of writing are among them: with one, a name can look like another.
_UNPRINTABLE = regex("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def visible(text: str) -> str:
    """Return the text with control characters as their pictures (NUL as ␀), others of no shape replaced."""
    return text if is_plain(text) else _UNPRINTABLE.sub(_picture, text)


def is_plain(text: str) -> bool:
    """Return whether a text is printable as Python has it, apart from the spaces before units.

    Most are. There is nothing to replace in them, and no line end, and asking takes a tenth of searching.
    """
    return text.isprintable() or text.replace("\u00a0", "").isprintable()


def _picture(found: re.Match[str]) -> str:
    code = ord(found.group())
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else "\ufffd"


#: A number after a name that is not part of it: with a sign, a unit, or as a shape.
_FIGURE = regex(r"(?<=\s)[(+<>≤≥\u2212-]{0,3}[0-9?][0-9.,]{0,30}(?=×|\s?(?:ms|%|[KMGTP]?i?B)(?![A-Za-z]))")
_LEFT_TO_RIGHT_MARK = "\u200e"
#: All that is written from the right, and where Unicode keeps room for more of it.
_FROM_THE_RIGHT = regex(
    "[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
#: How far back to look for a letter; little more than digits and signs comes between a name and its number.
_LOOKED_BACK = 200


def in_order(text: str) -> str:
    """Return the text with a mark before each figure that a name written from the right would pull into it.

    Without it "שלום 2×3" would show its extents as 3×2 (Unicode Standard Annex 9, rules W2 to N1).
    """
    if text.isascii() or not _FROM_THE_RIGHT.search(text):
        return text
    return _FIGURE.sub(lambda found: _mark_before(text, found.start()) + found.group(), text)


def _mark_before(text: str, at: int) -> str:
    for character in reversed(text[max(0, at - _LOOKED_BACK) : at]):
        direction = unicodedata.bidirectional(character)
        if direction in ("R", "AL"):
            return _LEFT_TO_RIGHT_MARK
        if direction == "L":
            break
    return ""


#: Spaces that keep a number and its unit together on a page; a terminal may not have them.
_WIDE_SPACES = str.maketrans({"\u00a0": " ", "\u202f": " "})


def one_line(text: str) -> str:
    """Return the text on one line, without anything that a terminal would obey."""
    text = text.translate(_WIDE_SPACES)
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _picture_of(character) for character in text)


def _picture_of(character: str) -> str:
    return visible(character) if ord(character) < 0x80 and character not in "\t\n" else "\ufffd"
