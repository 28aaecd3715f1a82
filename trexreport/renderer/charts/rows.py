"""Rows of names, bars and numbers, for both renderers."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts import frame as frames
from trexreport.renderer.charts.apart import fit_apart
from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, text_width

ROW = 22.0
#: In narrow windows texts grow by this more than they are estimated too wide.
_GROWTH = 1.08
SHARE_HEADING = "Time (%)"


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
