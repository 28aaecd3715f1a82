"""Make up the content of an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

#: Bits of TensorRT's data types, by name.
BITS = {
    "FLOAT": 32,
    "HALF": 16,
    "BF16": 16,
    "FP8": 8,
    "FP4": 4,
    "E8M0": 8,
    "INT64": 64,
    "INT32": 32,
    "INT8": 8,
    "UINT8": 8,
    "INT4": 4,
    "BOOL": 8,
}
_RANDOM = frozenset({"FLOAT", "HALF", "BF16"})
_ONES = {"INT64": "int64", "INT32": "int32", "INT8": "int8", "UINT8": "uint8", "BOOL": "uint8"}
_SEED = 0


def made_up(kind: str, size_bytes: int) -> tuple[np.ndarray, str]:
    """Return an array of the right size for a data type, and what it holds.

    Random numbers between -1 and 1, for zeros take less power than data do. Whole numbers are ones: indices
    in range and masks that let everything through. Numbers of 8 bits and less are zeros, for at random some
    of them are none.
    """
    import numpy as np

    count = size_bytes * 8 // BITS[kind]
    if kind in _ONES:
        return np.ones(count, _ONES[kind]), "ones"
    if kind not in _RANDOM:
        return np.zeros(size_bytes, np.uint8), "zeros"
    values = np.random.default_rng(_SEED).uniform(-1, 1, count).astype(np.float32)
    if kind == "HALF":
        return values.astype(np.float16), "random values"
    if kind == "BF16":  # the upper half of a float
        return (values.view(np.uint32) >> 16).astype(np.uint16), "random values"
    return values, "random values"
