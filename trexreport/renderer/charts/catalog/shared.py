"""What charts of several sections share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.renderer.charts.chart import Axis, Datum, Series
from trexreport.renderer.legend_order import legend_place
from trexreport.renderer.links import layer_link

#: More bars than this are summed as "others".
MAX_BARS = 15
MS = Axis("Time", "ms")


def timed_layers(analysis: Analysis) -> list[LayerFacts]:
    """Return the layers with a time, in execution order, without no-ops that took none."""
    return [
        layer
        for layer in analysis.layers
        if layer.avg_ms is not None and not (layer.structural and not layer.avg_ms)
    ]


def in_legend_order(series: Iterable[Series]) -> tuple[Series, ...]:
    """Return series in the order of their classes in legends, which is that of the parts of a stack, too."""
    return tuple(sorted(series, key=lambda each: legend_place(each.role)))


def layer_series(
    layers: Sequence[LayerFacts],
    x: Iterable[Datum],
    y: Iterable[Datum],
    name: str = "",
    role: str = "accent",
    **more: Any,
) -> Series:
    """Return a series with one datum for each layer, which has its name and its link."""
    labels = tuple(layer.name for layer in layers)
    links = tuple(layer_link(layer.index) for layer in layers)
    return Series(name, role, x=tuple(x), y=tuple(y), labels=labels, links=links, **more)
