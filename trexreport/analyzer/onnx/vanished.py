"""Why a node is in no layer, and what Q/DQ nodes convert, as far as the structure of the model shows."""

from __future__ import annotations

from collections.abc import Collection, Container

from trexreport.analyzer.analysis.onnx import OnnxQuantization, VanishReason
from trexreport.analyzer.onnx.flat_graph import FlatGraph, FlatNode, TensorId

#: They do nothing when a network is executed, as the operators' documentation states
#: (https://onnx.ai/onnx/operators/).
_NO_OPS = frozenset({"Identity", "Dropout"})
#: They change the shape of a tensor, and not its data; a transpose may become a layout that is read as it is.
_VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand"})
#: Multiplications and additions for each channel, which TensorRT merges into the weights of a convolution.
_MERGED = frozenset({"BatchNormalization"})
_SHAPES = frozenset({"Shape", "Size"})
_RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"}
)

QUANTIZATION = frozenset({"QuantizeLinear", "DequantizeLinear"})
#: Inputs: the values, the scales, the zero points (https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html).
_SCALE, _ZERO_POINT = 1, 2


class Vanishing:
    """Finds the reasons; made once for a model."""

    def __init__(self, graph: FlatGraph) -> None:
        self._constant: set[int] = set()
        self._shape: set[int] = set()
        for node in graph.nodes:
            self._add(node, graph)
        self._used = _reached(graph)

    def _add(self, node: FlatNode, graph: FlatGraph) -> None:
        """Sort a node in; those before it in topological order are. A graph inside may read anything."""
        if node.node.graphs or node.node.op_type in _RANDOM:
            return
        rest = [tensor for tensor in node.inputs if tensor not in graph.constants]
        sources = [graph.producer.get(tensor) for tensor in rest]
        if all(source in self._constant for source in sources):
            self._constant.add(node.index)
        elif node.node.op_type in _SHAPES or all(
            source in self._shape or source in self._constant for source in sources
        ):
            self._shape.add(node.index)

    def is_constant(self, index: int) -> bool:
        """Return whether a node is computed while building."""
        return index in self._constant

    def computing(self, nodes: Collection[int]) -> tuple[int, ...]:
        """Return those of a layer's nodes that take time: not those of constants, unless it has no others."""
        rest = tuple(index for index in nodes if index not in self._constant)
        return rest or tuple(nodes)

    def reason(self, node: FlatNode) -> VanishReason | None:
        """Return why a node that is in no layer is in none; None if the model does not show it."""
        is_used = node.index in self._used
        kinds: tuple[tuple[VanishReason, bool], ...] = (
            # Q/DQ of weights have constant inputs, and the layer that reads them computes with their scales.
            ("quantization", is_used and _is(node, QUANTIZATION)),
            ("constant", node.index in self._constant),
            ("unused", not is_used),
            ("shape", node.index in self._shape),
            ("no-op", _is(node, _NO_OPS)),
            ("view", _is(node, _VIEWS)),
            ("weights", _is(node, _MERGED)),
        )
        return next((reason for reason, holds in kinds if holds), None)


def _is(node: FlatNode, op_types: Container[str]) -> bool:
    return not node.node.domain and node.node.op_type in op_types


def _reached(graph: FlatGraph) -> set[int]:
    """Return the nodes that the outputs of the model depend on."""
    waiting = [graph.producer[tensor] for tensor in graph.results if tensor in graph.producer]
    found = set(waiting)
    while waiting:
        for index in graph.producers_of(graph.nodes[waiting.pop()]):
            if index not in found:
                found.add(index)
                waiting.append(index)
    return found


def node_quantization(node: FlatNode, graph: FlatGraph) -> OnnxQuantization | None:
    """Return what a node quantizes to or dequantizes from; None for any other node."""
    if node.node.op_type not in QUANTIZATION:
        return None
    scale = _input(node, _SCALE)
    initializer = graph.constants.get(scale) if scale else None
    axis = node.node.attributes.get("axis")
    along = axis if isinstance(axis, int) and (initializer is None or initializer.shape) else None
    values = _input(node, 0)
    values_of = graph.producer.get(values) if values else None
    return OnnxQuantization(_data_type(node, graph), _value(scale, graph), along, values_of)


def _input(node: FlatNode, position: int) -> TensorId | None:
    """Return an input by its position, which ones that are left out before it do not move."""
    names = node.node.inputs
    if len(names) <= position or not names[position]:
        return None
    at = sum(bool(name) for name in names[:position])
    return node.inputs[at] if at < len(node.inputs) else None


def _data_type(node: FlatNode, graph: FlatGraph) -> str:
    """Return the type of the zero points, or of quantized weights; "" if neither is an initializer."""
    for position in (_ZERO_POINT, 0) if node.node.op_type == "DequantizeLinear" else (_ZERO_POINT,):
        tensor = _input(node, position)
        initializer = graph.constants.get(tensor) if tensor else None
        if initializer and initializer.data_type:
            return initializer.data_type
    return ""


def _value(scale: TensorId | None, graph: FlatGraph) -> float | None:
    """Return the number that a Constant states as its attribute."""
    producer = graph.producer.get(scale) if scale else None
    if producer is None:
        return None
    value = graph.nodes[producer].node.attributes.get("value_float")
    return value if isinstance(value, float) else None
