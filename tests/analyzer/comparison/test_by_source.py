"""Time by source line in comparisons: each layer counts once, under all of its lines."""

from __future__ import annotations

import math
from collections import defaultdict

import pytest
from onnx_engines import fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare


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
