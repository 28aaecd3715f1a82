"""A waterfall from the baseline's total layer time to a candidate's, as static SVG.

Both totals are bars. The axis begins at zero unless the steps would be too small to see beside the totals;
then a note says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis.waterfall import Step, Waterfall
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, format_count, format_ms, format_number
from trexreport.renderer import palette
from trexreport.renderer.charts.frame import Scale
from trexreport.renderer.charts.markup import Element, drawing, element, hover_text, rectangle, write
from trexreport.renderer.charts.parts import grid_line, label
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, fit, text_width
from trexreport.wording.comparison import signed_ms

_ROW, _BAR, _TOP, _FOOT = 22.0, 12.0, 4.0, 24.0
#: More steps than this are added up in one.
MAX_STEPS = 14
#: Levels that differ by less than this part of the largest are drawn on an axis that does not begin at zero.
_VISIBLE = 0.1
#: Pixels between two ticks, about.
_TICK_ROOM = 180


def draw_waterfall(
    waterfall: Waterfall,
    names: tuple[str, str],
    link_of: Callable[[Step], str],
    width: int = 1040,
    *,
    title: str = "",
    hover: Callable[[Step], list[str]] | None = None,
    metric: str = "total layer time",
    role_of: Callable[[Step], str] | None = None,
) -> str:
    """Return the drawing.

    Args:
        waterfall: Its steps are drawn in their order.
        names: Of the baseline and of the candidate.
        link_of: Where a click on a step leads, "" for nowhere.
        width: In pixels.
        title: Of the drawing; by default the waterfall's names and grouping.
        hover: Lines of the tooltip of a step; by default its times in both engines and their difference.
        metric: What the times at both ends are.
        role_of: Role of the color of a step, where that is not better or worse.
    """
    steps = added_up(waterfall.steps)
    titles = [names[0], *(step.name for step in steps), names[1]]
    left = min(max(text_width(name, LABEL_SIZE) for name in titles), width * 0.36) + 24
    numbers = [format_ms(waterfall.baseline_ms), *(signed_ms(step.difference_ms) for step in steps)]
    right = max(text_width(text, LABEL_SIZE) for text in (*numbers, format_ms(waterfall.candidate_ms))) + 20
    path_ms = _levels(waterfall.baseline_ms, steps)
    domain = _domain([*path_ms, waterfall.candidate_ms])
    sheet = _Sheet(Scale(*domain, left, width - right), left, width, domain[0])
    height = _TOP + _ROW * len(titles) + _FOOT
    drawn = [*sheet.axis(height), sheet.end(names[0], waterfall.baseline_ms, metric, 0)]
    for number, step in enumerate(steps):
        role = role_of(step) if role_of else _role(step)
        shapes = sheet.step(step, (path_ms[number], path_ms[number + 1]), number + 1, role)
        link = link_of(step)
        tooltip = hover_text(*(hover or _tooltip)(step))
        drawn.append(element("a", tooltip, *shapes, href=link) if link else element("g", tooltip, *shapes))
    drawn.append(sheet.end(names[1], waterfall.candidate_ms, metric, len(steps) + 1))
    title = title or f"From {names[0]} to {names[1]}, by {waterfall.by}"
    return write(drawing("waterfall", width, height, hover_text(title), *drawn, role="group"))


def added_up(steps: Sequence[Step], most: int = MAX_STEPS) -> list[Step]:
    """Return the largest steps that change anything, and the others as one."""
    changing = [step for step in steps if step.difference_ms]
    if len(changing) <= most:
        return changing
    rest = changing[most - 1 :]
    others = Step(
        name=f"{format_count(len(rest))} others",
        difference_ms=math.fsum(step.difference_ms for step in rest),
        baseline_ms=math.fsum(step.baseline_ms for step in rest),
        candidate_ms=math.fsum(step.candidate_ms for step in rest),
        baseline_layers=sum(step.baseline_layers for step in rest),
        candidate_layers=sum(step.candidate_layers for step in rest),
    )
    return [*changing[: most - 1], others]


def _levels(baseline_ms: float, steps: Sequence[Step]) -> list[float]:
    levels = [baseline_ms]
    for step in steps:
        levels.append(levels[-1] + step.difference_ms)
    return levels


def _role(step: Step) -> str:
    return "change:faster" if step.difference_ms < 0 else "change:slower"


def _domain(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if high - low >= _VISIBLE * abs(high) and high > 0:
        # A level below zero is possible only where contributions were divided.
        return min(0.0, low), high + 0.02 * (high - min(0.0, low))
    margin = (high - low) * 0.04 or abs(high) * 0.05 or 1.0
    return low - margin, high + margin


@dataclass(frozen=True)
class _Sheet:
    """The layout: names from 0 to `left`, bars by `scale` from `begin_ms` on, numbers up to `width`."""

    scale: Scale
    left: float
    width: float
    begin_ms: float

    def axis(self, height: float) -> list[Element]:
        foot = height - _FOOT
        ticks = self.scale.ticks(max(2, round((self.width - self.left) / _TICK_ROOM)))
        drawn = []
        for value, text in zip(ticks.values, ticks.labels, strict=True):
            x = self.scale(value)
            drawn.append(grid_line(x, _TOP, x, foot))
            drawn.append(label(f"{text} ms", x, foot + 12, anchor="middle", muted=True, size=TICK_SIZE))
        if self.begin_ms > 0:
            drawn.append(label("axis not from 0", 0, foot + 12, muted=True, size=TICK_SIZE))
        return drawn

    def end(self, name: str, time_ms: float, metric: str, row: int) -> Element:
        """Draw where the way begins or ends: a bar of the total."""
        middle, x = _middle(row), self.scale(time_ms)
        begin = self.scale(max(self.begin_ms, 0.0))
        low, high = sorted((begin, x))
        return element(
            "g",
            hover_text(name, f"{format_number(time_ms, 4)} ms, {metric}"),
            label(fit(name, self.left - 16), 0, middle),
            rectangle(low, middle - _BAR / 2, max(high - low, 1.0), _BAR, palette.color("neutral")),
            label(format_ms(time_ms), self.width, middle, anchor="end"),
        )

    def step(self, step: Step, levels_ms: tuple[float, float], row: int, role: str) -> list[Element]:
        """Draw a bar from one level to the next, hung from the bar above it."""
        middle = _middle(row)
        begin, end = sorted(self.scale(level) for level in levels_ms)
        thread = self.scale(levels_ms[0])
        return [
            # The whole row takes the click, between name and bar, too.
            element(
                "rect",
                x=0,
                y=middle - _ROW / 2,
                width=self.width,
                height=_ROW,
                fill="none",
                pointer_events="all",
            ),
            grid_line(thread, middle - _ROW / 2, thread, middle, axis=True),
            label(fit(step.name, self.left - 16), 0, middle),
            rectangle(begin, middle - _BAR / 2, max(end - begin, 1.0), _BAR, palette.color(role)),
            label(signed_ms(step.difference_ms), self.width, middle, anchor="end"),
        ]


def _middle(row: int) -> float:
    return _TOP + (row + 0.5) * _ROW


def _tooltip(step: Step) -> list[str]:
    return [
        step.name,
        f"baseline: {format_ms(step.baseline_ms)}{_in_layers(step.baseline_layers)}",
        f"candidate: {format_ms(step.candidate_ms)}{_in_layers(step.candidate_layers)}",
        f"difference: {signed_ms(step.difference_ms)}",
    ]


def _in_layers(count: int) -> str:
    return f" in {counted(count, 'layer')}" if count else ""
