"""Polygraphy compares random networks on ONNX Runtime; the perturbed layer ranks first in its files."""

from __future__ import annotations

import numpy as np
import pytest
from random_networks import WIDTH, engine_of, random_network

from trexreport.analyzer import analyze
from trexreport.reader.accuracy.read import read_accuracy

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("polygraphy")
pytestmark = pytest.mark.slow

NETWORKS = 200


def model_of(network, weights):
    """Return a network as an ONNX model, all of whose tensors are outputs."""
    from onnx import helper, numpy_helper

    nodes, initializers = [], []
    names = {-1: "x", **{at: f"t{at}" for at in range(len(network.nodes))}}
    for at, node in enumerate(network.nodes):
        inputs, output = [names[each] for each in node.inputs], names[at]
        own = weights.get(at, node.weights)
        if own is not None:
            initializers.append(numpy_helper.from_array(np.asarray(own, np.float32), f"w{at}"))
        if node.kind == "MatMul":
            nodes.append(helper.make_node("MatMul", [f"w{at}", *inputs], [output]))
        elif node.kind in ("Scale", "Bias"):
            op_type = "Mul" if node.kind == "Scale" else "Add"
            nodes.append(helper.make_node(op_type, [*inputs, f"w{at}"], [output]))
        elif node.kind == "Concat":
            nodes.append(helper.make_node("Concat", inputs, [output], axis=0))
        elif node.kind == "Norm":
            kept = [f"{output}_mean", f"{output}_centered", f"{output}_squared", f"{output}_variance"]
            kept += [f"{output}_deviation"]
            nodes += [
                helper.make_node("ReduceMean", inputs, kept[:1], axes=[0]),
                helper.make_node("Sub", [inputs[0], kept[0]], kept[1:2]),
                helper.make_node("Mul", [kept[1], kept[1]], kept[2:3]),
                helper.make_node("ReduceMean", kept[2:3], kept[3:4], axes=[0]),
                helper.make_node("Sqrt", kept[3:4], kept[4:5]),
                helper.make_node("Add", [kept[4], "epsilon"], [f"{output}_divisor"]),
                helper.make_node("Div", [kept[1], f"{output}_divisor"], [output]),
            ]
        else:
            nodes.append(helper.make_node(node.kind, inputs, [output]))
    initializers.append(numpy_helper.from_array(np.float32(1e-5).reshape(1), "epsilon"))
    value = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, network.value.shape)
    outputs = [
        helper.make_tensor_value_info(f"t{at}", onnx.TensorProto.FLOAT, (None, WIDTH))
        for at in range(len(network.nodes))
    ]
    graph = helper.make_graph(nodes, "main", [value], outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return model.SerializeToString()


def files_of(network, folder):
    """Return Polygraphy's outputs and results for the perturbed network and the right one."""
    from polygraphy.backend.onnxrt import OnnxrtRunner, SessionFromOnnx
    from polygraphy.comparator import Comparator, CosineSimilarityCompareFunc, SnrCompareFunc
    from polygraphy.comparator.struct import AccuracyResults
    from polygraphy.json import save_json
    from polygraphy.logger import G_LOGGER

    G_LOGGER.module_severity = G_LOGGER.CRITICAL
    runners = [
        OnnxrtRunner(SessionFromOnnx(model_of(network, weights)), name=name)
        for name, weights in (("trt-runner", network.others), ("onnxrt-runner", {}))
    ]
    run = Comparator.run(runners, data_loader=[{"x": network.value}])
    outputs, results = folder / "outputs.json", folder / "results.json"
    save_json(run, str(outputs))
    found = [
        each
        for function in (SnrCompareFunc, CosineSimilarityCompareFunc)
        for each in Comparator.compare_accuracy(run, compare_func=function())
    ]

    AccuracyResults(found).save(str(results))
    return outputs, results


def test_the_perturbed_layer_ranks_first(tmp_path):
    ranks = {"outputs": [], "results": []}
    for seed in range(NETWORKS):
        network = random_network(seed)
        for path in files_of(network, tmp_path):
            results, _ = read_accuracy(path.name, path.read_bytes())
            engine = engine_of(network, results, with_model=seed % 2 == 0)
            names = [each.figures.name for each in analyze(engine, with_blocks=False).accuracy.tensors]
            ranks[path.stem].append(names.index(f"t{network.perturbed}"))
    first = {kind: sum(rank == 0 for rank in found) / NETWORKS for kind, found in ranks.items()}
    assert first["outputs"] >= 0.95, first
    assert first["results"] >= 0.95, first
    assert max(ranks["outputs"]) < 3, first
