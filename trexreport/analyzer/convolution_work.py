"""Count the multiply-accumulate operations of convolutions and deconvolutions; see `operations.py`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.grouping import group_by
from trexreport.model import Layer
from trexreport.model.merged_convolutions import joined_maps

#: One more than the input and its weights leaves a doubt which ones these are.
_DOUBT = 3


def are_known(dimensions: Sequence[int]) -> bool:
    """Return whether there are dimensions, and all of them are known."""
    return len(dimensions) > 0 and all(extent > 0 for extent in dimensions)


def ends_of(layer: Layer) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the dimensions of the first input and output if all are known."""
    if not layer.inputs or not layer.outputs:
        return None
    source, result = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    return (source, result) if are_known(source) and are_known(result) else None


def _extents(value: Any) -> list[int] | None:
    """Return a list of positive whole numbers, or None if the value is no such list."""
    if isinstance(value, list) and value and all(isinstance(item, int) and item > 0 for item in value):
        return list(value)
    return None


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def count_convolution(layer: Layer) -> Operation | None:
    """Count a convolution or deconvolution by its kernel and the extents that it reads and writes."""
    kernel, ends = _extents(layer.attributes.get("Kernel")), ends_of(layer)
    if kernel is None or ends is None or len(ends[0]) != len(kernel) + 2:
        return None
    source, result = ends
    result = (
        joined_maps([each.dimensions for each in layer.outputs], layer.attributes.get("OutMaps")) or result
    )
    groups = _positive(layer.attributes.get("Groups", 1))
    if groups is None:
        return None
    if layer.type == "Deconvolution":
        return _scattered_gemm(source, result, groups, kernel)
    return _implicit_gemm(result, source[1], groups, kernel) if len(result) == len(source) else None


def _implicit_gemm(result: Sequence[int], channels: int, groups: int, kernel: list[int]) -> Operation | None:
    if channels % groups:
        return None
    k = channels // groups * math.prod(kernel)
    m = result[0] * math.prod(result[2:])
    return Operation("convolution", m * result[1] * k, m, result[1], k, groups, kernel)


def _scattered_gemm(
    source: Sequence[int], result: Sequence[int], groups: int, kernel: list[int]
) -> Operation | None:
    """Count a deconvolution: each input element times the kernels of all output channels of its group."""
    if len(result) < 2 or result[1] % groups:
        return None
    n = result[1] // groups * math.prod(kernel)
    m = source[0] * math.prod(source[2:])
    return Operation("deconvolution", m * source[1] * n, m, n, source[1], groups, kernel)


def count_generated_deconvolution(layer: Layer) -> Operation | None:
    """Count a deconvolution in a generated kernel, if the shapes leave no doubt what its weights are."""
    read = [each.dimensions for each in (*layer.inputs, *layer.constants)]
    result = layer.outputs[0].dimensions if layer.outputs else ()
    if len(result) < 3 or not all(map(are_known, (*read, result))):
        return None
    ranked = [each for each in read if len(each) == len(result)]
    by_channels = group_by((each for each in ranked if result[1] % each[1] == 0), itemgetter(0))
    pairs = [
        (source, weights)
        for source in ranked
        if source[0] == result[0]
        for weights in by_channels.get(source[1], [])[:_DOUBT]
        if weights is not source
    ]
    if len(pairs) != 1:
        return None
    source, weights = pairs[0]
    return _scattered_gemm(source, result, result[1] // weights[1], list(weights[2:]))


def count_convolution_with_pooling(layer: Layer) -> Operation | None:
    """Count a convolution over the extents before the pooling that is fused with it."""
    record = layer.attributes
    kernel, ends = _extents(record.get("ConvKernel")), ends_of(layer)
    maps = _positive(record.get("ConvOutMaps"))
    if kernel is None or ends is None or maps is None or len(ends[0]) != len(kernel) + 2:
        return None
    source = ends[0]
    spatial = _convolved_extents(record, source[2:], kernel, "Conv")
    if spatial is None or not are_known(spatial):
        return None
    groups = _positive(record.get("ConvGroups", 1))
    if groups is None:
        return None
    return _implicit_gemm([source[0], maps, *spatial], source[1], groups, kernel)


def _convolved_extents(
    record: Mapping[str, Any], extents: Sequence[int], kernel: list[int], prefix: str = ""
) -> list[int] | None:
    """Return the spatial extents after the convolution and before the pooling."""
    rank = len(kernel)
    stride = _extents(record.get(f"{prefix}Stride", [1] * rank))
    dilation = _extents(record.get(f"{prefix}Dilation", [1] * rank))
    before, after = record.get(f"{prefix}PrePadding"), record.get(f"{prefix}PostPadding")
    if stride is None or dilation is None or not (isinstance(before, list) and isinstance(after, list)):
        return None
    if not len(stride) == len(dilation) == len(before) == len(after) == rank:
        return None
    if not all(isinstance(amount, int) for amount in (*before, *after)):
        return None
    windows = [apart * (extent - 1) + 1 for apart, extent in zip(dilation, kernel, strict=True)]
    axes = zip(extents, before, after, windows, stride, strict=True)
    return [(extent + low + high - window) // step + 1 for extent, low, high, window, step in axes]
