"""Names may contain what TensorRT writes around and between names."""

from __future__ import annotations

import itertools

import pytest
from onnx_engines import FusedEngine

from trexreport.analyzer import analyze
from trexreport.model.fused_names import spellings
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue

ODD = (
    "a\x1eb",
    "a\x1f[b",
    "a + b",
    "a || b",
    "a, b",
    "a | b",
    "a[1]",
    "[ONNX Layer: a]",
    "a | Local Function: f",
    "a | Kind: x | Local Function: g",
    "a",
    "a/b",
    "a/b/c",
    "b",
    "PWN(a)",
    "f(x)",
    "reshape_before_a",
    "a_12",
    "a_myl0_1",
    "a_clone_1",
    "{ForeignNode[a...b]}",
    "node_of_t3",
    "é ü",
    "x" * 4500,
    "x" * 2500 + "y" * 2000,
    "",
)


def engine_of(names, *, has_metadata, order=1):
    """Return an engine with a layer for each node, in the order of the nodes."""
    nodes = tuple(
        OnnxNode(name, "Relu", inputs=(f"t{at}",), outputs=(f"t{at + 1}",)) for at, name in enumerate(names)
    )
    graph = OnnxGraph("g", nodes, (OnnxValue("t0"),), (OnnxValue(f"t{len(names)}"),))
    engine = FusedEngine(OnnxModel("m.onnx", graph=graph))
    for at, node in enumerate(nodes):
        entry = f"[ONNX Layer: {node.parser_name}]"
        if len(entry) > 4000:
            entry = f"{entry[:2000]} ... {entry[-2000:]}"
        layer = {"Name": f"layer {at}" if has_metadata else node.parser_name, "LayerType": "PointWise"}
        if has_metadata:
            layer["Metadata"] = entry
        engine.layers.append({**layer, "Inputs": [], "Outputs": []})
        engine.profile.append({"name": layer["Name"], "averageMs": 1.0, "percentage": 1.0})
    return engine


def nodes_by_layer(engine):
    found = analyze(engine.read()).onnx
    assert found.match == "same"
    return [list(nodes) for nodes in found.layer_nodes]


def test_names_in_metadata():
    found = nodes_by_layer(engine_of(ODD, has_metadata=True))
    assert found == [[at] for at in range(len(ODD))]


def test_names_of_layers():
    names = [name for name in ODD if not name.startswith("{Foreign")]
    found = nodes_by_layer(engine_of(names, has_metadata=False))
    assert found == [[at] for at in range(len(names))]


@pytest.mark.parametrize(("first", "last"), list(itertools.permutations(ODD[:8], 2)))
def test_names_that_are_fused(first, last):
    engine = engine_of((first, last), has_metadata=True)
    for layer in engine.layers:
        layer["Metadata"] = f"[ONNX Layer: {first}]\x1e[ONNX Layer: {last}]"
    assert nodes_by_layer(engine) == [[0, 1], [0, 1]]


def test_long_names_that_are_cut_to_the_same_text():
    names = ["x" * 2200 + middle + "x" * 2200 for middle in "ab"]
    found = analyze(engine_of(names, has_metadata=True).read()).onnx
    assert [list(nodes) for nodes in found.layer_nodes] == [[0], [1]]
    assert {node.evidence for node in found.nodes} <= {"metadata", "inferred"}


def test_what_looks_like_a_counter_may_be_a_name():
    """Names of a layer that the parser made unique are known by the one that was first."""
    engine = engine_of(("Softmax", "b"), has_metadata=False)
    for name in ("Softmax_7", "b_12"):
        engine.layers.append({"Name": name, "LayerType": "Shuffle", "Inputs": [], "Outputs": []})
        engine.profile.append({"name": name, "averageMs": 1.0, "percentage": 1.0})
    assert nodes_by_layer(engine) == [[0], [1], [0], [1]]
    engine = engine_of(("Softmax", "b", "c", "d"), has_metadata=False)
    engine.layers[0]["Name"] = engine.profile[0]["name"] = "Softmax_7"
    found = analyze(engine.read()).onnx
    assert (found.matched_names, found.stated_names, list(found.layer_nodes[0])) == (3, 4, [])


@pytest.mark.parametrize("addition", [")", "_myl1", "_clone_1", "_OutputLayer"])
def test_names_of_many_additions_are_read_to_a_depth(addition):
    found = list(spellings("a" + 20_000 * addition))
    assert len(found) == 64
    assert found[:2] == ["a" + 20_000 * addition, "a" + 19_999 * addition]
