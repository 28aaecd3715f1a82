"""Compare what engines lose of accuracy with the time that they save, by aligned layers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.accuracy import AccuracyFacts, AccuracyPoint, ComparedAccuracy
from trexreport.analyzer.analysis.alignment import AlignedRow

_MEASURES = frozenset({"relative", "cosine"})
_ENOUGH_PERCENT = 80.0
_MAX_PLANNED = 20
#: Below this part of the error a row is not worth its time.
_MIN_PERCENT = 1.0


def describe_compared(analysis: Analysis) -> ComparedAccuracy | None:
    """Return the accuracy of an engine; None if no file states it."""
    found = analysis.accuracy
    return ComparedAccuracy(found.metrics, found.measure, found.output_error) if found else None


def compare_accuracy(
    rows: Sequence[AlignedRow], analyses: Sequence[Analysis], baseline: int, index: int
) -> ComparedAccuracy | None:
    """Return the accuracy of a candidate, with the rows that save time and add an error.

    Args:
        rows: Of all engines.
        analyses: Of all engines.
        baseline: Index of the baseline.
        index: Index of the candidate.
    """
    described, ours, theirs = (
        describe_compared(analyses[index]),
        analyses[index].accuracy,
        analyses[baseline].accuracy,
    )
    if described is None or ours is None or ours.measure not in _MEASURES:
        return described
    if theirs is not None and theirs.tensors and theirs.measure != ours.measure:
        return described
    points = []
    for row in rows:
        point = _point(row, (analyses[baseline], analyses[index]), (baseline, index), (theirs, ours))
        if point is not None and (point.added_error > 0 or point.saved_ms > 0):
            points.append(point)
    points.sort(key=lambda each: (-each.added_error, -each.saved_ms, each.layers[0]))
    return _planned(replace(described, points=_marked(points)))


def _point(
    row: AlignedRow,
    pair: tuple[Analysis, Analysis],
    places: tuple[int, int],
    accuracy: tuple[AccuracyFacts | None, AccuracyFacts],
) -> AccuracyPoint | None:
    """Return what a row saves and adds; None where that is not known."""
    before, after = ([*row.layers[place], *row.helpers[place]] for place in places)
    added = _increase(accuracy[1], row.layers[places[1]])
    times = [_time_ms(analysis, layers) for analysis, layers in zip(pair, (before, after), strict=True)]
    if added is None or times[0] is None or times[1] is None or not row.layers[places[0]]:
        return None
    known = _increase(accuracy[0], row.layers[places[0]]) if accuracy[0] and accuracy[0].tensors else 0.0
    if known is None:
        return None
    layers = row.layers[places[1]]
    slowest = max(layers, key=lambda layer: (pair[1].layers[layer].avg_ms or 0.0, -layer))
    name = pair[1].layers[slowest].name
    among = max(each.among for layer in layers if (each := accuracy[1].layers[layer]))
    saved_ms = times[0] - times[1]
    return AccuracyPoint(layers, name, saved_ms, max(0.0, added - known), is_best=False, among=among)


def _increase(accuracy: AccuracyFacts, layers: Iterable[int]) -> float | None:
    found = (accuracy.layers[layer] for layer in layers)
    return max((each.increase for each in found if each and each.increase is not None), default=None)


def _time_ms(analysis: Analysis, layers: Iterable[int]) -> float | None:
    times = [analysis.layers[layer].avg_ms for layer in layers if not analysis.layers[layer].structural]
    known = [time for time in times if time is not None]
    return math.fsum(known) if known and len(known) == len(times) else None


def _marked(points: Sequence[AccuracyPoint]) -> list[AccuracyPoint]:
    """Mark the points of the Pareto front: much time saved for little error."""
    best, least = set(), math.inf
    for at in sorted(range(len(points)), key=lambda at: (-points[at].saved_ms, points[at].added_error)):
        if points[at].saved_ms > 0 and points[at].added_error < least:
            best.add(at)
            least = points[at].added_error
    return [replace(point, is_best=at in best) for at, point in enumerate(points)]


def _planned(described: ComparedAccuracy) -> ComparedAccuracy:
    """Choose the rows that remove most of the error for the least time, greedily."""
    points = list(described.points)
    whole = math.fsum(each.added_error**2 for each in points)
    if whole <= 0:
        return described
    shares = [100 * each.added_error**2 / whole for each in points]
    # Which of several layers adds an error is not known: none of them alone removes it.
    able = [at for at, share in enumerate(shares) if share >= _MIN_PERCENT and points[at].among == 1]
    # What saves no time costs none.
    able.sort(key=lambda at: (-shares[at] / max(points[at].saved_ms, 1e-6), at))
    plan: list[int] = []
    removed, cost_ms = 0.0, 0.0
    for at in able[:_MAX_PLANNED]:
        if removed >= _ENOUGH_PERCENT:
            break
        removed += shares[at]
        cost_ms += max(points[at].saved_ms, 0.0)
        points[at] = replace(points[at], removed_percent=removed, cost_ms=cost_ms)
        plan.append(at)
    return replace(described, points=points, plan=plan)
