"""The charts of a comparison: time by type and precision, percentiles, memory, time per item."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from trexreport.analyzer.analysis import NOT_STATED, Group
from trexreport.analyzer.analysis.accuracy import AccuracyPoint
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison
from trexreport.numbers import counted
from trexreport.renderer import palette
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.renderer.comparison.accuracy import pareto_front
from trexreport.renderer.palette import legend_place

_MS = Axis("Time", "ms")
#: Groups beyond these are added up.
_MAX_GROUPS = 10
#: With more engines than this lines can't be distinguished.
_MAX_LINES = 8
#: Rows with the largest added error.
_MAX_POINTS = 500
_MIN_POINTS = 2
#: Lower percentiles, of the fastest queries, are not of interest.
_MIN_PERCENTILE = 50.0


def comparison_charts(comparison: Comparison) -> dict[str, Chart]:
    """Return the charts for which there are data, by key."""
    engines = comparison.engines
    charts = [
        _stacked(engines, "by-type", "Time by layer type", "type"),
        _stacked(engines, "by-precision", "Time by input precision", "precision"),
        _counted(engines, "type-counts", "Layers by type", "type"),
        _counted(engines, "precision-counts", "Layers by input precision", "precision"),
        _percentiles(engines),
        _memory(engines),
        _batches(engines),
        _accuracy(engines),
    ]
    return {chart.key: chart for chart in charts if chart}


def _stacked(engines: Sequence[ComparedEngine], key: str, title: str, kind: str) -> Chart | None:
    """Return the layer time of each engine whose layers were measured, divided by groups of layers."""
    timed = [engine for engine in engines if engine.figures.layer_sum_ms is not None]
    times = [{group.name: group.time_ms or 0.0 for group in _groups(engine, kind)} for engine in timed]
    chart = Chart(key, "bars", title, "{} takes the largest part of layer time.", x=_MS)
    return _bars(timed, times, chart, kind, _order(engines, kind))


def _counted(engines: Sequence[ComparedEngine], key: str, title: str, kind: str) -> Chart | None:
    """Return the number of layers of each engine, divided by groups of them."""
    known = [engine for engine in engines if not engine.identity.names_only and _groups(engine, kind)]
    counts = [{group.name: group.count for group in _groups(engine, kind)} for engine in known]
    summary = "{} is the largest group of layers."
    chart = Chart(key, "bars", title, summary, x=Axis("Layers"))
    return _bars(known, counts, chart, kind, _order(engines, kind))


def _groups(engine: ComparedEngine, kind: str) -> Sequence[Group]:
    return engine.by_type if kind == "type" else engine.by_precision


def _bars(
    engines: Sequence[ComparedEngine],
    values: Sequence[Mapping[str, float]],
    chart: Chart,
    kind: str,
    order: Sequence[str],
) -> Chart | None:
    """Return a bar for each engine, divided by name, in the same order in the charts of a kind.

    Args:
        engines: Those that have values.
        values: Of each engine, by name.
        chart: Without series; its summary has a place for the largest name.
        kind: "type" or "precision".
        order: All names in the order in which they are drawn.
    """
    sums: defaultdict[str, float] = defaultdict(float)
    for name, value in chain.from_iterable(of_engine.items() for of_engine in values):
        sums[name] += value
    names = sorted((name for name in sums if sums[name]), key=lambda name: (-sums[name], name))
    if not names:
        return None
    largest = names[0] or NOT_STATED
    # Those that are left out are the smallest, of which the others keep their order.
    names = sorted(names[:_MAX_GROUPS], key=order.index) + names[_MAX_GROUPS:]
    shown, rest = names[:_MAX_GROUPS], set(names[_MAX_GROUPS:])
    titles = tuple(engine.name for engine in engines)
    series = [
        Series(name or NOT_STATED, f"{kind}:{name}", x=_values(values, {name}), y=titles) for name in shown
    ]
    if rest:
        series.append(Series(f"{len(rest)} others", "other", x=_values(values, rest), y=titles))
    summary = chart.summary.replace("{}", largest)
    return replace(chart, summary=summary, series=tuple(series))


def _order(engines: Sequence[ComparedEngine], kind: str) -> list[str]:
    """Return the names of groups in the order of legends; those of one color follow each other."""
    found = {group.name for group in chain.from_iterable(_groups(engine, kind) for engine in engines)}
    names = sorted(found, key=lambda name: (legend_place(f"{kind}:{name}"), name))
    looks = [_look(kind, name) for name in names]
    return sorted(names, key=lambda name: looks.index(_look(kind, name)))


def _look(kind: str, name: str) -> str:
    role = f"{kind}:{name}"
    return palette.color(role) + palette.pattern(role)


def _values(values: Sequence[Mapping[str, float]], names: set[str]) -> tuple[float, ...]:
    """Return the sums of the named values; those of counts are whole numbers."""
    found = [[value for name, value in of_engine.items() if name in names] for of_engine in values]
    return tuple(
        sum(each) if all(isinstance(value, int) for value in each) else math.fsum(each) for each in found
    )


def _percentiles(engines: Sequence[ComparedEngine]) -> Chart | None:
    """Return the upper half of each engine's distribution as a line; far out, where the tail is."""
    series = []
    for number, engine in enumerate(engines[:_MAX_LINES]):
        whole = engine.latency.end_to_end or engine.latency.gpu_compute
        if whole is None:
            continue
        known = {_MIN_PERCENTILE: whole.median_ms}
        known |= {float(rank): time for rank, time in whole.percentiles.items()}
        points = sorted((rank, time) for rank, time in known.items() if _MIN_PERCENTILE <= rank < 100)
        if len(points) > 1:
            series.append(
                Series(
                    engine.name,
                    f"rank:{number}",
                    # 90%, 99% and 99.9% are as far from one another: the tail is what differs.
                    x=tuple(100 / (100 - rank) for rank, _ in points),
                    y=tuple(time for _, time in points),
                    places=tuple(f"p{rank:g}" for rank, _ in points),
                )
            )
    if not series:
        return None
    return Chart(
        "percentiles",
        "line",
        "Latency percentiles",
        "The latency that one query in 2, 10, 100 and so on exceeds.",
        tuple(series),
        x=Axis("Percentile", "", "percentile"),
        y=_MS,
    )


