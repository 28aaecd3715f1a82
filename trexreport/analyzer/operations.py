"""Count the multiply-accumulate operations of convolutions and matrix multiplications.

Where shapes do not allow a certain count there is none: unknown is not guessed.

Formulas, with N batch, C and K channels in and out, G groups, P x Q output extents, R x S kernel:

* convolution: N K P Q (C / G) R S, for any number of spatial dimensions;
* deconvolution: N C H W (K / G) R S over the input extents H x W; in a generated kernel, such as
  "__myl_DecoAdd", the weights C x K / G x R x S that it reads show G, R and S;
* convolution fused with pooling: as convolution, over the extents before pooling;
* matrix multiplication: product of the output's extents times K, the extent that is summed over;
* the same with its weights inside the kernel: the rows of the one input that is not a residual give K, unless
  the result may be that of two parts of this input, such as Q and K of one head;
* the same with listed weights K x N: these, also where heads split rows or result, or a residual is added;
* fully connected: the last three extents of the input are summed over, as IFullyConnectedLayer does; fused by
  Myelin: the weights K x N that it lists as a constant give K, if an input has rows of K; else as
  one with its weights inside;
* attention: see `trexreport.analyzer.attention`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import LayerFacts, Operation
from trexreport.analyzer.analysis.layers import OperationKind
from trexreport.analyzer.attention import count_attention, is_attention, is_attention_kernel
from trexreport.analyzer.convolution_work import (
    are_known,
    count_convolution,
    count_convolution_with_pooling,
    count_generated_deconvolution,
    ends_of,
)
from trexreport.model import Layer, Tensor

#: More than any engine does in years; a larger number comes from damaged dimensions.
MAX_MACS = 2**62

MATRIX_TYPES = {"gemm", "MatrixMultiply", "FullyConnected"}
_MATRIX: OperationKind = "matrix multiplication"
_COUNTED_TYPES = {"Convolution", "Deconvolution", "ConvActPool", *MATRIX_TYPES}
#: Names that Myelin gives to kernels that convolve (correlate) or multiply matrices.
_MULTIPLYING_PREFIXES = ("correlation", "conv", "deconv", "gemm", "fmha", "mha")
#: What a kernel does with the result of a product without changing its shape.
_KEEPS_ROWS = frozenset(
    {"Add", "Sub", "Mul", "Div", "Erf", "Tanh", "Sigmoid", "Relu", "Max", "Min", "Cast", "Exp"}
)
_MULTIPLYING_OPERATIONS = frozenset({"FullyConnected", "BatchMatMul", "MultiHeadAttention", "Deconvolution"})


def count_operations(layer: Layer) -> Operation | None:
    """Return the multiply-accumulate work of a layer, or None where there is none or it is unknown."""
    found = _count(layer)
    if found is None or found.macs > MAX_MACS or not _fits_weights(layer, found):
        return None
    return found


def may_multiply(layer: Layer | LayerFacts) -> bool:
    """Return whether a layer is a convolution or matrix product, whether or not its work can be counted."""
    if layer.type in _COUNTED_TYPES or layer.type.startswith(_MULTIPLYING_PREFIXES):
        return True
    return not _MULTIPLYING_OPERATIONS.isdisjoint(layer.operations) or is_attention_kernel(layer.tactic)


def is_fused_product(layer: Layer | LayerFacts) -> bool:
    """Return whether a layer is a matrix product that Myelin fuses with what follows it."""
    return layer.type == "fusion" and tuple(layer.operations[:1]) == ("FullyConnected",)


def _count(layer: Layer) -> Operation | None:
    if layer.type in {"Convolution", "Deconvolution"}:
        return count_convolution(layer)
    if layer.type == "ConvActPool":
        return count_convolution_with_pooling(layer)
    if layer.type in MATRIX_TYPES:
        return _matrix_multiplication(layer)
    if "Deconvolution" in layer.operations:
        return count_generated_deconvolution(layer)
    if is_fused_product(layer):
        return _fused_product(layer)
    return count_attention(layer) if is_attention(layer) else None


def _matrix_multiplication(layer: Layer) -> Operation | None:
    ends = ends_of(layer)
    if ends is None:
        return None
    if layer.type == "FullyConnected" and len(ends[1]) > 2:
        found = _fully_connected(*ends)
    else:
        found = _matrix_product(layer, *ends)
    if found is None:
        return None
    # dataclasses.replace takes several times as long.
    hidden_bytes = _hidden_weights_bytes(layer, found)
    items = _weights_by_item(layer, found)
    return Operation(
        _MATRIX,
        found.macs,
        found.m // items,
        found.n,
        found.k,
        batch=found.batch * items,
        hidden_weights_bytes=hidden_bytes,
    )


def _weights_by_item(layer: Layer, found: Operation) -> int:
    """Return how many items have weights of their own in a constant that the file lists, as experts do."""
    items = math.prod(layer.outputs[0].dimensions[:-2])
    if items <= 1 or found.batch != 1 or found.m % items:
        return 1
    one = sorted((found.n, found.k))
    own = (each.dimensions for each in layer.constants if math.prod(each.dimensions[:-2]) == items)
    return items if any(sorted(each[-2:]) == one for each in own) else 1


def _fully_connected(source: Sequence[int], result: Sequence[int]) -> Operation | None:
    """Count a fully connected layer, which sees the last three extents of its input as one."""
    if len(source) != len(result) or source[:-3] != result[:-3] or tuple(result[-2:]) != (1, 1):
        return None
    m, n, k = math.prod(result[:-3]), result[-3], math.prod(source[-3:])
    return Operation(_MATRIX, m * n * k, m, n, k)


def _matrix_product(layer: Layer, source: Sequence[int], result: Sequence[int]) -> Operation | None:
    if len(source) < 2 or len(result) < 2:
        return None
    if len(layer.inputs) == 1:
        if _may_be_of_parts(layer, source, result):
            return None
        # The other operand is a weight inside the kernel.
        return _product_of_rows(source, result) or _inner_product(layer) or _product_of_constant(layer)
    k = _summed_extent(layer, source, result)
    if k is None:
        return _product_of_constant(layer) or _inner_product(layer)
    m, n, batch = result[-2], result[-1], math.prod(result[:-2])
    if math.prod(layer.inputs[1].dimensions[:-2]) == 1:
        # All rows are multiplied with the same weights, so they are one product.
        m, batch = m * batch, 1
    return Operation(_MATRIX, batch * m * n * k, m, n, k, batch=batch)


def _may_be_of_parts(layer: Layer, source: Sequence[int], result: Sequence[int]) -> bool:
    """Return whether a product of one input may multiply its rows with each other, as Q and K of one head.

    Then they are parts of the rows, and how long is not known. Weights with as many columns as there are rows
    write the same shape, where no axis of heads is added and rows are not Q, K and V.
    """
    if not source[-2] == result[-2] == result[-1] or layer.weights:
        return False
    if any(_elements(each) >= result[-1] * source[-1] for each in layer.constants):
        return False
    return len(result) > len(source) or source[-1] % 3 == 0


def _fused_product(layer: Layer) -> Operation | None:
    """Count a matrix product that is fused with what follows it, by the weights that the file lists."""
    weights = [each.dimensions for each in layer.constants if len(each.dimensions) == 2]
    if not layer.constants and _KEEPS_ROWS.issuperset(layer.operations[1:]):
        found = _inner_product(layer)
        return found and replace(found, hidden_weights_bytes=_hidden_weights_bytes(layer, found))
    if len(weights) != 1 or len(layer.outputs) != 1 or not are_known(layer.outputs[0].dimensions):
        return None
    (k, n), result = weights[0], layer.outputs[0].dimensions
    rows = math.prod(result[:-1])
    if k <= 0 or result[-1] != n or not any(each.dimensions == (*result[:-1], k) for each in layer.inputs):
        return None
    return Operation(_MATRIX, rows * n * k, rows, n, k)


def _product_of_constant(layer: Layer) -> Operation | None:
    """Count a product with the one matrix of weights that the file lists, by the sizes of input and output.

    Heads may split their extents: [2, 4096, 1152] is written as Q, K and V in [3, 2, 4096, 1152] by weights
    of 1152 x 3456. A second input of the size of the output is a residual.
    """
    weights = [each.dimensions for each in layer.constants if len(each.dimensions) == 2]
    if len(weights) != 1 or not are_known(weights[0]):
        return None
    read, written = [*map(_elements, layer.inputs)], _elements(layer.outputs[0])
    for k, n in (weights[0], weights[0][::-1]):
        m = written // n if n > 0 else 0
        if m > 0 and m * n == written and m * k in read and (len(read) == 1 or written in read):
            return Operation(_MATRIX, m * n * k, m, n, k)
    return None


def _inner_product(layer: Layer) -> Operation | None:
    """Count a product with weights inside its kernel that may add a residual, if shapes leave no doubt."""
    operand = _only_operand(layer)
    result = layer.outputs[0].dimensions if layer.outputs else ()
    if operand is None or not are_known(operand) or not are_known(result):
        return None
    if len(operand) < 2 or len(result) < 2:
        return None
    if found := _product_of_rows(operand, result):
        return found
    m, n = math.prod(result[:-1]), result[-1]
    if len(operand) == 3 and len(result) == 2 and operand[1] == m:
        k = operand[0] * operand[2]  # The heads of an attention.
        return Operation(_MATRIX, m * n * k, m, n, k)
    return None


def _product_of_rows(source: Sequence[int], result: Sequence[int]) -> Operation | None:
    """Count a product with weights inside its kernel, if shapes show that its rows stay.

    Rows are written as they are, or one side has them in one extent: [16384, 768] as [32, 512, 768], or as
    [32, 512, 3, 12, 64], whose columns are in several extents.
    """
    m, k = math.prod(source[:-1]), source[-1]
    if source[-2] == result[-2] and m == math.prod(result[:-1]):
        return Operation(_MATRIX, m * result[-1] * k, m, result[-1], k)
    ends = (math.prod(result[at:]) for at in range(1, len(result)) if math.prod(result[:at]) == m)
    n = next(ends, None)
    if n is None or (2 not in {len(source), len(result)} and source[:-1] != result[: len(source) - 1]):
        return None
    return Operation(_MATRIX, m * n * k, m, n, k)


def _only_operand(layer: Layer) -> Sequence[int] | None:
    """Return the extents of the one input that a kernel with its weights inside multiplies, else None.

    Another one is a residual: it has the shape of the result, and is not an operand of a product of both.
    """
    if layer.constants or layer.weights or len(layer.inputs) not in {1, 2} or not layer.outputs:
        return None
    if len(layer.inputs) == 1:
        return layer.inputs[0].dimensions
    result = layer.outputs[0].dimensions
    first, second = (each.dimensions for each in layer.inputs)
    if min(len(first), len(second), len(result)) < 2:
        return None
    if _extents_of_product(first, second, result) or _extents_of_product(second, first, result):
        return None
    # Where both have the shape of the result, either may be the residual.
    operands = [each for each in (first, second) if each != result]
    return None if len(operands) > 1 else operands[0] if operands else result


def _fits_weights(layer: Layer, found: Operation) -> bool:
    """Return whether a layer has the number of weights that its multiplication needs, if it is stated."""
    stated = [weights.count for weights in layer.weights if weights.role == "weights"]
    known = [count for count in stated if count is not None]
    return not known or sum(known) == found.n * found.k


def _hidden_weights_bytes(layer: Layer, found: Operation) -> int:
    """Return the estimated bytes of weights that a kernel holds without the file saying so.

    A product of one input has its other operand inside; it is taken to have the type of the input.
    """
    size = found.n * found.k
    stated = any(_elements(constant) >= size for constant in layer.constants)
    bits = layer.inputs[0].format.bits
    if layer.weights or stated or bits is None or (len(layer.inputs) > 1 and _only_operand(layer) is None):
        return 0
    return -(-size * bits // 8)


def _elements(tensor: Tensor) -> int:
    return math.prod(tensor.dimensions) if are_known(tensor.dimensions) else 0


def _summed_extent(layer: Layer, source: Sequence[int], result: Sequence[int]) -> int | None:
    """Return the extent that is summed over, if the shapes leave no doubt."""
    other = layer.inputs[1].dimensions
    if len(other) < 2 or not are_known(other):
        return None
    if layer.inputs[0].name == layer.inputs[1].name and math.prod(source[:-2]) != math.prod(result[:-2]):
        return None  # Parts of one buffer, such as packed Q, K and V: the extents are those of the whole.
    found = _extents_of_product(source, other, result)
    return found.pop() if len(found) == 1 else None


def _extents_of_product(source: Sequence[int], other: Sequence[int], result: Sequence[int]) -> set[int]:
    """Return the extents that a product of two tensors may sum over, each of them transposed or not."""
    m, n = result[-2], result[-1]
    return {
        left_k
        for left_m, left_k in (source[-2:], source[:-3:-1])
        for right_k, right_n in (other[-2:], other[:-3:-1])
        if (left_m, right_n) == (m, n) and left_k == right_k
    }
