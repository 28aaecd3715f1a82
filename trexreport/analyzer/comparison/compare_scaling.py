"""Find one factor by which layers that two engines have alike differ, as when the GPU was in another state.

A lower SM clock slows down what arithmetic bounds, a lower memory clock what memory bounds, and other work on
the GPU all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import LayerScaling
from trexreport.analyzer.analysis.verdict import Verdict

_Kind = Literal["compute", "memory"]
#: How many rows there are at least, and which part of the time of both engines they take.
_LEAST_ROWS, _LEAST_PART = 10, 0.8
#: How many rows of either bound there are at least.
_LEAST_OF_KIND = 5
#: How far layers differ at least, and how far the slowest and fastest tenth may be from the middle.
_LEAST_RATIO, _EVEN = 1.1, 1.15
_TENTH = 0.1
#: Which part of a factor, as logarithms, others may have.
_OTHERS = 0.5
#: Which part of what the sums of all layers differ by, as logarithms, times of queries do at least.
_FOLLOW = 0.5


class _Row(NamedTuple):
    """A row that both engines have alike: the ratio and the sum of its times, and what bounds it."""

    ratio: float
    time_ms: float
    kind: _Kind | None


def find_scaling(
    rows: Iterable[ComparedRow], analyses: Sequence[Analysis], baseline: int, engine: int
) -> LayerScaling | None:
    """Return by which factor layers of an engine differ from the baseline's; None if there is no such factor.

    Args:
        rows: Those of the comparison.
        analyses: Of all engines.
        baseline: Index of the baseline.
        engine: Index of the engine.
    """
    pair = analyses[baseline], analyses[engine]
    gpus = {each.identity.gpu for each in pair}
    if len(gpus - {""}) > 1:
        return None
    before, after = (each.identity.batch for each in pair)
    items = after / before if before and after else 1.0
    alike, total_ms = [], 0.0
    for row in rows:
        theirs, ours = row.sides[baseline], row.sides[engine]
        time_ms = math.fsum((theirs.time_ms or 0.0, ours.time_ms or 0.0))
        total_ms += time_ms
        is_same = items != 1 or "different shapes" not in ours.causes
        if ours.ratio and is_same and not ours.changes:
            layers = [
                analysis.layers[member.index]
                for analysis, side in zip(pair, (theirs, ours), strict=True)
                for member in side.members
            ]
            alike.append(_Row(ours.ratio / items, time_ms, _kind(layers)))
    if len(alike) < _LEAST_ROWS or math.fsum(row.time_ms for row in alike) < _LEAST_PART * total_ms:
        return None
    alike.sort(key=lambda row: row.ratio)
    factor = _factor(alike)
    if items != 1:
        # More items use the GPU better.
        is_worse = factor is not None and (factor > 1) == (items > 1)
        if factor is None or not is_worse:
            return None
    elif factor is None:
        return _of_one_kind(alike)
    return LayerScaling("all", factor, None, items != 1, is_one_gpu="" not in gpus)


def with_queries(
    found: LayerScaling | None, verdict: Verdict, analyses: Sequence[Analysis]
) -> LayerScaling | None:
    """Return a factor with whether the times of queries show it, too.

    Args:
        found: Of the layers.
        verdict: On the times of queries.
        analyses: Of the baseline and the engine.
    """
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    sums = [analysis.latency.layer_sum_ms for analysis in analyses]
    if not found or not before or not after or not sums[0] or not sums[1]:
        return found
    of_queries, of_layers = math.log(after / before), math.log(sums[1] / sums[0])
    return replace(found, in_queries=of_queries * of_layers >= _FOLLOW * of_layers**2)


def _of_one_kind(alike: Sequence[_Row]) -> LayerScaling | None:
    """Return the factor of the layers of one bound where the others differ much less."""
    compute, memory = ([row for row in alike if row.kind == kind] for kind in ("compute", "memory"))
    if min(len(compute), len(memory)) < _LEAST_OF_KIND:
        return None
    factor, others = _factor(compute), _middle(memory)
    if factor is not None and _is_less(others, factor):
        return LayerScaling("compute-bound", factor, others, False)
    factor, others = _factor(memory), _middle(compute)
    if factor is not None and _is_less(others, factor):
        return LayerScaling("memory-bound", factor, others, False)
    return None


def _is_less(others: float, factor: float) -> bool:
    return abs(math.log(others)) <= _OTHERS * abs(math.log(factor))


def _kind(layers: Iterable[LayerFacts]) -> _Kind | None:
    """Return what bounds layers, the same in both engines; None where that is not known.

    What the roofline leaves unexplained may still be arithmetic.
    """
    found: set[_Kind | None] = set()
    for layer in layers:
        roof = layer.roof
        if roof is None:
            found.add(None)
        elif "compute" in (roof.roof, roof.bound):
            found.add("compute")
        else:
            found.add("memory" if roof.bound == "memory" else None)
    return found.pop() if len(found) == 1 else None


def _factor(rows: Sequence[_Row]) -> float | None:
    """Return by which factor rows differ, if nearly all differ alike and by enough."""
    low, middle, high = (_weighted(rows, part) for part in (_TENTH, 0.5, 1 - _TENTH))
    is_even = high <= _EVEN * middle and middle <= _EVEN * low
    return middle if is_even and max(middle, 1 / middle) >= _LEAST_RATIO else None


def _middle(rows: Sequence[_Row]) -> float:
    return _weighted(rows, 0.5)


def _weighted(rows: Sequence[_Row], part: float) -> float:
    """Return the ratio up to which a part of the time of rows is, which are in its order."""
    limit, reached = part * math.fsum([row.time_ms for row in rows]), 0.0
    for row in rows:
        reached += row.time_ms
        if reached >= limit:
            return row.ratio
    return rows[-1].ratio
