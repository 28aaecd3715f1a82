"""The ratios of times with their confidence intervals, one row for each candidate, as static SVG."""

from __future__ import annotations

from dataclasses import replace

from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import TIMES, format_fixed, format_number
from trexreport.renderer import palette
from trexreport.renderer.charts.frame import Scale
from trexreport.renderer.charts.markup import Element, drawing, element, hover_text, rectangle, write
from trexreport.renderer.charts.parts import grid_line, label
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, fit, text_width

_ROW, _TOP, _FOOT = 30.0, 22.0, 26.0
#: The axis reaches at least this far to either side of 1, so that a small difference looks small.
_MIN_REACH = 1.1
#: How much of the reach the side has on which nothing is.
_OTHER_SIDE = 0.4
#: Pixels between two ticks, at least on average.
_TICK_ROOM = 80
#: With this many at most, all ticks have the decimals of the longest.
_MAX_DECIMALS = 2
#: What the axis may be marked with, the closest first.
_TICKS = (
    tuple(1 + 0.02 * step for step in range(-9, 10)),
    tuple(1 + 0.05 * step for step in range(-9, 10)),
    (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0),
    (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0),
    (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0),
    tuple(10.0**power for power in range(-4, 5)),
    (1e-8, 1e-4, 1.0, 1e4, 1e8),
)


@dataclass(frozen=True)
class Interval:
    """A ratio to the baseline's time; `low` and `high` are None where there are only averages.

    Attributes:
        name: The candidate's.
        words: The text at the right, such as "2.4% slower".
        role: Of its color.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    words: str
    role: str


def draw_intervals(intervals: list[Interval], minimum_effect_percent: float, width: int) -> str:
    """Return the drawing; the gray band is where a difference is too small to count."""
    if not intervals:
        return ""
    names = max(text_width(each.name, LABEL_SIZE) for each in intervals)
    left = min(names, width * 0.3) + 24
    right = max(text_width(each.words, LABEL_SIZE) for each in intervals) + 16
    scale = Scale(*_domain(intervals), left, width - right, log=True)
    height = _TOP + _ROW * len(intervals) + _FOOT
    drawn = _field(scale, minimum_effect_percent, height)
    for number, each in enumerate(intervals):
        drawn.append(_row(each, scale, _TOP + (number + 0.5) * _ROW, left, width))
    title = f"Ratio of the times to the baseline's, with intervals: {len(intervals)}"
    return write(drawing("intervals", width, height, hover_text(title), *drawn, role="img"))


def _domain(intervals: list[Interval]) -> tuple[float, float]:
    values = [value for each in intervals for value in (each.value, each.low, each.high) if value]
    reach = max(_MIN_REACH, *(max(value, 1 / value) for value in values)) ** 1.05
    low = 1 / reach if min(values) < 1 else 1 / reach**_OTHER_SIDE
    return low, (reach if max(values) > 1 else reach**_OTHER_SIDE)


def _field(scale: Scale, effect_percent: float, height: float) -> list[Element]:
    """Draw the axis, the line of equal times, and the band of what does not count."""
    foot = height - _FOOT
    factor = 1 + effect_percent / 100
    left, right = scale(1 / factor), scale(factor)
    band = rectangle(left, _TOP, right - left, foot - _TOP, palette.LIGHT.grid)
    drawn = [replace(band, look=(("class", "chart-band"), *band.look))]
    ticks = _ticks(scale)
    decimals = max((_decimals(value) for value in ticks), default=0)
    for value in ticks:
        x = scale(value)
        drawn.append(grid_line(x, _TOP, x, foot, axis=value == 1))
        # Over powers of ten, equal decimals would be mostly zeros.
        number = format_fixed(value, decimals) if decimals <= _MAX_DECIMALS else format_number(value)
        text = f"{TIMES}{number}"
        drawn.append(label(text, x, foot + 12, anchor="middle", muted=True, size=TICK_SIZE))
    drawn.append(label("faster", scale(1) - 8, 8, anchor="end", muted=True, size=TICK_SIZE))
    drawn.append(label("slower", scale(1) + 8, 8, muted=True, size=TICK_SIZE))
    return drawn


def _ticks(scale: Scale) -> list[float]:
    """Return round ratios, a few, 1 among them."""
    for offered in _TICKS:
        found = [value for value in offered if scale.low <= value <= scale.high]
        if len(found) <= (scale.end - scale.start) / _TICK_ROOM:
            break
    return found


def _decimals(value: float) -> int:
    """Return how many decimals a round number has."""
    return len(f"{value:.8f}".rstrip("0").partition(".")[2])


def _row(each: Interval, scale: Scale, middle: float, left: float, width: float) -> Element:
    color = palette.color(each.role)
    drawn = [label(fit(each.name, left - 16), 0, middle)]
    tooltip = [each.name, f"{TIMES}{format_number(each.value, 4)} the time"]
    if each.low is not None and each.high is not None:
        begin, end = scale(each.low), scale(each.high)
        tooltip.append(f"interval {format_number(each.low, 4)} to {format_number(each.high, 4)}")
        drawn.append(rectangle(begin, middle - 1.5, max(end - begin, 1), 3, color))
        drawn += [rectangle(x - 0.75, middle - 6, 1.5, 12, color) for x in (begin, end)]
    filled = each.low is not None
    drawn.append(
        element(
            "circle",
            cx=scale(each.value),
            cy=middle,
            r=5.0,
            fill=color if filled else "none",
            stroke=color,
            stroke_width=2.0,
        )
    )
    drawn.append(label(each.words, width, middle, anchor="end"))
    return element("g", hover_text(*tooltip), *drawn)
