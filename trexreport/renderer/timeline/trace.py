"""Write the timeline as a trace for Perfetto and chrome://tracing.

Source of the format: "Trace Event Format",
https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU: "X" is a complete event with
`ts` and `dur` in microseconds, "M" names a process or thread, "s" and "f" are the ends of a flow.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis, LayerFacts, is_order_known
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.errors import UsageError
from trexreport.regex import regex
from trexreport.renderer.timeline.kernel_rows import Row, kernel_rows
from trexreport.renderer.timeline.schedule import Schedule, Span, schedule_of
from trexreport.wording.kernels import timeline_sentence
from trexreport.wording.timeline import NO_ORDER, NO_TIMES, reconstruction, stream_name

_LONE_SURROGATES = regex("[\ud800-\udfff]")
_PROCESS, _TRACED = 1, 2
_MAX_FINDINGS = 20


def is_trace(name: str) -> bool:
    """Return whether a file's name asks for a trace: `trace.json`, or one that ends with `.trace.json`."""
    last = name.replace("\\", "/").rpartition("/")[2].lower()
    return last == "trace.json" or last.endswith(".trace.json")


def write_trace(analysis: Analysis) -> bytes:
    """Return the timeline of an engine as JSON in ASCII; the same analysis gives the same bytes.

    Raises:
        UsageError: No layer has a time, or their order is not known, and no kernel was traced.
    """
    schedule = schedule_of(analysis)
    rows = kernel_rows(analysis)
    if schedule is None and not rows:
        raise UsageError(*(NO_TIMES if is_order_known(analysis.layers) else NO_ORDER))
    events = [*(_layers(analysis, schedule) if schedule else ()), *_kernels(analysis, rows)]
    notes = [reconstruction(schedule.untimed)] if schedule else []
    if analysis.kernels and rows:
        notes.append(timeline_sentence(analysis.kernels))
    document = {
        "displayTimeUnit": "ms",
        "otherData": {"generator": f"trexreport {__version__}", "note": " ".join(notes)},
        "traceEvents": events,
    }
    return (json.dumps(document, indent=None, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def _kernels(analysis: Analysis, rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield the traced query, as a process of its own: it was measured, and begins at a time of its own."""
    if not rows:
        return
    yield _named("process_name", 0, f"{analysis.identity.name}, traced kernels", _TRACED)
    for thread, row in enumerate(rows):
        yield _named("thread_name", thread, row.label, _TRACED)
        yield {"ph": "M", "name": "thread_sort_index", "pid": _TRACED, "tid": thread} | {
            "args": {"sort_index": thread}
        }
        for box in row.boxes:
            layer = None if box.layer is None else analysis.layers[box.layer]
            yield {
                "ph": "X",
                "name": _text(box.name),
                "cat": (_text(layer.type) if layer else box.role) or "kernel",
                "pid": _TRACED,
                "tid": thread,
                "ts": _microseconds(box.begin_ms),
                "dur": _microseconds(box.end_ms - box.begin_ms),
                "args": {"layer": layer.index, "layer_name": _text(layer.name)} if layer else {},
            }


def _layers(analysis: Analysis, schedule: Schedule) -> list[dict[str, Any]]:
    findings = _findings(analysis)
    threads = {stream: -1 if stream is None else stream for stream in schedule.streams}
    events = [_named("process_name", 0, analysis.identity.name)]
    for place, (stream, thread) in enumerate(threads.items()):
        events += [
            _named("thread_name", thread, stream_name(stream)),
            {
                "ph": "M",
                "name": "thread_sort_index",
                "pid": _PROCESS,
                "tid": thread,
                "args": {"sort_index": place},
            },
        ]
    for span in schedule.spans:
        layer = analysis.layers[span.layer]
        events.append(_span(span, layer, threads[span.stream], findings.get(span.layer, [])))
    return [*events, *_flows(schedule, threads)]


def _named(kind: str, thread: int, name: str, process: int = _PROCESS) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": process, "tid": thread, "args": {"name": _text(name)}}


def _span(span: Span, layer: LayerFacts, thread: int, findings: list[str]) -> dict[str, Any]:
    args = {
        "layer": layer.index,
        "type": _text(layer.type),
        "precision": layer.precision,
        "tactic": _text(layer.tactic),
        "percent_of_layer_time": layer.share_percent,
        "median_ms": layer.median_ms,
        "moved_bytes": layer.moved_bytes,
        "bound_by": layer.roof.bound if layer.roof else None,
        "findings": ", ".join(findings),
    }
    return {
        "ph": "X",
        "name": _text(layer.name) or f"layer {layer.index}",
        "cat": _text(layer.type) or "layer",
        "pid": _PROCESS,
        "tid": thread,
        "ts": _microseconds(span.begin_ms),
        "dur": _microseconds(span.end_ms - span.begin_ms),
        "args": {key: value for key, value in args.items() if value not in (None, "")},
    }


def _flows(schedule: Schedule, threads: Mapping[int | None, int]) -> list[dict[str, Any]]:
    """Return the two ends of each wait of a stream for another one."""
    spans = {span.layer: span for span in schedule.spans}
    events: list[dict[str, Any]] = []
    for number, (before, after) in enumerate(schedule.waits):
        ends = (("s", spans[before], spans[before].end_ms), ("f", spans[after], spans[after].begin_ms))
        for phase, span, at in ends:
            event = {"ph": phase, "name": "wait", "cat": "wait", "id": number, "pid": _PROCESS}
            event |= {"tid": threads[span.stream], "ts": _microseconds(at)}
            events.append(event | ({"bp": "e"} if phase == "f" else {}))
    return events


def _findings(analysis: Analysis) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for finding in with_consequences(analysis.lint.findings):
        for layer in finding.layers:
            codes = found.setdefault(layer, [])
            if len(codes) < _MAX_FINDINGS and finding.code not in codes:
                codes.append(finding.code)
    return found


def _microseconds(ms: float) -> float:
    """Return microseconds to a picosecond, the resolution that times of layers can have."""
    return round(ms * 1000.0, 6)


def _text(text: str) -> str:
    return _LONE_SURROGATES.sub("\ufffd", text)
