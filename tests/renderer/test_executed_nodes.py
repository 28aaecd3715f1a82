"""Nodes that a framework executes lead to those of the ONNX model."""

from __future__ import annotations

from types import SimpleNamespace

from trexreport.renderer.sections import executed_model_nodes


def _analysis(executed, modeled):
    nodes = [SimpleNamespace(name=name, index=at) for at, name in enumerate(modeled)]
    execution = SimpleNamespace(nodes=[SimpleNamespace(name=name) for name in executed])
    return SimpleNamespace(execution=execution, onnx=SimpleNamespace(nodes=nodes))


def test_a_name_that_one_node_of_the_model_has_is_a_link():
    analysis = _analysis(["a", "b", "engine_0", ""], ["a", "x", "b", "b", ""])
    assert executed_model_nodes(analysis) == {"a": 0}


def test_without_a_model_or_execution_there_is_none():
    analysis = _analysis(["a"], ["a"])
    analysis.onnx = None
    assert executed_model_nodes(analysis) == {}
    assert executed_model_nodes(SimpleNamespace(execution=None, onnx=None)) == {}
