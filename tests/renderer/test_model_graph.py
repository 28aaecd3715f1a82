"""The graph of the ONNX model as the page gets it: every node once, every link to a layer."""

from __future__ import annotations

import json

import pytest
from onnx_engines import STYLES, fused_engine

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.analyzer.analysis.node_layers import folded_nodes
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from trexreport.renderer.model_graph import model_graph
from trexreport.renderer.page import json_text

HOSTILE = ["</script><script>alert(1)</script>", "a\u202eb", "\ud800", "constructor", "x" * 5000, '"', "\x00"]


def records(packed):
    """Read columns as the page's script does."""
    found = [{} for _ in range(packed["count"])]
    for key, values, *which in packed["columns"]:
        for at, record in enumerate(found):
            value = values[which[0][at] if which else at]
            if value is not None:
                record[key] = value
    return found


def expand(pairs):
    return [
        index for first, last in zip(pairs[::2], pairs[1::2], strict=True) for index in range(first, last + 1)
    ]


def drawn(plan):
    """Return the nodes that have a box, in the order of the data."""
    hidden = set(expand(plan["hidden"]))
    count = [part["block"] for part in plan["parts"]]
    found = []
    for part in plan["parts"]:
        block = plan["blocks"][part["block"]]
        assert ("layers" in part) == (count.count(part["block"]) > 1)
        found += [index for index in expand(part.get("layers", block["ranges"])) if index not in hidden]
    return found, hidden


def check(analysis):
    graph = json.loads(json_text(model_graph(analysis)))
    found = analysis.onnx
    nodes = records(graph["nodes"])
    assert len(nodes) == len(found.nodes)
    folded = {index for index, _ in graph["folded"]}
    assert folded == set(folded_nodes(found.nodes))
    constants = {node.index for node in found.nodes if node.op_type == "Constant"}
    for number, plan in enumerate(graph["plans"]):
        boxes, hidden = drawn(plan)
        left_out = constants | (folded if number == 0 else set())
        assert sorted([*boxes, *hidden]) == list(range(len(nodes)))
        assert hidden == left_out
    by_layer = {}
    for node, facts in zip(nodes, found.nodes, strict=True):
        assert node.get("layers", []) == list(facts.layers)
        assert all(0 <= index < len(analysis.layers) for index in node.get("layers", []))
        assert bool(node.get("reason")) == (not facts.layers)
        assert bool(node.get("evidence")) == bool(facts.layers)
        for layer in node.get("layers", []):
            by_layer.setdefault(layer, []).append(facts.index)
        frames = [graph["frames"][each] for each in graph["stacks"][node.get("stack", 0)]]
        assert frames == list(facts.frames)
    assert by_layer == {index: sorted(own) for index, own in enumerate(found.layer_nodes) if own}
    return graph


@pytest.mark.parametrize("style", STYLES)
def test_every_node_is_drawn_once_and_linked(style):
    for seed in range(3):
        check(analyze(fused_engine(300, style, seed).read()))


def test_names_of_files_are_data():
    engine = fused_engine(60, "metadata", 5)
    nodes = list(engine.model.graph.nodes)
    for at, name in enumerate(HOSTILE):
        nodes[at] = OnnxNode(name, name, inputs=nodes[at].inputs, outputs=nodes[at].outputs)
    nodes.append(OnnxNode("noop", "NoOp", inputs=(nodes[3].outputs[0],), outputs=("nothing",)))
    nodes.append(OnnxNode("alone", "Lonely"))
    nodes.append(OnnxNode("loop", "Add", inputs=("around",), outputs=("around",)))
    engine.model = OnnxModel(
        "m.onnx", graph=OnnxGraph("g", tuple(nodes), (OnnxValue("x"),), (OnnxValue("t59"),))
    )
    analysis = analyze(engine.read())
    text = json_text(model_graph(analysis))
    assert "</script" not in text
    graph = check(analysis)
    assert "__proto__" not in graph["typeColors"]


def test_a_report_without_nodes_has_no_graph():
    analysis = analyze(fused_engine(30, "names", 1).read())
    other = analyze(fused_engine(30, "metadata", 1).read())
    assert model_graph(analysis) is not None
    from dataclasses import replace

    assert model_graph(replace(analysis, onnx=None)) is None
    assert model_graph(replace(other, onnx=replace(other.onnx, nodes=(), blocks=Blocks()))) is None
