"""Hold layers against each other and against their kernels: extents of tensors, and types that are read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from trexreport.model.data_format import UNKNOWN
from trexreport.numbers import middle_ellipsis
from trexreport.reader.data_formats import canonical_data_type
from trexreport.reader.graph_file import LayerGraph, RawLayer, read_format
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.layer_types import layer_type
from trexreport.reader.tensor_agreement import Use, differing_types, read_beyond, stated_tensors, times
from trexreport.reader.values import known_extents, mapping, records, text
from trexreport.regex import regex

#: Layers that keep the batch of what they read.
_WINDOWS = frozenset({"Convolution", "Deconvolution", "Pooling", "ConvActPool"})
#: Layers that state the extents of whole tensors: no-ops and Myelin's kernels see parts of buffers.
_WHOLE = _WINDOWS | {"Reformat", "Activation", "Softmax", "FullyConnected", "Scale"}
#: What copies tensors, also where the copy was found to be unnecessary.
_COPY = "Reformatting CopyNode for"
#: Kernels of XMMA name the types of their inputs, outputs, products and sums: "f16f16_f16f16_f16".
_KERNEL = regex(r"_xmma_\w+?_(bf16|f16|f32|i8|e4m3)(bf16|f16|f32|i8|i32|e4m3)_(?:\w+_)?n[hc]", re.ASCII)
_SIDES = ("Inputs", "Outputs")
_TYPES = {"bf16": "BF16", "f16": "FP16", "f32": "FP32", "i8": "INT8", "e4m3": "FP8"}


def check_agreement(graph: LayerGraph, name: str) -> LayerGraph:
    """Return the graph without extents and types that contradict each other; its notes name them.

    Which of two is wrong is not known, so neither counts: such extents are None, which is not the -1 of what
    is known at run time.
    """
    found = ImpossibleValues(name)
    layers = list(graph.layers)
    kinds = [layer_type(raw.record) for raw in layers]
    stated = stated_tensors(graph.layers)
    wrong = [*_without_extents(layers, kinds, found), *_changed_by_layers(layers, kinds, found)]
    if not graph.mentions_profiles:
        # Each optimization profile has extents of its own.
        wrong += _differing_uses(layers, kinds, found)
        wrong += read_beyond(stated, found)
    for use in wrong:
        layers[use.layer] = _with(layers[use.layer], use, {"Dimensions": [None] * len(use.extents)})
    for use in [*_types_of_others(layers, kinds, found), *differing_types(stated, found)]:
        layers[use.layer] = _with(
            layers[use.layer], use, {"Format/Datatype": "", "Format": "", "DataType": ""}
        )
    for at, key in _weights_of_others(layers, kinds, found):
        record = layers[at].record
        layers[at] = RawLayer(layers[at].name, {**record, key: {**record[key], "Type": ""}})
    notes = found.notes()
    return replace(graph, layers=tuple(layers), notes=(*graph.notes, *notes)) if notes else graph


def _with(raw: RawLayer, use: Use, change: dict[str, Any]) -> RawLayer:
    """Return a layer with some keys of a tensor changed, where the tensor has them."""
    items = list(raw.record[use.side])
    item = items[use.place]
    items[use.place] = {**item, **{key: value for key, value in change.items() if key in item}}
    return RawLayer(raw.name, {**raw.record, use.side: items})


def _first(raw: RawLayer, side: str) -> dict[str, Any]:
    """Return the record of the first tensor on a side of a layer; empty if there is none."""
    items = raw.record.get(side)
    item = items[0] if isinstance(items, list) and items else None
    return item if isinstance(item, dict) else {}


def _use(raw: RawLayer, layer: int, side: str) -> Use | None:
    """Return the first tensor on a side of a layer, if all its extents are known."""
    extents = _first(raw, side).get("Dimensions")
    known = known_extents(extents) if isinstance(extents, list) else None
    return Use(layer, side, list(known)) if known and min(known) > 0 else None


def _without_extents(
    layers: Sequence[RawLayer], kinds: Sequence[str], found: ImpossibleValues
) -> Iterator[Use]:
    """Yield the scalars that layers with windows read or write, and note those that read nothing."""
    for at, (raw, kind) in enumerate(zip(layers, kinds, strict=True)):
        if kind not in _WINDOWS:
            continue
        if raw.record.get("Inputs") == []:
            found.refuse(
                f"{quoted(raw.name)}.Inputs",
                [],
                f"without entries, and a {kind} reads a tensor",
            )
        for side in _SIDES:
            if _first(raw, side).get("Dimensions") == []:
                found.refuse(
                    f"{quoted(raw.name)}.{side}.Dimensions",
                    [],
                    "without extents, as that of a scalar",
                )
                # One extent that is not known: none would be those of a scalar.
                yield Use(at, side, [0])


def _changed_by_layers(
    layers: Sequence[RawLayer], kinds: Sequence[str], found: ImpossibleValues
) -> Iterator[Use]:
    """Yield what is read and written where a layer changes extents that it can't change."""
    for at, raw in enumerate(layers):
        kind = "Reformat" if raw.name.startswith(_COPY) else kinds[at]
        if kind not in _WINDOWS and kind != "Reformat":
            continue
        if _first(raw, "Inputs").get("Dimensions") == _first(raw, "Outputs").get("Dimensions"):
            continue
        source, result = (_use(raw, at, side) for side in _SIDES)
        if source is None or result is None:
            continue
        if len(source.extents) != len(result.extents):
            if kind in _WINDOWS and _rank(source.extents) != _rank(result.extents):
                place, why = f"{quoted(raw.name)}.Outputs.Dimensions", "has not as many extents as its input"
                found.refuse(place, times(result.extents), f"{why} {times(source.extents)}")
                yield from (source, result)
            continue
        kept = len(source.extents) if kind == "Reformat" else 1 if len(source.extents) > 3 else 0
        if source.extents[:kept] != result.extents[:kept]:
            if kind == "Reformat" and (
                _pads_channels(raw, source.extents, result.extents) or _joins_inputs(raw, result.extents)
            ):
                continue
            what = "the extents" if kind == "Reformat" else "the batch"
            found.refuse(
                f"{quoted(raw.name)}.Outputs.Dimensions",
                times(result.extents),
                f"does not keep {what} of its input {times(source.extents)}",
            )
            yield from (source, result)


