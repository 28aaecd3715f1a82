"""The time of each operator and module of the model, in every engine, without counting any twice.

In a waterfall, each layer is a step by its module and source line.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.analysis.onnx import OUTERMOST, SHARED, UNMAPPED, UNSTATED, LayerTree
from trexreport.analyzer.analysis.waterfall import LayerSteps, WaterfallKind
from trexreport.analyzer.comparison.compare_blocks import Mentioned
from trexreport.analyzer.comparison.names import KnownParts, LayerNames, Part, parts_of
from trexreport.analyzer.grouping import group_by, sum_known
from trexreport.analyzer.module_paths import Path
from trexreport.numbers import list_names

#: What makes layers one group, and the names that the group is shown with, in their order.
_Group = tuple[Hashable, list[str]]

#: Modules are taken together until no more are left than this.
_MAX_MODULES = 24
_DEEPEST, _MAX_MEMBERS = 8, 3
#: How many groups a line is in with itself: file, function, line.
_LINE = 3


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


def model_steps(analyses: Sequence[Analysis]) -> list[dict[WaterfallKind, LayerSteps]]:
    """Return for each engine the steps of its layers, by module and by source line; none without a model."""
    trees = [analysis.onnx.module_tree if analysis.onnx else None for analysis in analyses]
    depth = _depth([tree for tree in trees if tree])
    modules = _names(trees, lambda tree, at, most: _module(tree, at, depth, most))
    sources = [analysis.onnx.source_tree if analysis.onnx else None for analysis in analyses]
    lines = _names(sources, _source)
    found: list[dict[WaterfallKind, LayerSteps]] = []
    for tree, module_names, source, line_names in zip(trees, modules, sources, lines, strict=True):
        steps: dict[WaterfallKind, LayerSteps] = {}
        if tree:
            steps["module"] = _steps(tree, module_names)
        if source:
            steps["source line"] = _steps(source, line_names)
        found.append(steps)
    return found


def _names(
    trees: Sequence[LayerTree | None], name_of: Callable[[LayerTree, int, int], str]
) -> list[list[str]]:
    """Return the names of each tree's groups, with all members where the first are those of others, too."""
    shown, whole = (
        [[name_of(tree, at, most) for at in range(len(tree.names))] if tree else [] for tree in trees]
        for most in (_MAX_MEMBERS, sys.maxsize)
    )
    pairs = {pair for names in zip(shown, whole, strict=True) for pair in zip(*names, strict=True)}
    same = {name for name, of_name in group_by(pairs, lambda pair: pair[0]).items() if len(of_name) > 1}
    return [
        [full if name in same else name for name, full in zip(*names, strict=True)]
        for names in zip(shown, whole, strict=True)
    ]


def _steps(tree: LayerTree, of_groups: Sequence[str]) -> LayerSteps:
    names = list(dict.fromkeys(of_groups[group] for group in tree.layers))
    places = {name: at for at, name in enumerate(names)}
    return LayerSteps(names, [places[of_groups[group]] for group in tree.layers])


def _depth(trees: Sequence[LayerTree]) -> int:
    """Return how many parts the modules of the steps have: as many as few enough modules remain with."""
    paths = {
        tuple(_path(tree, at))
        for tree in trees
        for at, kind in enumerate(tree.kinds)
        if kind in ("model", "module")
    }
    few = (
        depth
        for depth in range(1, _DEEPEST + 1)
        if len({path[:depth] for path in paths if path}) <= _MAX_MODULES
    )
    return max(few, default=1)


def _module(tree: LayerTree, group: int, depth: int, most: int) -> str:
    path = _path(tree, group)
    if tree.kinds[group] == "shared" and len(path) < depth:
        members = ["/".join([*path, member] if member else path) for member in tree.members[group]]
        return SHARED + list_names([member or OUTERMOST for member in members], most)
    return _special(tree, group) or "/".join(path[:depth]) or OUTERMOST


def _source(tree: LayerTree, group: int, most: int) -> str:
    path = _path(tree, group)
    if tree.kinds[group] == "shared":
        # As the lines of a file: "model.py:61, 63".
        members = list_names([member or UNSTATED for member in tree.members[group]], most)
        return SHARED + ":".join([*path[:1], members])
    # Layers are in lines; files and functions are only around them.
    return _special(tree, group) or ":".join((path[0], path[-1]) if len(path) == _LINE else path)


def _special(tree: LayerTree, group: int) -> str:
    return {"unmapped": UNMAPPED, "unstated": UNSTATED}.get(tree.kinds[group], "")


def _path(tree: LayerTree, group: int) -> list[str]:
    """Return the names of the groups around a group and its own, outermost first, without what has none."""
    found = []
    while group >= 0:
        if tree.kinds[group] in ("module", "file", "function", "line"):
            found.append(tree.names[group])
        group = tree.parents[group]
    return found[::-1]