def _memory(engines: Sequence[ComparedEngine]) -> Chart | None:
    figures = [engine.figures for engine in engines]
    if all(each.weights_bytes is None and each.peak_live_bytes is None for each in figures):
        return None
    titles = tuple(engine.name for engine in engines)
    series = (
        Series("weights", "good", x=tuple(each.weights_bytes for each in figures), y=titles),
        Series("peak of live tensors", "accent", x=tuple(each.peak_live_bytes for each in figures), y=titles),
    )
    return Chart(
        "memory",
        "bars",
        "Memory",
        "Weights, and the peak memory of live tensors.",
        series,
        x=Axis("Memory", "bytes"),
    )


def _batches(engines: Sequence[ComparedEngine]) -> Chart | None:
    """Return the time per item over the batch, where batches differ: how well an engine scales."""
    points = sorted(
        (engine.identity.batch, engine.figures.latency_per_item_ms, engine.name)
        for engine in engines
        if engine.identity.batch and engine.figures.latency_per_item_ms is not None
    )
    if len({batch for batch, _, _ in points}) < 2:
        return None
    series = Series(
        "Time per item",
        x=tuple(batch for batch, _, _ in points),
        y=tuple(time for _, time, _ in points),
        labels=tuple(name for _, _, name in points),
    )
    return Chart(
        "batches",
        "points",
        "Time per item, by batch",
        "Median latency divided by the batch.",
        (series,),
        x=Axis("Batch"),
        y=Axis("Time per item", "ms"),
    )


def _shown_points(engine: ComparedEngine) -> list[AccuracyPoint]:
    """Return the rows of the front, none of which is cut off, then the others with the largest error."""
    points = engine.accuracy.points if engine.accuracy else ()
    return sorted(points, key=lambda each: not each.is_best)[:_MAX_POINTS]


def _accuracy(engines: Sequence[ComparedEngine]) -> Chart | None:
    """Return the time that layers save and the error that they add, of the first engine with both."""
    for engine in engines:
        points = _shown_points(engine)
        if len(points) < _MIN_POINTS:
            continue
        groups = (
            ("Other rows", "neutral", [each for each in points if not each.is_best]),
            ("Pareto front", "accent", pareto_front(points)),
        )
        series = tuple(
            Series(
                name,
                role,
                tuple(each.saved_ms for each in group),
                tuple(100 * each.added_error for each in group),
                tuple(each.name for each in group),
                step=role == "accent",
            )
            for name, role, group in groups
            if group
        )
        best = sum(each.is_best for each in points)
        summary = (
            f"{engine.name}: for {counted(best, 'row')} no other one saves more time and adds less error."
        )
        y = Axis("Error added", "%")
        title, x = "Time saved and error added", Axis("Time saved", "ms")
        return Chart("accuracy", "points", title, summary, series, x, y)
    return None
