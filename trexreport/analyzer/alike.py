"""Group layers that do the same at the same place of modules that repeat, as names and types show it.

In a network of many blocks no single layer takes much; such a group may take most of the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts, LayersAlike, TensorFacts
from trexreport.analyzer.grouping import group_by, sum_known
from trexreport.analyzer.module_paths import Path, module_paths, share_with_paths
from trexreport.analyzer.operation_names import is_product
from trexreport.analyzer.rules.layer_names import KERNEL_NUMBER, named_service
from trexreport.regex import regex

#: Splitting by it keeps the numbers: they are every other part.
_NUMBER = regex(r"(\d+)")
#: What TensorRT puts between the nodes of a layer, and around pointwise ones.
_NODES = regex(r" (?:\+|\|\|) ")
_WRAPPED = regex(r"^(?:PWN\()+([^(),]*)[),].*")
#: Weights that a layer names before its operations.
_PARAMETERS = (".weight", ".bias")
#: How Myelin writes multiplications of one input that it computes in one.
_JOINED = "+/"
#: Where fewer layers state a module, that of a neighbor says nothing.
_MOSTLY_NAMED = 0.5


def find_alike(
    layers: Sequence[LayerFacts], tensors: Sequence[TensorFacts], stated: Sequence[Path | None]
) -> list[LayersAlike]:
    """Return the layers with a time by what they do and where, the slowest first; one alone is a group.

    Args:
        layers: All layers.
        tensors: All tensors.
        stated: The module that the names of each layer state.
    """
    timed = [layer for layer in layers if layer.avg_ms]
    if not timed:
        return []
    paths = [path or () for path in stated]
    if share_with_paths(stated, layers) >= _MOSTLY_NAMED:
        paths = module_paths(stated, layers, tensors)
    labels = {layer.index: _NUMBER.split(_label(layer, paths[layer.index])) for layer in timed}
    groups = group_by(timed, lambda layer: (*labels[layer.index][::2], layer.type))
    found = [_group([labels[each.index] for each in members], members) for members in groups.values()]
    return sorted(found, key=lambda each: -each.time_ms)


def _group(labels: Sequence[Sequence[str]], members: Sequence[LayerFacts]) -> LayersAlike:
    time_ms = math.fsum(layer.avg_ms or 0.0 for layer in members)
    roofs = [min(layer.roof.roof_ms, layer.avg_ms or 0.0) for layer in members if layer.roof]
    return LayersAlike(
        name=_common(labels),
        layers=[layer.index for layer in members],
        time_ms=time_ms,
        share_percent=sum_known([layer.share_percent for layer in members]),
        reached_percent=100 * math.fsum(roofs) / time_ms if len(roofs) == len(members) else None,
    )


def _label(layer: LayerFacts, path: Path) -> str:
    """Return what a layer is called, and where it is if the name does not say."""
    name = layer.name
    if name.startswith("{"):
        return name
    # Searching for a plain text is much faster than for an expression.
    if ("copy" in name or "eformat" in name) and (service := named_service(name)):
        return _placed(service, path)
    first, *joined = _named_node(name).split(_JOINED)
    if "_myl" in first:
        first = KERNEL_NUMBER.sub("", first)
    return _placed(first + (f" + {len(joined)} more" if joined else ""), path)


def _named_node(name: str) -> str:
    """Return the node that a layer is called after: the first that multiplies, else the first."""
    if " " not in name and not name.startswith("PWN("):
        return name
    named = [_WRAPPED.sub(r"\1", node) for node in _NODES.split(name)]
    nodes = [node for node in named if not node.endswith(_PARAMETERS)] or named
    return next((each for each in nodes if is_product(each.rpartition("/")[2])), nodes[0])


def _placed(name: str, path: Path) -> str:
    return name if "/" in name or not path else f"{name} in {'/'.join(path)}"


def _common(labels: Sequence[Sequence[str]]) -> str:
    """Return labels that differ in numbers as one, with a star for each number that differs."""
    parts = zip(*labels, strict=True)
    return "".join([each[0] if each.count(each[0]) == len(each) else "*" for each in parts])
