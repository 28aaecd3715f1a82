"""The layers of a plan as an ONNX model."""

from __future__ import annotations

import warnings

import pytest
from trex_plans import layer, make_plan, small_layers, tensor

from trexreport.errors import MissingToolError
from trexreport.trex import _onnx_graph
from trexreport.trex.graphing import OnnxGraph

onnx = pytest.importorskip("onnx")


def test_nodes_are_joined_and_keep_their_attributes(tmp_path):
    odd = layer("odd", "Pooling", [tensor("c")], [tensor("e", "no such type", (-1, 8))], PoolingType="MAX")
    odd |= {
        "Nothing": None,
        "Empty": [],
        "Record": {"a": 1},
        "Mixed": [1, "x"],
        "Large": 2**70,
        "Text": "\x00",
    }
    plan = make_plan(tmp_path, [*small_layers(), odd])
    model = OnnxGraph(plan, display_forking_regions=True).onnx_model
    nodes = {node.name: node for node in model.graph.node}
    assert nodes["c1"].op_type == "Conv"
    assert nodes["odd"].op_type == "MaxPool"
    assert list(nodes["q"].input) == ["in"]
    assert list(nodes["c2"].output) == ["out"]
    assert set(nodes["c1"].output) & set(nodes["add"].input)
    kernel = next(each for each in nodes["c1"].attribute if each.name == "Kernel")
    assert list(kernel.ints) == [3, 3]
    assert [each.name for each in model.graph.input] == ["in"]
    assert nodes["a.0"].op_type == "Region"
    assert onnx.load_from_string(model.SerializeToString()).graph.node


def test_without_onnx_the_error_names_it(monkeypatch):
    monkeypatch.setattr(_onnx_graph, "has_library", lambda _: False)
    with pytest.raises(MissingToolError, match="onnx"), warnings.catch_warnings():
        OnnxGraph(None)
