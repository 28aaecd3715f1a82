"""The charts of a report, as neutral descriptions made from an analysis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis import NOT_STATED, Analysis, Group, LayerFacts
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.renderer.links import filter_link, layer_link, term

_MOST_BARS = 15
_MOST_TILES = 1000
_MOST_SEGMENTS = 6
_MS = Axis("Time", "ms")


def report_charts(analysis: Analysis) -> dict[str, Chart]:
    """Return the charts that this analysis has data for, by key."""
    makers: tuple[Callable[[Analysis], Chart | None], ...] = (
        _strip,
        _by_layer,
        _by_type,
        _by_precision,
        _by_tactic,
        _cumulative,
        _treemap,
        _type_and_precision,
        _precision_in_and_out,
        _live_memory,
        _footprint,
        _largest_tensors,
        _roof,
        _reformat_conversions,
        _queries,
        _distribution,
        _samples,
    )
    made = (make(analysis) for make in makers)
    return {chart.key: chart for chart in made if chart is not None}


def _timed(analysis: Analysis) -> list[LayerFacts]:
    return [
        layer
        for layer in analysis.layers
        if layer.time_ms is not None and not (layer.structural and not layer.time_ms)
    ]


def _strip(analysis: Analysis) -> Chart | None:
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
    return Chart("strip", "strip", "Time by layer type", summary, (series,), x=_MS, shares=True)


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
    return Chart("strip", "strip", "Time by layer", summary, (series,), x=_MS, shares=True)


def _by_layer(analysis: Analysis) -> Chart | None:
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
        y=_MS,
        shares=True,
    )


def _grouped(analysis: Analysis, groups: Sequence[Group], key: str, title: str, role: str) -> Chart | None:
    """Return bars of time by group, the most expensive first; the rest is added up."""
    timed = [group for group in groups if group.time_ms]
    if not timed:
        return None
    shown, rest = timed[:_MOST_BARS], timed[_MOST_BARS:]
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
        key, "bars", title, summary, (series,), x=_MS, shares=True, whole=analysis.latency.layer_sum_ms
    )


def _by_type(analysis: Analysis) -> Chart | None:
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_type, "by-type", "Time by layer type", "type")


def _by_precision(analysis: Analysis) -> Chart | None:
    if analysis.identity.names_only:
        return None
    return _grouped(analysis, analysis.by_precision, "by-precision", "Time by input precision", "precision")


def _by_tactic(analysis: Analysis) -> Chart | None:
    if not any(layer.tactic for layer in analysis.layers):
        return None
    return _grouped(analysis, analysis.by_tactic, "by-tactic", "Time by tactic (kernel)", "accent")


def _cumulative(analysis: Analysis) -> Chart | None:
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


def _treemap(analysis: Analysis) -> Chart | None:
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
    return Chart("treemap", "treemap", "Time of layers by type", summary, series, x=_MS, shares=True)


def _type_and_precision(analysis: Analysis) -> Chart | None:
    if analysis.identity.names_only or not analysis.by_type_and_precision:
        return None
    types = [group.name for group in analysis.by_type][:_MOST_BARS]
    precisions = [group.name for group in analysis.by_precision]
    counts = {(each.type, each.precision): each.group.count for each in analysis.by_type_and_precision}
    series = tuple(
        Series(
            precision,
            f"precision:{precision}",
            x=tuple(counts.get((name, precision), 0) for name in types),
            y=tuple(types),
        )
        for precision in precisions
    )
    summary = "How many layers of each type read each precision."
    return Chart(
        "type-precision", "bars", "Layers by type and input precision", summary, series, x=Axis("Layers")
    )


def _precision_in_and_out(analysis: Analysis) -> Chart | None:
    if analysis.identity.names_only or not analysis.by_precision:
        return None
    names = list(
        dict.fromkeys(group.name for group in (*analysis.by_precision, *analysis.by_output_precision))
    )
    found = {
        "Input": {group.name: group.count for group in analysis.by_precision},
        "Output": {group.name: group.count for group in analysis.by_output_precision},
    }
    series = tuple(
        Series(
            name,
            f"precision:{name}",
            x=tuple(found[side].get(name, 0) for side in found),
            y=tuple(found),
        )
        for name in names
    )
    summary = "How many layers read and write each precision."
    return Chart(
        "precision-in-out", "bars", "Layers by input and output precision", summary, series, x=Axis("Layers")
    )


def _live_memory(analysis: Analysis) -> Chart | None:
    live = analysis.memory.live_bytes
    if not live or not max(live):
        return None
    series = Series("Live", x=tuple(range(len(live))), y=tuple(live), step=True)
    return Chart(
        "live-memory",
        "line",
        "Tensors alive while each layer runs",
        analysis.sentences["memory"],
        (series,),
        x=Axis("Layer, in execution order"),
        y=Axis("Alive", "bytes"),
    )


def _footprint(analysis: Analysis) -> Chart | None:
    """Show what each layer reads, writes and owns."""
    layers = [layer for layer in analysis.layers if layer.moved_bytes]
    if not layers:
        return None
    parts = {
        "Inputs": [layer.input_bytes for layer in layers],
        "Outputs": [layer.output_bytes for layer in layers],
        "Weights": [layer.weights_bytes for layer in layers],
    }
    series = tuple(
        Series(
            name,
            role,
            x=tuple(layer.index for layer in layers),
            y=tuple(values),
            labels=tuple(layer.name for layer in layers),
            links=tuple(layer_link(layer.index) for layer in layers),
        )
        for (name, values), role in zip(parts.items(), ("accent", "neutral", "good"), strict=True)
        if any(values)
    )
    return Chart(
        "footprint",
        "columns",
        "Bytes that each layer moves",
        "Inputs, outputs and weights of each layer.",
        series,
        x=Axis("Layer, in execution order"),
        y=Axis("Moved", "bytes"),
    )


def _largest_tensors(analysis: Analysis) -> Chart | None:
    sized = [tensor for tensor in analysis.tensors if tensor.size_bytes and tensor.alias_of is None]
    largest = sorted(sized, key=lambda tensor: (-(tensor.size_bytes or 0), tensor.name))[:10]
    if not largest:
        return None
    series = Series(
        x=tuple(tensor.size_bytes for tensor in largest),
        y=tuple(_distinct([tensor.name for tensor in largest])),
        roles=tuple(f"precision:{tensor.data_type}" for tensor in largest),
    )
    summary = f"The ten largest of {len(sized)} tensors."
    return Chart("largest-tensors", "bars", "Largest tensors", summary, (series,), x=Axis("Size", "bytes"))


def _distinct(names: list[str]) -> list[str]:
    """Number names that occur again, as bars need one name each."""
    seen: dict[str, int] = {}
    result = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        result.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return result


def _roof(analysis: Analysis) -> Chart | None:
    layers = [layer for layer in analysis.layers if layer.work and layer.work.intensity and layer.work.tflops]
    if not layers:
        return None
    series = Series(
        "Layers",
        x=tuple(layer.work.intensity for layer in layers if layer.work),
        y=tuple(layer.work.tflops for layer in layers if layer.work),
        labels=tuple(layer.name for layer in layers),
        links=tuple(layer_link(layer.index) for layer in layers),
        roles=tuple(f"precision:{layer.precision}" for layer in layers),
    )
    return Chart(
        "intensity",
        "points",
        "Achieved speed over arithmetic intensity",
        "Each point is a layer: its speed over the operations that it does for each byte it moves.",
        (series,),
        x=Axis("Arithmetic intensity", "FLOP/byte", "log"),
        y=Axis("Achieved", "TFLOP/s", "log"),
    )


def _reformat_conversions(analysis: Analysis) -> Chart | None:
    times: dict[str, float] = {}
    for reformat in analysis.reformats:
        label = f"{reformat.before} → {reformat.after}"
        times[label] = times.get(label, 0.0) + (reformat.time_ms or 0.0)
    shown = sorted(
        ((time, name) for name, time in times.items() if time), key=lambda item: (-item[0], item[1])
    )
    if not shown:
        return None
    series = Series(
        role="type:Reformat",
        x=tuple(time for time, _ in shown[:_MOST_BARS]),
        y=tuple(name for _, name in shown[:_MOST_BARS]),
    )
    whole = analysis.latency.layer_sum_ms
    summary = analysis.sentences["reformats"]
    return Chart(
        "reformats", "bars", "Time by what is converted", summary, (series,), x=_MS, shares=True, whole=whole
    )


def _queries(analysis: Analysis) -> Chart | None:
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("GPU time", x=tuple(stability.positions), y=tuple(stability.times_ms))
    found = stability.percentiles
    lines = [ReferenceLine(found.median_ms, "median")]
    if found.p99_ms is not None:
        lines.append(ReferenceLine(found.p99_ms, "99 %"))
    return Chart(
        "queries",
        "points",
        "GPU time of each query",
        analysis.sentences["timing"],
        (series,),
        x=Axis("Query"),
        y=_MS,
        reference_lines=tuple(lines),
    )


def _distribution(analysis: Analysis) -> Chart | None:
    stability = analysis.stability
    if stability is None or stability.queries < 2:
        return None
    series = Series("Queries", x=tuple(stability.histogram_edges_ms), y=tuple(stability.histogram_counts))
    beyond = f" The last bin also holds {stability.outliers} slower ones." if stability.outliers else ""
    return Chart(
        "distribution",
        "histogram",
        "Distribution of GPU time",
        f"How many queries took how long.{beyond}",
        (series,),
        x=_MS,
        y=Axis("Queries"),
        reference_lines=(ReferenceLine(stability.percentiles.median_ms, "median", axis="x"),),
    )


def _samples(analysis: Analysis) -> Chart | None:
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
        y=_MS,
    )
