"""Layers of a kind that names show where a file contains nothing else; see `layer_names.py`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat, reformatted_for
from trexreport.regex import regex

_CONVOLUTION = regex(r"(?:^|[/ ])(?P<kind>Conv|ConvTranspose)(?:_\d+)?(?= |$)", re.ASCII)
#: The last node of a name with other parts, "down.1.weight + /down/down.1/BatchNormalization".
_BATCH_NORM = regex(r"[ +](?P<around>[^\s(),+]*/)[^\s(),+/]+/BatchNormalization(?:_\d+)?$", re.ASCII)
_CONVOLUTION_IN = regex(r"(?<![^\s(),+])(?P<around>[^\s(),+]*/)[^\s(),+/]+/Conv(?:_\d+)?(?=[ +]|$)", re.ASCII)
#: A layer that the parser adds for a node, "(Unnamed Layer* 94) [ElementWise]".
_UNNAMED = regex(r"\(Unnamed Layer\* (\d{1,9})\)", re.ASCII)
_SECOND_INPUT = regex(r"Input Tensor [1-9]\d* to .*Add", re.ASCII)
#: The error function of a GELU, and its module: "/mlp/act" of "PWN(/mlp/act/Erf)".
_ERF = regex(r"(?P<module>[^\s(),+]+)/Erf(?:_\d+)?(?=$|[),])", re.ASCII)
#: The last node of a pointwise layer, without the parentheses around it.
_LAST_NODE = regex(r"(?P<module>[^\s(),+]+)/(?P<operation>[A-Za-z]+)(?:_\d+)?\)*$", re.ASCII)
_PARTS_OF_GELU = frozenset({"add", "div", "erf", "mul", "truediv"})
#: Layers before and after the error function that are looked at.
_MAX_DISTANCE = 4


def named_convolutions(layers: Sequence[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the timed layers of unknown type that by name are deconvolutions, and other convolutions."""
    found: dict[str, list[LayerFacts]] = {"Conv": [], "ConvTranspose": []}
    for layer in layers:
        if layer.type or not layer.avg_ms or is_named_reformat(layer):
            continue
        if (match := _CONVOLUTION.search(layer.name)) is not None:
            found[match["kind"]].append(layer)
    return found["ConvTranspose"], found["Conv"]


def named_batch_norms(layers: Sequence[LayerFacts]) -> list[list[LayerFacts]]:
    """Return each batch normalization that by name is apart from its convolution, with what it causes.

    A convolution runs before it in the same module, and its name has parts beside its node: weights and
    statistics that TensorRT does not take as constants. It causes the layer of unnamed nodes that computes
    with these, whose numbers precede those in its own name, the reformats of both, and that of its result.
    """
    timed = [layer for layer in layers if layer.avg_ms and not layer.type]
    reformats = group_by(filter(is_named_reformat, timed), reformatted_for)
    around: set[str] = set()
    ending: dict[int, list[LayerFacts]] = {}
    found = []
    for layer, after in zip(timed, [*timed[1:], None], strict=False):
        if is_named_reformat(layer):
            continue
        around.update(match["around"] for match in _CONVOLUTION_IN.finditer(layer.name))
        numbers = [int(each) for each in _UNNAMED.findall(layer.name)]
        norm = _BATCH_NORM.search(layer.name)
        if norm is not None and norm["around"] in around:
            # Each belongs to one of them, also where names are not unique.
            own = [layer, *ending.pop(min(numbers, default=0) - 1, ())]
            beside = [other for each in own for other in reformats.pop(each.name, ())]
            if after is not None and is_named_reformat(after) and _SECOND_INPUT.search(after.name):
                beside.append(after)
            found.append([*own, *beside])
        elif numbers and "/" not in layer.name:
            ending.setdefault(max(numbers), []).append(layer)
    return found


def unfolded_batch_norms(context: Context) -> list[list[LayerFacts]]:
    """Return those of an engine; see `named_batch_norms`."""
    return named_batch_norms(context.layers)


def named_gelus(layers: Sequence[LayerFacts]) -> list[list[LayerFacts]]:
    """Return the timed layers of unknown type of each GELU that by name are several kernels, in order.

    The layers beside its error function are of the same module, with or without reformats between.
    """
    timed = [layer for layer in layers if layer.avg_ms]
    computing = [layer for layer in timed if not is_named_reformat(layer) and not is_named_move(layer)]
    found = []
    for place, layer in enumerate(computing):
        match = None if layer.type else _ERF.search(layer.name)
        if match is None:
            continue
        near = computing[max(place - _MAX_DISTANCE, 0) : place + _MAX_DISTANCE + 1]
        parts = [each for each in near if each is layer or _is_part(each, match["module"])]
        if len(parts) > 1:
            found.append(parts)
    return found


def _is_part(layer: LayerFacts, module: str) -> bool:
    """Return whether a layer of unknown type is one step of a GELU of a module, by its last node."""
    match = None if layer.type else _LAST_NODE.search(layer.name)
    if match is None or match["module"] != module:
        return False
    return match["operation"].lower() in _PARTS_OF_GELU
