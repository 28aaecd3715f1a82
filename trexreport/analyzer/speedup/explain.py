"""Divide the difference between expected and measured time into rows that add up to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis import speedup as facts
from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.analysis.comparison import Figures
from trexreport.analyzer.analysis.verdict import Metric
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import is_conversion
from trexreport.analyzer.speedup.gaps import Gaps, difference
from trexreport.analyzer.speedup.precisions import compare_precisions, multiplies
from trexreport.lazy_dataclass import dataclass


class Side(NamedTuple):
    """One of two engines.

    Attributes:
        name: Unique among the engines.
        engine: Its place in the rows of the alignment.
        unlisted_ms: Time of layers whose rows the profile lacks.
    """

    name: str
    engine: int
    analysis: Analysis
    figures: Figures
    unlisted_ms: float


def explain_speedup(rows: Sequence[AlignedRow], sides: tuple[Side, Side]) -> facts.ExpectedSpeedup | None:
    """Return what the lower precision of one of two engines should save and what it does.

    Args:
        rows: Of the alignment.
        sides: The two engines.

    Returns:
        None where neither has a lower precision.
    """
    contexts = (Context(sides[0].analysis), Context(sides[1].analysis))
    found = compare_precisions(contexts, rows, (sides[0].engine, sides[1].engine))
    if found is None:
        return None
    lower, higher = sides[found.lower], sides[1 - found.lower]
    context = contexts[found.lower]
    products = [layer for layer in lower.analysis.layers if multiplies(context, layer)]
    described = facts.ExpectedSpeedup(
        engine=lower.name,
        reference=higher.name,
        precision=found.precision,
        reference_precision=found.reference,
        products=len(products),
        products_in_precision=sum(layer.precision == found.precision for layer in products),
        reformats=_conversions(context),
        reference_reformats=_conversions(contexts[1 - found.lower]),
    )
    if found.is_stated:
        return replace(described, obstacle="no-types")
    return _Explanation(higher, lower, contexts[1 - found.lower], context, described).complete(rows)


def _conversions(context: Context) -> int:
    return sum(is_conversion(context, layer) for layer in context.layers)


def _obstacle(higher: Side, lower: Side) -> facts.SpeedupObstacle | None:
    if higher.figures.layer_sum_ms is None or lower.figures.layer_sum_ms is None:
        return "no-layer-times"
    gpus = {side.analysis.identity.gpu for side in (higher, lower)}
    return "different-gpus" if "" not in gpus and len(gpus) > 1 else None


@dataclass(frozen=True)
class _Explanation:
    """Two engines whose times are compared."""

    higher: Side
    lower: Side
    reference: Context
    context: Context
    described: facts.ExpectedSpeedup

    def complete(self, rows: Sequence[AlignedRow]) -> facts.ExpectedSpeedup:
        """Return the explanation with its times, or with what prevents it."""
        obstacle = _obstacle(self.higher, self.lower)
        if obstacle:
            return replace(self.described, obstacle=obstacle)
        # Not that of the other engine: what is expected must not depend on how that one came out.
        launch_ms = self.higher.analysis.roofline.launch_ms
        gaps = Gaps(
            (self.reference, self.higher.engine),
            (self.context, self.lower.engine),
            self.described.precision,
            launch_ms or 0.0,
        )
        for row in rows:
            gaps.add(row)
        basis_ms = gaps.basis_ms()
        if not basis_ms.keys() - {"none"}:
            return replace(self.described, obstacle="no-basis")
        compared, outside = self._outside()
        reference_ms, measured_ms = (
            _total_ms(side, before) for side, before in ((self.higher, outside[0]), (self.lower, outside[1]))
        )
        expected_ms = math.fsum((*gaps.expected_ms, self.higher.unlisted_ms, outside[0]))
        own: list[tuple[facts.GapKind, float]] = [
            ("missing-rows", difference(self.lower.unlisted_ms, self.higher.unlisted_ms)),
            ("outside-layers", difference(outside[1], outside[0])),
        ]
        gpu = self.higher.analysis.roofline.gpu
        return replace(
            self.described,
            metric=compared,
            reference_ms=reference_ms,
            expected_ms=expected_ms,
            measured_ms=measured_ms,
            expected_speedup=reference_ms / expected_ms if expected_ms else None,
            measured_speedup=reference_ms / measured_ms if measured_ms else None,
            basis_ms=basis_ms,
            gpu=gpu.name if gpu and {"roofline", "peaks"} & basis_ms.keys() else "",
            launch_ms=launch_ms,
            gaps=self._ordered([*gaps.found(), *(facts.SpeedupGap(*each) for each in own if each[1])]),
        )

    def _outside(self) -> tuple[Metric, tuple[float, float]]:
        """Return which times are compared, and what of both is outside of layers.

        A profile lengthens layers: where their sum exceeds the time of a query, only layers are compared.
        """
        before, after = self.higher.figures, self.lower.figures
        wholes: tuple[tuple[Metric, float | None, float | None], ...] = (
            ("GPU compute time", before.compute_ms, after.compute_ms),
            ("latency", before.latency_ms, after.latency_ms),
        )
        for metric, *pair in wholes:
            if None in pair:
                continue
            times = zip(pair, (self.higher, self.lower), strict=True)
            outside = [(whole or 0.0) - _total_ms(side) for whole, side in times]
            if min(outside) >= 0:
                return metric, (outside[0], outside[1])
            break
        return "total layer time", (0.0, 0.0)

    def _ordered(self, gaps: Iterable[facts.SpeedupGap]) -> list[facts.SpeedupGap]:
        few = self.described.has_few_products

        def rank(gap: facts.SpeedupGap) -> tuple[int, float, str]:
            place = 2 if gap.kind == "not-explained" else 0 if few and gap.kind == "fallback" else 1
            return place, -abs(gap.cost_ms), gap.kind

        return sorted(gaps, key=rank)


def _total_ms(side: Side, outside_ms: float = 0.0) -> float:
    return math.fsum((side.figures.layer_sum_ms or 0.0, outside_ms))
