"""Layers as trees of modules and source lines: each layer once, where all of its nodes are."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from onnx_engines import STYLES, fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.onnx import OnnxNodeFacts
from trexreport.analyzer.onnx.costs import LayerNodes, module_tree, source_tree


def chain(tree, position):
    """Return the groups around a position and itself, outermost first."""
    found = []
    while position >= 0:
        found.append(position)
        assert tree.parents[position] < position
        position = tree.parents[position]
    return found[::-1]


def totals(tree, times):
    found = defaultdict(list)
    for position, ms in zip(tree.layers, times, strict=True):
        for each in chain(tree, position):
            found[each].append(ms)
    return {each: math.fsum(parts) for each, parts in found.items()}


def named(tree, position):
    """Return the names of the groups around a position and itself that have one."""
    return [tree.names[each] for each in chain(tree, position) if tree.names[each]]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("seed", [1, 2])
def test_groups_cost_what_their_nodes_cost_alone(style, seed):
    analysis = analyze(fused_engine(400, style, seed).read())
    model = analysis.onnx
    times = [layer.avg_ms for layer in analysis.layers]
    for tree in (model.module_tree, model.source_tree):
        assert len(tree.layers) == len(times)
        assert len(tree.names) == len(tree.kinds) == len(tree.parents) == len(tree.members)
        assert totals(tree, times)[0] == pytest.approx(math.fsum(times))
    by_module = totals(model.module_tree, times)
    modules = {
        "/".join(named(model.module_tree, at)): ms
        for at, ms in by_module.items()
        if model.module_tree.kinds[at] == "module"
    }
    alone = {group.name: group.alone_ms for group in model.by_module if group.name and group.alone_ms}
    assert len(alone) > 3
    assert modules == pytest.approx(alone)
    by_source = totals(model.source_tree, times)
    lines = {
        ":".join(chain_text for chain_text in named(model.source_tree, at) if chain_text != "forward"): ms
        for at, ms in by_source.items()
        if model.source_tree.kinds[at] == "line"
    }
    assert lines == pytest.approx({group.name: group.alone_ms for group in model.by_source if group.alone_ms})


@pytest.mark.parametrize("style", STYLES)
def test_a_layer_is_in_the_innermost_group_with_all_of_its_nodes(style):
    analysis = analyze(fused_engine(400, style, 3).read())
    model = analysis.onnx
    tree = model.module_tree
    kinds = set()
    for position, nodes in zip(tree.layers, model.layer_nodes, strict=True):
        kind = tree.kinds[position]
        kinds.add(kind)
        paths = {tuple(model.nodes[node].module) for node in nodes}
        if kind == "unmapped":
            assert not paths
        elif kind == "shared":
            around = tuple(named(tree, position))
            assert all(path[: len(around)] == around for path in paths)
            beside = {path[len(around)] if len(path) > len(around) else "" for path in paths}
            assert beside == set(tree.members[position])
            assert len(beside) > 1
        else:
            assert {tuple(named(tree, position))} == paths
    assert kinds >= {"shared", "unmapped"}


def node(index, module=(), source="", frames=()):
    return OnnxNodeFacts(
        index,
        f"n{index}",
        "Conv",
        module,
        "",
        source,
        frames,
        "",
        (),
        (),
        (),
        None,
        "alone",
        None,
        None,
        None,
    )


def test_trees_of_small_models():
    nodes = [node(0, ("a",)), node(1, ("a", "b")), node(2), node(3, ("c",))]
    layers = [LayerNodes(1.0, found) for found in ([0], [0, 1], [2], [2, 3], [], [1])]
    tree = module_tree(nodes, layers)
    assert [(tree.kinds[at], named(tree, at), list(tree.members[at])) for at in tree.layers] == [
        ("module", ["a"], []),
        ("shared", ["a"], ["", "b"]),
        ("model", [], []),
        ("shared", [], ["", "c"]),
        ("unmapped", [], []),
        ("module", ["a", "b"], []),
    ]
    assert source_tree(nodes, layers) is None
    assert module_tree([node(0), node(1)], [LayerNodes(1.0, [0])]) is None


def test_a_source_line_is_in_its_function():
    path = "C:\\models\\net.py"
    first = node(
        0, source=f"{path}:7", frames=("/usr/lib/torch/nn/x.py:7 in call", f"{path}:7 in forward: x")
    )
    tree = source_tree(
        [first, node(1)], [LayerNodes(None, [0]), LayerNodes(None, [0, 1]), LayerNodes(1.0, [1])]
    )
    assert [(tree.kinds[at], named(tree, at)) for at in tree.layers] == [
        ("line", [path, "forward: x", "7"]),
        ("shared", []),
        ("unstated", []),
    ]
