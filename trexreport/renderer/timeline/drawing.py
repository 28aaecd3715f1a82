"""Draw the timeline: a row for each stream, in which boxes are as wide as the time of layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.lazy_dataclass import bulk_facts
from trexreport.numbers import counted, format_ms, format_percent
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.parts import identity, label
from trexreport.renderer.charts.text import TICK_SIZE, clean
from trexreport.renderer.links import layer_link
from trexreport.renderer.packing import six_digits
from trexreport.renderer.palette import color
from trexreport.renderer.timeline.schedule import Schedule, Span, delayed
from trexreport.wording.timeline import MAX_STREAMS, stream_name, timeline_summary

_ROW, _BOX, _TOP = 30.0, 18.0, 12.0
_MAX_WAITS, _MAX_MARKS = 200, 200
_SEVERE = ("error", "warning")

#: Where time begins: right of the names of the rows.
LEFT = 96.0
#: Neighbors narrower than this, in pixels, are one box.
_MIN_WIDTH = 1.5


def draw_timeline(analysis: Analysis, schedule: Schedule, width: int) -> str:
    """Return the timeline as SVG; the same values give the same text."""
    rows = {stream: place for place, stream in enumerate(schedule.streams[:MAX_STREAMS])}
    scale = (width - LEFT - 8.0) / schedule.total_ms
    drawn: list[markup.Element] = []
    for stream, place in rows.items():
        top = _TOP + place * _ROW
        drawn.append(label(stream_name(stream), 0.0, top + _BOX / 2, size=TICK_SIZE))
        spans = [span for span in schedule.spans if span.stream == stream]
        drawn += draw_boxes(spans, partial(_look, analysis), "layer", (top, _BOX), scale)
    drawn += _waits(schedule, rows, scale)
    drawn += _marks(analysis, schedule, rows, scale)
    name = identity("timeline")
    summary = timeline_summary(len(schedule.streams), schedule.total_ms, schedule.layer_sum_ms)
    svg = markup.drawing(
        "timeline",
        float(width),
        _TOP + _ROW * len(rows),
        markup.element("title", markup.words("Timeline"), id=f"{name}-title"),
        markup.element("desc", markup.words(summary), id=f"{name}-summary"),
        *drawn,
        role="group",
        aria_labelledby=f"{name}-title {name}-summary",
    )
    return write_drawing(svg)


def timeline_data(schedule: Schedule) -> dict[str, Any]:
    """Return what the page's script needs besides the layers: starts after a wait or a gap, and waits."""
    return {
        "starts": [[layer, six_digits(start)] for layer, start in delayed(schedule.spans).items()],
        "waits": [list(pair) for pair in schedule.waits],
        "total": six_digits(schedule.total_ms),
    }


def _look(analysis: Analysis, span: Span) -> Look:
    layer = analysis.layers[span.layer]
    cost = f"{format_ms(layer.avg_ms)}, {format_percent((layer.share_percent or 0.0) / 100)}"
    return Look((clean(layer.name), layer.type, cost), f"type:{layer.type}", layer.index)


def _waits(schedule: Schedule, rows: dict[int | None, int], scale: float) -> list[markup.Element]:
    """Draw where a stream waits for another one: from the end of a layer to the begin of the later one."""
    spans = {span.layer: span for span in schedule.spans}
    found = []
    for before, after in schedule.waits[:_MAX_WAITS]:
        one, other = spans[before], spans[after]
        if one.stream not in rows or other.stream not in rows:
            continue
        start = LEFT + one.end_ms * scale, _TOP + rows[one.stream] * _ROW + _BOX / 2
        end = LEFT + other.begin_ms * scale, _TOP + rows[other.stream] * _ROW + _BOX / 2
        found.append(
            markup.element(
                "path",
                d=markup.path("M", *start, "L", *end),
                fill="none",
                stroke=color("muted"),
                stroke_dasharray="2 2",
            )
        )
    return found


def _marks(
    analysis: Analysis, schedule: Schedule, rows: dict[int | None, int], scale: float
) -> list[markup.Element]:
    """Mark layers with warnings and errors by a triangle above them."""
    spans = {span.layer: span for span in schedule.spans}
    marks: dict[int, str] = {}
    for finding in with_consequences(analysis.lint.findings):
        if finding.severity in _SEVERE:
            for layer in finding.layers:
                if layer in spans and spans[layer].stream in rows and len(marks) < _MAX_MARKS:
                    marks[layer] = "error" if "error" in (finding.severity, marks.get(layer)) else "warning"
    found = []
    for layer, severity in sorted(marks.items()):
        span = spans[layer]
        x = LEFT + (span.begin_ms + span.end_ms) / 2 * scale
        y = _TOP + rows[span.stream] * _ROW - 2
        found.append(
            markup.element(
                "path", d=markup.path("M", x - 4, y - 7, "H", x + 4, "L", x, y, "Z"), fill=color(severity)
            )
        )
    return found


class Timed(Protocol):
    """What has a place in time, in milliseconds from the begin of a query."""

    @property
    def begin_ms(self) -> float:
        """The begin."""

    @property
    def end_ms(self) -> float:
        """The end."""


TimedT = TypeVar("TimedT", bound=Timed)


@bulk_facts
class Look:
    """How a box of its own looks.

    Attributes:
        hover: Lines of its hover text, before the times.
        role: Of its color.
        layer: Index of the layer that it leads to.
    """

    hover: tuple[str, ...]
    role: str
    layer: int | None


def draw_boxes(
    row: Sequence[TimedT], look: Callable[[TimedT], Look], noun: str, place: tuple[float, float], scale: float
) -> Iterator[markup.Element]:
    """Yield the boxes of a row.

    Args:
        row: By time.
        look: Of a single one.
        noun: What several are: "layer".
        place: Top and height in pixels.
        scale: Pixels for each millisecond.
    """
    top, height = place
    for run in _joined(row, scale):
        first, end_ms = run[0], max(each.end_ms for each in run)
        width = max((end_ms - first.begin_ms) * scale - 0.3, 0.4)
        times = f"{format_ms(first.begin_ms)} to {format_ms(end_ms)}"
        shown = (
            look(first)
            if len(run) == 1
            else Look((f"{counted(len(run), noun)} too narrow to show",), "neutral", None)
        )
        parts = (
            markup.hover_text(*shown.hover, times),
            markup.rectangle(LEFT + first.begin_ms * scale, top, width, height, color(shown.role)),
        )
        if shown.layer is None:
            yield markup.Element("g", children=parts)
        else:
            yield markup.link_to(layer_link(shown.layer), *parts, in_order=False)


def _joined(row: Sequence[TimedT], scale: float) -> list[list[TimedT]]:
    """Return boxes one by one, and narrow neighbors together until they are wide enough."""
    found: list[list[TimedT]] = []
    for box in row:
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
