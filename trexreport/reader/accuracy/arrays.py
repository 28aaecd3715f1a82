"""Decode the arrays in a file, and compare them piece by piece.

An array is a file of NumPy (.npy: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
Nothing is unpickled: an array of Python objects counts as unknown.
"""

from __future__ import annotations

import base64
import binascii
import io
import math
import tokenize
import warnings
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from trexreport.model.accuracy import TensorAccuracy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PIECE = 2**20
#: What arrays of Polygraphy 0.27 to 0.29 begin with: archives of one file, as text.
_ZIP = "PK\x03\x04"
_LONGEST_HEADER = 10_000
_TYPES = {
    "float64": "FP64",
    "float32": "FP32",
    "float16": "FP16",
    "int8": "INT8",
    "uint8": "UINT8",
    "int32": "INT32",
    "int64": "INT64",
    "bool": "BOOL",
}

#: What NumPy raises for a damaged header, which is a Python dictionary as text.
_DAMAGE = (
    *(ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError, EOFError),
    *(KeyError, tokenize.TokenError, UnicodeError),
)


def decode_array(text: str) -> NDArray[Any] | None:
    """Return the array of a text: base64, or Latin-1 as before 0.30; None if it is none.

    Its memory is that of the decoded text: a header that claims more is refused.
    """
    data: bytes | None
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        data = None
    array = _of_npy(data) if data else None
    if array is None and text.startswith(("\x93NUMPY", _ZIP)):
        try:
            data = text.encode("latin-1")
            array = _of_npy(_in_archive(data) if text.startswith(_ZIP) else data)
        except UnicodeEncodeError:
            array = None
    return array


