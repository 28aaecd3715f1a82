"""Time by source line in comparisons: each layer counts once, under all of its lines."""

from __future__ import annotations

import math
from collections import defaultdict
from types import SimpleNamespace

import pytest
from onnx_engines import fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.onnx import LayerTree
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_operators import model_steps


def compared(*fused):
    engines = [each.read() for each in fused]
    analyses = [analyze(engine) for engine in engines]
    return compare(engines, analyses=analyses), analyses


def test_each_layer_counts_once_under_all_of_its_lines():
    comparison, analyses = compared(*(fused_engine(80, "myelin", seed) for seed in (1, 2)))
    assert len(analyses) == 2
    for engine, analysis in enumerate(analyses):
        model = analysis.onnx
        expected = defaultdict(float)
        for layer, nodes in zip(analysis.layers, model.layer_nodes, strict=True):
            expected[tuple(sorted({model.nodes[index].source for index in nodes}))] += layer.avg_ms
        found = {
            tuple(sorted(share.names)): share.times_ms[engine]
            for share in comparison.by_source
            if share.layers[engine]
        }
        assert found == pytest.approx(expected)
        assert math.fsum(found.values()) == pytest.approx(analysis.latency.layer_sum_ms)


def test_nodes_of_kernels_without_names_are_operators():
    regions = fused_engine(80, "regions", 1)
    comparison, analyses = compared(regions, regions)
    stated = {frozenset(share.names) for share in comparison.by_operator}
    model = analyses[0].onnx
    inferred = [nodes for nodes in model.layer_nodes if len(nodes) > 6]
    assert inferred
    for nodes in inferred:
        assert frozenset(model.nodes[index].name for index in nodes) in stated


def test_without_a_model_of_each_engine_there_is_none():
    whole, without = (fused_engine(80, "names", 1) for _ in range(2))
    without.model = fused_engine(80, "names", 2).model
    assert compared(whole, without)[0].by_source == []


@pytest.mark.parametrize("style", ["names", "metadata", "regions"])
def test_steps_by_module_and_line_add_up(style):
    fused = [fused_engine(300, style, seed) for seed in (1, 1, 2)]
    fused[1].profile = [{**row, "averageMs": row["averageMs"] * 0.75} for row in fused[1].profile]
    comparison, analyses = compared(*fused)
    for index in (1, 2):
        engine = comparison.engines[index]
        found = {waterfall.by: waterfall for waterfall in engine.waterfalls}
        for by in ("module", "source line"):
            steps = found[by].steps
            for side, at in (("baseline", 0), ("candidate", index)):
                times = defaultdict(list)
                of_layers = comparison.engines[at].model_steps[by]
                for layer, step in zip(analyses[at].layers, of_layers.layers, strict=True):
                    times[of_layers.names[step]].append(layer.avg_ms)
                stated = {step.name: getattr(step, f"{side}_ms") for step in steps}
                assert {name: ms for name, ms in stated.items() if ms} == pytest.approx(
                    {name: math.fsum(each) for name, each in times.items()}
                )
            assert math.fsum(step.difference_ms for step in steps) == pytest.approx(found[by].difference_ms)
            assert {name[:8] for name in (step.name for step in steps)} >= {"shared: ", "not in t"}
        by_line = {step.name for step in found["source line"].steps}
        lines = {node.source for node in analyses[index].onnx.nodes}
        assert any(name in lines for name in by_line)
        modules = {group.name for group in analyses[index].onnx.by_module}
        assert any(step.name in modules for step in found["module"].steps)


def test_an_engine_without_a_model_leaves_the_others_their_steps():
    fused = [fused_engine(80, "names", 1) for _ in range(3)]
    fused[1].model = fused_engine(80, "names", 2).model
    comparison, analyses = compared(*fused)
    assert analyses[1].onnx.module_tree is None
    kinds = [[waterfall.by for waterfall in engine.waterfalls] for engine in comparison.engines]
    assert "module" not in kinds[1]
    assert kinds[2][-2:] == ["module", "source line"]


def test_engines_of_models_that_share_names_have_steps_in_common():
    # Every second layer of the model is in both, under one name; the others are in one.
    whole = fused_engine(200, "metadata", 5)
    half = fused_engine(200, "metadata", 5)
    kept = len(half.layers) // 2
    half.layers, half.profile = half.layers[:kept], half.profile[:kept]
    comparison, _ = compared(whole, half)
    steps = {step.name: step for step in comparison.engines[1].waterfalls[4].steps}
    both = [step for step in steps.values() if step.baseline_layers and step.candidate_layers]
    one = [step for step in steps.values() if not step.candidate_layers]
    assert both
    assert one
    assert all(step.difference_ms == pytest.approx(-step.baseline_ms) for step in one)
    names = {name for share in comparison.by_operator if share.layers[1] for name in share.names}
    assert names < {name for share in comparison.by_operator if share.layers[0] for name in share.names}


def test_lines_that_share_a_layer_are_named_by_their_file():
    comparison, _ = compared(*(fused_engine(80, "metadata", seed) for seed in (1, 2)))
    names = comparison.engines[0].model_steps["source line"].names
    assert any(name.startswith("shared: models/part") and name.count(".py") > 1 for name in names)
    assert all(not name or ":" in name or name in {"not in the model", "no source line"} for name in names)


@pytest.mark.parametrize(
    ("kind", "root", "steps_by"), [("module", "enc", "module"), ("file", "m.py", "source line")]
)
def test_shared_groups_that_differ_in_later_members_are_steps_of_their_own(kind, root, steps_by):
    groups = [("a", "b", "c", "d"), ("a", "b", "c", "e"), ("a", "x"), ("a", "b", "c", "d")]
    trees = [
        LayerTree(["", root, ""], ["model", kind, "shared"], [-1, 0, 1], [(), (), members], [2])
        for members in groups
    ]
    analyses = [SimpleNamespace(onnx=SimpleNamespace(module_tree=tree, source_tree=tree)) for tree in trees]
    first, second, other, same = (steps[steps_by].names[0] for steps in model_steps(analyses))
    assert first == same
    assert len({first, second, other}) == 3
    assert first.endswith("d")
    # Alone it is named by the first members.
    assert model_steps(analyses[:1])[0][steps_by].names[0].endswith(" and 1 more")
