"""Nodes of functions that are called several times, and others with one name, are found in their layers."""

from __future__ import annotations

import pytest
from called_engines import STYLES, called_engine
from onnx_engines import FusedEngine

from trexreport.analyzer import analyze
from trexreport.analyzer.onnx.flat_graph import flatten
from trexreport.analyzer.onnx.mapping import map_nodes
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.analyzer.onnx.vanished import Vanishing
from trexreport.model.onnx import OnnxFunction, OnnxGraph, OnnxModel, OnnxNode, OnnxValue

COUNT = 5


def mapping_of(engine):
    """Return the analysis, and for each layer its nodes with their evidence."""
    analysis = analyze(engine.read())
    graph = flatten(engine.model)
    names, vanishing = NodeNames(graph), Vanishing(graph)
    return analysis, map_nodes(graph, names, analysis.layers, analysis.tensors, vanishing)


def certain(mapping):
    return [
        {index for index, known in nodes.items() if known != "ambiguous"} for nodes in mapping.layer_nodes
    ]


@pytest.mark.parametrize("is_parallel", [False, True], ids=["in a row", "parallel"])
@pytest.mark.parametrize("style", STYLES)
def test_what_is_certain_is_true_and_nothing_is_missing(style, is_parallel):
    total = wrong = missing = open_ = 0
    for seed in range(12):
        engine = called_engine(seed + 2, style, seed, is_parallel=is_parallel, shares_names=seed % 2 == 0)
        analysis, mapping = mapping_of(engine)
        assert analysis.onnx.match == "same"
        for truth, found, sure in zip(engine.nodes, mapping.layer_nodes, certain(mapping), strict=True):
            total += len(truth)
            wrong += len(sure - truth)
            missing += len(truth - set(found))
            open_ += len(truth - sure)
    assert (wrong, missing) == (0, 0)
    # Names of layers are enough. Without them, equal branches can't be distinguished.
    assert open_ == 0 if style != "myelin" else open_ < total * (0.35 if is_parallel else 0.1)


@pytest.mark.parametrize("is_spelled", [True, False])
def test_regions_of_a_function_that_is_called_often(is_spelled):
    """The ends of a region are the function's nodes; their counters show the call, and else the tensors."""
    body = tuple(
        OnnxNode(f"n{at}", "Relu", inputs=(f"t{at}",), outputs=(f"t{at + 1}",)) for at in range(COUNT)
    )
    function = OnnxFunction("d", "f", ("t0",), (f"t{COUNT}",), body)
    calls = tuple(OnnxNode("", "f", "d", (f"m{at}",), (f"m{at + 1}",)) for at in range(3))
    graph = OnnxGraph("g", calls, (OnnxValue("m0"),), (OnnxValue("m3"),))
    engine = FusedEngine(OnnxModel("m.onnx", graph=graph, functions=(function,)))
    for at in range(3):
        ends = [f"n{end}" + f"_{at * 7 + end}" * (at > 0 and is_spelled) for end in (0, COUNT - 1)]
        name = f"{{ForeignNode[{ends[0]}...{ends[1]}]}}" + f"_myl{at}" * (not is_spelled)
        inputs, outputs = ([{"Name": f"m{each}", "Dimensions": [1]}] for each in (at, at + 1))
        engine.layers.append({"Name": name, "LayerType": "Myelin", "Inputs": inputs, "Outputs": outputs})
        engine.profile.append({"name": name, "averageMs": 1.0, "percentage": 1.0})
    _, mapping = mapping_of(engine)
    assert certain(mapping) == [set(range(at * COUNT, (at + 1) * COUNT)) for at in range(3)]


def test_a_function_that_is_called_often():
    """The time grows with the calls, and the nodes of a name are not all candidates of each layer."""
    engine = called_engine(400, "myelin", 3)
    _, mapping = mapping_of(engine)
    assert max(map(len, mapping.layer_nodes)) < 100
    assert all(sure <= truth for sure, truth in zip(certain(mapping), engine.nodes, strict=True))


def test_ambiguous_nodes_are_marked_and_their_costs_are_bounds():
    engine = called_engine(9, "myelin", 8, is_parallel=True)
    analysis, mapping = mapping_of(engine)
    model = analysis.onnx
    nodes = [node for node in model.nodes if node.evidence == "ambiguous"]
    assert nodes
    for node in nodes:
        assert (node.state, node.alone_ms) == ("unknown", 0.0)
        truth = sum(node.index in own for own in engine.nodes)
        assert truth <= node.shared_ms
    assert {node.index for node in nodes} <= {index for own in mapping.layer_nodes for index in own}
