"""Describe the layers that only change the layout or the type of data."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import NOT_STATED, LayerFacts, Reformat, TensorFacts, TensorUse
from trexreport.analyzer.analysis.layers import ReformatChange, ReformatOrigin
from trexreport.analyzer.grouping import group_by, sum_known
from trexreport.model.data_format import is_known_layout
from trexreport.model.fused_names import is_reformat_name

_TYPES = {"Reformat", "MyelinReformat"}
#: What a generated kernel may do and still compute nothing.
MOVES = frozenset(
    {"Transpose", "Move", "Cast", "Reshape", "Slice", "Concat", "Copy", "Fill", "Unsqueeze", "Broadcast"}
    | {"Replicate"}
)
KERNEL_ORIGIN = "Myelin kernel"


def is_reformat(layer: LayerFacts) -> bool:
    """Return whether a layer computes nothing but another type or layout of its input.

    Where no file states types, the name shows it.
    """
    return layer.type in _TYPES or (not layer.type and is_reformat_name(layer.name))


def only_moves_data(layer: LayerFacts) -> bool:
    """Return whether a Myelin kernel, as its name says, only moves, casts or rearranges data."""
    return bool(layer.operations) and not layer.structural and MOVES.issuperset(layer.operations)


def describe_reformats(layers: Sequence[LayerFacts], tensors: Sequence[TensorFacts]) -> list[Reformat]:
    """Return the reformats, the slowest first, with the formats before and after each."""
    found = [_describe(layer, tensors) for layer in layers if is_reformat(layer) or only_moves_data(layer)]
    return sorted(found, key=lambda reformat: (-(reformat.time_ms or 0.0), reformat.layer))


def group_by_origin(reformats: Sequence[Reformat], layers: Sequence[LayerFacts]) -> list[ReformatOrigin]:
    """Return count and time of the reformats by what they were inserted for, the slowest first."""
    found = [
        ReformatOrigin(
            name=origin,
            kind=kind,
            count=len(group),
            time_ms=sum_known(each.time_ms for each in group),
            share_percent=sum_known(layers[each.layer].share_percent for each in group),
        )
        for (kind, origin), group in group_by(reformats, lambda each: (each.kind, each.origin)).items()
    ]
    return sorted(found, key=lambda each: (-(each.time_ms or 0.0), each.name, each.kind))


def _describe(layer: LayerFacts, tensors: Sequence[TensorFacts]) -> Reformat:
    source = layer.inputs[0] if layer.inputs else None
    result = layer.outputs[0] if layer.outputs else None
    stated = layer.attributes.get("Origin")
    origin = stated if isinstance(stated, str) and stated else NOT_STATED
    kernel = not is_reformat(layer)
    return Reformat(
        layer=layer.index,
        kind="kernel" if kernel else "reformat",
        origin=KERNEL_ORIGIN if kernel else origin,
        before=source.format if source else "",
        after=result.format if result else "",
        change=_change(source, result, tensors),
        time_ms=layer.avg_ms,
        moved_bytes=layer.moved_bytes,
        producers=sorted({index for use in layer.inputs for index in tensors[use.tensor].producers}),
        consumers=sorted({index for use in layer.outputs for index in tensors[use.tensor].consumers}),
    )


def _change(
    source: TensorUse | None, result: TensorUse | None, tensors: Sequence[TensorFacts]
) -> ReformatChange:
    if source is None or result is None:
        return "not stated"
    before, after = tensors[source.tensor], tensors[result.tensor]
    if before.data_type == after.data_type:
        if before.layout != after.layout:
            return "layout" if before.layout and after.layout else "not stated"
        return "copy" if is_known_layout(before.layout) else "not stated"
    return "data type" if before.layout == after.layout else "data type and layout"
