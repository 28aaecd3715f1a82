"""Draw the timeline of kernels: rows for the CPU, layers, kernels, copies and idle time of a query."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import format_ms, with_unit
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.parts import identity, label
from trexreport.renderer.charts.text import TICK_SIZE, clean
from trexreport.renderer.charts.ticks import linear_ticks
from trexreport.renderer.timeline.drawing import LEFT, Look, draw_boxes
from trexreport.renderer.timeline.kernel_rows import Box, kernel_rows
from trexreport.wording.kernels import timeline_sentence

_ROW, _BOX, _TOP, _AXIS = 26.0, 16.0, 4.0, 22.0
#: At most as many parts has the axis.
_TICKS = 6
_HALF_LABEL = 30.0


def draw_kernel_timeline(analysis: Analysis, width: int) -> str:
    """Return the timeline of kernels as SVG; empty without one. The same values give the same text."""
    rows = kernel_rows(analysis)
    trace = analysis.kernels
    if trace is None or trace.timeline is None or not rows or not trace.timeline.total_ms:
        return ""
    total_ms = trace.timeline.total_ms
    scale = (width - LEFT - 8.0) / total_ms
    drawn: list[markup.Element] = []
    for place, row in enumerate(rows):
        top = _TOP + place * _ROW
        drawn.append(label(row.label, 0.0, top + _BOX / 2, size=TICK_SIZE))
        drawn += draw_boxes(row.boxes, partial(_look, analysis), "part", (top, _BOX), scale)
    bottom = _TOP + len(rows) * _ROW
    ticks = linear_ticks(0.0, total_ms, _TICKS)
    for value, text in zip(ticks.values, ticks.labels, strict=True):
        x = LEFT + value * scale
        anchor = "start" if not value else "end" if x > width - _HALF_LABEL else "middle"
        drawn.append(label(with_unit(text, "ms"), x, bottom + 6, size=TICK_SIZE, anchor=anchor))
    name = identity("kernel-timeline")
    svg = markup.drawing(
        "kernel-timeline",
        float(width),
        bottom + _AXIS,
        markup.element("title", markup.words("Timeline of kernels"), id=f"{name}-title"),
        markup.element("desc", markup.words(timeline_sentence(trace)), id=f"{name}-summary"),
        *drawn,
        role="group",
        aria_labelledby=f"{name}-title {name}-summary",
    )
    return write_drawing(svg)


def _look(analysis: Analysis, box: Box) -> Look:
    hover = (clean(box.name), format_ms(box.end_ms - box.begin_ms))
    role = box.role if box.layer is None else box.role or f"type:{analysis.layers[box.layer].type}"
    return Look(hover, role, box.layer)
