"""What layers cost beyond their expected time in a lower precision, and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts, slowest_first
from trexreport.analyzer.analysis import speedup as facts
from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.reformats import is_reformat, only_moves_data
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import changes_quantization
from trexreport.analyzer.speedup.expected import Expectation, Expected, is_wider, types_of
from trexreport.analyzer.speedup.precisions import multiplies
from trexreport.analyzer.speedup.reasons import Reasons
from trexreport.model.data_format import BITS
from trexreport.numbers import without_noise

#: Times differ by chance by this part of them, and by what CUDA events can't resolve.
_NOISE, _RESOLUTION_MS = 0.02, 0.0005
#: Layers of the engine of the lower precision, and those of the other.
_Pair = tuple[Sequence[LayerFacts], Sequence[LayerFacts]]


class _Found(NamedTuple):
    """What the expected times of a row rest on, and whether types of it are wider than expected."""

    bases: set[facts.SpeedupBasis]
    has_wider: bool


class _Cost(NamedTuple):
    kind: facts.GapKind
    place: facts.SpeedupPlace


class Gaps:
    """What the rows of an alignment cost beyond what is expected.

    Args:
        higher: The engine of the higher precision, and its place in the rows.
        lower: Those of the lower precision.
        precision: The lower precision.
        launch_ms: What the launch of a kernel takes; 0 if it is not known.

    Attributes:
        expected_ms: Expected times of which the sum is that of all rows.
        bases: What these rest on, to the times in the higher precision.
    """

    def __init__(
        self, higher: tuple[Context, int], lower: tuple[Context, int], precision: str, launch_ms: float
    ) -> None:
        self._higher, self._lower = higher, lower
        self._bits = BITS[precision]
        self._data_types = [tensor.data_type for tensor in lower[0].tensors]
        self._expectation = Expectation(higher[0], precision, launch_ms)
        self._reasons = Reasons(lower[0], precision, launch_ms)
        self._costs: list[_Cost] = []
        self._row: _Pair = ((), ())
        self.expected_ms: list[float] = []
        self.bases: dict[facts.SpeedupBasis, list[float]] = {}

    def basis_ms(self) -> dict[facts.SpeedupBasis, float]:
        """Return the time in the higher precision that each basis concerns."""
        return {basis: math.fsum(times) for basis, times in sorted(self.bases.items()) if any(times)}

    def found(self) -> list[facts.SpeedupGap]:
        """Return the gaps, each with its places."""
        return [
            facts.SpeedupGap(
                kind,
                math.fsum(cost.place.cost_ms for cost in costs),
                sorted(
                    (cost.place for cost in costs),
                    key=lambda place: (-abs(place.cost_ms), place.layers, place.reference_layers),
                ),
            )
            for kind, costs in group_by(self._costs, lambda cost: cost.kind).items()
        ]

    def add(self, row: AlignedRow) -> None:
        """Add the costs of a row."""
        before, before_helping = self._layers(row, self._higher)
        after, after_helping = self._layers(row, self._lower)
        self._row = (after, before)
        if after_helping or before_helping:
            self._conversions(after_helping, before_helping)
        if any(layer.avg_ms is None and not layer.structural for layer in (*before, *after)):
            self.expected_ms.append(_sum(before))
            change = difference(_sum(after), _sum(before))
            self._cost("not-explained", (after, before), change, ["not-measured"])
        elif not after or not before:
            expected_ms = self._expect(before)
            self.expected_ms.append(expected_ms)
            kind: facts.GapKind = "removed-layers" if before else "added-layers"
            self._cost(kind, (after, before), difference(_sum(after), expected_ms))
        else:
            self._products(after, before)

    def _layers(
        self, row: AlignedRow, side: tuple[Context, int]
    ) -> tuple[list[LayerFacts], list[LayerFacts]]:
        context, engine = side
        layers = context.analysis.layers
        return (
            [layers[index] for index in row.layers[engine]],
            [layers[index] for index in row.helpers[engine]],
        )

    def _expect(self, layers: Iterable[LayerFacts]) -> float:
        """Return the expected time of layers, and note what it rests on."""
        return math.fsum(self._expected(layer).time_ms for layer in layers if layer.avg_ms)

    def _expected(self, layer: LayerFacts) -> Expected:
        _, lowered = self._expectation.types(layer)
        expected = self._expectation.time(layer, lowered)
        self.bases.setdefault(expected.basis, []).append(layer.avg_ms or 0.0)
        return expected

    def _cost(
        self, kind: facts.GapKind, layers: _Pair, cost_ms: float, reasons: Sequence[facts.SpeedupReason] = ()
    ) -> None:
        """Add what layers of both engines, the lower precision first, take beyond what is expected."""
        if not cost_ms:
            return
        after, before = layers
        nodes, sources = self._origins(layers)
        place = facts.SpeedupPlace(
            slowest_first(after or before)[0].name,
            [layer.index for layer in after],
            [layer.index for layer in before],
            cost_ms,
            list(reasons),
            nodes,
            sources,
        )
        self._costs.append(_Cost(kind, place))

    def _origins(self, layers: _Pair) -> tuple[list[str], list[str]]:
        """Return the ONNX nodes and source lines of layers, else those of the layers that they serve."""
        analyses = (self._lower[0].analysis, self._higher[0].analysis)
        for pair in (layers, self._row):
            for analysis, found in zip(analyses, pair, strict=True):
                nodes, sources = _origins(analysis, found)
                if nodes or sources:
                    return nodes, sources
        return [], []

    def _conversions(self, after: Sequence[LayerFacts], before: Sequence[LayerFacts]) -> None:
        """Add what reformats and Q/DQ cost beyond those that are expected in their place."""
        kinds: tuple[facts.GapKind, facts.GapKind] = ("qdq", "reformats")
        (now_qdq, now_others), (then_qdq, then_others) = map(_divided, (after, before))
        parts = [(now_qdq, then_qdq), (now_others, then_others)]
        costs = [_sum(now) - self._expect(then) for now, then in parts]
        self.expected_ms.append(_sum(after) - math.fsum(costs))
        if costs[0] * costs[1] < 0:
            # A conversion of another kind takes the place of one: only the difference counts.
            larger = max((0, 1), key=lambda which: abs(costs[which]))
            parts[larger] = ([*after], [*before])
            costs = [math.fsum(costs) if which == larger else 0.0 for which in (0, 1)]
        for kind, (now, then), cost_ms in zip(kinds, parts, costs, strict=True):
            cost = without_noise(cost_ms, _sum(after), _sum(before))
            if cost:
                timed, expected = ([layer for layer in each if layer.avg_ms] for each in (now, then))
                self._cost(kind, (timed, expected), cost, self._reasons.of_conversions(timed))

    def _products(self, after: list[LayerFacts], before: list[LayerFacts]) -> None:
        """Add what the layers of a row that compute cost: by their types, then by their kernels."""
        expectation = self._expectation
        lowered = [self._expected(layer) for layer in before]
        expected_ms, time_ms = math.fsum([each.time_ms for each in lowered]), _sum(after)
        self.expected_ms.append(expected_ms)
        wider_ms, wider = 0.0, []
        for layer, expected, partner in zip(before, lowered, self._partners(before, after), strict=True):
            given, (stated, lowest) = types_of(partner, self._data_types), expectation.types(layer)
            types = stated if given == stated else expectation.like(layer, partner, given)
            if types is not lowest and is_wider(types, lowest):
                wider_ms += max(expectation.time(layer, types).time_ms - expected.time_ms, 0.0)
                wider.append(partner)
        wider_ms = without_noise(wider_ms, expected_ms, time_ms)
        if wider_ms:
            self._wider(wider, before, wider_ms)
        found = _Found({each.basis for each in lowered}, bool(wider))
        self._kernels((after, before), (time_ms, expected_ms + wider_ms), found)

    def _wider(self, wider: Sequence[LayerFacts], before: Sequence[LayerFacts], cost_ms: float) -> None:
        """Add what types cost that are wider than expected."""
        layers = list({layer.index: layer for layer in wider}.values())
        fell = [layer for layer in layers if BITS.get(layer.precision, 0) > self._bits]
        products = [layer for layer in fell if multiplies(self._lower[0], layer)]
        residual = any(layer.index in self._reasons.residual for layer in layers)
        if products:
            reasons = list(
                dict.fromkeys(reason for layer in products for reason in self._reasons.of_fallback(layer))
            )
            self._cost("fallback", (products, before), cost_ms, reasons)
        elif residual:
            self._cost("residual-adds", (layers, before), cost_ms, ["residual-add"])
        elif fell:
            self._cost("other-fallback", (fell, before), cost_ms)
        else:
            self._cost("wider-tensors", (layers, before), cost_ms)

    def _kernels(self, layers: _Pair, times_ms: tuple[float, float], found: _Found) -> None:
        """Add what kernels take beyond their expected time with the types that they have."""
        (after, before), (time_ms, expected_ms) = layers, times_ms
        cost_ms = without_noise(time_ms - expected_ms, time_ms, expected_ms)
        if abs(cost_ms) <= max(_NOISE * max(times_ms), _RESOLUTION_MS):
            self._cost("not-explained", layers, cost_ms, ["within-noise"])
            return
        reasons = self._reasons.of_kernels(after, before, slower=cost_ms > 0)
        if found.has_wider and cost_ms > 0:
            reasons.insert(0, "wider-tensors")
        if len(after) != len(before):
            self._cost("fused-or-split", layers, cost_ms, reasons)
        elif cost_ms > 0 and time_ms > _sum(before):
            self._cost("slower-layers", layers, cost_ms, reasons)
        elif "none" in found.bases:
            self._cost("not-explained", layers, cost_ms, ["no-expectation"])
        elif not reasons:
            self._cost("not-explained", layers, cost_ms)
        else:
            self._cost("less-speedup" if cost_ms > 0 else "more-speedup", layers, cost_ms, reasons)

    def _partners(self, before: Iterable[LayerFacts], after: Sequence[LayerFacts]) -> Iterator[LayerFacts]:
        """Yield for each layer the one that does its work in the engine of the lower precision."""
        if len(after) == 1:
            yield from (after[0] for _ in before)
            return
        others = {
            kind: [each for each in after if multiplies(self._lower[0], each) == kind] or after
            for kind in (True, False)
        }
        places = Counter[bool]()
        for layer in before:
            kind = multiplies(self._higher[0], layer)
            yield others[kind][min(places[kind], len(others[kind]) - 1)]
            places[kind] += 1


def _divided(layers: Iterable[LayerFacts]) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the layers that quantize, and the others."""
    qdq: list[LayerFacts] = []
    others: list[LayerFacts] = []
    for layer in layers:
        (qdq if _is_qdq(layer) else others).append(layer)
    return qdq, others


def _is_qdq(layer: LayerFacts) -> bool:
    moves = is_reformat(layer) or only_moves_data(layer) or layer.structural
    return changes_quantization(layer) or not moves


def _origins(analysis: Analysis, layers: Iterable[LayerFacts]) -> tuple[list[str], list[str]]:
    """Return the ONNX nodes and source lines of layers, each once."""
    model = analysis.onnx
    if model is None or not model.layer_nodes:
        return list(dict.fromkeys(name for layer in layers for name in layer.origins)), []
    nodes = [model.nodes[index] for layer in layers for index in model.layer_nodes[layer.index]]
    return (
        list(dict.fromkeys(node.name for node in nodes)),
        list(dict.fromkeys(node.source for node in nodes if node.source)),
    )


def _sum(layers: Iterable[LayerFacts]) -> float:
    return math.fsum([layer.avg_ms for layer in layers if layer.avg_ms is not None])


def difference(one: float, other: float) -> float:
    """Return the difference of two times; 0 where it is rounding noise."""
    return without_noise(one - other, one, other)
