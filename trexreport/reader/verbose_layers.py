"""Read the layers that TensorRT writes to a verbose log at the end of a build.

Below "Engine Layer Information:" each line is a layer, as 8.0 to 8.5 and 8.6 write them::

    Layer(CaskConvolution): conv1, Tactic: 0x0ebe499388e0, x[Half(1,3,224,224)] -> y[Half(1,64,112,112)]
    Layer(CaskConvolution): conv1, Tactic: 0x0ebe499388e0, x (Half[1,3:4,224,224]) -> y (Half[1,64:8,112,112])

The names of kernels are in lines before: "conv1 Set Tactic Name: ampere_scudnn_... Tactic: 0x0ebe499388e0".
Layouts are not stated, but "64:8" are channels in groups of eight, of which the order is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from trexreport.model import InputWarning
from trexreport.numbers import counted
from trexreport.reader.graph_file import MAX_LAYERS, LayerGraph, RawLayer, computed_type

#: Where such a record is from: it has no weights, kernel sizes and groups.
VERBOSE_LOG = "verbose log"
HEADING = "Engine Layer Information:"
_LAYER = re.compile(r"Layer\((\w{1,100})\): (.{1,20000}?), Tactic: (-?\w{1,40}), ?(.*)")
_START = "Layer("
#: How a line of a layer ends that is whole.
_ENDS = ("]", ")", "->", "-> ")
_LOGGED = re.compile(r"\[(?:\d|TRT\]|TensorRT\]|[VIWEF]\])")
_KERNEL = re.compile(r"Set Tactic Name: (\S{1,400}) Tactic: (-?\w{1,40})\s*$")
_TYPES = "Float|Half|BFloat16|BF16|Int8|UInt8|Int32|Int64|Int4|Bool|FP8|FP4"
#: What follows a tensor's name; only such fixed texts are searched for, which takes linear time.
_FORM = re.compile(
    rf"\[(?P<old>{_TYPES})\((?P<its>[-\d,: ]{{0,200}})\)\]"
    rf"| \((?P<new>{_TYPES})\[(?P<dims>[-\d,: ]{{0,200}})\]\)"
)
_BETWEEN = re.compile(r"(?:^|(?<=[\])])) ?-> ")
#: Share of a graph's layers that the log must name: another build has other names.
_SAME_BUILD = 0.9
#: Layers that take no time, so that a profile does not list them.
_UNTIMED = frozenset({"NoOp", "Constant"})


def with_verbose_layers(graph: LayerGraph, logs: Iterable[str]) -> LayerGraph:
    """Return a graph of names with the types, shapes and kernels that a verbose log of its build states.

    Args:
        graph: Unchanged if it has more than names, or if no log has its layers. If it has no layers, those of
            the first log that lists some are taken.
        logs: Texts of logs.
    """
    if graph.layers and not graph.names_only:
        return graph
    for log in logs:
        listed, unread = read_verbose_layers(log)
        if listed and not graph.layers:
            return replace(graph, layers=_raw(listed), notes=(*graph.notes, *_unread_note(unread)))
        records: dict[str, list[dict[str, Any]]] = {}
        for each in listed:
            records.setdefault(each["Name"], []).append(each)
        found = [records.get(raw.name, [])[:1] for raw in graph.layers]
        if not records or sum(map(bool, found)) < _SAME_BUILD * len(graph.layers):
            continue
        if _adds_untimed_alone(graph, listed):
            return replace(graph, layers=_raw(listed), names_only=False)
        taken: list[RawLayer] = []
        for raw in graph.layers:
            same = records.get(raw.name, [])
            # Equal names are in the order of both files.
            taken.append(RawLayer(raw.name, same.pop(0) if same else {}))
        return replace(graph, layers=tuple(taken), names_only=False)
    return graph


def _unread_note(unread: int) -> list[InputWarning]:
    """Return a note if layers of a log can't be read."""
    if not unread:
        return []
    message = (
        f"{counted(unread, 'layer')} of the log can't be read: other output is in the middle of the line."
    )
    hint = "Build again with trexreport collect, or send trtexec's output to a file of its own."
    return [InputWarning("degraded", "log-layers-unread", message, "", ("layers", "graph"), hint)]


