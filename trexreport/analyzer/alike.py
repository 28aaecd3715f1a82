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

_NUMBER = regex(r"\d+")
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
    labels = {layer.index: _label(layer, paths[layer.index]) for layer in timed}
    groups = group_by(timed, lambda layer: (*_NUMBER.split(labels[layer.index]), layer.type))
    found = [_group([labels[each.index] for each in members], members) for members in groups.values()]
    return sorted(found, key=lambda each: -each.time_ms)


def _group(labels: Sequence[str], members: Sequence[LayerFacts]) -> LayersAlike:
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
    if layer.name.startswith("{"):
        return layer.name
    if service := named_service(layer.name):
        return _placed(service, path)
    named = [_WRAPPED.sub(r"\1", node) for node in _NODES.split(layer.name)]
    nodes = [node for node in named if not node.endswith(_PARAMETERS)] or named
    node = next((each for each in nodes if is_product(each.rpartition("/")[2])), nodes[0])
    first, *joined = node.split(_JOINED)
    name = KERNEL_NUMBER.sub("", first)
    return _placed(name + (f" + {len(joined)} more" if joined else ""), path)


def _placed(name: str, path: Path) -> str:
    where = "/".join(path)
    return name if "/" in name or not where else f"{name} in {where}"


def _common(labels: Sequence[str]) -> str:
    """Return labels that differ in numbers as one, with a star for each number that differs."""
    first, *others = dict.fromkeys(labels)
    if not others:
        return first
    numbers = zip(*map(_NUMBER.findall, (first, *others)), strict=True)
    stars = iter([each[0] if len(set(each)) == 1 else "*" for each in numbers])
    return _NUMBER.sub(lambda _: next(stars), first)
