"""Hold the attributes of a convolution against its extents and weights."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from trexreport.model.merged_convolutions import joined_maps
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.tensor_agreement import times
from trexreport.reader.values import known_extents, mapping, records, text

#: Paddings by which the output is rounded down; others are computed from the shapes.
_ROUND_DOWN = frozenset({"", "kEXPLICIT_ROUND_DOWN"})


def contradicted_window(record: Mapping[str, Any], place: str, found: ImpossibleValues) -> dict[str, Any]:
    """Return None for the attributes of a convolution that its extents or weights contradict.

    Where the weights agree with the kernel and another padding makes the output, the padding is wrong, of
    which no figure is made. Weights that agree with the kernel are kept where the extents do not.

    Extents: O = (I + before + after - D (K - 1) - 1) / S + 1, rounded down. Deconvolution:
    O = (I - 1) S + D (K - 1) + 1 - before - after. Weights: K C / G R S. Source: PaddingMode and
    IConvolutionLayer in NvInfer.h.
    """
    prefix = "Conv" if "ConvKernel" in record else ""
    kernel = record.get(f"{prefix}Kernel")
    if not isinstance(kernel, list):
        return {}
    source, result = first_extents(record, "Inputs"), _joined_outputs(record, prefix)
    if len(source) != len(kernel) + 2 or len(result) < 2:
        return {}
    is_deconvolution = "Deconvolution" in text(record.get("LayerType"))
    why = ""
    axes = _axes(record, prefix, len(kernel))
    computed: list[int] = []
    if axes is not None:
        windows = [dilation * (extent - 1) + 1 for extent, dilation in zip(kernel, axes[3], strict=True)]
        padded = [sum(each) for each in zip(source[2:], axes[0], axes[1], strict=True)]
        if not is_deconvolution and any(map(operator.gt, windows, padded)):
            why = f"does not fit in its padded input {times(padded)}"
        elif not prefix and len(result) == len(source):
            computed = _output_extents(source[2:], windows, axes, is_deconvolution=is_deconvolution)
            if computed != result[2:]:
                makes = f"makes {times(computed)} of {times(source[2:])}"
                why = f"with its padding and stride {makes}, and the output is {times(result[2:])}"
    groups = record.get(f"{prefix}Groups", 1)
    maps = record.get(f"{prefix}OutMaps", result[1] if not prefix and len(result) > 1 else None)
    stated = mapping(record.get(f"{prefix}Weights")).get("Count")
    if isinstance(maps, int) and isinstance(stated, int) and stated:
        expected, rest = divmod(maps * source[1] * math.prod(kernel), groups)
        agrees = stated == expected and not rest and (bool(prefix) or maps == result[1])
        if why and agrees and axes is not None and computed:
            if _may_be_padded(source[2:], windows, axes[2], result[2:], is_deconvolution=is_deconvolution):
                # No figure is made of a padding.
                what = f"{times(axes[0])} and the other values make {times(computed)}, and the output is"
                found.mark(f"{place}.PrePadding", f"{what} {times(result[2:])}")
                return {}
            found.refuse(f"{place}.{prefix}Kernel", times(kernel), why)
            return {f"{prefix}Kernel": None}
        if not why and not agrees and not is_deconvolution:
            numbers = f"{stated:,} weights, {source[1]:,} channels and {maps:,} maps"
            why = f"does not belong to {numbers} in an output of {result[1]:,}"
    if not why:
        return {}
    found.refuse(f"{place}.{prefix}Kernel", times(kernel), why)
    unknown = {f"{prefix}Kernel": None}
    return {**unknown, f"{prefix}Weights": {**mapping(record.get(f"{prefix}Weights")), "Count": None}}


def odd_bias(record: Mapping[str, Any], place: str, found: ImpossibleValues) -> dict[str, Any]:
    """Return a bias without its count if that is neither 0 nor one value for each map."""
    for prefix in ("", "Conv"):
        bias, maps = mapping(record.get(f"{prefix}Bias")), record.get(f"{prefix}OutMaps")
        count = bias.get("Count")
        if count and isinstance(count, int) and isinstance(maps, int) and count != maps:
            found.refuse(f"{place}.{prefix}Bias", count, f"is not one value for each of {maps:,} maps")
            return {f"{prefix}Bias": {**bias, "Count": None}}
    return {}


def first_extents(record: Mapping[str, Any], key: str) -> list[int]:
    """Return the extents of the first input or output; none if one of them is not known or 0."""
    first = next(iter(records(record.get(key))), {})
    extents = first.get("Dimensions")
    is_known = isinstance(extents, list) and all(type(each) is int and each > 0 for each in extents)
    return list(extents) if is_known and isinstance(extents, list) else []


def _joined_outputs(record: Mapping[str, Any], prefix: str) -> list[int]:
    """Return the extents of the output, of several by merged branches with the maps of all of them."""
    first = first_extents(record, "Outputs")
    stated = [each.get("Dimensions") for each in records(record.get("Outputs"))]
    outputs = [known_extents(each) if isinstance(each, list) else None for each in stated]
    joined = joined_maps(outputs, record.get(f"{prefix}OutMaps"))
    return list(joined) if first and joined else first


def _axes(record: Mapping[str, Any], prefix: str, rank: int) -> list[list[int]] | None:
    """Return padding before and after, stride and dilation; None if the extents do not follow from them."""
    if text(record.get(f"{prefix}PaddingMode")) not in _ROUND_DOWN:
        return None
    keys = ("PrePadding", "PostPadding", "Stride", "Dilation")
    found = [list(each) for key in keys if isinstance(each := record.get(f"{prefix}{key}"), list)]
    return found if [len(each) for each in found] == [rank] * len(keys) else None


def _may_be_padded(
    extents: Sequence[int],
    windows: Sequence[int],
    strides: Sequence[int],
    stated: Sequence[int],
    *,
    is_deconvolution: bool,
) -> bool:
    """Return whether paddings of less than the window on each side make the stated output."""
    for extent, window, step, output in zip(extents, windows, strides, stated, strict=True):
        needed = (
            (extent - 1) * step + window - output
            if is_deconvolution
            else (output - 1) * step + window - extent
        )
        # A deconvolution may add rows behind its last window, and a convolution leave some there.
        low, high = (needed, needed + step - 1)
        if high < 0 or low > 2 * (window - 1):
            return False
    return True


def _output_extents(
    extents: Sequence[int], windows: Sequence[int], axes: Sequence[Sequence[int]], *, is_deconvolution: bool
) -> list[int]:
    columns = zip(extents, windows, *axes[:3], strict=True)
    if is_deconvolution:
        return [(extent - 1) * step + window - low - high for extent, window, low, high, step in columns]
    return [(extent + low + high - window) // step + 1 for extent, window, low, high, step in columns]
