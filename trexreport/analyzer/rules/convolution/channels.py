"""Channels of convolutions, and which convolutions come first in the network."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import TensorUse
from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.lazy_dataclass import dataclass

#: Channels that kernels on Tensor Cores take at a time: 16 bytes.
CHANNELS_PER_UNIT = {"FP16": 8, "BF16": 8, "TF32": 4, "INT8": 16, "FP8": 16}

#: The maximum number of channels of an image.
FEW_CHANNELS = 4


@dataclass(frozen=True)
class Channels:
    """Channels of a convolution; `groups` is None where the file does not state them."""

    read: int
    written: int
    groups: int | None

    @property
    def are_grouped(self) -> bool:
        """Whether each output channel reads only a part of the input channels."""
        return self.groups is not None and self.groups > 1

    def __str__(self) -> str:
        return f"{self.read} → {self.written}" + (f" in {self.groups} groups" if self.are_grouped else "")


def channels_of(layer: LayerFacts) -> Channels | None:
    """Return the channels, or None where the shapes do not show which dimension they are."""
    if not layer.inputs or not layer.outputs:
        return None
    source, result = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    # Three dimensions may be a batch of signals or one image.
    if len(source) != len(result) or len(source) < (3 if layer.work else 4):
        return None
    if source[1] <= 0 or result[1] <= 0:
        return None
    stated = layer.attributes.get("Groups", layer.attributes.get("ConvGroups"))
    groups = layer.work.groups if layer.work else stated if type(stated) is int else None
    written = layer.work.n if layer.work and layer.work.kind == "convolution" else result[1]
    return Channels(source[1], written, groups)


def keeps_size(layer: LayerFacts) -> bool:
    """Return whether a convolution writes as many pixels as it reads, as with a stride of 1."""
    return list(layer.inputs[0].dimensions[2:]) == list(layer.outputs[0].dimensions[2:])


def is_depthwise(layer: LayerFacts) -> bool:
    """Return whether each output channel reads one input channel."""
    channels = channels_of(layer)
    return channels is not None and channels.are_grouped and channels.groups == channels.read


def elements(use: TensorUse) -> int:
    """Return how many elements a tensor has; unknown extents count as 1."""
    return math.prod(max(extent, 1) for extent in use.dimensions)


def first_convolutions(context: Context) -> frozenset[int]:
    """Return the indices of the convolutions that are the first to process the network's inputs."""
    if not context.convolutions:
        return frozenset()
    values = [context.base_of(index) for index in range(len(context.tensors))]
    raw = {values[index] for index, tensor in enumerate(context.tensors) if tensor.role == "input"}
    known = raw | {index for index, tensor in enumerate(context.tensors) if tensor.role == "constant"}
    found = set()
    for layer in context.layers:
        read = [values[use.tensor] for use in layer.inputs]
        if layer.type == "Constant":
            known.update(values[use.tensor] for use in layer.outputs)
        elif raw.isdisjoint(read) or not known.issuperset(read):
            continue
        elif context.is_convolution(layer):
            found.add(layer.index)
        elif not may_multiply(context, layer):
            written = {values[use.tensor] for use in layer.outputs}
            raw |= written
            known |= written
    return frozenset(found)


def may_multiply(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies matrices, or hides what it computes, as parts on a DLA do."""
    hides = context.is_opaque(layer) or context.is_plugin(layer)
    return hides or context.is_matmul(layer) or any(each is layer for each in context.cached(dla_use).on_dla)
