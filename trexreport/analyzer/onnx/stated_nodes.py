"""Find the nodes that a layer states itself: in its Metadata, else in its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.onnx import NodeEvidence
from trexreport.analyzer.onnx.names import NodeNames

#: Reformats are named after the layer that they serve; they compute no node of their own.
_REFORMAT = re.compile(
    r"^Reformatting CopyNode |^Forced Cast | (?:in|out)put reformatter \d+$| copy$|_copy_(?:in|out)put$",
    re.ASCII,
)
#: "{ForeignNode[first...last]}": a region that Myelin compiled.
_REGION = re.compile(r"^\{ForeignNode\[(.*?)\]\}(?:_myl\d.*)?$", re.DOTALL)
#: What TensorRT adds to the name of a node.
_PREFIX = re.compile(
    r"^(?:(?:copied_)?(?:reshape|squeeze|unsqueeze)_(?:node_)?(?:before|after)_|PWN\()+", re.ASCII
)
_SUFFIX = re.compile(
    r"(?:_myl\d+(?:_\d+)*|_(?:de)?quantize_scale_node|_clone_\d+| \[profile \d+\])+$|\)+$", re.ASCII
)
#: Layers that the parser adds without a node.
_UNNAMED = re.compile(r"^\(Unnamed Layer\* \d+\) ", re.ASCII)
#: Torch-TensorRT builds without an ONNX model: "[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1]".
_OF_TORCH = re.compile(r"^\[[A-Z_]+\][-_]\[\w+_ops[._]", re.ASCII)
_GENERATED = re.compile(
    r"^__my(?:l|e\d)|^(?:entry|exit)\^bb\^|^ONNXTRT_|^\[trainStation\d+\]$|^dummy_shape_call", re.ASCII
)
_SEPARATOR = re.compile(r" \+ | \|\| |, ")
#: A node's name may itself hold a separator; this many parts are tried together.
_MAX_JOINED = 4
#: The parser cuts longer texts: the first and last 2,000 characters stay (importerUtils.cpp).
_CUT = " ... "
_CUT_CHARACTERS = 2000


@dataclass(frozen=True, slots=True)
class StatedNodes:
    """What one layer states.

    Attributes:
        nodes: Indices of the nodes of the model that it names.
        evidence: Where; None if it names none.
        matched, unmatched: Names of nodes that are in the model, and of what is not.
        ends: Nodes of the first and the last name of a region, or of its only one; those between are not
            stated.
    """

    nodes: tuple[int, ...] = ()
    evidence: NodeEvidence | None = None
    matched: tuple[str, ...] = ()
    unmatched: tuple[str, ...] = ()
    ends: tuple[tuple[int, ...], ...] = ()


def stated_nodes(layer: LayerFacts, names: NodeNames) -> StatedNodes:
    """Return the nodes that a layer states."""
    if layer.origins:
        return _collected([(name, _metadata_node(name, names)) for name in layer.origins], "metadata")
    region = _REGION.match(layer.name)
    if region:
        first, dots, last = region[1].partition("...")
        found = [list(_in_name(end, names.end, names)) for end in ((first, last) if dots else (first,))]
        parts = [part for end in found for part in end]
        return StatedNodes(
            matched=tuple(name for name, nodes in parts if nodes),
            unmatched=tuple(name for name, nodes in parts if not nodes),
            ends=tuple(tuple(index for _, nodes in end for index in nodes) for end in found),
        )
    if _REFORMAT.search(layer.name):
        return StatedNodes()
    return _collected(list(_in_name(layer.name, lambda name: _exact(name, names), names)), "name")


def is_reformat(layer: LayerFacts) -> bool:
    """Return whether a layer is a reformat, which no node asked for, by its name."""
    return bool(_REFORMAT.search(layer.name))


def is_of_torch(layer: LayerFacts) -> bool:
    """Return whether Torch-TensorRT made a layer: names beside it are not those of ONNX nodes either."""
    return bool(_OF_TORCH.match(layer.name))


def _collected(found: Sequence[tuple[str, Sequence[int]]], evidence: NodeEvidence) -> StatedNodes:
    nodes = tuple(dict.fromkeys(index for _, indices in found for index in indices))
    return StatedNodes(
        nodes,
        evidence if nodes else None,
        tuple(name for name, indices in found if indices),
        tuple(name for name, indices in found if not indices),
    )


def _metadata_node(name: str, names: NodeNames) -> Sequence[int]:
    found = names.nodes(name)
    if found or len(name) < 2 * _CUT_CHARACTERS - len("[ONNX Layer: ") or _CUT not in name:
        return found
    # The text is cut around its middle, with the words before and after the name.
    middle = name.find(_CUT, _CUT_CHARACTERS - len("[ONNX Layer: ") - 1)
    return names.cut(name[:middle], name[middle + len(_CUT) :]) if middle >= 0 else ()


def _in_name(
    name: str, find: Callable[[str], Sequence[int]], names: NodeNames
) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the names in the name of a fused layer, each with its nodes; those of weights are left out.

    Args:
        name: Of the layer, or of an end of a region, which may be fused too.
        find: Returns the nodes of one name.
        names: Those of the model.
    """
    whole = find(name)
    if whole:
        yield name, whole
        return
    parts = _SEPARATOR.split(name)
    separators = _SEPARATOR.findall(name)
    at = 0
    while at < len(parts):
        for count in range(min(_MAX_JOINED, len(parts) - at), 0, -1):
            joined = parts[at] + "".join(
                separators[at + more] + parts[at + more + 1] for more in range(count - 1)
            )
            found = find(joined)
            if found or count == 1:
                break
        at += count
        if found or not any(names.is_constant(each) or _is_nameless(each) for each in _spellings(joined)):
            yield joined, found


def _is_nameless(text: str) -> bool:
    return bool(_UNNAMED.match(text) or _GENERATED.match(text) or _OF_TORCH.match(text))


def _exact(text: str, names: NodeNames) -> Sequence[int]:
    """Return the nodes of a name, also with what TensorRT adds around it."""
    return next(filter(None, map(names.nodes, _spellings(text))), ())


def _spellings(text: str) -> Iterator[str]:
    """Yield a name, and what is left without each of the additions of TensorRT."""
    while True:
        yield text
        shorter = _PREFIX.sub("", text)
        if shorter == text:
            shorter = _SUFFIX.sub("", text)
        if shorter == text:
            return
        text = shorter
