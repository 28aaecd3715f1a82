"""Read the profile of ONNX Runtime: which node ran on which execution provider, and how long.

A list of events, one a line: `{"cat": "Session" | "Node" | "Kernel" | "Api", "pid", "tid", "dur", "ts", "ph":
"X", "name", "args"}` with times in µs. A node's event is called NAME_kernel_time, and its `args` have
`provider`, `op_name` and `node_index`; `model_run` is a run of the whole model. A part of the model that
TensorRT runs is one node. The event of a node with subgraphs covers those of the nodes in them. A profile
whose session was not ended has no closing bracket. Source: EventRecord and Profiler in
onnxruntime/core/common/profiler and sequential_executor.cc (ONNX Runtime 0.4 to 1.32).
"""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.execution import ExecutedNode, Execution
from trexreport.reader.impossible import STAMP_MS, TIME_MS, ImpossibleValues, quoted
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import mapping, records, text

MARKS = tuple(f'"cat"{colon}"{kind}"' for kind in ("Session", "Node") for colon in (" : ", " :", ": ", ":"))
_CATEGORIES = {"Session", "Node"}
_SUFFIX = "_kernel_time"
_RUN = "model_run"
_US_IN_MS = 1e3
_MOST_NODES = 100_000
_LOOKED_AT = 50


@dataclass(slots=True)
class _Event:
    """An event with its time in µs; `own_us` is without that of the events within it."""

    begin_us: float
    dur_us: float
    key: tuple[str, str, str, str] = ("", "", "", "")
    own_us: float = 0.0


@dataclass
class _Events:
    """The events that count: those of nodes by process and thread, and the runs."""

    nodes: dict[tuple[str, str], list[_Event]] = field(default_factory=lambda: defaultdict(list))
    runs: list[_Event] = field(default_factory=list)


def is_profile(document: Any) -> bool:
    """Return whether a JSON document has the shape of such a profile."""
    return isinstance(document, list) and any(
        each.get("cat") in _CATEGORIES and "dur" in each for each in records(document[:_LOOKED_AT])
    )


def read(content: str, name: str) -> tuple[Execution, list[InputWarning]]:
    """Return which nodes ran where, and notes on what could not be read.

    Raises:
        InputError: It is no such profile, or has no event of a node.
    """
    document, notes = _document(content, name)
    values = ImpossibleValues(name, ("execution",))
    events = _events(document, values)
    if not events.nodes:
        raise InputError(f"{name} has no event of a node.", "Run the model before the session is ended.")
    every = [event for of_thread in events.nodes.values() for event in of_thread]
    for of_thread in events.nodes.values():
        _take_out_subgraphs(of_thread)
    if len({event.key for event in every}) > _MOST_NODES:
        raise InputError(f"{name} has more nodes than a model can.", "Is it the right file?")
    every.sort(key=lambda event: event.begin_us)
    runs = sorted(events.runs, key=lambda run: run.begin_us)
    overlapping = any(one.begin_us + one.dur_us > other.begin_us for one, other in pairwise(runs))
    warm_up = 1 if len(runs) > 1 and not overlapping else 0
    counted, outside = _counted(every, runs[warm_up:]) if runs and not overlapping else (every, 0)
    divisor = len(runs) - warm_up
    if outside:
        message = (
            f"Events of nodes in {name} outside of any run of the model, which were left out: {outside:,}."
        )
        notes.append(InputWarning("degraded", "execution-outside", message, name, ("execution",)))
    if not runs:
        message = f"{name} has no event of a run of the model: times of nodes are means of their executions."
        notes.append(InputWarning("degraded", "execution-no-runs", message, name, ("execution",)))
    execution = Execution(
        framework="onnx-runtime",
        file=name,
        nodes=tuple(_nodes(every, counted, divisor)),
        runs=len(runs) or None,
        warm_up_runs=warm_up,
        run_ms=math.fsum(run.dur_us for run in runs[warm_up:]) / divisor / _US_IN_MS if runs else None,
    )
    return execution, [*notes, *values.notes()]


def _document(content: str, name: str) -> tuple[Sequence[Any], list[InputWarning]]:
    """Return the events; of a file that is not JSON those of the lines that are."""
    try:
        return parse_json(content, name, is_profile)
    except InputError:
        found, lost = [], 0
        for line in content.split("\n"):
            stripped = line.strip().rstrip(",")
            if stripped.startswith("{"):
                try:
                    found.append(json.loads(stripped, strict=False, parse_constant=lambda _: None))
                except (ValueError, RecursionError):
                    lost += 1
        if not is_profile(found):
            raise
        message = f"{name} is not valid JSON; it was read line by line, and lines were left out: {lost}."
        hint = "Call end_profiling() before the program ends."
        return found, [InputWarning("repaired", "execution-by-line", message, name, ("execution",), hint)]


def _events(document: Sequence[Any], values: ImpossibleValues) -> _Events:
    found = _Events()
    for record in records(document):
        name = text(record.get("name"))
        is_node = record.get("cat") == "Node" and name.endswith(_SUFFIX)
        if not is_node and (record.get("cat") != "Session" or name != _RUN):
            continue
        place = quoted(name)
        begin, dur = values.of(record, "ts", STAMP_MS, place), values.of(record, "dur", TIME_MS, place)
        if begin is None or dur is None:
            continue
        if not is_node:
            found.runs.append(_Event(begin, dur))
            continue
        args = mapping(record.get("args"))
        index = next((str(args[key]) for key in ("node_index", "graph_index") if key in args), "")[:20]
        key = (name.removesuffix(_SUFFIX), text(args.get("op_name")), text(args.get("provider")), index)
        thread = (str(record.get("pid"))[:40], str(record.get("tid"))[:40])
        found.nodes[thread].append(_Event(begin, dur, key, dur))
    return found


def _take_out_subgraphs(events: list[_Event]) -> None:
    """Take the time of the events within an event out of its own; they are of one thread."""
    events.sort(key=lambda event: (event.begin_us, -event.dur_us))
    around: list[_Event] = []
    for event in events:
        end = event.begin_us + event.dur_us
        while around and around[-1].begin_us + around[-1].dur_us < end:
            around.pop()
        if around and around[-1].begin_us + around[-1].dur_us > event.begin_us:
            around[-1].own_us = max(0.0, around[-1].own_us - event.dur_us)
        around.append(event)


def _counted(events: Sequence[_Event], runs: Sequence[_Event]) -> tuple[list[_Event], int]:
    """Return the events within runs, and how many follow the first of these and are in none."""
    begins = [run.begin_us for run in runs]
    inside, outside = [], 0
    for event in events:
        at = bisect_right(begins, event.begin_us) - 1
        if at < 0:
            continue
        if event.begin_us <= runs[at].begin_us + runs[at].dur_us:
            inside.append(event)
        else:
            outside += 1
    return inside, outside


def _nodes(every: Iterable[_Event], counted: Iterable[_Event], runs: int) -> Iterable[ExecutedNode]:
    """Yield each node in the order of its first execution.

    Args:
        every: All events, in order of time.
        counted: Those whose time counts.
        runs: How many runs these are of; 0 if unknown, for the mean of all executions.
    """
    times: dict[tuple[str, str, str, str], list[float]] = {event.key: [] for event in every}
    for event in counted:
        times[event.key].append(event.own_us)
    for (name, operator, provider, _), own_us in times.items():
        divisor = runs or len(own_us)
        avg_ms = math.fsum(own_us) / divisor / _US_IN_MS if own_us or runs else None
        yield ExecutedNode(name, operator, provider, avg_ms)
