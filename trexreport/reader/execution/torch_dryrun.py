"""Read the dryrun report of Torch-TensorRT: which operators TensorRT would run, and which PyTorch.

A text with a part for each graph: counts of operators, those that TensorRT does not support, the nodes that
run in PyTorch, and each engine with its number of operators. Its "CompilationSettings(…)" has the options,
and the log around it states each build: "Build TRT engine elapsed time: 0:00:48.459272". Source:
dryrun_stats_display in Torch-TensorRT's py/torch_tensorrt/dynamo/_DryRunTracker.py (2.13).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.execution import ExecutedNode, Execution
from trexreport.regex import regex

MARK = " Dry-Run Results for Graph "
_TENSORRT, _PYTORCH = "TensorRT", "PyTorch"
_MOST_NODES = 100_000
_LONGEST = 2_000
_COUNTS = regex(
    r"consists of (\d{1,9}) Total Operators, of which (\d{1,9}) operators are supported", re.ASCII
)
_UNSUPPORTED = "listed with their op-count in the graph:"
_TO_RUN = "currently set to run in Torch:"
_OPERATOR = regex(r"([\w.:<>() -]{1,300}): (\d{1,9})$", re.ASCII)
_NODE = regex(r"Node: (.{1,1000}), with layer location: (.+)$")
_ENGINE = regex(r"TRT Engine #\d{1,9} - Submodule name: (.+)$", re.ASCII)
#: A value is one word or a set of them: "{<dtype.f32: 7>}", "{'torch.ops.aten.add.Tensor'}", "set()".
_SETTINGS = "CompilationSettings("
_SETTING = regex(r"\b([a-z_]{1,60})=(?:\{([^{}\n]{0,2000})\}|([\w.]{1,200}))", re.ASCII)
_DATA_TYPE = regex(r"(?:<dtype\.|torch\.)(\w{1,20})", re.ASCII)
_BUILD = regex(r"Build TRT engine elapsed time: (\d{1,4}):(\d\d):(\d\d(?:\.\d{1,9})?)", re.ASCII)
#: PyTorch's names of types, as those of Torch-TensorRT.
_SHORT = {"float32": "f32", "float": "f32", "float16": "f16", "half": "f16", "bfloat16": "bf16"}
_PRECISIONS = "enabled_precisions"
_MS_IN_S, _S_IN_MINUTE, _MINUTES_IN_HOUR = 1e3, 60, 60
_SIZE = regex(r"Number of Operators in Engine: (\d{1,9})$", re.ASCII)


def read(content: str, name: str) -> tuple[Execution, list[InputWarning]]:
    """Return what would run where; several graphs are taken together.

    Raises:
        InputError: The text has no counts of operators, or more nodes than a model can have.
    """
    parts = content.split(MARK)[1:]
    counts = [_COUNTS.search(part) for part in parts]
    totals = [(int(found[1]), int(found[2])) for found in counts if found]
    if not totals:
        raise InputError(f"{name} is a dryrun report without counts of operators.", "Was it copied whole?")
    nodes = [node for part in parts for node in _nodes(part)]
    if len(nodes) > _MOST_NODES:
        raise InputError(f"{name} has more nodes than a model can.", "Is it the right file?")
    notes = []
    if len(totals) < len(parts):
        message = f"Graphs in {name} without counts of operators: {len(parts) - len(totals)} of {len(parts)}."
        notes.append(InputWarning("degraded", "execution-counts", message, name, ("execution",)))
    if len(totals) > 1:
        message = f"{name} has {len(totals)} graphs, which were taken together."
        notes.append(InputWarning("info", "execution-graphs", message, name, ("execution",)))
    total, supported = (sum(each) for each in zip(*totals, strict=True))
    execution = Execution(
        "torch-tensorrt",
        name,
        tuple(nodes),
        operators=total,
        supported_operators=min(supported, total),
        options=_options(content),
        builds=tuple(("", ms) for ms in map(_ms, _BUILD.findall(content))),
    )
    return execution, notes


def _options(content: str) -> dict[str, str]:
    """Return the settings of the first graph: words as they are, sets as a list of what is in them."""
    line = content.partition(_SETTINGS)[2].partition("\n")[0]
    found = {key: members.replace("'", "") or word for key, members, word in _SETTING.findall(line)}
    if types := _DATA_TYPE.findall(found.get(_PRECISIONS, "")):
        found[_PRECISIONS] = ", ".join(_SHORT.get(each, each) for each in types)
    return found


def _ms(parts: tuple[str, str, str]) -> float:
    hours, minutes, seconds = parts
    return ((int(hours) * _MINUTES_IN_HOUR + int(minutes)) * _S_IN_MINUTE + float(seconds)) * _MS_IN_S


def _nodes(part: str) -> Iterator[ExecutedNode]:
    """Yield the engines of a graph and what runs in PyTorch: its nodes, or else its unsupported operators."""
    engines: list[ExecutedNode] = []
    operators: list[ExecutedNode] = []
    nodes: list[ExecutedNode] = []
    engine = heading = ""
    for line in part.split("\n"):
        # As a comment in a program, or after the prefix of a log.
        stripped = line.strip().lstrip("#").strip()[:_LONGEST]
        if found := _ENGINE.search(stripped):
            engine, heading = found[1], ""
        elif engine and (found := _SIZE.search(stripped)):
            engines.append(ExecutedNode(engine, "TRT engine", _TENSORRT, None, int(found[1])))
            engine = ""
        elif stripped.endswith((_UNSUPPORTED, _TO_RUN)):
            heading = _UNSUPPORTED if stripped.endswith(_UNSUPPORTED) else _TO_RUN
        elif heading == _UNSUPPORTED and (found := _OPERATOR.match(stripped)):
            operators.append(ExecutedNode("", found[1], _PYTORCH, None, int(found[2])))
        elif found := _NODE.match(stripped):
            nodes.append(ExecutedNode(found[2], found[1], _PYTORCH, None, 1))
        elif not stripped and (operators or nodes):
            heading = ""
    yield from engines
    yield from nodes or operators
