"""Shorten sentences: they end where one of them ends, and keep how much of the time they are about."""

from __future__ import annotations

from trexreport.numbers import ELLIPSIS, middle_ellipsis
from trexreport.regex import regex

#: The end of a sentence before another one, or of a part of one, and not that of "est. 3%".
_END = regex(r"(?<!\best)[.!?](?= \S)|(?=; \S)")
#: The main figure of a finding: "98.7% of layer time".
_SHARE = regex(r"\d% of\b\S*(?: [^\s;,]+){0,4}")
#: As many characters before a share say what it is of.
_BEFORE = 60


def shortened(text: str, width: int) -> str:
    """Return a text of sentences that is at most so long.

    It is cut at the end of a sentence, or of a word where much or the first share would be lost else. Of what
    precedes a share that comes later a part is left out.
    """
    if len(text) <= width:
        return text
    room = width - 2
    share = _SHARE.search(text)
    if share and share.end() > room:
        first = text.rfind(" ", 0, max(share.start() - _BEFORE, 0))
        head = _cut_at_word(text, width // 2)
        if 0 < len(head) <= first and share.end() - first + len(head) < room:
            return head + shortened(text[first:], width - len(head))
    ends = [found.end() for found in _END.finditer(text, 0, room + 2) if found.end() <= room]
    is_kept = share is None or share.end() > room or share.end() <= max(ends, default=0)
    if ends and is_kept and ends[-1] >= width // 2:
        return f"{text[: ends[-1]]} {ELLIPSIS}"
    return _cut_at_word(text, width) or middle_ellipsis(text, width)


def _cut_at_word(text: str, width: int) -> str:
    """Return the first words of a text that fit, and an ellipsis; nothing if not even one fits."""
    kept = text[: max(text.rfind(" ", 0, width - 1), 0)].rstrip(" ,;:(")
    return f"{kept} {ELLIPSIS}" if kept else ""
