"""The time of each operator and module of the model, in every engine, without counting any twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.blocks.module_paths import Path
from trexreport.analyzer.comparison.compare_blocks import Mentioned
from trexreport.analyzer.comparison.names import KnownParts, Part, parts_of
from trexreport.analyzer.grouping import sum_known

#: What makes layers one group, and the names that the group is shown with, in their order.
_Group = tuple[Hashable, list[str]]


def by_operator(alignment: Alignment, analyses: Sequence[Analysis], known: KnownParts) -> list[Share]:
    """Return the shares of the operators; what names none, such as a reformat, has no name.

    Names that are only numbers, such as "Conv_3", mean the same in two engines only if the alignment says so.

    Args:
        alignment: Of the analyses.
        analyses: Of all engines.
        known: Names that were read before.
    """
    #: What stated names and, without any, a layer's own name say: engines have most of them in common.
    read: dict[tuple[tuple[str, ...], str], tuple[frozenset[Part], bool, list[str]]] = {}

    def operators(layer: LayerFacts, engine: int, row: int) -> _Group:
        nodes = tuple(_nodes_of(analyses[engine], layer) or layer.origins)
        names = (nodes, "" if nodes else layer.name)
        found = read.get(names)
        if found is None:
            parts: dict[Part, str] = {}
            for name in nodes or parts_of(layer.name):
                part = known[name]
                if not part.parameter:
                    parts[part] = min(name, parts.get(part, name))
            is_serial = any(part.serial for part in parts)
            found = read[names] = frozenset(parts), is_serial, sorted(parts.values())
        key, is_serial, spelled = found
        return (key, row if is_serial else None), spelled

    return _shares(alignment, analyses, operators)


def by_module(
    alignment: Alignment,
    analyses: Sequence[Analysis],
    mentioned: Sequence[Sequence[Mentioned]],
    paths: Sequence[Path],
) -> list[Share]:
    """Return the shares of the modules, each at the depth of its operators.

    Layers that name no module, such as reformats, belong to that of their row.

    Args:
        alignment: Of the analyses.
        analyses: Of all engines.
        mentioned: Modules that each engine's layers name.
        paths: Module of each row.
    """
    spelled: dict[frozenset[Path], list[str]] = {}

    def modules(layer: LayerFacts, engine: int, row: int) -> _Group:
        found = mentioned[engine][layer.index].modules or frozenset({paths[row]} - {()})
        names = spelled.get(found)
        if names is None:
            names = spelled[found] = sorted("/".join(path) for path in found)
        return found, names

    return _shares(alignment, analyses, modules)


def by_source(alignment: Alignment, analyses: Sequence[Analysis]) -> list[Share]:
    """Return the shares of the source lines; none unless every engine's ONNX model states them.

    What computes nothing of the model, such as a reformat, has no name.
    """
    if not all(analysis.onnx and analysis.onnx.by_source for analysis in analyses):
        return []

    def sources(layer: LayerFacts, engine: int, _row: int) -> _Group:
        model = analyses[engine].onnx
        nodes = [model.nodes[index] for index in model.layer_nodes[layer.index]] if model else []
        found = {node.source for node in nodes if node.source}
        return frozenset(found), sorted(found)

    return _shares(alignment, analyses, sources)


def _nodes_of(analysis: Analysis, layer: LayerFacts) -> list[str]:
    model = analysis.onnx
    if model is None or not model.layer_nodes:
        return []
    return [model.nodes[index].name for index in model.layer_nodes[layer.index]]


def _shares(
    alignment: Alignment, analyses: Sequence[Analysis], group_of: Callable[[LayerFacts, int, int], _Group]
) -> list[Share]:
    """Add up layers by what each names, given its engine and row; the largest differences first."""
    groups: dict[Hashable, list[list[float | None]]] = {}
    names: dict[Hashable, list[str]] = {}
    for engine, analysis in enumerate(analyses):
        row_of = alignment.row_of[engine]
        for layer in analysis.layers:
            if not layer.structural or layer.avg_ms:
                key, spelled = group_of(layer, engine, row_of[layer.index])
                group = groups.get(key)
                if group is None:
                    group = groups[key] = [[] for _ in analyses]
                    names[key] = spelled
                elif spelled is not names[key]:
                    # Engines may spell a name differently: what is shown does not depend on their order.
                    names[key] = min(spelled, names[key])
                group[engine].append(layer.avg_ms)
    shares = [
        Share(names[key], [*map(len, of_engines)], [*map(sum_known, of_engines)])
        for key, of_engines in groups.items()
    ]
    baseline = alignment.baseline
    return sorted(shares, key=lambda share: (-_largest_difference(share, baseline), share.names))


def _largest_difference(share: Share, baseline: int) -> float:
    times = [time or 0.0 for time in share.times_ms]
    start = times[baseline]
    return max([abs(time - start) for time in times])
