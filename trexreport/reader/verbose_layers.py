"""Read the layers that TensorRT writes to a verbose log at the end of a build.

Below "Engine Layer Information:" each line is a layer, as 8.0 to 8.5 and 8.6 write them::

    Layer(CaskConvolution): conv1, Tactic: 0x0ebe499388e0, x[Half(1,3,224,224)] -> y[Half(1,64,112,112)]
    Layer(CaskConvolution): conv1, Tactic: 0x0ebe499388e0, x (Half[1,3:4,224,224]) -> y (Half[1,64:8,112,112])

TensorRT 7 writes the first form with a prefix on each line, and decimal tactics. The names of kernels are in
lines before: "conv1 Set Tactic Name: ampere_scudnn_... Tactic: 0x0ebe499388e0" up to 8.5, and "Tactic Name:
ampere_scudnn_... Tactic: 0x0ebe499388e0 Time: 0.05" later. Layouts are not stated, but "64:8" are channels in
groups of eight, of which the order is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from trexreport.reader.graph_file import MAX_LAYERS
from trexreport.reader.layer_types import computed_type
from trexreport.reader.trtexec_lines import lines, without_prefix
from trexreport.regex import regex

#: Where such a record is from: it has no weights, kernel sizes and groups.
VERBOSE_LOG = "verbose log"
HEADING = "Engine Layer Information:"
_LAYER = regex(r"Layer\((\w{1,100})\): (.{1,20000}?), Tactic: (-?\w{1,40}), ?(.*)")
_START = regex(r"Layer\(\w{1,100}\): ", re.ASCII)
_CUT_START = "Layer("
#: How far from the beginning of a line a layer may begin, after what a logger or a CI system puts there.
_FURTHEST_START = 200
#: How a line of a layer ends that is whole.
_ENDS = ("]", ")", "->")
_KERNEL_LINES = regex(
    r"Tactic Name: (\S{1,400}) Tactic: (-?\w{1,40})(?: Time: \S{1,30})?[ \r]*$", re.ASCII | re.MULTILINE
)
_TYPES = "Float|Half|BFloat16|BF16|Int8|UInt8|Int32|Int64|Int4|Bool|FP8|FP4"
#: What follows a tensor's name; only such fixed texts are searched for, which takes linear time.
_FORM = regex(
    rf"\[(?P<old>{_TYPES})\((?P<its>[-\d,: ]{{0,200}})\)\]"
    rf"| \((?P<new>{_TYPES})\[(?P<dims>[-\d,: ]{{0,200}})\]\)"
)
_BETWEEN = regex(r"(?:^|(?<=[\])])) ?-> ")


def read_verbose_layers(log: str) -> tuple[list[dict[str, Any]], int]:
    """Return the layers of the last engine in a log, and how many more can't be read.

    Returns:
        The layers are records of the engine inspector.
    """
    start = log.rfind(HEADING)
    if start < 0:
        # A pasted list may lack its heading.
        first = _START.search(log)
        start = log.rfind("\n", 0, first.start()) + 1 if first else -1
    if start < 0:
        return [], 0
    kernels: dict[str, set[str]] = {}
    for found in _KERNEL_LINES.finditer(log, 0, start):
        kernels.setdefault(found[2], set()).add(found[1])
    layers = list(_layers(log[start:]))
    return [_record(layer, kernels) for layer in layers if layer], layers.count(None)


def broken_lines(log: str) -> list[int]:
    """Return the numbers of the lines that begin with a layer and go on in the next line."""
    found = []
    for number, whole in enumerate(lines(log), 1):
        line = whole.rstrip()
        if _CUT_START in line[:_FURTHEST_START] and _START.search(line, 0, _FURTHEST_START):
            found += [] if line.endswith(_ENDS) else [number]
    return found


def _layers(text: str) -> Iterator[re.Match[str] | None]:
    """Yield what each line of a layer states, None for those that can't be read."""
    for line in islice(_layer_lines(text), MAX_LAYERS):
        # Of a line that is cut some inputs or outputs are missing.
        yield _LAYER.match(line) if line.rstrip().endswith(_ENDS) else None


def _layer_lines(text: str) -> Iterator[str]:
    """Yield the lines of layers, whole where other output went into one or came between two."""
    line = ""
    for whole in lines(text):
        each = whole.rstrip("\r")
        start = _START.search(each, 0, _FURTHEST_START) if _CUT_START in each[:_FURTHEST_START] else None
        if start or each.startswith(_CUT_START):
            if line:
                yield line
            line = each[start.start() :] if start else each
        elif line and not line.rstrip().endswith(_ENDS) and not without_prefix(each)[1]:
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
