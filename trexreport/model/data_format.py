"""How a tensor's elements are typed and laid out in memory."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from trexreport.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

UNKNOWN = "unknown"
#: Start of the short name of layouts with channels in groups, "NC/8", where their order is not known.
UNORDERED = "NC/"
_ORDERED = "HW"

#: More than any machine can address; a larger size comes from damaged dimensions.
LARGEST_BYTES = 2**56

#: Bits of one element by canonical data type.
#: Source: nvinfer1::DataType in NvInferRuntimeBase.h (TensorRT 8.2 to 11).
BITS: dict[str, int] = {
    "FP64": 64,
    "FP32": 32,
    "TF32": 32,
    "FP16": 16,
    "BF16": 16,
    "FP8": 8,
    "FP4": 4,
    "INT64": 64,
    "INT32": 32,
    "INT16": 16,
    "INT8": 8,
    "INT4": 4,
    "UINT64": 64,
    "UINT32": 32,
    "UINT16": 16,
    "UINT8": 8,
    "BOOL": 8,
    "E8M0": 8,
}


def is_known_layout(layout: str) -> bool:
    """Return whether the short name of a layout says how all elements lie in memory."""
    return bool(layout) and not (layout.startswith(UNORDERED) and _ORDERED not in layout)


@dataclass(frozen=True)
class DataFormat:
    """One value of "Format/Datatype", understood as far as possible.

    Attributes:
        text: The file's own words; never altered.
        data_type: Canonical name such as "FP16", or "unknown".
        layout: Short name of the memory layout such as "NCHW", "NHWC8" or "NC/32HW32"; "NC/8" if only the
            groups of channels are known, empty if nothing is.
        channel_multiple: Channels are padded in memory to a multiple of this.
        spatial_dimensions: 2 for images, 3 for volumes; says which dimension holds the channels.
    """

    text: str
    data_type: str = UNKNOWN
    layout: str = ""
    channel_multiple: int = 1
    spatial_dimensions: int = 2

    @property
    def bits(self) -> int | None:
        """Bits of one element, or None if the data type is unknown."""
        return BITS.get(self.data_type)

    @cached_property
    def short(self) -> str:
        """Data type and layout in few words, for labels."""
        if self.data_type == UNKNOWN:
            return self.text or UNKNOWN
        return f"{self.data_type} {self.layout}".strip()

    def size_bytes(self, dimensions: Sequence[int]) -> int | None:
        """Return the bytes that a tensor of these dimensions takes, padding included.

        None where the data type is unknown, a dimension is only known at run time, or no memory is so large.
        """
        bits = BITS.get(self.data_type)
        if bits is None:
            return None
        return _size_bytes(tuple(dimensions), bits, self.channel_multiple, self.spatial_dimensions)


@lru_cache(maxsize=2**14)
def _size_bytes(
    dimensions: tuple[int, ...], bits: int, channel_multiple: int, spatial_dimensions: int
) -> int | None:
    """Return the size of a tensor: a network has few different ones, and several stages ask for each."""
    if min(dimensions, default=0) < 0:
        return None
    if channel_multiple > 1 and dimensions:
        axis = _channel_axis(len(dimensions), spatial_dimensions)
        channels = -(-dimensions[axis] // channel_multiple) * channel_multiple
        dimensions = (*dimensions[:axis], channels, *dimensions[axis + 1 :])
    size = -(-math.prod(dimensions) * bits // 8)
    return size if size <= LARGEST_BYTES else None


def _channel_axis(rank: int, spatial_dimensions: int) -> int:
    """Return where the channels are: before the spatial dimensions, else second, else first."""
    axis = rank - spatial_dimensions - 1
    return axis if axis >= 0 else min(1, rank - 1)
