"""What charts of several sections share, and how their marks are limited to what can be seen and clicked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_count
from trexreport.renderer.charts.chart import Axis, Datum, Series
from trexreport.renderer.links import filter_link, layer_link
from trexreport.renderer.palette import legend_place

#: More bars than this are summed as "others".
MAX_BARS = 15
MS = Axis("Time", "ms")

#: Columns need two pixels to be seen and clicked: in a chart of full and of half width.
MAX_COLUMNS, MAX_COLUMNS_OF_HALF = 400, 200
#: More points would hide one another; the slowest layers are drawn.
MAX_POINTS = 400
#: A line needs only its highest and its lowest point per pixel of its width.
MAX_LINE_WINDOWS = 500
#: A segment of a strip with a smaller share is thinner than the gap beside it.
_MIN_SHARE = 0.001


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


@dataclass(frozen=True)
class Run:
    """A group of consecutive layers that share a column, with the range of their indices."""

    first: int
    last: int
    layers: tuple[LayerFacts, ...]

    @property
    def middle(self) -> float:
        """The position of the column."""
        return (self.first + self.last) / 2

    @property
    def link(self) -> str:
        """The link to the table of exactly these layers."""
        return filter_link(f"index>={self.first} index<={self.last}")

    def place(self, what: str, value: Callable[[LayerFacts], float | None]) -> str:
        """Return which layers these are, and the one with the largest value, introduced by `what`."""
        largest = max(self.layers, key=lambda layer: value(layer) or 0.0)
        return f"Layers {self.first} to {self.last}, {what}: {largest.name}"


def runs_of(layers: Sequence[LayerFacts], size: int) -> list[Run]:
    """Divide layers in execution order into runs of `size` indices."""
    members: dict[int, list[LayerFacts]] = {}
    for layer in layers:
        members.setdefault(layer.index // size, []).append(layer)
    return [Run(at * size, (at + 1) * size - 1, tuple(found)) for at, found in members.items()]


def run_size(layers: Sequence[LayerFacts], max_columns: int) -> int:
    """Return how many indices share a column so that `max_columns` columns are enough."""
    return max(1, math.ceil((layers[-1].index + 1) / max_columns)) if layers else 1


def with_rest_summed(
    names: Sequence[str], values: Sequence[float], max_count: int, min_value: float = 0.0
) -> tuple[list[str], list[float], int]:
    """Return the largest values by name, the sum of the rest as "N others", and how many are not summed.

    Args:
        names: Name of each value.
        values: In descending order.
        max_count: How many values are kept at most.
        min_value: Smaller values are summed.
    """
    shown = min(max_count, sum(value >= min_value for value in values))
    if len(values) - shown < 2:
        shown = len(values)
    rest = values[shown:]
    others = [f"{format_count(len(rest))} others"] if rest else []
    return [*names[:shown], *others], [*values[:shown], *([math.fsum(rest)] if rest else [])], shown


def min_segment(values: Sequence[float]) -> float:
    """Return the smallest value that a segment of a strip can show."""
    return math.fsum(values) * _MIN_SHARE


def extremes(
    xs: Sequence[float], ys: Sequence[float], max_windows: int = MAX_LINE_WINDOWS
) -> tuple[tuple[Datum, ...], tuple[Datum, ...], int]:
    """Return the extremes of each window of a line, its two ends, and the number of points per window."""
    size = math.ceil(len(ys) / max_windows)
    if size < 3:
        return tuple(xs), tuple(ys), 1
    kept = {0, len(ys) - 1}
    for start in range(0, len(ys), size):
        window = range(start, min(start + size, len(ys)))
        kept |= {min(window, key=ys.__getitem__), max(window, key=ys.__getitem__)}
    order = sorted(kept)
    return tuple(xs[at] for at in order), tuple(ys[at] for at in order), size
