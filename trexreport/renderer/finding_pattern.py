"""The pattern of a finding: some of its own layers as they are, and as they are once it is fixed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

from trexreport.analyzer.analysis import Analysis, Finding, LayerFacts, TensorFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.model.data_format import BITS

#: What a fix does to the layers: they disappear, become one, or work on narrower types.
Remedy = Literal["remove", "fuse", "narrow"]
#: Rule to what its recommendation does; the others change nothing that a drawing shows.
REMEDIES: dict[str, Remedy] = {
    **dict.fromkeys(
        ("TRX201", "TRX202", "TRX203", "TRX204", "TRX205", "TRX206", "TRX207", "TRX507"), "remove"
    ),
    **dict.fromkeys(("TRX301", "TRX501", "TRX502", "TRX503", "TRX504", "TRX505", "TRX506", "TRX509"), "fuse"),
    **dict.fromkeys(
        ("TRX102", "TRX302", "TRX303", "TRX304", "TRX305", "TRX401", "TRX405", "TRX406"), "narrow"
    ),
}
#: Rules that recommend FP16; the others of their kind recommend a quantized type.
_TO_FP16 = ("TRX401", "TRX405")
_QUANTIZED = ("INT4", "FP4", "FP8", "INT8")
_FLOATS = ("FP32", "TF32", "FP16", "BF16")
_MAX_LAYERS, _MAX_PRODUCERS, _MAX_CONSUMERS = 4, 2, 1
_MAX_USES = 6


@dataclass(frozen=True)
class Box:
    """A layer or an input or output of the engine.

    Attributes:
        key: Index of the layer; below 0 of a tensor.
        title: Its name.
        kind: Its type.
        precision: Empty where it is not known.
        outside: It is not one of the finding's layers.
        changed: The fix changes it.
    """

    key: int
    title: str
    kind: str
    precision: str
    outside: bool = False
    changed: bool = False


@dataclass(frozen=True)
class Arrow:
    """A tensor between two boxes, with its data type and layout."""

    source: int
    target: int
    data_type: str
    layout: str
    changed: bool = False


@dataclass(frozen=True)
class Pattern:
    """Boxes and the arrows between them."""

    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def finding_pattern(analysis: Analysis, finding: Finding) -> tuple[Pattern, Pattern] | None:
    """Return the layers of a finding's first place as they are and as they are once it is fixed.

    None where the fix changes nothing that boxes and arrows show.
    """
    remedy = REMEDIES.get(finding.code)
    if remedy is None or not finding.places or not finding.places[0].layers:
        return None
    inside = _connected(analysis, finding.places[0].layers)
    before = _around(analysis, inside)
    if remedy == "remove":
        after = _removed(before, _removable(analysis, before, finding.code))
    elif remedy == "fuse":
        after = _fused(before)
    else:
        after = _narrowed(analysis, before, finding.code)
    return (before, after) if after != before and before.arrows else None


def _connected(analysis: Analysis, layers: Sequence[int]) -> list[int]:
    """Return the first of some layers and those that it is connected with, in execution order."""
    allowed, found = set(layers), [layers[0]]
    for index in found:
        if len(found) >= _MAX_LAYERS:
            break
        found += [each for each in _neighbors(analysis, index) if each in allowed and each not in found]
    return sorted(found[:_MAX_LAYERS])


def _neighbors(analysis: Analysis, index: int) -> list[int]:
    layer = analysis.layers[index]
    before = (each for use in layer.inputs[:_MAX_USES] for each in analysis.tensors[use.tensor].producers)
    after = (
        each
        for use in layer.outputs[:_MAX_USES]
        for each in analysis.tensors[use.tensor].consumers[:_MAX_USES]
    )
    return list(dict.fromkeys([*before, *after]))


def _around(analysis: Analysis, inside: Sequence[int]) -> Pattern:
    """Return layers with some of those before and after them, and the tensors between."""
    boxes = {index: _box(analysis.layers[index], outside=False) for index in inside}
    arrows: dict[tuple[int, int], Arrow] = {}
    before: dict[int, Box] = {}
    for index in inside:
        for use in analysis.layers[index].inputs[:_MAX_USES]:
            tensor = analysis.tensors[use.tensor]
            ends = [each for each in tensor.producers if each < index]
            if not ends and tensor.role == "input":
                ends = [-1 - use.tensor]
            for end in ends[:1]:
                if end not in boxes and end not in before and len(before) >= _MAX_PRODUCERS:
                    continue
                if end not in boxes:
                    before.setdefault(end, _end(analysis, end, tensor))
                arrows.setdefault((end, index), _arrow(end, index, tensor))
    after: dict[int, Box] = {}
    for index in inside:
        for use in analysis.layers[index].outputs[:_MAX_USES]:
            tensor = analysis.tensors[use.tensor]
            ends = [each for each in tensor.consumers[:_MAX_USES] if each > index]
            if any(end in boxes for end in ends):
                continue
            if not ends and tensor.role == "output":
                ends = [-1 - use.tensor]
            for end in ends[:1]:
                if end not in after and len(after) >= _MAX_CONSUMERS:
                    continue
                after.setdefault(end, _end(analysis, end, tensor))
                arrows.setdefault((index, end), _arrow(index, end, tensor))
    return Pattern([*before.values(), *boxes.values(), *after.values()], list(arrows.values()))


def _box(layer: LayerFacts, *, outside: bool) -> Box:
    return Box(layer.index, layer.name, layer.type, layer.precision, outside)


def _end(analysis: Analysis, end: int, tensor: TensorFacts) -> Box:
    if end >= 0:
        return _box(analysis.layers[end], outside=True)
    return Box(end, tensor.name, f"engine {tensor.role}", tensor.data_type, outside=True)


def _arrow(source: int, target: int, tensor: TensorFacts) -> Arrow:
    return Arrow(source, target, tensor.data_type, tensor.layout)


def _removable(analysis: Analysis, pattern: Pattern, code: str) -> set[int]:
    """Return the layers that only change layout or type, or that only copy where the rule is about copies."""
    reformats = {each.layer for each in analysis.reformats}
    inside = {box.key for box in pattern.boxes if not box.outside}
    return inside if code == "TRX507" else inside & reformats


def _removed(pattern: Pattern, removed: Iterable[int]) -> Pattern:
    """Return a pattern without some boxes: what they wrote comes from what is before them."""
    arrows = list(pattern.arrows)
    for key in sorted(removed):
        before = [arrow for arrow in arrows if arrow.target == key]
        after = [arrow for arrow in arrows if arrow.source == key]
        arrows = [arrow for arrow in arrows if key not in (arrow.source, arrow.target)]
        arrows += [replace(there, source=here.source, changed=True) for here in before[:1] for there in after]
    gone = set(removed)
    return Pattern([box for box in pattern.boxes if box.key not in gone], arrows)


def _fused(pattern: Pattern) -> Pattern:
    """Return a pattern in which all layers of the finding are one."""
    inside = [box for box in pattern.boxes if not box.outside]
    if len(inside) < 2:
        return pattern
    first, keys = inside[0], {box.key for box in inside}
    kinds = " + ".join(dict.fromkeys(box.kind for box in inside))
    fused = replace(first, kind=kinds, title=f"{len(inside)} layers as one", changed=True)
    arrows: dict[tuple[int, int], Arrow] = {}
    for arrow in pattern.arrows:
        source = first.key if arrow.source in keys else arrow.source
        target = first.key if arrow.target in keys else arrow.target
        if source != target:
            arrows.setdefault((source, target), replace(arrow, source=source, target=target))
    before = [box for box in pattern.boxes if box.outside and (box.key, first.key) in arrows]
    after = [box for box in pattern.boxes if box.outside and box not in before]
    return Pattern([*before, fused, *after], list(arrows.values()))


def _narrowed(analysis: Analysis, pattern: Pattern, code: str) -> Pattern:
    """Return a pattern in which the finding's layers work on the narrower type; conversions disappear."""
    target = "FP16" if code in _TO_FP16 else _quantized_type(pattern)
    wide = [name for name in _FLOATS if BITS.get(name, 0) > BITS.get(target, 0)]
    inside = {box.key for box in pattern.boxes if not box.outside}

    def of_box(box: Box) -> Box:
        return (
            replace(box, precision=target, changed=True) if not box.outside and box.precision in wide else box
        )

    def of_arrow(arrow: Arrow) -> Arrow:
        is_inner = arrow.source in inside and arrow.target >= 0
        if (is_inner or (arrow.target in inside and arrow.source >= 0)) and arrow.data_type in wide:
            return replace(arrow, data_type=target, changed=True)
        return arrow

    arrows = [of_arrow(arrow) for arrow in pattern.arrows]
    narrowed = Pattern([of_box(box) for box in pattern.boxes], arrows)
    conversions = {
        key
        for key in _removable(analysis, pattern, code)
        if len({arrow.data_type for arrow in arrows if key in (arrow.source, arrow.target)}) == 1
        and any(arrow.target == key for arrow in arrows)
    }
    return _removed(narrowed, conversions)


def _quantized_type(pattern: Pattern) -> str:
    """Return the quantized type that occurs in a pattern, INT8 if none does."""
    types = [box.precision for box in pattern.boxes] + [arrow.data_type for arrow in pattern.arrows]
    return next((name for name in types if name in _QUANTIZED), "INT8")
