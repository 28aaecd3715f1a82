"""By which module and source line of its ONNX model each layer is a step of a waterfall."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.onnx import OUTERMOST, SHARED, UNMAPPED, UNSTATED, LayerTree
from trexreport.analyzer.analysis.waterfall import LayerSteps, WaterfallKind
from trexreport.analyzer.grouping import group_by
from trexreport.numbers import list_names

#: Modules are taken together until no more are left than this.
_MAX_MODULES = 24
_DEEPEST, _MAX_MEMBERS = 8, 3
#: How many groups a line is in with itself: file, function, line.
_LINE = 3


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
