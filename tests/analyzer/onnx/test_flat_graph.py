"""Models that would take forever are flattened in part."""

from __future__ import annotations

import pytest

from trexreport.analyzer.onnx import flat_graph
from trexreport.model.onnx import OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxValue


def call(function, given, result):
    return OnnxNode(f"call {result}", function, domain="d", inputs=(given,), outputs=(result,))


def function(name, nodes):
    return OnnxFunction("d", name, ("i",), ("o",), nodes)


def model_of(functions):
    graph = OnnxGraph("main", (call("f0", "x", "y"),), (OnnxValue("x"),), (OnnxValue("y"),))
    return OnnxModel("model.onnx", graph=graph, functions=functions)


def twice(name):
    return (call(name, "i", "m"), call(name, "m", "o"))


@pytest.mark.parametrize(
    "functions",
    [
        [function("f0", twice("f0"))],
        [function("f0", twice("f1")), function("f1", twice("f0"))],
        [function(f"f{at}", twice(f"f{at + 1}")) for at in range(60)] + [function("f60", ())],
    ],
    ids=["itself", "each other", "a tree of empty functions"],
)
def test_functions_without_nodes_that_multiply_have_an_end(functions, monkeypatch):
    monkeypatch.setattr(flat_graph, "MAX_NODES", 1000)
    graph = flat_graph.flatten(model_of(tuple(functions)))
    assert not graph.is_complete
    assert graph.nodes == []
