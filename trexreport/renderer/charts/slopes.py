"""Slanted levels to compare with, such as what a memory's bandwidth allows; alike for both renderers."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts.data import Prepared, once
from trexreport.renderer.charts.frame import Scale, levels_on, position_domain, value_domain
from trexreport.renderer.charts.measure import drawable
from trexreport.renderer.charts.text import TICK_SIZE, clean, text_width


@dataclass(frozen=True)
class SlopeLine:
    """The part of a slope that lies within the chart, in the units shown."""

    x1: float
    y1: float
    x2: float
    y2: float
    label: str
    role: str


@once
def slope_lines(prepared: Prepared) -> list[SlopeLine]:
    """Return the slopes, cut at the edges of the data and at the highest level, which ends them."""
    low_x, high_x = position_domain(prepared)
    low_y, high_y = value_domain(prepared)
    levels = [value for value, _ in levels_on(prepared, "y")]
    top = min(high_y, max(levels, default=high_y))
    found = []
    for slope in prepared.chart.slopes:
        if not drawable(slope.ratio) or slope.ratio <= 0:
            continue
        start, end = max(low_x, low_y / slope.ratio), min(high_x, top / slope.ratio)
        if start < end:
            text = clean(slope.label)
            found.append(SlopeLine(start, start * slope.ratio, end, end * slope.ratio, text, slope.role))
    return found


def label_end(slope: SlopeLine, across: Scale) -> float:
    """Return where the label of a slope ends: left of the end of its line, unless it would cover the axis."""
    return max(across(slope.x2) - 2, across.start + 2 + text_width(slope.label, TICK_SIZE))


def pair_lines(prepared: Prepared) -> list[SlopeLine]:
    """Return the lines between points that belong together, without those that an axis has no place for."""
    found = []
    for pair in prepared.chart.pairs:
        ends = (pair.x1, pair.y1, pair.x2, pair.y2)
        if all(map(drawable, ends)) and not (
            (prepared.position.log and min(pair.x1, pair.x2) <= 0)
            or (prepared.value.log and min(pair.y1, pair.y2) <= 0)
        ):
            found.append(SlopeLine(*ends, "", pair.role))
    return found
