"""Nodes of random models are found in random engines, and their costs are what the layers take."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import pytest
from onnx_engines import STYLES, FusedEngine, fused_engine

from trexreport.analyzer import analyze
from trexreport.model.onnx import OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue


def mapped(engine):
    """Return the analysis, and for each layer its nodes by name with their evidence."""
    analysis = analyze(engine.read())
    model = analysis.onnx
    assert [layer.name for layer in analysis.layers] == [layer["Name"] for layer in engine.layers]
    return analysis, [
        {model.nodes[node].name: model.nodes[node] for node in nodes} for nodes in model.layer_nodes
    ]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(("count", "seed"), [(60, 1), (60, 2), (2000, 3)])
def test_every_node_is_found_in_its_layers(style, count, seed):
    engine = fused_engine(count, style, seed)
    analysis, found = mapped(engine)
    assert [set(nodes) for nodes in found] == engine.truth
    evidence = {"names": "name", "regions": "name"}.get(style, "metadata")
    inferred = set().union(*engine.inferred)
    for nodes in found:
        for name, node in nodes.items():
            assert node.evidence == ("inferred" if name in inferred else evidence), name
    assert any(found)
    assert analysis.onnx.match == "same"
    absent = {node.name: node.reason for node in analysis.onnx.nodes if not node.layers}
    assert absent == {name: why for name, why in engine.reasons.items() if name not in inferred}


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_every_node_of_a_large_model_is_found(style):
    engine = fused_engine(20_000, style, 7)
    assert [set(nodes) for nodes in mapped(engine)[1]] == engine.truth


@pytest.mark.parametrize("style", STYLES)
def test_costs_are_those_of_the_layers(style):
    engine = fused_engine(200, style, 5)
    analysis, _ = mapped(engine)
    times = [row["averageMs"] for row in engine.profile]
    model = analysis.onnx
    for node in model.nodes:
        own = [(ms, names) for ms, names in zip(times, engine.truth, strict=True) if node.name in names]
        assert node.alone_ms == pytest.approx(math.fsum(ms for ms, names in own if len(names) == 1))
        assert node.shared_ms == pytest.approx(math.fsum(ms for ms, names in own if len(names) > 1))
    assert model.unmapped_ms == pytest.approx(
        math.fsum(ms for ms, names in zip(times, engine.truth, strict=True) if not names)
    )
    assert model.total_ms == pytest.approx(math.fsum(times))
    check_groups(model.by_op_type, model, times, lambda node: {node.op_type})
    check_groups(model.by_source, model, times, lambda node: {node.source})
    check_groups(
        model.by_module,
        model,
        times,
        lambda node: {"/".join(node.module[:depth]) for depth in range(len(node.module) + 1)},
    )


def check_groups(groups, model, times, names_of):
    """Compare the bounds of each group with those of a plain computation."""
    alone, shared, counts = defaultdict(float), defaultdict(float), defaultdict(int)
    for node in model.nodes:
        for name in names_of(node):
            counts[name] += 1
    for ms, nodes in zip(times, model.layer_nodes, strict=True):
        of_nodes = [names_of(model.nodes[index]) for index in nodes]
        for name in set().union(*of_nodes):
            (alone if all(name in each for each in of_nodes) else shared)[name] += ms
    assert {group.name: group.nodes for group in groups} == counts
    assert counts
    for group in groups:
        assert group.alone_ms == pytest.approx(alone[group.name]), group.name
        assert group.shared_ms == pytest.approx(shared[group.name]), group.name


def test_what_is_computed_of_constants_takes_no_time_beside_others():
    engine = fused_engine(60, "metadata", 1)
    first = engine.model.graph.nodes[0]
    quantize = OnnxNode("q", "QuantizeLinear", inputs=("w", "w"), outputs=("qw",))
    nodes = (quantize, replace(first, inputs=("x", "qw")), *engine.model.graph.nodes[1:])
    engine.model = replace(engine.model, graph=replace(engine.model.graph, nodes=nodes))
    before = mapped(fused_engine(60, "metadata", 1))[0].onnx
    engine.layers[0]["Metadata"] += "\x1e[ONNX Layer: q]"
    model = mapped(engine)[0].onnx
    assert (model.nodes[0].layers, model.nodes[0].alone_ms, model.nodes[0].shared_ms) == ([0], 0.0, 0.0)
    assert [(each.alone_ms, each.shared_ms) for each in model.nodes[1:]] == [
        (each.alone_ms, each.shared_ms) for each in before.nodes
    ]


def test_source_and_module_are_known():
    model = mapped(fused_engine(60, "metadata", 1))[0].onnx
    node = next(node for node in model.nodes if node.name.endswith("_9"))
    assert (node.source, list(node.module)) == ("models/part0.py:9", ["model", "layers.0", "part_1"])
    assert node.frames == ["models/part0.py:9 in forward", "/site-packages/torch/nn/x.py:7 in g"]
    # A module comes before those in it.
    assert [group.name for group in model.by_module][:3] == ["", "model", "model/layers.0"]


@pytest.mark.parametrize("style", ["names", "metadata", "myelin"])
def test_another_model_is_refused(style):
    engine = fused_engine(60, style, 1)
    engine.model = fused_engine(60, style, 2).model
    model = analyze(engine.read()).onnx
    assert (model.match, model.nodes) == ("other", ())
    assert model.stated_names > model.matched_names


def test_the_same_names_with_other_tensors_are_another_model():
    """Exporters number nodes: "Conv_0" is in every model."""
    engine = fused_engine(60, "names", 1)
    for layer in engine.layers:
        layer["Outputs"] = [{**tensor, "Name": "t59." + tensor["Name"][-3:]} for tensor in layer["Outputs"]]
    nodes = engine.model.graph.nodes
    assert analyze(engine.read()).onnx.match == "same"
    names = [nodes[-1].outputs[0], nodes[0].outputs[0]]
    for layer in engine.layers:
        layer["Outputs"] = [{**layer["Outputs"][0], "Name": names[layer["Outputs"][0]["Name"] == names[0]]}]
    assert analyze(engine.read()).onnx.match == "other"


def test_part_of_a_model_may_be_another_version():
    engine = fused_engine(60, "names", 1)
    whole = engine.layers[0]
    engine.layers += [{**whole, "Name": f"new_{index}"} for index in range(10)]
    engine.profile += [{"name": f"new_{index}", "averageMs": 1.0, "percentage": 1.0} for index in range(10)]
    model = analyze(engine.read()).onnx
    assert model.match == "partly"
    assert model.stated_names == model.matched_names + 10


def test_the_ends_of_a_region_may_be_fused_themselves():
    """As in engines of TensorRT 8.6: weights and unnamed layers at one end, several nodes at the other."""
    names = ["/norm/Mul", "/attn/MatMul", "/attn/Reshape", "/attn/Transpose", "/attn/Reshape_1", "/out/Relu"]
    nodes = [
        OnnxNode(name, name.split("/")[2], inputs=(f"t{at}",), outputs=(f"t{at + 1}",))
        for at, name in enumerate(names)
    ]
    nodes[0] = replace(nodes[0], inputs=("t0", "norm.weight"))
    graph = OnnxGraph(
        "g", tuple(nodes), (OnnxValue("t0"),), (OnnxValue("t6"),), (OnnxInitializer("norm.weight"),)
    )
    engine = FusedEngine(OnnxModel("m.onnx", graph=graph))
    first, last = "norm.weight + (Unnamed Layer* 109) [Shuffle]", " + ".join(names[2:5])
    for name in (f"{{ForeignNode[{first}...{last}]}}", "/out/Relu"):
        engine.layers.append({"Name": name, "LayerType": "Myelin", "Inputs": [], "Outputs": []})
        engine.profile.append({"name": name, "averageMs": 1.0, "percentage": 1.0})
    analysis, found = mapped(engine)
    assert [list(nodes) for nodes in found] == [[names[0], *names[2:5], names[1]], [names[5]]]
    assert [node.evidence for node in found[0].values()] == ["name"] * 4 + ["inferred"]
    model = analysis.onnx
    assert (model.match, model.stated_names, model.matched_names) == ("same", 5, 5)
