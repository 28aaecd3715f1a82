"""Check the numbers of a layer's record: each by itself, and a convolution's against each other."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from trexreport.numbers import middle_ellipsis
from trexreport.reader.convolution_values import contradicted_window, first_extents, odd_bias
from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.impossible import COUNT, FLAG, STREAM, WHOLE, ImpossibleValues, Kind, quoted
from trexreport.reader.tensor_agreement import times
from trexreport.reader.tensor_lists import check_tensor_lists
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


def check_layers(graph: LayerGraph, name: str) -> LayerGraph:
    """Return the graph without values that nothing can have, which its notes name."""
    found = ImpossibleValues(name)
    layers = tuple([_checked(raw, found) for raw in check_tensor_lists(graph.layers, found)])
    io_tensors = [_checked_io(item, found) for item in graph.io_tensors]
    notes = found.notes()
    if not notes:
        return graph
    return replace(graph, layers=layers, io_tensors=tuple(io_tensors), notes=(*graph.notes, *notes))


def _checked(raw: RawLayer, found: ImpossibleValues) -> RawLayer:
    """Return a layer whose impossible attributes and counts are None, as its extents are read as unknown."""
    record = raw.record
    place = quoted(raw.name)
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
                _check_extents(
                    item, "Dimensions", f"{place}.{key}.{middle_ellipsis(text(item.get('Name')), 60)}", found
                )
    if not changes:
        changes = contradicted_window(record, place, found) or _lost_elements(raw, place, found)
        if "Bias" in checked.counts or "ConvBias" in checked.counts:
            changes |= odd_bias(record, place, found)
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
    place = f"I/O tensor '{middle_ellipsis(text(item.get('Name')), 60)}'"
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
    source, result = (first_extents(record, key) for key in ("Inputs", "Outputs"))
    if not source or not result or math.prod(source) == math.prod(result):
        return {}
    # Myelin reads parts of tensors, such as one third of Q, K and V.
    if math.prod(source) > math.prod(result) and is_move:
        return {}
    why = f"has not the elements of its input {times(source)}"
    found.refuse(f"{place}.Outputs.{middle_ellipsis(text(results[0].get('Name')), 60)}", times(result), why)
    return {"Outputs": [{**results[0], "Dimensions": [None] * len(result)}]}
