"""What computes tensors from which others: by the ONNX model, else by the layers of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.onnx import OnnxFacts

#: How an error passes through: "sum" adds the inputs, "joined" puts them side by side, "limited" makes no
#: absolute error larger, or by less than 1.13 times, as GELU and SiLU; "plain" is anything else.
Passing = Literal["sum", "joined", "limited", "plain"]

_SUMS = frozenset({"add", "sub", "sum"})
_JOINS = frozenset({"concat", "concatenation"})
_LIMITED = frozenset(
    {"relu", "leakyrelu", "prelu", "clip", "elu", "selu", "gelu", "silu", "hardswish", "abs", "neg", "tanh"}
    | {"sigmoid", "hardsigmoid", "softmax", "erf", "softplus", "softsign", "sin", "cos", "identity", "cast"}
    | {"reshape", "flatten", "transpose", "squeeze", "unsqueeze", "shuffle", "dropout", "slice", "gather"}
    | {"split", "reformat", "quantizelinear", "dequantizelinear", "activation"}
)
#: Functions that are flat or steep somewhere, subtract a mean, or divide by what may be small.
_STEEP = frozenset(
    {"sigmoid", "hardsigmoid", "tanh", "softmax", "logsoftmax", "softplus", "softsign", "exp", "log", "erf"}
    | {"div", "pow", "reciprocal", "sin", "cos", "tan", "attention", "sdpa", "mha", "layernormalization"}
    | {"instancenormalization", "groupnormalization", "rmsnormalization", "meanvariancenormalization"}
    | {"simplifiedlayernormalization", "lpnormalization", "normalization", "myelin", "foreignnode", "topk"}
    | {"argmax"}
)

#: Functions that subtract a mean: of values that differ little from a constant little is left.
_CENTERING = frozenset(
    {"layernormalization", "instancenormalization", "groupnormalization", "batchnormalization"}
    | {"meanvariancenormalization", "normalization"}
)

_KINDS: Sequence[tuple[frozenset[str], Passing]] = (
    (_SUMS, "sum"),
    (_JOINS, "joined"),
    (_LIMITED, "limited"),
)


@dataclass
class FlowNode:
    """A node of the model, or a layer.

    Attributes:
        name: Of the node or layer.
        inputs: Positions of the nodes whose tensors it reads; constants and inputs of the model are none.
        outputs: Names of the tensors that it writes.
        layers: Indices of the layers that compute it.
        reads: Names of the tensors that it reads of these nodes, each as often as it reads it.
        is_steep: It may make relative errors much larger, which counts where no norms are known.
        is_centering: It subtracts a mean.
    """

    name: str
    inputs: Sequence[int]
    outputs: Sequence[str]
    layers: Sequence[int]
    reads: Sequence[str]
    passing: Passing
    is_steep: bool = False
    is_centering: bool = False


@dataclass
class Flow:
    """Nodes with the tensors that they write.

    Attributes:
        is_model: They are those of the ONNX model; else layers.
        writers: Name of a tensor to the position of the node that writes it, the last one if several do.
        named: Name of a node, or of a layer, to its position; -1 where several have it.
    """

    nodes: Sequence[FlowNode]
    is_model: bool
    writers: dict[str, int] = field(default_factory=dict)
    named: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for at, node in enumerate(self.nodes):
            self.writers.update(dict.fromkeys(node.outputs, at))
            self.named[node.name] = -1 if node.name in self.named else at


def model_flow(onnx: OnnxFacts) -> Flow:
    """Return the nodes of the ONNX model."""
    return Flow(
        [
            FlowNode(node.name, node.inputs, node.outputs, node.layers, node.reads, *_passing([node.op_type]))
            for node in onnx.nodes
        ],
        is_model=True,
    )


def layer_flow(layers: Sequence[LayerFacts], tensors: Sequence[TensorFacts]) -> Flow:
    """Return the layers of the engine."""
    nodes = []
    for layer in layers:
        uses = [
            (tensors[use.tensor].name, producers)
            for use in layer.inputs
            if (producers := [at for at in tensors[use.tensor].producers if at < layer.index])
        ]
        before = dict.fromkeys(at for _, producers in uses for at in producers)
        reads = [name for name, _ in uses]
        names = [tensors[use.tensor].name for use in layer.outputs]
        passing = _passing(layer.operations or [layer.type, layer.subtype])
        nodes.append(FlowNode(layer.name, list(before), names, [layer.index], reads, *passing))
    return Flow(nodes, is_model=False)


def _passing(operations: Iterable[str]) -> tuple[Passing, bool, bool]:
    """Return how an error passes through, whether it may become much larger, and whether a mean goes."""
    found = {each.lower() for each in operations if each}
    is_steep, is_centering = bool(found & _STEEP), bool(found & _CENTERING)
    if len(found) == 1:
        for names, kind in _KINDS:
            if found <= names:
                return kind, is_steep, is_centering
    return "plain", is_steep, is_centering
