"""Take the layers of an engine from a log, where no file of layer information has them in full.

A log may list them in the inspector's one-line format, which has all that the file has, at the end of a
verbose build (types, shapes and kernels), or by their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.model import PART, InputWarning
from trexreport.numbers import counted
from trexreport.reader import one_line_layers, verbose_layers
from trexreport.reader.excerpts import excerpt_note
from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.one_line_layers import read_one_line_layers
from trexreport.reader.trtexec_lines import without_colors
from trexreport.reader.verbose_layers import read_verbose_layers
from trexreport.regex import regex

#: What a log has somewhere that lists layers.
MARKS = (verbose_layers.HEADING, one_line_layers.HEADING, "LayerType: ", "Layer(")
_NAMES_ONLY_HINT = "Build the engine again with --profilingVerbosity=detailed."
#: Share of a graph's layers that the log must name: another build has other names.
_SAME_BUILD = 0.9
#: Fewer layers may have names in common by chance.
_LEAST_PART = 8
#: Layers that take no time, so that a profile does not list them.
_UNTIMED = frozenset({"NoOp", "Constant"})
_CUT_HINT = "Build again with trexreport collect, or send trtexec's output to a file of its own."
#: Constants of Myelin and of the parser, which no layer writes.
_CONSTANT = regex(r"^__my|const|weight|bias|alpha|beta|scale", re.IGNORECASE)
#: What the names of inputs and outputs end with in all optimization profiles but the first.
_OF_PROFILE = regex(r" \[profile \d{1,6}\]$", re.ASCII)
_AFFECTED = ("graph", "memory", "precision")
_OF_LAYERS = ("layers", "graph")
_VERBOSE_LOG = InputWarning(
    "info",
    "layers-from-log",
    "Types, shapes and kernels of the layers are from a verbose log; it states no layouts and no weights.",
    affects=_AFFECTED,
    hint=_NAMES_ONLY_HINT,
)
_ONE_LINE_LOG = InputWarning(
    "info",
    "layers-from-one-line-log",
    "The layers are from the log, which lists them in the inspector's one-line format.",
    hint="Keep the file of --exportLayerInfo, too: a log can be cut or mixed with other output.",
)


@dataclass(frozen=True)
class _Listed:
    """What a log lists."""

    records: Sequence[dict[str, Any]]
    note: InputWarning | None
    bindings: tuple[str, ...] | None
    unread: int
    engines: int = 1
    excerpt: InputWarning | None = None

    @property
    def names_only(self) -> bool:
        return all(len(record) == 1 for record in self.records)


def with_logged_layers(graph: LayerGraph, logs: Iterable[str]) -> LayerGraph:
    """Return a graph of names, or without layers, with what a log of its build or run states of the layers.

    Args:
        graph: Unchanged if it has more than names, or if no log has its layers. If it has no layers, those of
            the first log that lists some are taken, of one with more than names if there is one.
        logs: Texts of logs.
    """
    if graph.layers and not graph.names_only:
        return graph
    names, others = None, []
    for log in logs:
        listed = _listed(without_colors(log))
        if listed is None:
            continue
        if listed.names_only:
            names = names or listed
        elif joined := _joined(graph, listed):
            return joined
        else:
            others.append(listed)
    if names and not graph.layers:
        return _taken(graph, names)
    return replace(graph, notes=(*graph.notes, _of_others(graph, others[-1]))) if others else graph


def _of_others(graph: LayerGraph, listed: _Listed) -> InputWarning:
    """Return that the layers of a log are not those of a graph."""
    names = {each["Name"] for each in listed.records}
    found = sum(raw.name in names for raw in graph.layers)
    message = (
        f"A log lists {counted(len(listed.records), 'layer')}, and has {found} of the "
        f"{counted(len(graph.layers), 'layer')} of the engine: it is cut or of another "
        "build, and what it states of them is not used."
    )
    hint = "Give the whole log of the build of this engine."
    return InputWarning("degraded", "log-other-layers", message, "", _OF_LAYERS, hint)


def _listed(log: str) -> _Listed | None:
    one_line = read_one_line_layers(log)
    if one_line and not one_line.names_only:
        excerpt = None if one_line.bindings else excerpt_note(one_line.records, "")
        shown = one_line.records, _ONE_LINE_LOG, one_line.bindings
        return _Listed(*shown, one_line.unread, one_line.engines, excerpt)
    records, unread = read_verbose_layers(log)
    if records:
        engines = max(log.count(verbose_layers.HEADING), 1)
        bindings = one_line.bindings if one_line else None
        excerpt = None if bindings else excerpt_note(records, log)
        return _Listed(records, _VERBOSE_LOG, bindings, unread, engines, excerpt)
    return _Listed(one_line.records, None, one_line.bindings, 0) if one_line else None


def _joined(graph: LayerGraph, listed: _Listed) -> LayerGraph | None:
    """Return a graph with what a log lists of its layers; None if they are those of another build."""
    if not graph.layers:
        return _taken(graph, listed)
    records: dict[str, list[dict[str, Any]]] = {}
    for each in listed.records:
        records.setdefault(each["Name"], []).append(each)
    found = sum(raw.name in records for raw in graph.layers)
    if found < _SAME_BUILD * len(graph.layers):
        return _joined_in_part(graph, listed)
    if _adds_untimed_alone(graph, listed.records):
        return _taken(graph, listed)
    taken: list[RawLayer] = []
    for raw in graph.layers:
        same = records.get(raw.name, [])
        # Equal names are in the order of both files.
        taken.append(RawLayer(raw.name, same.pop(0) if same else {}))
    return replace(graph, layers=tuple(taken), names_only=False, notes=(*graph.notes, *_notes(listed)))


def _joined_in_part(graph: LayerGraph, listed: _Listed) -> LayerGraph | None:
    """Return a graph with what a log states of a part of its layers; None if it is of another build.

    Nearly all layers of the log are layers of the graph, in its order.
    """
    places = {raw.name: at for at, raw in reversed([*enumerate(graph.layers)])}
    found = [each for each in listed.records if each["Name"] in places]
    order = [places[each["Name"]] for each in found]
    if len(found) < max(_LEAST_PART, _SAME_BUILD * len(listed.records)) or order != sorted(order):
        return None
    records = {each["Name"]: each for each in reversed(found)}
    layers = tuple(RawLayer(raw.name, records.get(raw.name, {})) for raw in graph.layers)
    part = f"{len(records)} of {counted(len(layers), 'layer')}"
    message = f"A log states types and shapes of {part}: it is cut, or of a similar build."
    hint = "Give the whole log of the build of this engine, or the file of --exportLayerInfo."
    note = InputWarning("degraded", PART, message, "", _AFFECTED, hint)
    return replace(graph, layers=layers, names_only=False, notes=(*graph.notes, *_notes(listed), note))


def _taken(graph: LayerGraph, listed: _Listed) -> LayerGraph:
    """Return a graph whose layers are those that a log lists."""
    names_only = listed.names_only
    layers = tuple(RawLayer(each["Name"], {} if names_only else each) for each in listed.records)
    bindings = graph.binding_names if graph.binding_names is not None else listed.bindings
    return replace(
        graph,
        layers=layers,
        names_only=names_only,
        binding_names=bindings,
        notes=(*graph.notes, *_notes(listed)),
    )


def _notes(listed: _Listed) -> list[InputWarning]:
    """Return where the layers are from, and what is not shown."""
    notes = [listed.note] if listed.note else []
    if listed.engines > 1:
        message = f"The log lists the layers of {listed.engines} engines; those of the last one are shown."
        hint = "Give one log for each engine: measurements may be those of another one."
        notes.append(InputWarning("degraded", "log-several-engines", message, "", _OF_LAYERS, hint))
    if missing := _without_writer(listed):
        tensors = counted(missing, "tensor")
        message = f"No layer in the log writes {tensors} that others read: lines of the log may be missing."
        notes.append(InputWarning("degraded", "log-layers-missing", message, "", _OF_LAYERS, _CUT_HINT))
    if listed.excerpt:
        notes.append(listed.excerpt)
    if listed.unread:
        layers = counted(listed.unread, "layer")
        message = f"{layers} of the log can't be read: the line is cut, or other output is in its middle."
        notes.append(InputWarning("degraded", "log-layers-unread", message, "", _OF_LAYERS, _CUT_HINT))
    return notes


def _without_writer(listed: _Listed) -> int:
    """Return how many tensors are read that no layer writes; 0 where the engine's inputs are not known."""
    if not listed.bindings:
        return 0
    read, written = (_tensor_names(listed.records, key) for key in ("Inputs", "Outputs"))
    return sum(not _CONSTANT.search(name) for name in read - written - {*listed.bindings})


def _tensor_names(records: Iterable[dict[str, Any]], key: str) -> set[str]:
    tensors = (tensor for each in records for tensor in each.get(key) or ())
    return {_OF_PROFILE.sub("", str(tensor["Name"])) for tensor in tensors if "Name" in tensor}


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
