"""Check the numbers of a layer's record: each by itself, and a convolution's against each other."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.impossible import COUNT, FLAG, STREAM, WHOLE, ImpossibleValues, Kind
from trexreport.reader.tensor_agreement import times
from trexreport.reader.values import LARGEST_EXTENT, known_extents, mapping, records, text
from trexreport.regex import regex

#: Attributes that figures are computed of, without the prefixes of a fused layer ("ConvKernel").
_LISTS: Mapping[str, Kind] = {
    **dict.fromkeys(("Kernel", "Stride", "Dilation", "WindowSize"), COUNT),
    **dict.fromkeys(("PrePadding", "PostPadding"), WHOLE),
}
_NUMBERS: Mapping[str, Kind] = {
    **dict.fromkeys(("Groups", "OutMaps"), COUNT),
    **dict.fromkeys(("HasBias", "HasReLU", "HasResidual", "HasSparseWeights", "HasDynamicFilter"), FLAG),
}
#: Weights of which a layer may have none, so that 0 is legal.
_COUNTS: Mapping[str, Kind] = {
    **dict.fromkeys(("Weights", "ConvWeights"), COUNT),
    **dict.fromkeys(("Bias", "ConvBias", "Scale", "Shift", "Power", "weights"), WHOLE),
}
_INDICES = frozenset({"StreamId", "EventId"})
_OWNED = frozenset({"Weights", "ConvWeights", "Bias", "ConvBias"})
_WINDOWS = frozenset({"Kernel", "ConvKernel", "WindowSize", "PoolingWindowSize"})
_TENSORS = ("Inputs", "Outputs", "Constants")
_TEXTS = frozenset({"LayerType", "ParameterType", "TacticName", "Metadata"})
_SHAPES = ("MinShape", "OptShape", "MaxShape")
_PREFIXES = ("", "Conv", "Pooling")
#: Every key that is checked, with what it is without prefix.
_KEYS = {f"{prefix}{key}": kind for prefix in _PREFIXES for key, kind in {**_LISTS, **_NUMBERS}.items()}
#: Tensors have at most 8 extents; longer lists are not worth remembering.
_MOST_EXTENTS = 16
#: Layers of Myelin that only reshape and transpose, by their whole name.
_MOVES = regex(r"__myl_(?:Resh|Tran)+_myl\d+_\d+", re.ASCII)
#: By less than this a wrong padding may change an extent, also with a small stride.
_NEAR = 4
#: Paddings by which the output is rounded down; others are computed from the shapes.
_ROUND_DOWN = frozenset({"", "kEXPLICIT_ROUND_DOWN"})


def check_layers(graph: LayerGraph, name: str) -> LayerGraph:
    """Return the graph without values that nothing can have, which its notes name."""
    found = ImpossibleValues(name)
    layers = tuple([_checked(raw, found) for raw in graph.layers])
    io_tensors = [_checked_io(item, found) for item in graph.io_tensors]
    notes = found.notes()
    if not notes:
        return graph
    return replace(graph, layers=layers, io_tensors=tuple(io_tensors), notes=(*graph.notes, *notes))


def _checked(raw: RawLayer, found: ImpossibleValues) -> RawLayer:
    """Return a layer whose impossible attributes and counts are None, as its extents are read as unknown."""
    record = raw.record
    place = f"'{raw.name[:60]}'"
    changes: dict[str, Any] = {}
    checked = _checked_keys(tuple(record))
    for key in checked.indices:
        if not STREAM.holds(record[key]):
            found.of(record, key, STREAM, place)
    for key in checked.texts:
        if not isinstance(record[key], str) and record[key] is not None:
            found.refuse(f"{place}.{key}", record[key], "is not a text")
    for key in checked.attributes:
        if not _is_possible(record[key], _KEYS[key], f"{place}.{key}", found):
            changes[key] = None
    for key in checked.counts:
        weights = mapping(record[key])
        if not weights and record[key] != {} and key in _OWNED:
            found.refuse(f"{place}.{key}", record[key], "is not a description of weights")
            changes[key] = {"Count": None}
        kind = WHOLE if record.get("HasDynamicFilter") == 1 else _COUNTS[key]
        if "Count" in weights and found.of(weights, "Count", kind, f"{place}.{key}") is None:
            changes[key] = {**weights, "Count": None}
    for key in _TENSORS:
        items = record.get(key)
        if items is not None and not isinstance(items, list):
            found.refuse(f"{place}.{key}", items, "is not a list of tensors")
        for item in items if isinstance(items, list) else ():
            if isinstance(item, dict) and not _are_plain(item.get("Dimensions")):
                _check_extents(item, "Dimensions", f"{place}.{key}.{text(item.get('Name'))[:60]}", found)
    if not changes:
        changes = _contradictions(record, place, found) or _lost_elements(raw, place, found)
        if "Bias" in checked.counts or "ConvBias" in checked.counts:
            changes |= _odd_bias(record, place, found)
    return RawLayer(raw.name, {**record, **changes}) if changes else raw


class _Checked(NamedTuple):
    """The keys of a record that are checked, each kind in alphabetical order."""

    indices: Sequence[str]
    texts: Sequence[str]
    attributes: Sequence[str]
    counts: Sequence[str]


@lru_cache(maxsize=256)
def _checked_keys(keys: tuple[str, ...]) -> _Checked:
    """Return which keys of a record are checked: layers have few different sets of keys."""
    given = frozenset(keys)
    # Slices may step backwards, and negative padding crops: only windows need what is checked.
    attributes = _KEYS if given & _WINDOWS else _NUMBERS
    return _Checked(*(sorted(given.intersection(each)) for each in (_INDICES, _TEXTS, attributes, _COUNTS)))


def _is_possible(value: Any, kind: Kind, place: str, found: ImpossibleValues) -> bool:
    if kind is FLAG and isinstance(value, bool):
        return True
    if not isinstance(value, list) or not value or not place.endswith(tuple(_LISTS)):
        return found.number(kind, value, place) is not None
    checked = [found.number(kind, each, f"{place}[{at}]") for at, each in enumerate(value)]
    return None not in checked


def _are_plain(value: Any) -> bool:
    """Return whether a value is a list of known extents of which none is 0, as of nearly all tensors."""
    if type(value) is not list or len(value) > _MOST_EXTENTS:
        return False
    try:
        return _are_known(*value)
    except TypeError:  # a list or an object among them
        return False


# As `known_extents` does, and asked as often. Typed: 1.0 and true equal 1.
@lru_cache(maxsize=4096, typed=True)
def _are_known(*extents: Any) -> bool:
    known = known_extents(list(extents))
    return known is not None and 0 not in known


def _check_extents(item: Mapping[str, Any], key: str, place: str, found: ImpossibleValues) -> None:
    """Refuse extents that are neither whole nor -1, which means dynamic; empty tensors are legal."""
    value = item.get(key)
    if value is None and key not in item:
        return
    if not isinstance(value, list):
        found.refuse(place, value, "is not a list of extents")
        return
    if _are_plain(value):
        return
    for at, extent in enumerate(value):
        if extent == 0 and type(extent) is int:
            found.mark(place, "is empty: an extent is 0")
        elif type(extent) is not int or not -1 <= extent <= LARGEST_EXTENT:
            found.refuse(f"{place}.{key}[{at}]", extent, "is not an extent")


def _checked_io(item: dict[str, Any], found: ImpossibleValues) -> dict[str, Any]:
    """Return a record of "I/O Tensors"; ranges whose order is impossible are left out."""
    place = f"I/O tensor '{text(item.get('Name'))[:60]}'"
    _check_extents(item, "Dimensions", place, found)
    profiles = []
    for profile in records(item.get("ProfileInfo")):
        for key in _SHAPES:
            _check_extents(profile, key, place, found)
        ranges = [profile.get(key) for key in _SHAPES]
        if not _is_range(ranges):
            found.refuse(f"{place}.MinShape", str(ranges), "is not minimum ≤ optimum ≤ maximum")
            profiles.append({key: value for key, value in profile.items() if key not in _SHAPES})
        else:
            profiles.append(profile)
    return {**item, "ProfileInfo": profiles} if profiles else item


def _is_range(ranges: Sequence[Any]) -> bool:
    """Return whether shapes have equally many extents, none of which descends."""
    given = [each for each in ranges if isinstance(each, list) and each]
    stated = [each for each in given if set(map(type, each)) == {int}]
    return len(set(map(len, given))) <= 1 and not any(
        low > high >= 0 for one, other in pairwise(stated) for low, high in zip(one, other, strict=True)
    )


def _contradictions(record: Mapping[str, Any], place: str, found: ImpossibleValues) -> dict[str, Any]:
    """Return None for the attributes of a convolution that its extents or weights contradict.

    Where the weights agree with the kernel and another padding makes the output, the padding is wrong, of
    which no figure is made.

    Extents: O = (I + before + after - D (K - 1) - 1) / S + 1, rounded down. Deconvolution:
    O = (I - 1) S + D (K - 1) + 1 - before - after. Weights: K C / G R S. Source: PaddingMode and
    IConvolutionLayer in NvInfer.h.
    """
    prefix = "Conv" if "ConvKernel" in record else ""
    kernel = record.get(f"{prefix}Kernel")
    if not isinstance(kernel, list):
        return {}
    ends = [_first_extents(record, key) for key in ("Inputs", "Outputs")]
    source, result = ends
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
                why = f"does not make an output of {times(result[2:])} of its input"
    groups = record.get(f"{prefix}Groups", 1)
    maps = record.get(f"{prefix}OutMaps", result[1] if not prefix and len(result) > 1 else None)
    stated = mapping(record.get(f"{prefix}Weights")).get("Count")
    if isinstance(maps, int) and isinstance(stated, int) and stated:
        expected, rest = divmod(maps * source[1] * math.prod(kernel), groups)
        agrees = stated == expected and not rest and (bool(prefix) or maps == result[1])
        if why and agrees and axes is not None and computed and _are_near(computed, result[2:], axes[2]):
            # No figure is made of a padding.
            found.mark(f"{place}.PrePadding", f"{times(axes[0])} {why}, and the weights are the kernel's")
            return {}
        if not why and not agrees and not is_deconvolution:
            numbers = f"{stated:,} weights, {source[1]:,} channels and {maps:,} maps"
            why = f"does not belong to {numbers} in an output of {result[1]:,}"
    if not why:
        return {}
    found.refuse(f"{place}.{prefix}Kernel", times(kernel), why)
    unknown = {f"{prefix}Kernel": None}
    return {**unknown, f"{prefix}Weights": {**mapping(record.get(f"{prefix}Weights")), "Count": None}}


def _odd_bias(record: Mapping[str, Any], place: str, found: ImpossibleValues) -> dict[str, Any]:
    """Return a bias without its count if that is neither 0 nor one value for each map."""
    for prefix in ("", "Conv"):
        bias, maps = mapping(record.get(f"{prefix}Bias")), record.get(f"{prefix}OutMaps")
        count = bias.get("Count")
        if count and isinstance(count, int) and isinstance(maps, int) and count != maps:
            found.refuse(f"{place}.{prefix}Bias", count, f"is not one value for each of {maps:,} maps")
            return {f"{prefix}Bias": {**bias, "Count": None}}
    return {}


def _lost_elements(raw: RawLayer, place: str, found: ImpossibleValues) -> dict[str, Any]:
    """Return the outputs without extents of a layer that only moves elements and has more or fewer after."""
    record = raw.record
    is_move = raw.name.startswith("__myl_") and bool(_MOVES.fullmatch(raw.name))
    if not is_move and record.get("ParameterType", record.get("LayerType")) != "Shuffle":
        return {}
    results = records(record.get("Outputs"))
    # A second input is a shape.
    if len(results) != 1 or len(records(record.get("Inputs"))) != 1:
        return {}
    source, result = (_first_extents(record, key) for key in ("Inputs", "Outputs"))
    if not source or not result or math.prod(source) == math.prod(result):
        return {}
    # Myelin reads parts of tensors, such as one third of Q, K and V.
    if math.prod(source) > math.prod(result) and is_move:
        return {}
    why = f"has not the elements of its input {times(source)}"
    found.refuse(f"{place}.Outputs.{text(results[0].get('Name'))[:60]}", times(result), why)
    return {"Outputs": [{**results[0], "Dimensions": [None] * len(result)}]}


def _first_extents(record: Mapping[str, Any], key: str) -> list[int]:
    """Return the extents of the first input or output; none if one of them is not known or 0."""
    first = next(iter(records(record.get(key))), {})
    extents = first.get("Dimensions")
    is_known = isinstance(extents, list) and all(type(each) is int and each > 0 for each in extents)
    return list(extents) if is_known and isinstance(extents, list) else []


def _axes(record: Mapping[str, Any], prefix: str, rank: int) -> list[list[int]] | None:
    """Return padding before and after, stride and dilation; None if the extents do not follow from them."""
    if text(record.get(f"{prefix}PaddingMode")) not in _ROUND_DOWN:
        return None
    keys = ("PrePadding", "PostPadding", "Stride", "Dilation")
    found = [list(each) for key in keys if isinstance(each := record.get(f"{prefix}{key}"), list)]
    return found if [len(each) for each in found] == [rank] * len(keys) else None


def _are_near(computed: Sequence[int], stated: Sequence[int], strides: Sequence[int]) -> bool:
    """Return whether another padding may turn extents into those stated: they differ by little."""
    near = zip(computed, stated, strides, strict=True)
    return all(abs(extent - other) < max(step, _NEAR) for extent, other, step in near)


def _output_extents(
    extents: Sequence[int], windows: Sequence[int], axes: Sequence[Sequence[int]], *, is_deconvolution: bool
) -> list[int]:
    columns = zip(extents, windows, *axes[:3], strict=True)
    if is_deconvolution:
        return [(extent - 1) * step + window - low - high for extent, window, low, high, step in columns]
    return [(extent + low + high - window) // step + 1 for extent, window, low, high, step in columns]
