"""The rows of the timeline of kernels: the CPU, layers and kernels of each stream, copies, idle time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.kernels import KernelTimeline, TimelineRun
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_bytes
from trexreport.renderer.packing import six_digits
from trexreport.renderer.palette import color
from trexreport.wording.kernels import COPIES, HOST_CALLS, IDLE_CAUSES, MOST_STREAMS, NO_LAYER, row_label

_LONGEST_NAME = 120


@dataclass(frozen=True)
class Box:
    """Something that takes time on a row.

    Attributes:
        role: Of its color; empty for the color of the layer.
        layer: Index of its layer; None if it is of none.
    """

    begin_ms: float
    end_ms: float
    name: str
    role: str = ""
    layer: int | None = None


@dataclass(frozen=True)
class Row:
    """A row of the timeline; its boxes are in the order of time and may overlap."""

    label: str
    boxes: tuple[Box, ...]


def kernel_rows(analysis: Analysis) -> list[Row]:
    """Return the rows of an engine's traced query, without those that are empty; none without a trace."""
    trace = analysis.kernels
    timeline = trace.timeline if trace else None
    if timeline is None:
        return []
    rows = [Row(row_label(f"cpu-{kind}"), tuple(_calls(timeline, kind))) for kind in HOST_CALLS]
    by_stream: dict[int | None, list[TimelineRun]] = defaultdict(list)
    for run in timeline.runs:
        by_stream[run.stream].append(run)
    streams = sorted(by_stream, key=lambda stream: (stream is None, stream or 0))[:MOST_STREAMS]
    for stream in streams:
        runs = by_stream[stream]
        shown = stream if len(streams) > 1 else None
        rows.append(Row(row_label("layers", shown), tuple(_layers(analysis, runs))))
        rows.append(Row(row_label("kernels", shown), tuple(_kernels(analysis, runs))))
    copies = tuple(
        Box(each.begin_ms, each.end_ms, _copy_name(each.kind, each.size_bytes), "idle:copy")
        for each in timeline.copies
    )
    gaps = tuple(
        Box(each.begin_ms, each.end_ms, IDLE_CAUSES[each.cause][0], f"idle:{each.cause}")
        for each in timeline.gaps
    )
    rows += [Row(row_label("copies"), copies), Row(row_label("gaps"), gaps)]
    return [row for row in rows if row.boxes]


def kernel_timeline_data(analysis: Analysis) -> dict[str, Any]:
    """Return what the page's script needs to draw it: texts and colors once, boxes as numbers.

    A box is its begin and length in ms, its layer or -1, and the places of its name and color; -1 for that of
    the layer.
    """
    rows = kernel_rows(analysis)
    timeline = analysis.kernels.timeline if analysis.kernels else None
    names = list(dict.fromkeys(box.name for row in rows for box in row.boxes))
    roles = list(dict.fromkeys(box.role for row in rows for box in row.boxes if box.role))
    name_of, role_of = ({text: place for place, text in enumerate(texts)} for texts in (names, roles))
    return {
        "total": six_digits(timeline.total_ms) if timeline else 0,
        "names": names,
        "colors": [color(role) for role in roles],
        "rows": [
            [
                row.label,
                [
                    [
                        six_digits(box.begin_ms),
                        six_digits(box.end_ms - box.begin_ms),
                        -1 if box.layer is None else box.layer,
                        name_of[box.name],
                        role_of.get(box.role, -1),
                    ]
                    for box in row.boxes
                ],
            ]
            for row in rows
        ],
    }


def _calls(timeline: KernelTimeline, kind: str) -> Iterable[Box]:
    own = [call for call in timeline.calls if call.kind == kind]
    for each in sorted(own, key=lambda call: (call.begin_ms, call.end_ms)):
        yield Box(each.begin_ms, each.end_ms, HOST_CALLS[each.kind], f"host:{each.kind}")


def _layers(analysis: Analysis, runs: Sequence[TimelineRun]) -> Iterable[Box]:
    """Yield a box for kernels of one layer that follow each other."""
    begin, end, current = 0.0, 0.0, None
    for run in runs:
        layer = _layer(analysis, run)
        if layer != current:
            if current is not None:
                yield Box(begin, end, analysis.layers[current].name, "", current)
            begin, current = run.begin_ms, layer
        end = run.end_ms
    if current is not None:
        yield Box(begin, end, analysis.layers[current].name, "", current)


def _kernels(analysis: Analysis, runs: Sequence[TimelineRun]) -> Iterable[Box]:
    for run in runs:
        layer = _layer(analysis, run)
        trace = analysis.kernels
        name = trace.kernels[run.kernel].name if trace and run.kernel is not None else NO_LAYER
        yield Box(run.begin_ms, run.end_ms, name[:_LONGEST_NAME], "" if layer is not None else "other", layer)


def _layer(analysis: Analysis, run: TimelineRun) -> int | None:
    if analysis.kernels is None or run.kernel is None:
        return None
    return analysis.kernels.kernels[run.kernel].layer


def _copy_name(kind: str, size: int | None) -> str:
    return COPIES[kind] if size is None else f"{COPIES[kind]}, {format_bytes(size)}"
