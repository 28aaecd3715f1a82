"""What QuantizeLinear and DequantizeLinear convert, as far as the structure of the model states it."""

from __future__ import annotations

from trexreport.analyzer.analysis.onnx import OnnxQuantization
from trexreport.analyzer.onnx.flat_graph import FlatGraph, FlatNode, TensorId

QUANTIZATION = frozenset({"QuantizeLinear", "DequantizeLinear"})
#: Inputs: the values, the scales, the zero points (https://onnx.ai/onnx/operators/onnx__QuantizeLinear.html).
_SCALE, _ZERO_POINT = 1, 2


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
