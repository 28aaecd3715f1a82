"""Count the floating-point (or integer) operations of layers; where they are not certain there are none.

* convolutions, matrix products and attention: two for each multiply-accumulate operation; bias, scale and
  activation that are fused into them do not count;
* pooling: one for each element of the window of each output element;
* pointwise (a TensorRT expression): its operations, for each output element;
* element-wise, unary and activation: one for each output element, and one more for a fused activation;
* scale: one for each of shift, scale and power that the layer has, for each output element;
* reduction: one for each input element;
* softmax: five for each element (maximum, difference, exponential, sum, quotient);
* generated Myelin kernels: the element-wise operations in their name, for each element, if all tensors have
  equally many or are broadcast, and a reduction if it is the last. After a reduction the name does not show
  how many elements an operation is for, so the count is unknown;
* layers that only move data, and conversions between floating-point types: none at all.
"""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.operations import MAX_MACS
from trexreport.model import Layer, Tensor

_MOVING_TYPES = frozenset(
    {
        "Concatenation", "Constant", "Gather", "Identity", "NoOp", "Shuffle", "Slice", "shape_call", "signal",
        "wait",
    }
)  # fmt: skip
_REFORMAT_TYPES = frozenset({"Reformat", "MyelinReformat"})
_QUANTIZED = frozenset({"INT8", "INT4", "FP8", "FP4"})
_ELEMENTWISE_TYPES = frozenset({"ElementWise", "Unary", "Activation"})
_SOFTMAX_OPERATIONS = 5

#: Operations in the names of Myelin kernels that keep values and their number.
_KEEPING = frozenset({"Cast", "Move", "Reshape", "Transpose", "Unsqueeze"})
ELEMENTWISE = frozenset(
    {
        "Abs", "Add", "And", "Ceil", "Cos", "Div", "Equal", "Erf", "Exp", "Floor", "Gelu", "Greater",
        "GreaterOrEqual", "Log", "Max", "Min", "Mul", "Neg", "Not", "Or", "Pow", "Reciprocal", "Relu",
        "Round", "Rsqrt", "Select", "Sigmoid", "Silu", "Sin", "Sqrt", "Sub", "Tanh", "Where",
    }
)  # fmt: skip
_REDUCING = frozenset({"ArgMax", "MaxReduce", "Maxr", "Mean", "Reduce", "Sum"})
_ONLY_MOVING = _KEEPING | {"Broadcast", "Concat", "Gather", "Replicate", "Repl", "Scatter", "Slice"}


def count_flops(layer: Layer, work: Operation | None) -> int | None:
    """Return the operations of a layer, or None where they are unknown.

    Args:
        layer: The layer.
        work: What `count_operations` returned for it.
    """
    counted = 2 * work.macs if work is not None else _without_products(layer)
    return counted if counted is not None and counted <= 2 * MAX_MACS else None


def _without_products(layer: Layer) -> int | None:
    if layer.type in _MOVING_TYPES:
        return 0
    if layer.type in _REFORMAT_TYPES:
        return _of_reformat(layer)
    if layer.type == "kgen":
        return _of_generated(layer)
    results = _elements(layer.outputs)
    if layer.type == "Reduce":
        return max(_elements(layer.inputs) or [0]) or None
    if not results:
        return None
    each = _operations_for_each(layer)
    return None if each is None else each * max(results)


def _operations_for_each(layer: Layer) -> int | None:
    """Return how many operations each output element takes."""
    record = layer.attributes
    if layer.type == "Pooling":
        window = record.get("WindowSize")
        whole = isinstance(window, list) and window and all(type(each) is int and each > 0 for each in window)
        return math.prod(window) if whole and isinstance(window, list) else None
    if layer.type == "PointWise":
        operations = record.get("Operations")
        return len(operations) if isinstance(operations, list) else None
    if layer.type in _ELEMENTWISE_TYPES:
        fused = layer.type == "ElementWise" and record.get("Activation", "NONE") != "NONE"
        return 1 + fused
    if layer.type == "Scale":
        stated = [record.get(key) for key in ("Shift", "Scale", "Power")]
        known = [
            each["Count"] for each in stated if isinstance(each, dict) and type(each.get("Count")) is int
        ]
        return sum(count > 0 for count in known) if known else None
    return _SOFTMAX_OPERATIONS if layer.type == "SoftMax" else None


def _of_reformat(layer: Layer) -> int | None:
    """Return 0 unless values are quantized, which takes an unknown number of operations."""
    types = {tensor.format.data_type for tensor in (*layer.inputs, *layer.outputs)}
    return 0 if len(types) == 1 or types.isdisjoint(_QUANTIZED) else None


def _of_generated(layer: Layer) -> int | None:
    operations = layer.operations
    if not operations:
        return None
    if _ONLY_MOVING.issuperset(operations):
        return 0
    sources, results = _elements(layer.inputs), _elements(layer.outputs)
    if not sources or not results:
        return None
    counted = [name for name in operations if name not in _KEEPING]
    if ELEMENTWISE.issuperset(counted):
        return len(counted) * results[0] if {max(sources), *results} == {results[0]} else None
    *before, last = counted
    if last in _REDUCING and ELEMENTWISE.issuperset(before):
        return len(counted) * max(sources)
    return None


def _elements(tensors: tuple[Tensor, ...]) -> list[int]:
    """Return the number of elements of each tensor; nothing if one is unknown."""
    shapes = [tensor.dimensions for tensor in tensors]
    return [] if any(min(shape, default=0) < 0 for shape in shapes) else list(map(math.prod, shapes))
