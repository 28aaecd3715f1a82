"""Rows of names, bars and numbers, for both renderers, and names shortened so that they stay different."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from os.path import commonprefix

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.charts import frame as frames
from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, fit, text_width

#: Between the parts of names of layers and kernels.
_BETWEEN = regex(r"[_./ +:]+")
#: A word before a number: "tilesize" of "tilesize64x64", but not "i" of "i8".
_WORD = regex(r"([A-Za-z]{4,})[0-9].*", re.DOTALL)
#: Texts and their parts that are compared; beyond, they are shortened one by one.
_MAX_TEXTS, _MAX_PARTS = 100, 200

ROW = 22.0
#: In narrow windows texts grow by this more than they are estimated too wide.
_GROWTH = 1.08
SHARE_HEADING = "Time (%)"


def fit_apart(texts: Sequence[str], room: float, size: float = LABEL_SIZE) -> list[str]:
    """Shorten texts to the room, in pixels.

    Of those that would become alike the first part stays, and of the others only as many as they differ in:
    "sm80…i8f16…64x64x64…t1r3s3". What still does not fit is shortened in its middle, or
    begins where it differs.
    """
    short = {text: fit(text, room, size) for text in texts}
    # Only texts with equally many parts are compared part by part.
    groups: dict[tuple[str, int], list[str]] = {}
    for text, fitted in short.items():
        groups.setdefault((fitted, len(_parts(text))), []).append(text)
    for alike in groups.values():
        if 1 < len(alike) <= _MAX_TEXTS:
            own = [fit(text, room, size) for text in _differences(alike)]
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


def _differences(texts: Sequence[str]) -> list[str]:
    """Return of each text its first part and those that it differs in."""
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
    shown = list(needed.values())
    if 0 not in needed:
        shown.insert(0, columns[0])
    return ["…".join(row) for row in zip(*shown, strict=True)]


def _without_shared_letters(column: Sequence[str]) -> Sequence[str]:
    """Return parts without a word that all begin with: "64x64" for "tilesize64x64", but "i8f16" as it is."""
    found = [_WORD.match(part) for part in column]
    words = {each[1] if each else "" for each in found}
    if len(words) != 1 or not all(words):
        return column
    (word,) = words
    return [part[len(word) :] for part in column]


@dataclass(frozen=True)
class Rows:
    """Columns of horizontal bars: name, bar, number, share; in pixels."""

    frame: frames.Frame
    number_end: float
    share_end: float


def rows_of(prepared: Prepared, width: float) -> Rows:
    """Return the positions of the names, bars and numbers of horizontal bars."""
    longest = max((text_width(name, LABEL_SIZE) for name in prepared.categories), default=0.0)
    left = min(_GROWTH * longest, width * 0.4) + 12
    shares = [text_width(mark.share_text, TICK_SIZE) for mark in prepared.marks]
    has_shares = any(shares) and len(prepared.chart.series) == 1
    widest = max(*shares, text_width(SHARE_HEADING, TICK_SIZE)) if has_shares else 0.0
    share_room = 1.15 * widest + 12 if has_shares else 0.0
    numbers = [text_width(text, LABEL_SIZE) for text in row_numbers(prepared).values()]
    right = max(numbers, default=0.0) + 14 + share_room
    top = len(frames.legend_rows(frames.legend(prepared), width)) * frames.LEGEND_ROW + frames.LINE + 4
    bottom = (TICK_SIZE + 10 if frames.bars_need_axis(prepared) else 2) + frames.LINE * len(prepared.notes)
    frame = frames.Frame(width, top + bottom + ROW * len(prepared.categories), left, right, top, bottom)
    return Rows(frame, width - share_room, width)


def row_names(prepared: Prepared, frame: frames.Frame) -> list[str]:
    """Return the names of the rows, shortened to their room so that different ones stay so where possible."""
    return fit_apart(prepared.categories, (frame.left - 12) / _GROWTH)


def row_numbers(prepared: Prepared) -> dict[int, str]:
    """Return the number at the right of each row: its value, or the sum of its stacked values."""
    sums: dict[int, float] = {}
    for mark in prepared.marks:
        sums[int(mark.position)] = sums.get(int(mark.position), 0.0) + mark.value
    measure = prepared.value
    write = measure.text if measure.raw_unit == "bytes" else measure.number
    return {row: write(value) for row, value in sums.items()}


def value_heading(prepared: Prepared) -> str:
    """Return the heading of the numbers.

    Sizes carry their own units, so that small ones can be read beside large ones; an axis needs the unit.
    """
    plain = prepared.value.raw_unit == "bytes" and not frames.bars_need_axis(prepared)
    return prepared.value.title if plain else prepared.value.heading
