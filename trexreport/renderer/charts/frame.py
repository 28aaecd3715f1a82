"""Ranges and margins, alike for both renderers, so that nothing jumps when one replaces the other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer import palette
from trexreport.renderer.charts.chart import ReferenceLine
from trexreport.renderer.charts.data import Prepared, once
from trexreport.renderer.charts.measure import drawable
from trexreport.renderer.charts.text import TICK_SIZE, clean, text_width
from trexreport.renderer.charts.ticks import Ticks, linear_ticks, log_ticks, nice_domain, percentile_ticks
from trexreport.renderer.palette import legend_place

HEIGHTS = {
    "columns": 240,
    "line": 240,
    "points": 320,
    "histogram": 220,
    "treemap": 380,
    "bars": 0,
    "strip": 44,
}
LINE = 16.0
#: Room above the data for the heading of their axis.
HEADING = 24.0
LEGEND_ROW = 18.0


@dataclass(frozen=True)
class Frame:
    """The size of a chart and its margins, in pixels."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float

    @property
    def plot_width(self) -> float:
        """Width of the area of the data."""
        return max(1.0, self.width - self.left - self.right)

    @property
    def foot(self) -> float:
        """Y of the lower edge of the area of the data."""
        return self.height - self.bottom

    @property
    def end(self) -> float:
        """X of the right edge of the area of the data."""
        return self.width - self.right


