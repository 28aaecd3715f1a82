"""The time of each layer in execution order, by type and by precision, and the distribution of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median

from trexreport.analyzer.analysis import NOT_STATED, Analysis, LayerFacts, is_order_known
from trexreport.numbers import format_count
from trexreport.renderer.charts.catalog import shared
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.wording.latency import layer_times_sentence
from trexreport.wording.sections import section_sentence

#: More bins would hold a layer or none each.
_MAX_BINS = 40


def by_layer(analysis: Analysis) -> Chart | None:
    """Show the time per layer, colored by type; of many, per group of consecutive layers."""
    layers = shared.timed_layers(analysis)
    if not layers:
        return None
    size = shared.run_size(layers, shared.MAX_COLUMNS)
    series: tuple[Series, ...]
    if size == 1:
        times, roles = (layer.avg_ms for layer in layers), tuple(f"type:{layer.type}" for layer in layers)
        series = (shared.layer_series(layers, (layer.index for layer in layers), times, "Time", roles=roles),)
    else:
        series = _grouped_columns(layers, size, "type", _type)
    order = "execution order" if is_order_known(analysis.layers) else "order in the file"
    return _columns("by-layer", "", section_sentence(analysis, "latency"), series, size, order=order)


def by_layer_precision(analysis: Analysis) -> Chart | None:
    """Show the time per layer, colored by input precision, if there are several of them.

    Of one precision the chart by type shows the same columns.
    """
    layers = shared.timed_layers(analysis)
    if analysis.identity.names_only or len({_precision(layer) for layer in layers}) < 2:
        return None
    # Half as many columns as by type: the page has both.
    size = shared.run_size(layers, shared.MAX_COLUMNS_OF_HALF)
    if size > 1:
        series = _grouped_columns(layers, size, "precision", _precision)
    else:
        names = sorted({_precision(layer) for layer in layers})
        members = {name: [layer for layer in layers if _precision(layer) == name] for name in names}
        series = shared.in_legend_order(
            shared.layer_series(
                found,
                (layer.index for layer in found),
                (layer.avg_ms for layer in found),
                name,
                f"precision:{name}",
            )
            for name, found in members.items()
        )
    summary = "Where in the engine the time of each input precision is."
    return _columns("by-layer-precision", " by input precision", summary, series, size)


def layer_times(analysis: Analysis) -> Chart | None:
    """Show how many layers take how long."""
    times = [layer.avg_ms or 0.0 for layer in shared.timed_layers(analysis)]
    longest = max(times, default=0.0)
    if len(times) < 2 or not 0 < longest < math.inf:
        return None
    count = min(_MAX_BINS, len(times))
    edges = tuple(longest * number / count for number in range(count + 1))
    counts = [0] * count
    for time in times:
        counts[min(int(time / longest * count), count - 1)] += 1
    middle = median(times)
    return Chart(
        "layer-times",
        "histogram",
        "Distribution of layer times",
        layer_times_sentence(times),
        (Series("Layers", x=edges, y=tuple(counts)),),
        x=shared.MS,
        y=Axis("Layers"),
        reference_lines=(ReferenceLine(middle, "median", axis="x"),),
    )


def _type(layer: LayerFacts) -> str:
    return layer.type or NOT_STATED


def _precision(layer: LayerFacts) -> str:
    return layer.precision or NOT_STATED


def _columns(
    key: str,
    what: str,
    summary: str,
    series: tuple[Series, ...],
    size: int,
    *,
    order: str = "execution order",
) -> Chart:
    """Return columns of layers, or of groups of `size` consecutive layers."""
    title = f"Time per layer{what}"
    if size > 1:
        title = f"Time per group of {format_count(size)} layers{what}"
        summary += f" Each column is the sum of {format_count(size)} consecutive layers."
    x = Axis(f"Layer ({order})")
    return Chart(key, "columns", title, summary, series, x=x, y=shared.MS, shares=True)


def _grouped_columns(
    layers: Sequence[LayerFacts], size: int, role: str, name_of: Callable[[LayerFacts], str]
) -> tuple[Series, ...]:
    """Return columns of runs of layers, each divided by name, in the order of the legend from the bottom."""
    times: dict[str, dict[int, float]] = {}
    runs = shared.runs_of(layers, size)
    for at, run in enumerate(runs):
        for layer in run.layers:
            of_name = times.setdefault(name_of(layer), {})
            of_name[at] = of_name.get(at, 0.0) + (layer.avg_ms or 0.0)
    places = [run.place("slowest", lambda layer: layer.avg_ms) for run in runs]
    return shared.in_legend_order(
        Series(
            name,
            f"{role}:{name}",
            x=tuple(runs[at].middle for at in times[name]),
            y=tuple(times[name].values()),
            places=tuple(places[at] for at in times[name]),
            links=tuple(runs[at].link for at in times[name]),
        )
        for name in sorted(times)
    )
