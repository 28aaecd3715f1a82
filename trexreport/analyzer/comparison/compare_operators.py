"""The time of each operator and module of the model, in every engine, without counting any twice."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.blocks.module_paths import Path
from trexreport.analyzer.comparison.compare_blocks import Mentioned
from trexreport.analyzer.comparison.names import KnownParts, LayerNames, Part, parts_of
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
    # What names say: those of ONNX nodes, else those of the layer, which engines mostly have in common.
    read: dict[tuple[str, ...] | LayerNames, tuple[_Group, bool]] = {}
    names_of = [known.names_of_layers(analysis) for analysis in analyses]

    def operators(layer: LayerFacts, engine: int, row: int) -> _Group:
        nodes = _nodes_of(analyses[engine], layer)
        names = tuple(nodes) or names_of[engine][layer.index]
        found = read.get(names)
        if found is None:
            found = read[names] = _operators(nodes or layer.origins or parts_of(layer.name), known)
        group, is_serial = found
        return ((group[0], row), group[1]) if is_serial else group

    return _shares(alignment, analyses, operators)


def _operators(names: Iterable[str], known: KnownParts) -> tuple[_Group, bool]:
    """Return the operators that names mean, and whether any of these is only a number."""
    parts: dict[Part, str] = {}
    for name in names:
        part = known[name]
        if not part.parameter:
            parts[part] = min(name, parts.get(part, name))
    # Of equal operators the group is equal, too.
    return (frozenset(parts), sorted(parts.values())), any(part.serial for part in parts)


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
        Share(names[key], [*map(len, of_engines)], [*map(_sum, of_engines)])
        for key, of_engines in groups.items()
    ]
    baseline = alignment.baseline
    return sorted(shares, key=lambda share: (-_largest_difference(share, baseline), share.names))


def _sum(times: Sequence[float | None]) -> float | None:
    # Most shares have one layer.
    return times[0] if len(times) == 1 else sum_known(times)


def _largest_difference(share: Share, baseline: int) -> float:
    start = share.times_ms[baseline] or 0.0
    return max([abs((time or 0.0) - start) for time in share.times_ms])
