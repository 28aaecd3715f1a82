"""Layer time: by type, precision and tactic; cumulative; of single iterations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from trexreport.analyzer.analysis import NOT_STATED, Analysis, Group, LayerFacts, slowest_first
from trexreport.numbers import format_count
from trexreport.renderer.charts.catalog import shared
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.renderer.links import filter_link, layer_link, term
from trexreport.wording.sections import section_sentence

_MAX_TILES = 300
_MAX_TYPES = 24


def _grouped(analysis: Analysis, groups: Sequence[Group], key: str, title: str, role: str) -> Chart | None:
    """Return bars of time by group, slowest first; the rest is summed."""
    timed = [group for group in groups if group.time_ms]
    if not timed:
        return None
    names, values, shown = shared.with_rest_summed(
        [group.name for group in timed], [group.time_ms or 0.0 for group in timed], shared.MAX_BARS
    )
    roles = [f"{role}:{name}" if role in ("type", "precision") else role for name in names[:shown]]
    roles += ["neutral"] * (len(names) - shown)
    series = Series(x=tuple(values), y=tuple(names), roles=tuple(roles))
    summary = f"{names[0]} takes the most time."
    return Chart(
        key, "bars", title, summary, (series,), x=shared.MS, shares=True, whole=analysis.latency.layer_sum_ms
    )


def by_type(analysis: Analysis) -> Chart | None:
    """Show the time by layer type."""
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_type, "by-type", "Time by layer type", "type")


def by_operation(analysis: Analysis) -> Chart | None:
    """Show the time by what layers compute as their names show it; where types are known there is none."""
    return _grouped(
        analysis, analysis.by_operation, "by-operation", "Time by operation in the name", "accent"
    )


def by_precision(analysis: Analysis) -> Chart | None:
    """Show the time by input precision."""
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_precision, "by-precision", "Time by input precision", "precision")


def by_tactic(analysis: Analysis) -> Chart | None:
    """Show the time by tactic."""
    if not any(layer.tactic for layer in analysis.layers):
        return None
    return _grouped(analysis, analysis.by_tactic, "by-tactic", "Time by tactic", "accent")


def cumulative(analysis: Analysis) -> Chart | None:
    """Show the cumulative time of the layers, slowest first."""
    times = sorted((layer.avg_ms or 0.0 for layer in shared.timed_layers(analysis)), reverse=True)
    total = math.fsum(times)
    if not total or len(times) == 1:
        return None
    shares = [min(100.0, 100 * running / total) for running in accumulate(times)]
    ranks, shown, _ = shared.extremes(range(1, len(shares) + 1), shares)
    series = Series("Cumulative time", x=ranks, y=shown, step=True)
    return Chart(
        "cumulative",
        "line",
        "Cumulative layer time",
        section_sentence(analysis, "layers"),
        (series,),
        x=Axis("Layers, slowest first"),
        y=Axis("Cumulative time", "%"),
        reference_lines=(ReferenceLine(50.0, "50%"),),
    )


def treemap(analysis: Analysis) -> Chart | None:
    """Show layer time as areas grouped by type; layers too small to see are one area of their type."""
    layers = [layer for layer in shared.timed_layers(analysis) if layer.avg_ms]
    if not layers:
        return None
    layers = slowest_first(layers)
    members: dict[str, list[LayerFacts]] = {group.name: [] for group in analysis.by_type}
    for layer in layers:
        members.setdefault(layer.type or NOT_STATED, []).append(layer)
    ranks = {layer.index: rank for rank, layer in enumerate(layers)}
    series = tuple(
        _tiles(name, found, sum(ranks[layer.index] < _MAX_TILES for layer in found))
        for name, found in members.items()
        if found
    )
    summary = "Each area is the time of a layer, grouped by type."
    if len(layers) > _MAX_TILES:
        count = format_count(len(layers))
        summary += (
            f" The {_MAX_TILES} slowest of {count} layers have their own area; the others are summed by type."
        )
    return Chart("treemap", "treemap", "Layer time by type", summary, series, x=shared.MS, shares=True)


def _tiles(name: str, layers: list[LayerFacts], max_tiles: int) -> Series:
    """Return the areas of one type: its slowest layers, and the sum of the others."""
    labels, times, shown = shared.with_rest_summed(
        [layer.name for layer in layers], [layer.avg_ms or 0.0 for layer in layers], max_tiles
    )
    links = [layer_link(layer.index) for layer in layers[:shown]]
    links += [filter_link(term("type", name))] * (len(labels) - shown)
    return Series(name, f"type:{name}", x=tuple(times), labels=tuple(labels), links=tuple(links))


def samples(analysis: Analysis) -> Chart | None:
    """Show percentiles of the slowest layers where the profile has the time of every iteration."""
    layers = [layer for layer in analysis.layers if layer.spread_ms]
    slowest = slowest_first(layers)[:40]
    if not slowest:
        return None
    ranks = ("p10", "median", "p90", "p99")
    series = tuple(
        shared.layer_series(
            slowest,
            range(1, len(slowest) + 1),
            (layer.spread_ms[position] for layer in slowest if layer.spread_ms),
            rank,
            f"rank:{position}",
        )
        for position, rank in enumerate(ranks)
    )
    return Chart(
        "samples",
        "points",
        "Iteration times of the slowest layers",
        "p10, median, p90 and p99 of each of the slowest layers.",
        series,
        x=Axis("Layers, slowest first"),
        y=shared.MS,
    )
