"""How large inputs and outputs are; of a log alone, which states extents only, in a type of 32 bits."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis.engine import BindingFacts
from trexreport.analyzer.rules.context import Context
from trexreport.lazy_dataclass import dataclass
from trexreport.model import BindingMode

#: Options with which inputs and outputs may have other types.
_IO_FLAGS = ("--inputIOFormats", "--outputIOFormats")
_BYTES = 4
_MANAGED = "--useManagedMemory"
#: What the PCIe of GPUs carries at most in one direction, in 10^9 bytes a second, by compute capability times
#: ten: 16 lanes of 8 or 16 GT/s, of which 128 of 130 bits are data. Turing has PCIe 3.0, Ampere and Ada 4.0,
#: which no document was read for. Other processors may have NVLink to GPUs of others.
_LINK_GB_S = {75: 15.75, 80: 31.5, 86: 31.5, 89: 31.5}
#: Part of the bytes from which on one tensor is nearly all of them.
_NEARLY_ALL = 0.9


@dataclass(frozen=True)
class IoSizes:
    """The inputs or outputs of an engine, at least one.

    Attributes:
        largest: The largest of them.
        largest_bytes: Its size.
        size_bytes: That of all.
        count: How many there are.
        is_assumed: Whether sizes are those of FP32, as no file states types.
    """

    largest: BindingFacts
    largest_bytes: int
    size_bytes: int
    count: int
    is_assumed: bool

    @property
    def is_nearly_all(self) -> bool:
        """Return whether the largest is nearly all of them."""
        return self.largest_bytes >= _NEARLY_ALL * self.size_bytes


def link_gb_s(context: Context) -> float | None:
    """Return what the link between host and GPU carries at most; None where it is not known."""
    return _LINK_GB_S.get(context.stated_compute_capability or 0)


def are_narrower(context: Context, mode: BindingMode) -> bool:
    """Return whether copies of inputs or outputs of no stated type are faster than any link in FP32.

    If a link could not carry even a byte for each element, they were not copied, as managed memory is not.
    """
    latency = context.analysis.latency
    times = latency.h2d if mode == "input" else latency.d2h
    sizes, link = io_sizes(context, mode), link_gb_s(context)
    if times is None or sizes is None or link is None or not sizes.is_assumed or not times.median_ms:
        return False
    if any(_MANAGED in command for command in context.analysis.commands):
        return False
    return link < sizes.size_bytes / times.median_ms / 1e6 <= _BYTES * link


def io_sizes(context: Context, mode: BindingMode) -> IoSizes | None:
    """Return the sizes of all inputs or outputs; None where not all are known."""
    bound = [each for each in context.analysis.bindings if each.mode == mode]
    stated = [each.run_bytes if each.size_bytes is None else each.size_bytes for each in bound]
    # Up to TensorRT 9 a log states no types at all.
    is_assumed = bool(bound) and not any(each.format for each in bound)
    if is_assumed and not any(flag in command for flag in _IO_FLAGS for command in context.analysis.commands):
        stated = [
            _BYTES * math.prod(each.dimensions) if min(each.dimensions, default=1) >= 0 else None
            for each in bound
        ]
    sizes = [size for size in stated if size is not None]
    if len(sizes) != len(bound) or not sum(sizes):
        return None
    size, largest = max(zip(sizes, bound, strict=True), key=lambda each: each[0])
    return IoSizes(largest, size, sum(sizes), len(bound), is_assumed)