def _in_archive(data: bytes) -> bytes:
    """Return the one array of an archive as `numpy.savez` writes it; nothing compressed is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) == 1 and entries[0].compress_type == zipfile.ZIP_STORED:
                return archive.read(entries[0])
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, EOFError, ValueError):
        pass
    return b""


def _of_npy(data: bytes) -> NDArray[Any] | None:
    import numpy as np
    from numpy.lib import format as npy

    file = io.BytesIO(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            shape, is_fortran, dtype = read(file, max_header_size=_LONGEST_HEADER)
        count = math.prod(shape)
        if dtype.kind not in "fiub" or min(shape, default=0) < 0:
            return None
        rest = file.read()
        if count * dtype.itemsize != len(rest):
            return None
        # The order of the elements makes no difference where both arrays have the same shape and order.
        array = np.frombuffer(rest, dtype, count)
        return array.reshape(shape, order="F" if is_fortran else "C")
    except _DAMAGE:
        return None


@dataclass
class Comparer:
    """Compares one tensor over all iterations, in memory of a few pieces."""

    name: str
    data_type: str = ""
    is_integer: bool = False
    elements: int = 0
    error_square: list[float] = field(default_factory=list)
    reference_square: list[float] = field(default_factory=list)
    abs_error: list[float] = field(default_factory=list)
    max_abs_error: float = 0.0
    similarities: list[float] = field(default_factory=list)
    mismatches: int = 0
    has_other_shape: bool = False
    non_finite: list[bool] = field(default_factory=lambda: [False, False])
    ranges: list[tuple[float, float] | None] = field(default_factory=lambda: [None, None])

    def add(self, candidate: NDArray[Any], reference: NDArray[Any]) -> None:
        """Add what one iteration computed."""
        self.data_type = _TYPES.get(candidate.dtype.name, candidate.dtype.name.upper())
        self.is_integer = reference.dtype.kind in "iub"
        if candidate.size != reference.size or _plain(candidate.shape) != _plain(reference.shape):
            self.has_other_shape = True
            return
        flat, other = candidate.reshape(-1), reference.reshape(-1)
        starts = range(0, flat.size, _PIECE)
        products = [self._piece(flat[at : at + _PIECE], other[at : at + _PIECE]) for at in starts]
        self.elements += flat.size
        if not products:
            return
        inner, one, two = (_sum(each) for each in zip(*products, strict=True))
        if one > 0 and two > 0 and math.isfinite(one) and math.isfinite(two) and math.isfinite(inner):
            self.similarities.append(max(-1.0, min(1.0, inner / math.sqrt(one) / math.sqrt(two))))

    def _piece(self, flat: NDArray[Any], other: NDArray[Any]) -> tuple[float, float, float]:
        import numpy as np

        # Squares of what all types but FP64 hold fit into this type.
        with np.errstate(all="ignore"):
            ours, theirs = flat.astype(np.float64), other.astype(np.float64)
        for side, values in enumerate((ours, theirs)):
            finite = values[np.isfinite(values)]
            self.non_finite[side] |= finite.size < values.size
            if finite.size:
                low, high = self.ranges[side] or (math.inf, -math.inf)
                self.ranges[side] = (min(low, float(finite.min())), max(high, float(finite.max())))
        known = np.isfinite(ours) & np.isfinite(theirs)
        if not known.all():
            # An infinite value on both sides is equal; on one side it is not an error of some size.
            ours, theirs = ours[known], theirs[known]
        with np.errstate(all="ignore"):
            difference = np.abs(ours - theirs)
        self.mismatches += int(np.count_nonzero(difference))
        with np.errstate(all="ignore"):
            self.error_square.append(float(np.dot(difference, difference)))
            self.reference_square.append(float(np.dot(theirs, theirs)))
            self.abs_error.append(float(difference.sum()))
            if difference.size:
                self.max_abs_error = max(self.max_abs_error, float(difference.max()))
            return float(np.dot(ours, theirs)), float(np.dot(ours, ours)), self.reference_square[-1]

    def result(self) -> TensorAccuracy:
        """Return the figures; those that are not known are None."""
        if self.has_other_shape or not self.elements:
            return TensorAccuracy(self.name, self.data_type, has_other_shape=self.has_other_shape)
        error, norm = (math.sqrt(_sum(each)) for each in (self.error_square, self.reference_square))
        figures = TensorAccuracy(
            self.name,
            self.data_type,
            self.elements,
            max_abs_error=_finite(self.max_abs_error),
            mean_abs_error=_finite(_sum(self.abs_error) / self.elements),
            candidate_range=self.ranges[0],
            reference_range=self.ranges[1],
            candidate_non_finite=self.non_finite[0],
            reference_non_finite=self.non_finite[1],
            mismatch_percent=100 * self.mismatches / self.elements if self.is_integer else None,
        )
        if self.is_integer or self.non_finite[0] != self.non_finite[1]:
            # Indices have no size of an error; beside infinite values the rest says nothing.
            return figures
        return replace(
            figures,
            relative_error=_relative(error, norm),
            reference_norm=_finite(norm),
            cosine_similarity=min(self.similarities, default=None),
        )


def _relative(error: float, norm: float) -> float | None:
    """Return an error as a part of a norm; None where all of the reference is zero and the engine is not."""
    if error == 0:
        return 0.0
    return _finite(error / norm) if norm > 0 else None


def _sum(values: Iterable[float]) -> float:
    """Return a sum that may be infinite or no number, where the squares of 64-bit numbers overflow."""
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return math.nan


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without extents of 1, which runners add or leave out."""
    return tuple(each for each in shape if each != 1)


def scan(name: str, arrays: list[NDArray[np.float64]]) -> TensorAccuracy:
    """Return what the arrays of one side alone show: their range, and whether all values are finite."""
    comparer = Comparer(name)
    for array in arrays:
        comparer.add(array, array)
    found = comparer.result()
    return TensorAccuracy(
        name,
        found.data_type,
        found.elements,
        candidate_range=found.candidate_range,
        candidate_non_finite=found.candidate_non_finite,
    )
