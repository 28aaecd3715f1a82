"""Count the multiply-accumulate operations of fused attention: softmax(Q x K) x V.

With b products side by side (batch times heads), s queries, t keys, and d the extent of a head: b s t d for
Q x K and as many for the product with V. What a mask lets a kernel leave out is counted all the same, as
usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.analysis.layers import OperationKind
from trexreport.model import Layer

ATTENTION: OperationKind = "attention"
#: Parts of the names of kernels of fused attention.
_ATTENTION_NAMES = ("_mha_", "fmha", "flash_attention")
#: Axes of Q, K and V in one tensor with an axis of their own: batch, tokens, these, heads and channels.
_SPLIT_RANK = 5
#: Axes of such a tensor in which these come first: these, batch, tokens, and channels of all heads.
_TURNS_RANK = 4
_SOFTMAX = frozenset({"Softmax", "Exp"})


@lru_cache(maxsize=4096)
def is_attention_kernel(tactic: str) -> bool:
    """Return whether a kernel is one of fused attention, by its name: many layers run the same."""
    return any(name in tactic for name in _ATTENTION_NAMES)


def is_attention(layer: Layer) -> bool:
    """Return whether a layer is fused attention, as its type, kernel or decoded operations say."""
    if layer.type.startswith(("fmha", "mha")) or is_attention_kernel(layer.tactic):
        return True
    operations = layer.operations
    return "MultiHeadAttention" in operations or (
        operations.count("BatchMatMul") == 2 and not _SOFTMAX.isdisjoint(operations)
    )


def count_attention(layer: Layer) -> Operation | None:
    """Return the work of both products as that of one repeated, or None where the shapes leave a doubt."""
    if not layer.inputs or len(layer.outputs) != 1:
        return None
    shapes = [tensor.dimensions for tensor in layer.inputs]
    result = layer.outputs[0].dimensions
    if not all(extent > 0 for shape in (*shapes, result) for extent in shape):
        return None
    if len(shapes) == 1:
        return _of_packed(shapes[0], result)
    return _of_three(shapes, result) if len(shapes) >= 3 else None


def _of_packed(source: Sequence[int], result: Sequence[int]) -> Operation | None:
    """Count from Q, K and V side by side: [..., s, 3 c] gives [..., s, c], whatever the number of heads.

    Models also split them before: [b, s, 3, heads, d], or [b, s, heads, 3, d]; or one after the other, as
    [3, b, s, c] gives [b, s, c] or [b, s, heads, d].
    """
    if _are_in_turn(source, result):
        *heads, extent = result[2:]
        return _work(source[1] * math.prod(heads), source[2], source[2], extent)
    if len(source) == _SPLIT_RANK and math.prod(source) == 3 * math.prod(result) and 3 in source[2:4]:
        batch, extent, *split, channels = source
        return _work(batch * math.prod(split) // 3, extent, extent, channels)
    if len(source) < 2 or not result or (*result[:-1], 3 * result[-1]) != tuple(source):
        return None
    return _work(math.prod(source[:-2]), source[-2], source[-2], result[-1])


def _are_in_turn(source: Sequence[int], result: Sequence[int]) -> bool:
    """Return whether Q, K and V follow each other, each of the extents of the result."""
    if len(source) != _TURNS_RANK or len(result) not in {_TURNS_RANK - 1, _TURNS_RANK}:
        return False
    return tuple(source) == (3, *result[:2], math.prod(result[2:]))


def _of_three(shapes: Sequence[Sequence[int]], result: Sequence[int]) -> Operation | None:
    """Count from Q [..., s, d], K [..., t, d] or [..., d, t], and V [..., t, d].

    Several heads of Q may share one of K and V.
    """
    query, key, value = shapes[:3]
    if not len(query) == len(key) == len(value) >= 3 or key[:-2] != value[:-2]:
        return None
    (queries, extent), (keys, value_extent) = query[-2:], value[-2:]
    products = math.prod(query[:-2])
    if (
        value_extent != extent
        or products % math.prod(key[:-2])
        or sorted(key[-2:]) != sorted((keys, extent))
        or math.prod(result) != products * queries * extent
    ):
        return None
    return _work(products, queries, keys, extent)


def _work(products: int, queries: int, keys: int, extent: int) -> Operation:
    batch = 2 * products
    return Operation(ATTENTION, batch * queries * keys * extent, queries, keys, extent, batch=batch)
