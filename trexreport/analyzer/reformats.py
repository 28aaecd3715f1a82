"""Describe the layers that only change how data lies in memory, or its type."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts, Reformat, TensorFacts, TensorUse

_TYPES = {"Reformat", "MyelinReformat"}


def is_reformat(layer: LayerFacts) -> bool:
    """Tell whether a layer computes nothing but another type or layout of its input."""
    return layer.type in _TYPES


def describe_reformats(layers: list[LayerFacts], tensors: list[TensorFacts]) -> list[Reformat]:
    """Return the reformats, the most expensive first, with what stands before and after each."""
    found = [_describe(layer, tensors) for layer in layers if is_reformat(layer)]
    return sorted(found, key=lambda reformat: (-(reformat.time_ms or 0.0), reformat.layer))


def _describe(layer: LayerFacts, tensors: list[TensorFacts]) -> Reformat:
    source = layer.inputs[0] if layer.inputs else None
    result = layer.outputs[0] if layer.outputs else None
    origin = layer.attributes.get("Origin")
    return Reformat(
        layer=layer.index,
        origin=origin if isinstance(origin, str) and origin else "not stated",
        before=source.format if source else "",
        after=result.format if result else "",
        change=_change(source, result, tensors),
        time_ms=layer.time_ms,
        moved_bytes=layer.moved_bytes,
        producers=sorted({index for use in layer.inputs for index in tensors[use.tensor].producers}),
        consumers=sorted({index for use in layer.outputs for index in tensors[use.tensor].consumers}),
    )


def _change(source: TensorUse | None, result: TensorUse | None, tensors: list[TensorFacts]) -> str:
    if source is None or result is None:
        return "copy"
    before, after = tensors[source.tensor], tensors[result.tensor]
    changes = []
    if before.data_type != after.data_type:
        changes.append("data type")
    if before.layout != after.layout:
        changes.append("layout")
    return " and ".join(changes) or "copy"
