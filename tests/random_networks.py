"""Random branched networks that NumPy evaluates, one layer of which is perturbed, and what compares them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field

import numpy as np

from trexreport.model import Source
from trexreport.model.accuracy import AccuracyResults
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import assemble
from trexreport.reader.accuracy.arrays import Comparer
from trexreport.reader.accuracy.results_file import write_results
from trexreport.reader.capture import Capture
from trexreport.reader.onnx.structure import write_structure

WIDTH = 32
_KINDS = ("MatMul", "Relu", "Add", "Concat", "Scale", "Sigmoid", "Norm", "Mul", "Bias")
_PARTS = (0.36, 0.18, 0.15, 0.08, 0.07, 0.03, 0.03, 0.02, 0.08)


@dataclass
class Node:
    """A node: what it computes, of which nodes (-1 is the input), with which weights."""

    kind: str
    inputs: list[int]
    weights: np.ndarray | None = None


@dataclass
class Network:
    """A network, its input, and the weights that the perturbed one has in one node."""

    nodes: list[Node]
    value: np.ndarray
    perturbed: int = -1
    others: dict[int, np.ndarray] = field(default_factory=dict)

    def run(self, weights: dict[int, np.ndarray] | None = None) -> dict[int, np.ndarray]:
        """Return what each node computes."""
        values = {-1: self.value}
        for at, node in enumerate(self.nodes):
            own = (weights or {}).get(at, node.weights)
            values[at] = _compute(node.kind, [values[each] for each in node.inputs], own)
        return values


def _compute(kind, inputs, weights):
    first = inputs[0]
    if kind == "MatMul":
        return weights @ first
    if kind == "Relu":
        return np.maximum(first, 0)
    if kind == "Add":
        return inputs[0] + inputs[1]
    if kind == "Mul":
        return inputs[0] * inputs[1]
    if kind == "Concat":
        return np.concatenate(inputs)
    if kind == "Scale":
        return first * weights
    if kind == "Bias":
        return first + weights
    if kind == "Sigmoid":
        return 1 / (1 + np.exp(-np.clip(first, -50, 50)))
    return (first - first.mean(0)) / (first.std(0) + 1e-5)


def random_network(seed: int) -> Network:
    """Return a network of 12 to 50 nodes and a perturbation of the weights of one of its products."""
    rng = np.random.default_rng(seed)
    rows = {-1: int(rng.integers(4, 17))}
    nodes: list[Node] = []
    for at in range(int(rng.integers(12, 51))):
        known = list(rows)
        source = (
            known[-1] if rng.random() < 0.8 else known[int(rng.integers(max(0, len(known) - 6), len(known)))]
        )
        kind = str(rng.choice(_KINDS, p=_PARTS)) if at else "MatMul"
        inputs, weights = [source], None
        rows[at] = rows[source]
        if kind in ("Add", "Mul"):
            same = [each for each in known if rows[each] == rows[source] and each != source]
            kind = kind if same else "Relu"
            inputs += [int(rng.choice(same))] if same else []
        elif kind == "Concat":
            other = int(rng.choice(known))
            kind = kind if rows[source] + rows[other] <= 64 else "Relu"
            inputs += [other] if kind == "Concat" else []
            rows[at] = sum(rows[each] for each in inputs)
        elif kind == "MatMul":
            rows[at] = int(rng.choice([4, 8, 8, 16]))
            scale = math.sqrt(2 / rows[source]) * 10 ** rng.uniform(-0.7, 0.7)
            weights = (scale * rng.normal(size=(rows[at], rows[source]))).astype(np.float32)
        elif kind == "Scale":
            weights = np.float32(10 ** rng.uniform(-2, 2))
        elif kind == "Bias":
            weights = rng.normal(size=(rows[at], 1)).astype(np.float32)
        nodes.append(Node(kind, inputs, weights))
    value = (rng.normal(size=(rows[-1], WIDTH)) * 10 ** rng.uniform(-1, 1)).astype(np.float32)
    network = Network(nodes, value)
    products = [at for at, node in enumerate(nodes) if node.kind == "MatMul"]
    network.perturbed = int(rng.choice(products))
    right = nodes[network.perturbed].weights
    size = 10 ** rng.uniform(-2.5, -0.7) * float(np.abs(right).max()) / 2
    network.others = {network.perturbed: (right + size * rng.normal(size=right.shape)).astype(np.float32)}
    return network


def compare(network: Network) -> AccuracyResults:
    """Return the accuracy of the perturbed network."""
    candidate, reference = network.run(network.others), network.run()
    tensors = []
    for at in range(len(network.nodes)):
        comparer = Comparer(f"t{at}")
        comparer.add(candidate[at].astype(np.float32), reference[at].astype(np.float32))
        tensors.append(comparer.result())
    return AccuracyResults(
        "polygraphy-outputs", ("outputs.json",), "trt", "onnxrt", 1, tensors=tuple(tensors)
    )


_OPS = {"Norm": "LayerNormalization", "Scale": "Mul", "Bias": "Add"}


def engine_of(network: Network, results: AccuracyResults, *, with_model: bool, precision: str = "FP16"):
    """Return an engine with one layer for each node, and the accuracy of its tensors."""
    names = {-1: "x", **{at: f"t{at}" for at in range(len(network.nodes))}}
    layers, nodes, profile = [], [], [{"count": 10}]
    form = {"FP16": "Row major linear FP16 format", "INT8": "Row major Int8 format"}[precision]
    for at, node in enumerate(network.nodes):
        inputs = [names[each] for each in node.inputs]
        op_type = _OPS.get(node.kind, node.kind)
        nodes.append(OnnxNode(f"/{node.kind}_{at}", op_type, inputs=(*inputs, "w"), outputs=(names[at],)))
        layers.append(
            {
                "Name": f"/{node.kind}_{at}",
                "LayerType": "Normalization" if node.kind == "Norm" else op_type,
                "Inputs": [
                    {"Name": each, "Dimensions": [8, WIDTH], "Format/Datatype": form} for each in inputs
                ],
                "Outputs": [{"Name": names[at], "Dimensions": [8, WIDTH], "Format/Datatype": form}],
                "Metadata": f"[ONNX Layer: /{node.kind}_{at}]",
            }
        )
        profile.append({"name": f"/{node.kind}_{at}", "averageMs": 0.02 + 0.001 * at, "percentage": 1.0})
    last = names[len(network.nodes) - 1]
    files = [
        Source("graph", "x.graph.json", json.dumps({"Layers": layers, "Bindings": ["x", last]}).encode()),
        Source("profile", "x.profile.json", json.dumps(profile).encode()),
        Source("accuracy", "x.accuracy.json", write_results(results)),
    ]
    if with_model:
        graph = OnnxGraph("main", tuple(nodes), (OnnxValue("x"),), (OnnxValue(last),))
        model = OnnxModel("model.onnx", graph=graph)
        files.append(Source("onnx", "x.onnx-structure.json", write_structure(model)))
    return assemble(Capture("x", tuple(files)))