def _rank(extents: Sequence[int]) -> int:
    """Return how many extents a tensor has without those of 1 at its end, which a reshape may have added."""
    return max((at for at, extent in enumerate(extents, 1) if extent > 1), default=0)


def _pads_channels(raw: RawLayer, source: Sequence[int], result: Sequence[int]) -> bool:
    """Return whether a reformat states the channels with the padding of the layout that it writes."""
    unit = read_format(_first(raw, "Outputs")).channel_multiple
    return len(source) > 1 and [*source[:1], -(-source[1] // unit) * unit, *source[2:]] == [*result]


def _joins_inputs(raw: RawLayer, result: Sequence[int]) -> bool:
    """Return whether the inputs of a layer, one behind another along one axis, have the extents it writes."""
    listed = [item.get("Dimensions") for item in records(raw.record.get("Inputs"))]
    sources = [known_extents(extents) for extents in listed if isinstance(extents, list)]
    parts = [each for each in sources if each and len(each) == len(result)]
    if len(parts) < 2 or len(parts) != len(listed):
        return False
    columns = [*zip(*parts, strict=True)]
    joined = [at for at, column in enumerate(columns) if {*column} != {result[at]}]
    return len(joined) == 1 and sum(columns[joined[0]]) == result[joined[0]]


def _differing_uses(
    layers: Sequence[RawLayer], kinds: Sequence[str], found: ImpossibleValues
) -> Iterator[Use]:
    """Yield the uses of tensors of which two layers state other extents."""
    whole = [at for at, kind in enumerate(kinds) if kind in _WHOLE]
    first: dict[str, Any] = {}
    odd: dict[str, list[Use]] = {}
    for at in whole:
        for side in _SIDES:
            item = _first(layers[at], side)
            name, extents = text(item.get("Name")), item.get("Dimensions")
            if name and first.setdefault(name, extents) != extents:
                odd[name] = []
    # What several layers write is a buffer, of which each writes a part.
    written = Counter(
        text(item.get("Name"))
        for raw in (layers if odd else ())
        for item in records(raw.record.get("Outputs"))
    )
    for at in whole if odd else ():
        for side in _SIDES:
            name = text(_first(layers[at], side).get("Name"))
            use = _use(layers[at], at, side) if name in odd and written[name] <= 1 else None
            if use is not None:
                odd[name].append(use)
    for name, uses in odd.items():
        other = next((each for each in uses if _are_unlike(each.extents, uses[0].extents)), None)
        if other is not None:
            of_other, of_first = (quoted(layers[each.layer].name) for each in (other, uses[0]))
            found.refuse(
                f"{of_other}.{other.side}.{middle_ellipsis(name, 60)}",
                times(other.extents),
                f"is {times(uses[0].extents)} in {of_first}",
            )
            yield from uses


def _are_unlike(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether extents differ: views have another rank, parts of a concatenation fewer channels."""
    return len(one) == len(other) and (one[:1], one[2:]) != (other[:1], other[2:])


def _types_of_others(
    layers: Sequence[RawLayer], kinds: Sequence[str], found: ImpossibleValues
) -> Iterator[Use]:
    """Yield the tensors of convolutions whose type is not the one that the kernel names.

    Where another layer states the same type of the tensor, it is the name of the kernel that is in doubt.
    """
    stating: Mapping[tuple[str, str], set[int]] = {}
    for at, raw in enumerate(layers):
        types = _types_of_kernel(text(raw.record.get("TacticName"))) if kinds[at] == "Convolution" else None
        for side, of_kernel in zip(_SIDES, types or (), strict=False):
            item = _first(raw, side)
            stated = read_format(item).data_type if of_kernel and item else UNKNOWN
            if stated not in (of_kernel, UNKNOWN):
                name = text(item.get("Name"))
                place = f"{quoted(raw.name)}.{side}.{middle_ellipsis(name, 60)}"
                stating = stating or _stating_layers(layers)
                if name and stating[name, stated] - {at}:
                    found.mark(place, f"is {stated} here and in another layer, and {of_kernel} by its kernel")
                    continue
                found.refuse(place, stated, f"is not the type that its kernel names: {of_kernel}")
                yield Use(at, side, [])


def _stating_layers(layers: Sequence[RawLayer]) -> dict[tuple[str, str], set[int]]:
    """Return tensor and type to the layers that state them of each other."""
    found: dict[tuple[str, str], set[int]] = {}
    for at, raw in enumerate(layers):
        for item in (item for side in _SIDES for item in records(raw.record.get(side))):
            found.setdefault((text(item.get("Name")), read_format(item).data_type), set()).add(at)
    return found


def _weights_of_others(
    layers: Sequence[RawLayer], kinds: Sequence[str], found: ImpossibleValues
) -> Iterator[tuple[int, str]]:
    """Yield the weights of convolutions whose type is not the one that the kernel reads and multiplies."""
    for at, raw in enumerate(layers):
        types = _types_of_kernel(text(raw.record.get("TacticName"))) if kinds[at] == "Convolution" else None
        for key in ("Weights", "ConvWeights") if types else ():
            weights = mapping(raw.record.get(key))
            stated = canonical_data_type(text(weights.get("Type"))) if weights.get("Count") else UNKNOWN
            if types and stated not in (types[0], UNKNOWN):
                why = f"is not the type that its kernel names: {types[0]}"
                found.refuse(f"{quoted(raw.name)}.{key}", stated, why)
                yield at, key


@lru_cache(maxsize=4096)
def _types_of_kernel(tactic: str) -> tuple[str, str] | None:
    """Return the types that a kernel reads and writes, by its name; None or empty if that does not say."""
    match = _KERNEL.search(tactic)
    if not match:
        return None
    # What follows FP8 is not always the type that is written.
    return _TYPES[match[1]], "" if match[1] == "e4m3" else _TYPES.get(match[2], "")
