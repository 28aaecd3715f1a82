"""Draw the timeline of kernels: rows for the CPU, layers, kernels, copies and idle time of a query."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import counted, format_ms
from trexreport.renderer.charts.markup import (
    Element,
    drawing,
    element,
    lines,
    with_shared_attributes,
    words,
    write,
)
from trexreport.renderer.charts.parts import identity, label, rectangle
from trexreport.renderer.charts.text import TICK_SIZE, clean
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import color
from trexreport.renderer.timeline.kernel_rows import Box, kernel_rows
from trexreport.wording.kernels import timeline_sentence

_ROW, _BOX, _LEFT, _TOP, _AXIS = 26.0, 16.0, 96.0, 4.0, 22.0
#: Neighbors narrower than this, in pixels, are one box.
_MIN_WIDTH = 1.5
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def draw_kernel_timeline(analysis: Analysis, width: int) -> str:
    """Return the timeline of kernels as SVG; empty without one. The same values give the same text."""
    rows = kernel_rows(analysis)
    trace = analysis.kernels
    if trace is None or trace.timeline is None or not rows or not trace.timeline.total_ms:
        return ""
    total_ms = trace.timeline.total_ms
    scale = (width - _LEFT - 8.0) / total_ms
    drawn: list[Element] = []
    for place, row in enumerate(rows):
        top = _TOP + place * _ROW
        drawn.append(label(row.label, 0.0, top + _BOX / 2, size=TICK_SIZE))
        drawn += [_box(analysis, boxes, top, scale) for boxes in _joined(row.boxes, scale)]
    bottom = _TOP + len(rows) * _ROW
    for part in _TICKS:
        anchor = "end" if part == 1 else "middle" if part else "start"
        x = _LEFT + part * total_ms * scale
        drawn.append(label(format_ms(part * total_ms), x, bottom + 6, size=TICK_SIZE, anchor=anchor))
    name = identity("kernel-timeline")
    svg = drawing(
        "kernel-timeline",
        float(width),
        bottom + _AXIS,
        element("title", words("Timeline of kernels"), id=f"{name}-title"),
        element("desc", words(timeline_sentence(trace)), id=f"{name}-summary"),
        *drawn,
        role="group",
        aria_labelledby=f"{name}-title {name}-summary",
    )
    return write(with_shared_attributes(svg))


def _joined(boxes: Sequence[Box], scale: float) -> list[list[Box]]:
    """Return boxes one by one, and narrow neighbors together until they are wide enough."""
    found: list[list[Box]] = []
    for box in boxes:
        last = found[-1] if found else []
        if (
            last
            and (box.end_ms - box.begin_ms) * scale < _MIN_WIDTH
            and (last[-1].end_ms - last[0].begin_ms) * scale < _MIN_WIDTH
            and (box.begin_ms - last[-1].end_ms) * scale < _MIN_WIDTH
        ):
            last.append(box)
        else:
            found.append([box])
    return found


def _box(analysis: Analysis, boxes: Sequence[Box], top: float, scale: float) -> Element:
    first = boxes[0]
    end_ms = max(box.end_ms for box in boxes)
    x = _LEFT + first.begin_ms * scale
    width = max((end_ms - first.begin_ms) * scale - 0.3, 0.4)
    times = f"{format_ms(first.begin_ms)} to {format_ms(end_ms)}"
    if len(boxes) > 1:
        hover = lines((counted(len(boxes), "part") + " too narrow to show", times))
        return element("g", element("title", hover), rectangle(x, top, width, _BOX, color("neutral")))
    hover = lines((clean(first.name), format_ms(end_ms - first.begin_ms), times))
    if first.layer is None:
        return element("g", element("title", hover), rectangle(x, top, width, _BOX, color(first.role)))
    layer = analysis.layers[first.layer]
    return element(
        "a",
        element("title", hover),
        rectangle(x, top, width, _BOX, color(first.role or f"type:{layer.type}")),
        href=layer_link(layer.index),
        tabindex="-1",
    )
