"""Find the nodes that a layer states itself: in its Metadata, else in its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.onnx import NodeEvidence
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.model.fused_names import is_nameless, is_reformat_name, name_parts, region_ends, spellings

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
    region = region_ends(layer.name)
    if region:
        found = [list(_in_name(end, names.end, names)) for end in region]
        parts = [part for end in found for part in end]
        return StatedNodes(
            matched=tuple(name for name, nodes in parts if nodes),
            unmatched=tuple(name for name, nodes in parts if not nodes),
            ends=tuple(tuple(index for _, nodes in end for index in nodes) for end in found),
        )
    if is_reformat_name(layer.name):
        return StatedNodes()
    return _collected(list(_in_name(layer.name, lambda name: _exact(name, names), names)), "name")


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
    for part, nodes in name_parts(name, find):
        is_other = is_nameless(part) or any(map(names.is_constant, spellings(part)))
        if nodes or not is_other:
            yield part, nodes


def _exact(text: str, names: NodeNames) -> Sequence[int]:
    """Return the nodes of a name, also with what TensorRT adds around it."""
    return next(filter(None, map(names.nodes, spellings(text))), ())