def _raw(records: Iterable[dict[str, Any]]) -> tuple[RawLayer, ...]:
    return tuple(RawLayer(each["Name"], each) for each in records)


def _adds_untimed_alone(graph: LayerGraph, listed: Iterable[dict[str, Any]]) -> bool:
    """Return whether a log lists the layers of a graph in order, and beside them only what no profile times.

    Without these, what they write would seem to be an input of the engine.
    """
    names = iter([*(raw.name for raw in graph.layers), None])
    expected = next(names)
    for each in listed:
        if each["Name"] == expected:
            expected = next(names)
        elif each["LayerType"] not in _UNTIMED:
            return False
    return expected is None


def read_verbose_layers(log: str) -> tuple[list[dict[str, Any]], int]:
    """Return the layers of the last engine in a log, and how many more can't be read.

    Returns:
        The layers are records of the engine inspector.
    """
    start = log.rfind(HEADING)
    if start < 0:
        return [], 0
    kernels: dict[str, set[str]] = {}
    for line in log[:start].splitlines():
        if "Set Tactic Name" in line and (found := _KERNEL.search(line)):
            kernels.setdefault(found[2], set()).add(found[1])
    layers = list(_layers(log[start:]))
    return [_record(layer, kernels) for layer in layers if layer], layers.count(None)


def _layers(text: str) -> Iterator[re.Match[str] | None]:
    """Yield what each line of a layer states, None for those that can't be read."""
    return map(_LAYER.match, islice(_layer_lines(text), MAX_LAYERS))


def _layer_lines(text: str) -> Iterator[str]:
    """Yield the lines of layers, whole where other output went into one or came between two."""
    line = ""
    for each in text.splitlines()[1:]:
        if each.startswith(_START):
            if line:
                yield line
            line = each
        elif line and not line.endswith(_ENDS) and not _LOGGED.match(each):
            line += each
    if line:
        yield line


def _record(layer: re.Match[str], kernels: dict[str, set[str]]) -> dict[str, Any]:
    kind, name, tactic, tensors = layer.groups()
    parts = _BETWEEN.split(tensors, maxsplit=1)
    record: dict[str, Any] = {"Name": name, "LayerType": kind, "TacticValue": tactic}
    record["Source"] = VERBOSE_LOG
    record["Inputs"], record["Outputs"] = (_tensors(each) for each in (*parts, "")[:2])
    if computes := computed_type(kind):
        record["ParameterType"] = computes
    if len(named := kernels.get(tactic, set())) == 1:
        record["TacticName"] = next(iter(named))
    return record


def _tensors(text: str) -> list[dict[str, Any]]:
    found, start = [], 0
    for form in _FORM.finditer(text):
        name = text[start : form.start()].removeprefix(", ")
        start = form.end()
        extents = form["its"] if form["old"] else form["dims"]
        sizes = [part.strip() for part in extents.split(",") if part.strip()]
        numbers = [size.partition(":")[0].strip() for size in sizes]
        dimensions = [max(int(size), -1) if re.fullmatch(r"-?\d{1,18}", size) else -1 for size in numbers]
        kind = (form["old"] or form["new"]) + _groups(sizes)
        found.append({"Name": name, "Dimensions": dimensions, "Format/Datatype": kind})
    return found


def _groups(sizes: Sequence[str]) -> str:
    """Return ":8" for channels in groups of eight, with a note on volumes; else an empty text."""
    for axis, size in enumerate(sizes):
        if (width := size.partition(":")[2].strip()).isdecimal():
            return f":{width}" + (", 3 spatial dimensions" if len(sizes) - axis == 4 else "")
    return ""
