"""Whether two engines do the same work; otherwise a shorter time of one says nothing.

What counts is the work of products (convolutions and matrix products): fusion, precision and version of
TensorRT leave it as it is. Names decide only where they hold: an engine that was pruned has the names of the
one it came from and less work, and is compared with it; two exports of one model may share no name at all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Alignment, MatchKey
from trexreport.analyzer.analysis.verdict import Reason
from trexreport.analyzer.comparison.names import is_opaque
from trexreport.analyzer.operations import may_multiply
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_count, format_number

#: By what layers are matched that names show to be the same: the first of `MATCH_KEYS`.
_BY_NAME = frozenset({"ONNX metadata", "parts of the name", "tensor names"})
#: Of two engines of one model names match at least this part of both. Measured on real engines: all where one
#: model has the same names, 0.27 at most where two models do.
_MIN_NAMED = 0.5
#: Of two engines of one model at least this part of the work is in rows of both. Measured likewise: 0.95 and
#: more of one model, 0.42 at most of two, though all layers of ResNet-18 look like some of ResNet-50.
_MIN_WORK = 0.8
#: Where the work is not known, at least this part of the layers has a counterpart.
_MIN_LAYERS = 0.5
#: From this part of the time on (of the number of layers without times) hidden work may be what is missing.
_MUCH_HIDDEN = 0.1
_OPAQUE_TYPES = ("Myelin", "Plugin")
_MAX_OUTPUTS = 3


def multiply_adds(analysis: Analysis) -> str:
    """Write the multiply-accumulate operations of an inference, as far as they are known; empty if not."""
    known = sum(layer.work.macs for layer in analysis.layers if layer.work is not None)
    if not known:
        return ""
    text = format_count(known)
    for unit, amount in (("million", 1e6), ("billion", 1e9)):
        if known >= amount:
            text = f"{format_number(known / amount)} {unit}"
    return f"at least {text}" if _hidden(analysis) >= _MUCH_HIDDEN else text


def unlike_work(alignment: Alignment, analyses: Sequence[Analysis], engine: int) -> Reason | None:
    """Return why an engine does not do the baseline's work; None if it does, or may."""
    pair = (analyses[alignment.baseline], analyses[engine])
    # At other extents the same model has other sums; what its products are made of stays.
    amount = _macs if _inputs(pair[0]) == _inputs(pair[1]) else _weights
    amounts = [[amount(layer) for layer in analysis.layers] for analysis in pair]
    rows = [
        _shares((row.layers[alignment.baseline], row.layers[engine]), row.keys[engine], amounts)
        for row in alignment.rows
    ]
    one, other = (_Side.of(rows, which) for which in (0, 1))
    if not (one.layers and other.layers) or min(one.named, other.named) >= _MIN_NAMED:
        return None
    matched = sorted((one.matched, other.matched))
    if any(each.identity.names_only for each in pair) or not one.work + other.work:
        return None if matched[0] >= _MIN_LAYERS else _by_layers(one, other, {})
    common = math.fsum(min(row[0].work, row[1].work) for row in rows) / max(one.work, other.work)
    if common >= _MIN_WORK:
        return None
    if max(_hidden(each) for each in pair) < _MUCH_HIDDEN:
        return _by_work(common, pair, has_equal_inputs=amount is _macs)
    # One layer may equal a thousand of the other engine if inputs and outputs are alike.
    interfaces = [_interface(each) for each in pair]
    alike = not all(map(any, interfaces)) or _ranks(interfaces[0]) == _ranks(interfaces[1])
    if any(interfaces[0]) and interfaces[0] == interfaces[1]:
        return None
    return None if matched[alike] >= _MIN_LAYERS else _by_layers(one, other, _outputs(*pair))


class _Share(NamedTuple):
    """One engine's part of a row."""

    work: float
    layers: int
    is_matched: bool
    is_named: bool


