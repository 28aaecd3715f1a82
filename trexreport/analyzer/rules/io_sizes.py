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
        """Return whether the largest of several is nearly all of them."""
        return self.count > 1 and self.largest_bytes >= _NEARLY_ALL * self.size_bytes


def io_sizes(context: Context, mode: BindingMode) -> IoSizes | None:
    """Return the sizes of all inputs or outputs; None where not all are known."""
    bound = [each for each in context.analysis.bindings if each.mode == mode]
    stated = [each.size_bytes for each in bound]
    # A log states no types at all.
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
