"""What takes how long: by layer, type, precision, tactic."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import NOT_STATED, Analysis, Group, LayerFacts
from trexreport.renderer.charts.catalog.shared import MOST_BARS, MS
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.renderer.links import filter_link, layer_link, term

_MOST_TILES = 1000
_MOST_SEGMENTS = 6


def _timed(analysis: Analysis) -> list[LayerFacts]:
    return [
        layer
        for layer in analysis.layers
        if layer.time_ms is not None and not (layer.structural and not layer.time_ms)
    ]


def strip(analysis: Analysis) -> Chart | None:
    """Show the first screen's bar: time by type, or by layer where no types are known."""
    if analysis.identity.names_only:
        return _strip_of_layers(analysis)
    groups = [group for group in analysis.by_type if group.time_ms]
    if not groups:
        return None
    series = Series(
        x=tuple(group.time_ms for group in groups),
        labels=tuple(group.name for group in groups),
        roles=tuple(f"type:{group.name}" for group in groups),
        links=tuple(filter_link(term("type", group.name)) for group in groups),
    )
    summary = analysis.sentences["latency"]
    return Chart("strip", "strip", "Time by layer type", summary, (series,), x=MS, shares=True)


def _strip_of_layers(analysis: Analysis) -> Chart | None:
    layers = sorted(_timed(analysis), key=lambda layer: -(layer.time_ms or 0.0))
    shown, rest = layers[:_MOST_SEGMENTS], layers[_MOST_SEGMENTS:]
    if not any(layer.time_ms for layer in shown):
        return None
    others = sum(layer.time_ms or 0.0 for layer in rest)
    series = Series(
        x=(*(layer.time_ms for layer in shown), *([others] if rest else [])),
        labels=(
            *(layer.name for layer in shown),
            *([f"{len(rest)} others" if len(rest) > 1 else rest[0].name] if rest else []),
        ),
        roles=(*(f"rank:{rank}" for rank in range(len(shown))), *(["neutral"] if rest else [])),
        links=(*(layer_link(layer.index) for layer in shown), *([""] if rest else [])),
    )
    summary = analysis.sentences["latency"]
    return Chart("strip", "strip", "Time by layer", summary, (series,), x=MS, shares=True)


def by_layer(analysis: Analysis) -> Chart | None:
    """Show the time of each layer in execution order."""
    layers = _timed(analysis)
    if not layers:
        return None
    series = Series(
        name="Time",
        x=tuple(layer.index for layer in layers),
        y=tuple(layer.time_ms for layer in layers),
        labels=tuple(layer.name for layer in layers),
        links=tuple(layer_link(layer.index) for layer in layers),
        roles=tuple(f"type:{layer.type}" for layer in layers),
    )
    return Chart(
        "by-layer",
        "columns",
        "Time of each layer in execution order",
        analysis.sentences["latency"],
        (series,),
        x=Axis("Layer, in execution order"),
        y=MS,
        shares=True,
    )


def _grouped(analysis: Analysis, groups: Sequence[Group], key: str, title: str, role: str) -> Chart | None:
    """Return bars of time by group, the most expensive first; the rest is added up."""
    timed = [group for group in groups if group.time_ms]
    if not timed:
        return None
    shown, rest = timed[:MOST_BARS], timed[MOST_BARS:]
    names = [group.name for group in shown]
    values = [group.time_ms or 0.0 for group in shown]
    roles = [f"{role}:{group.name}" if role in ("type", "precision") else role for group in shown]
    if rest:
        names.append(f"{len(rest)} others" if len(rest) > 1 else rest[0].name)
        values.append(sum(group.time_ms or 0.0 for group in rest))
        roles.append("neutral")
    series = Series(x=tuple(values), y=tuple(names), roles=tuple(roles))
    summary = f"{names[0]} takes most."
    return Chart(
        key, "bars", title, summary, (series,), x=MS, shares=True, whole=analysis.latency.layer_sum_ms
    )


def by_type(analysis: Analysis) -> Chart | None:
    """Show the time by layer type."""
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_type, "by-type", "Time by layer type", "type")


def by_precision(analysis: Analysis) -> Chart | None:
    """Show the time by input precision."""
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_precision, "by-precision", "Time by input precision", "precision")


def by_tactic(analysis: Analysis) -> Chart | None:
    """Show the time by tactic, which is the name of the kernel."""
    if not any(layer.tactic for layer in analysis.layers):
        return None
    return _grouped(analysis, analysis.by_tactic, "by-tactic", "Time by tactic (kernel)", "accent")


def cumulative(analysis: Analysis) -> Chart | None:
    """Show how few layers take most of the time."""
    times = sorted((layer.time_ms or 0.0 for layer in _timed(analysis)), reverse=True)
    total = sum(times)
    if not total:
        return None
    shares = []
    running = 0.0
    for time in times:
        running += time
        shares.append(min(100.0, 100 * running / total))
    series = Series("Share", x=tuple(range(1, len(shares) + 1)), y=tuple(shares), step=True)
    return Chart(
        "cumulative",
        "line",
        "How few layers take most of the time",
        analysis.sentences["layers"],
        (series,),
        x=Axis("Slowest layers"),
        y=Axis("Share of the time", "%"),
        reference_lines=(ReferenceLine(50.0, "half"),),
    )


def treemap(analysis: Analysis) -> Chart | None:
    """Show the time of layers as areas, grouped by type."""
    layers = [layer for layer in _timed(analysis) if layer.time_ms]
    if not layers:
        return None
    layers.sort(key=lambda layer: -(layer.time_ms or 0.0))
    members: dict[str, list[LayerFacts]] = {group.name: [] for group in analysis.by_type}
    for layer in layers[:_MOST_TILES]:
        members.setdefault(layer.type or NOT_STATED, []).append(layer)
    series = tuple(
        Series(
            name=name,
            role=f"type:{name}",
            x=tuple(layer.time_ms for layer in found),
            labels=tuple(layer.name for layer in found),
            links=tuple(layer_link(layer.index) for layer in found),
        )
        for name, found in members.items()
        if found
    )
    summary = "Each area is a layer's time, grouped by type."
    if len(layers) > _MOST_TILES:
        summary += f" The {_MOST_TILES} slowest of {len(layers)} are shown."
    return Chart("treemap", "treemap", "Time of layers by type", summary, series, x=MS, shares=True)


def samples(analysis: Analysis) -> Chart | None:
    """Show the spread of the slowest layers where the profile has every iteration."""
    layers = [layer for layer in analysis.layers if layer.spread_ms]
    slowest = sorted(layers, key=lambda layer: -(layer.time_ms or 0.0))[:40]
    if not slowest:
        return None
    ranks = ("10th percentile", "median", "90th percentile", "99th percentile")
    series = tuple(
        Series(
            rank,
            f"rank:{position}",
            x=tuple(range(1, len(slowest) + 1)),
            y=tuple(layer.spread_ms[position] for layer in slowest if layer.spread_ms),
            labels=tuple(layer.name for layer in slowest),
            links=tuple(layer_link(layer.index) for layer in slowest),
        )
        for position, rank in enumerate(ranks)
    )
    return Chart(
        "samples",
        "points",
        "Spread of the slowest layers over the iterations",
        "Four percentiles of each of the slowest layers.",
        series,
        x=Axis("Slowest layers"),
        y=MS,
    )