@dataclass(frozen=True)
class _Side:
    """One engine over all rows; `named` and `matched` are parts of one, by the work and by the layers."""

    layers: int
    work: float
    named: float
    matched: float

    @classmethod
    def of(cls, rows: Sequence[tuple[_Share, _Share]], which: int) -> _Side:
        """Sum up; names count by the layers where no work is known."""
        shares = [row[which] for row in rows]
        work = math.fsum(each.work for each in shares)
        layers = sum(each.layers for each in shares)
        named = math.fsum(each.work if work else each.layers for each in shares if each.is_named)
        matched = sum(each.layers for each in shares if each.is_matched)
        return cls(layers, work, named / (work or layers or 1), matched / (layers or 1))


def _shares(
    places: tuple[Sequence[int], Sequence[int]], keys: Iterable[MatchKey], amounts: Sequence[Sequence[float]]
) -> tuple[_Share, _Share]:
    """Return both engines' parts of a row, given its layers, by what they were matched, and all work."""
    is_matched = all(places)
    is_named = is_matched and not _BY_NAME.isdisjoint(keys)
    sums = [
        # Of one layer, as in most rows, it is that of the layer.
        float(work[indices[0]]) if len(indices) == 1 else math.fsum([work[index] for index in indices])
        for work, indices in zip(amounts, places, strict=True)
    ]
    return (
        _Share(sums[0], len(places[0]), is_matched, is_named),
        _Share(sums[1], len(places[1]), is_matched, is_named),
    )


def _macs(layer: LayerFacts) -> float:
    return layer.work.macs if layer.work else 0


def _weights(layer: LayerFacts) -> float:
    """Return how many weights a product has, whatever it is applied to."""
    return layer.work.n * layer.work.k * layer.work.groups if layer.work else 0


def _hidden(analysis: Analysis) -> float:
    """Return which part of an engine may multiply matrices of sizes that no file states."""
    layers = [layer for layer in analysis.layers if not layer.structural]
    hidden = [
        layer
        for layer in layers
        if layer.work is None
        and (is_opaque(layer.name) or layer.type.startswith(_OPAQUE_TYPES) or may_multiply(layer))
    ]
    if analysis.latency.layer_sum_ms:
        return math.fsum(layer.avg_ms or 0.0 for layer in hidden) / analysis.latency.layer_sum_ms
    return len(hidden) / (len(layers) or 1)


def _inputs(analysis: Analysis) -> list[list[int]]:
    return sorted(list(each.dimensions) for each in analysis.bindings if each.mode == "input")


def _interface(analysis: Analysis) -> tuple[list[list[int]], list[list[int]]]:
    """Return the extents of inputs and outputs without the first, which is the batch."""
    inputs, outputs = (
        sorted(list(each.dimensions[1:]) for each in analysis.bindings if each.mode == mode)
        for mode in ("input", "output")
    )
    return inputs, outputs


def _ranks(interface: tuple[list[list[int]], list[list[int]]]) -> list[list[int]]:
    return [sorted(map(len, each)) for each in interface]


def _by_layers(one: _Side, other: _Side, outputs: dict[str, tuple[str, str]]) -> Reason:
    matched = {"baseline_matched": one.matched, "candidate_matched": other.matched}
    return Reason("different-model-by-layers", figures=matched, values=outputs)


def _by_work(common: float, pair: tuple[Analysis, Analysis], *, has_equal_inputs: bool) -> Reason:
    amounts = {"multiply-adds": (multiply_adds(pair[0]), multiply_adds(pair[1]))}
    return Reason(
        "different-model-by-multiply-adds" if has_equal_inputs else "different-model-by-weights",
        figures={"common": common},
        values=amounts | _outputs(*pair),
    )


def _outputs(one: Analysis, other: Analysis) -> dict[str, tuple[str, str]]:
    """Return the shapes of the outputs without the batch, if they are known and differ."""
    shapes = [_interface(each)[1] for each in (one, other)]
    if not all(shapes) or shapes[0] == shapes[1]:
        return {}
    first, second = (
        ", ".join("×".join(map(str, shape)) or "scalar" for shape in each[:_MAX_OUTPUTS])
        + (f" and {len(each) - _MAX_OUTPUTS} more" if len(each) > _MAX_OUTPUTS else "")
        for each in shapes
    )
    return {"outputs": (first, second)}