@dataclass(frozen=True)
class Scale:
    """From values to pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    percentile: bool = False

    def __call__(self, value: float) -> float:
        """Return the position of a value; values outside the range are at its ends."""
        low, high = self.low, self.high
        value = low if value < low else min(value, high)
        if self.log:
            low, high, value = math.log10(low), math.log10(high), math.log10(value)
        share = (value - low) / (high - low) if high > low else 0.0
        return self.start + share * (self.end - self.start)

    def ticks(self, count: int) -> Ticks:
        """Return round numbers within the range."""
        if self.percentile:
            return percentile_ticks(self.low, self.high, count)
        return log_ticks(self.low, self.high, count) if self.log else linear_ticks(self.low, self.high, count)


@dataclass(frozen=True)
class LegendEntry:
    """A name and the role of its color."""

    name: str
    role: str


#: A point of the largest radius needs this part of the length of an axis.
_POINT_MARGIN = 0.06


@once
def has_whole_positions(prepared: Prepared) -> bool:
    """Return whether positions are places of layers or the like, between which there is nothing."""
    chart = prepared.chart
    is_place = chart.kind in ("columns", "line") and not chart.x.unit and chart.x.scale == "linear"
    return is_place and all(mark.position.is_integer() for mark in prepared.marks)


@once
def value_domain(prepared: Prepared) -> tuple[float, float]:
    """Return the range of the axis of the values."""
    kind = prepared.chart.kind
    ends = [mark.base + mark.value for mark in prepared.marks]
    ends += [value for value, _ in levels_on(prepared, "y")]
    low, high = min(ends), max(ends)
    if prepared.value.log:
        margin = _log_margin(low, high)
        return low / max(1.5, margin), high * max(1.2, margin)
    if kind in ("bars", "columns", "histogram") or 0 < low <= high / 2:
        low, high = min(0.0, low), max(0.0, high)
    if kind == "bars" and not bars_need_axis(prepared) and high > low:
        return low, high
    return nice_domain(low, high, value_tick_count(prepared))


def _log_margin(low: float, high: float) -> float:
    """Return by which factor a logarithmic axis exceeds its values, so that no point is cut off at an end."""
    return math.pow(high / low, _POINT_MARGIN)


@once
def position_domain(prepared: Prepared) -> tuple[float, float]:
    """Return the range of the independent axis."""
    kind = prepared.chart.kind
    places = [mark.position for mark in prepared.marks]
    places += [value for value, _ in levels_on(prepared, "x")]
    if kind == "histogram":
        places += [mark.end for mark in prepared.marks]
    low, high = min(places), max(places)
    if prepared.position.log:
        margin = max(1.3, _log_margin(low, high))
        return low / margin, high * margin
    if kind == "columns":
        gap = column_gap(prepared)
        return low - gap / 2, high + gap / 2
    if prepared.position.counted:
        return low - 0.5, high + 0.5
    if kind == "points" or low == high:
        return nice_domain(0.0 if 0 < low <= high / 2 else low, high, 8)
    return low, high


@once
def column_gap(prepared: Prepared) -> float:
    """Return the smallest distance of two columns, in the unit of their axis."""
    places = sorted({mark.position for mark in prepared.marks})
    return min((b - a for a, b in pairwise(places)), default=1.0)


def column_thickness(step: float) -> float:
    """Return how thick a column is that has so much room, in pixels."""
    return min(48.0, max(1.0, step * 0.8 if step > 8 else step - 1 if step >= 3 else step))


def value_tick_count(prepared: Prepared) -> int:
    """Return how many steps the axis of the values has at most."""
    return 6 if prepared.chart.kind == "bars" else 5


def bars_need_axis(prepared: Prepared) -> bool:
    """Return whether the numbers beside the bars leave something to be read from an axis."""
    return len(prepared.chart.series) > 1


@once
def legend(prepared: Prepared) -> tuple[LegendEntry, ...]:
    """Return what has to be named beside a chart: its series, or the roles of one series of many colors.

    Bars that are named as their colors are need no legend. Classes are in the order of all legends.
    """
    return tuple(sorted(_legend_entries(prepared), key=lambda entry: legend_place(entry.role)))


def _legend_entries(prepared: Prepared) -> tuple[LegendEntry, ...]:
    chart = prepared.chart
    drawn = {mark.series for mark in prepared.marks}
    if len(chart.series) > 1:
        entries = [
            LegendEntry(clean(series.name), series.role)
            for number, series in enumerate(chart.series)
            if number in drawn and series.name
        ]
        return tuple(_merged(entries) if chart.kind in ("bars", "columns") else entries)
    if not chart.series or not any(chart.series[0].roles):
        return ()
    named = {role: role.partition(":")[2] for role in dict.fromkeys(mark.role for mark in prepared.marks)}
    if chart.kind == "bars" and {clean(name) for name in named.values()} <= {"", *prepared.categories}:
        return ()
    names: dict[str, LegendEntry] = {}
    for role, name in named.items():
        look = palette.color(role) + palette.pattern(role)
        if name and (look not in names or name not in names[look].name.split(", ")):
            known = names.get(look)
            names[look] = LegendEntry(f"{known.name}, {name}" if known else clean(name), role)
    return tuple(names.values()) if len(names) > 1 or chart.kind == "bars" else ()


def _merged(entries: Iterable[LegendEntry]) -> list[LegendEntry]:
    """Return one entry for each color and pattern, with the names of all that are drawn so."""
    found: dict[str, LegendEntry] = {}
    for entry in entries:
        look = palette.color(entry.role) + palette.pattern(entry.role)
        known = found.get(look)
        found[look] = LegendEntry(f"{known.name}, {entry.name}", known.role) if known else entry
    return list(found.values())


def legend_rows(entries: tuple[LegendEntry, ...], width: float) -> list[list[tuple[float, LegendEntry]]]:
    """Return the entries with their x, in as many rows as they need."""
    rows: list[list[tuple[float, LegendEntry]]] = []
    x = width
    for entry in entries:
        # In narrow windows texts grow by more than they are estimated too wide.
        needed = 16 + min(1.25 * text_width(entry.name, TICK_SIZE), 250) + 10
        if not rows or x + needed > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, entry))
        x += needed
    return rows


def levels_on(prepared: Prepared, axis: str) -> list[tuple[float, ReferenceLine]]:
    """Return the levels that an axis has a place for, with their values in the unit shown, sorted."""
    measure = prepared.value if axis == "y" else prepared.position
    lines = [line for line in prepared.chart.reference_lines if line.axis == axis and drawable(line.value)]
    shown = [(measure.shown(line.value), line) for line in lines]
    fitting = [(value, line) for value, line in shown if value > 0 or not measure.log]
    return sorted(fitting, key=lambda pair: pair[0])


def reference_levels(prepared: Prepared, scale: Scale) -> list[tuple[float, int, str, str]]:
    """Return x, level, label and role of the upright reference lines; labels on one level do not meet."""
    ends: list[float] = []
    placed = []
    for value, line in levels_on(prepared, "x"):
        x, label = scale(value), clean(line.label)
        half = text_width(label, TICK_SIZE) / 2
        level = next((n for n, end in enumerate(ends) if end + 8 <= x - half), len(ends))
        ends[level : level + 1] = [x + half]
        placed.append((x, level, label, line.role))
    return placed


def levels_height(prepared: Prepared, scale: Scale) -> float:
    """Return how high the labels of the upright reference lines are together."""
    return 14.0 * max((level + 1 for _, level, _, _ in reference_levels(prepared, scale)), default=0)


def position_scale(prepared: Prepared, start: float, end: float) -> Scale:
    """Return the scale of the independent axis between two pixels."""
    return Scale(*position_domain(prepared), start, end, prepared.position.log, prepared.position.percentile)


def value_scale(prepared: Prepared, start: float, end: float) -> Scale:
    """Return the scale of the values between two pixels."""
    return Scale(*value_domain(prepared), start, end, prepared.value.log)


def upright_heading(prepared: Prepared) -> str:
    """Return the heading of the upright axis, which says whether the axis does not begin at zero."""
    measure = prepared.value
    cut = not measure.log and value_domain(prepared)[0] > 0
    return ", ".join(filter(None, (measure.heading, "axis not from 0" if cut else "")))


def height_of(prepared: Prepared) -> float:
    """Return the height of a chart without what is below it."""
    return float(prepared.chart.height or HEIGHTS[prepared.chart.kind])


def frame_of(prepared: Prepared, width: float) -> Frame:
    """Return the margins and the height of a chart that has an axis at its left and one at its foot."""
    labels = value_scale(prepared, 0.0, 1.0).ticks(value_tick_count(prepared)).labels
    left = 14 + max((text_width(text, TICK_SIZE) for text in labels), default=0.0)
    levels = [clean(line.label) for line in prepared.chart.reference_lines if line.axis == "y"]
    right = 12 + max((min(text_width(text, TICK_SIZE), 110.0) for text in levels), default=0.0)
    head = len(legend_rows(legend(prepared), width)) * LEGEND_ROW
    top = head + (HEADING if upright_heading(prepared) else 8)
    top += levels_height(prepared, position_scale(prepared, left, width - right))
    bottom = 6 + TICK_SIZE + 4 + (LINE if prepared.position.heading else 0) + LINE * len(prepared.notes)
    return Frame(width, max(height_of(prepared), top + bottom + 60), left, right, top, bottom)
