"""How much of convolutions is padding of channels, and what else such channels cost."""

from __future__ import annotations

import math
from typing import NamedTuple

from trexreport.analyzer.analysis import TensorUse
from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_PER_UNIT,
    FEW_CHANNELS,
    Channels,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.tensor_cores import has_few_rows

#: Origins of copies that a layer can write or read in place if its channels fill the units of the layout.
_IN_PLACE = frozenset({"CONCAT", "SLICE", "SPLIT"})
_WIDE = 32
#: Kernels on Tensor Cores compute tiles of at least 32 output channels, and sum up at least 32 products at a
#: time: a layer with few has at most half of one of these, and at most as many of the other.
FEW_FOR_TILES, _TILE = 16, 32
#: Batch and channels.
_MIN_RANK = 2


class Padding(NamedTuple):
    """Channels of a convolution on Tensor Cores, and what they are padded to.

    Attributes:
        together: Channels that Tensor Cores take at a time.
        stored: Channels that the layout stores at a time, or that number.
        waste: Part of the multiplications that is padding.
    """

    channels: Channels
    together: int
    stored: int
    waste: float


def padding_of(context: Context, layer: LayerFacts) -> Padding | None:
    """Return the padding of a convolution, None of one that reads or writes groups, an image or few rows."""
    kernel, channels = context.kernel(layer), channels_of(layer)
    together = CHANNELS_PER_UNIT.get(kernel.math_type or layer.precision)
    if channels is None or together is None or channels.are_grouped or kernel.tensor_cores is False:
        return None
    if has_few_rows(context, layer):
        return None
    if channels.read <= FEW_CHANNELS and layer.index in context.cached(first_convolutions):
        return None
    stored = _WIDE if "/32" in context.tensor(layer.inputs[0].tensor).layout else together
    padded = [-(-number // stored) * stored for number in (channels.read, channels.written)]
    waste = 1 - channels.read * channels.written / (padded[0] * padded[1])
    return Padding(channels, together, stored, waste)


def has_few_channels(context: Context, layer: LayerFacts) -> bool:
    """Return whether Tensor Cores compute a convolution whose channels fill half of a tile at most."""
    padding = padding_of(context, layer)
    if padding is None or padding.waste > 0:
        return False
    few, many = sorted((padding.channels.read, padding.channels.written))
    return few <= FEW_FOR_TILES and many <= _TILE


def padded_part(context: Context, layer: LayerFacts, padding: Padding) -> float:
    """Return the part of a layer's time that padding takes: of its bytes where memory bounds it.

    Padded tensors move their padding, which is less than that among the multiplications of both.
    """
    if layer.roof is None or layer.roof.bound != "memory" or not layer.moved_bytes:
        return padding.waste
    uses = ((use, _unused_part(context, use)) for use in (*layer.inputs, *layer.outputs))
    return math.fsum((use.size_bytes or 0) * part for use, part in uses) / layer.moved_bytes


def _unused_part(context: Context, use: TensorUse) -> float:
    """Return the part of a tensor that is padding of its channels."""
    if "/32" not in context.tensor(use.tensor).layout or len(use.dimensions) < _MIN_RANK:
        return 0.0
    channels = use.dimensions[1]
    return 1 - channels / (-(-channels // _WIDE) * _WIDE) if channels > 0 else 0.0


def padded_copies(context: Context) -> list[LayerFacts]:
    """Return the copies of Concat and Split whose channels do not fill the units of a wide layout."""
    return [
        context.layers[reformat.layer]
        for reformat in context.reformat_of.values()
        if reformat.change == "copy" and reformat.origin in _IN_PLACE
        if _is_padded(context, context.layers[reformat.layer])
    ]


def _is_padded(context: Context, layer: LayerFacts) -> bool:
    return any(
        "/32" in context.tensor(use.tensor).layout
        and len(use.dimensions) >= _MIN_RANK
        and use.dimensions[1] % _WIDE > 0
        for use in layer.outputs
    )
