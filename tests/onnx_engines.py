"""Random ONNX models and engines that fuse their nodes at random, with what belongs together."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from trexreport.model import Source
from trexreport.model.onnx import OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.onnx.structure import write_structure

STYLES = ("names", "metadata", "myelin", "regions")
_COMPUTING = ("Conv", "MatMul", "Add", "Relu", "Mul", "Softmax", "LayerNormalization")
_VANISHING = {"Identity": "no-op", "Reshape": "view", "BatchNormalization": "weights"}
_STACK = """File "models/{file}.py", line {line}, in forward
    x = f(x)
File "/site-packages/torch/nn/x.py", line 7, in g
"""


@dataclass
class FusedEngine:
    """A model, the layers of an engine, and the truth about them.

    Attributes:
        truth: For each layer, the names of its nodes as TensorRT's parser gives them.
        inferred: Those that no name of a layer states, by layer.
        reasons: By name, why a node is in no layer.
    """

    model: OnnxModel
    layers: list[dict] = field(default_factory=list)
    profile: list[dict] = field(default_factory=list)
    truth: list[set[str]] = field(default_factory=list)
    inferred: list[set[str]] = field(default_factory=list)
    reasons: dict[str, str] = field(default_factory=dict)

    def read(self):
        """Return the engine as it is read from a capture."""
        files = (
            Source("graph", "x.graph.json", json.dumps({"Layers": self.layers, "Bindings": []}).encode()),
            Source("profile", "x.profile.json", json.dumps(self.profile).encode()),
            Source("onnx", "x.onnx-structure.json", write_structure(self.model)),
        )
        return assemble(Capture("x", files))


def fused_engine(count: int, style: str, seed: int) -> FusedEngine:
    """Return an engine of a model with `count` nodes that states its nodes in a style."""
    rng = random.Random(seed)
    nodes, reasons = _random_nodes(count, rng)
    graph = OnnxGraph(
        "main",
        tuple(nodes),
        (OnnxValue("x"),),
        (OnnxValue(nodes[-1].outputs[0]),),
        (OnnxInitializer("w"),),
    )
    engine = FusedEngine(OnnxModel("model.onnx", graph=graph), reasons=reasons)
    inside = [node for node in nodes if node.parser_name not in reasons]
    at = 0
    while at < len(inside):
        length = rng.randint(1, 6) if style != "regions" or rng.random() < 0.8 else rng.randint(2, 40)
        group = inside[at : at + length]
        _add_layer(engine, group, style if length < 7 else "region", nodes, rng)
        at += length
        if style == "metadata" and rng.random() < 0.1:
            # The second layer of a node that was divided.
            _add_layer(engine, group[-1:], style, nodes, rng)
    return engine


def _random_nodes(count: int, rng: random.Random) -> tuple[list[OnnxNode], dict[str, str]]:
    nodes: list[OnnxNode] = []
    reasons: dict[str, str] = {}
    last = "x"
    for index in range(count):
        module = f"/model/layers.{index // 40}/part_{index // 8 % 5}"
        is_last = index == count - 1
        kind = rng.random()
        vanishing = rng.choice(list(_VANISHING)) if kind < 0.1 and not is_last else ""
        op_type = vanishing or rng.choice(_COMPUTING)
        # Some exporters name no node, and names may contain what separates names.
        name = "" if kind > 0.97 else f"{module}/{op_type}_{index}" + (" + odd" if kind > 0.94 else "")
        inputs = [last, "w"]
        if kind > 0.8 and nodes:
            inputs.append(rng.choice(nodes).outputs[0])
        if kind < 0.03 and not vanishing:
            inputs[1] = f"constant_{index}"
            nodes.append(OnnxNode(f"{module}/Constant_{index}", "Constant", outputs=(inputs[1],)))
            reasons[nodes[-1].name] = "constant"
        last = f"t{index}.{op_type}"
        metadata = {"pkg.torch.onnx.stack_trace": _STACK.format(file=f"part{index % 3}", line=index % 17)}
        node = OnnxNode(name, op_type, inputs=tuple(inputs), outputs=(last,), metadata=metadata)
        nodes.append(node)
        if vanishing:
            reasons[node.parser_name] = _VANISHING[vanishing]
    return nodes, reasons


def _add_layer(
    engine: FusedEngine, group: Sequence[OnnxNode], style: str, nodes: Sequence[OnnxNode], rng: random.Random
) -> None:
    names = [node.parser_name for node in group]
    number = len(engine.layers)
    layer = {
        "LayerType": "kgen",
        "Inputs": [_tensor(group[0].inputs[0])],
        "Outputs": [_tensor(group[-1].outputs[0])],
    }
    inferred: set[str] = set()
    if style in ("names", "regions"):
        joined = " + ".join(names)
        layer["Name"] = (
            f"PWN({joined})" if rng.random() < 0.2 else f"w + {joined}" if rng.random() < 0.2 else joined
        )
    elif style == "region":
        layer["Name"] = f"{{ForeignNode[{names[0]}...{names[-1]}]}}"
        first, last = nodes.index(group[0]), nodes.index(group[-1])
        between = [node.parser_name for node in nodes[first + 1 : last]]
        inferred = {name for name in between if engine.reasons.get(name) != "constant"} - {names[-1]}
    else:
        separator = "\x1e" if style == "metadata" else "\x1f"
        layer["Name"] = f"__myl_Fused_myl{number % 7}_{number}" if style == "myelin" else f"fused {number}"
        extra = " | Local Function: f" if rng.random() < 0.1 else ""
        layer["Metadata"] = separator.join(f"[ONNX Layer: {name}{extra}]" for name in names)
    if rng.random() < 0.1:
        reformat = f"Reformatting CopyNode for Input Tensor 0 to {layer['Name']}"
        engine.layers.append({**layer, "Name": reformat, "LayerType": "Reformat", "Metadata": ""})
        engine.profile.append({"name": reformat, "averageMs": 0.5, "percentage": 1.0})
        engine.truth.append(set())
        engine.inferred.append(set())
    engine.layers.append(layer)
    engine.profile.append({"name": layer["Name"], "averageMs": rng.randint(1, 999) / 8, "percentage": 1.0})
    engine.truth.append(set(names) | inferred)
    engine.inferred.append(inferred)


def _tensor(name: str) -> dict:
    return {"Name": name, "Dimensions": [1, 8], "Format/Datatype": "Row major linear FP16 format"}
