"""Draw no more than can be seen and aimed at: what is small or close together is added up, and said so."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import LayerFacts
from trexreport.numbers import format_count
from trexreport.renderer.charts.chart import Datum
from trexreport.renderer.links import filter_link

#: Columns narrower than two pixels can neither be told apart nor hit: over the whole page, and half of it.
MOST_COLUMNS, MOST_COLUMNS_OF_HALF = 400, 200
#: More points than this cover one another; those with the most time are drawn.
MOST_POINTS = 400
#: A line needs no more than its highest and lowest point in each pixel of its width.
MOST_LINE_WINDOWS = 500
#: A segment of a strip below this share is thinner than the gap beside it.
_THINNEST_SHARE = 0.001


@dataclass(frozen=True)
class Run:
    """Layers that follow one another and share a column, with the indices that the column stands for."""

    first: int
    last: int
    layers: tuple[LayerFacts, ...]

    @property
    def middle(self) -> float:
        """Where the column stands."""
        return (self.first + self.last) / 2

    @property
    def link(self) -> str:
        """The table of exactly these layers."""
        return filter_link(f"index>={self.first} index<={self.last}")

    def place(self, what: str, value: Callable[[LayerFacts], float | None]) -> str:
        """Say which layers these are, and which stands out."""
        most = max(self.layers, key=lambda layer: value(layer) or 0.0)
        return f"Layers {self.first} to {self.last}, {what} {most.name}"


def runs_of(layers: Sequence[LayerFacts], size: int) -> list[Run]:
    """Cut layers in execution order into runs of so many indices."""
    members: dict[int, list[LayerFacts]] = {}
    for layer in layers:
        members.setdefault(layer.index // size, []).append(layer)
    return [Run(at * size, (at + 1) * size - 1, tuple(found)) for at, found in members.items()]


def run_size(layers: Sequence[LayerFacts], most: int) -> int:
    """Return how many indices must share a column for `most` columns to be enough."""
    return max(1, math.ceil((layers[-1].index + 1) / most)) if layers else 1


def added_up(
    names: Sequence[str], values: Sequence[float], most: int, least: float = 0.0
) -> tuple[list[str], list[float], int]:
    """Return the first names and values, and the rest as one "N others"; and how many stand for themselves.

    `values` descend. Those below `least` belong to the rest, and no more than `most` stay by themselves.
    """
    shown = min(most, sum(value >= least for value in values))
    if len(values) - shown < 2:
        shown = len(values)
    rest = values[shown:]
    others = [f"{format_count(len(rest))} others"] if rest else []
    return [*names[:shown], *others], [*values[:shown], *([math.fsum(rest)] if rest else [])], shown


def thinnest(values: Sequence[float]) -> float:
    """Return the value below which a segment of a strip is too thin."""
    return math.fsum(values) * _THINNEST_SHARE


def extremes(
    xs: Sequence[float], ys: Sequence[float], most: int = MOST_LINE_WINDOWS
) -> tuple[tuple[Datum, ...], tuple[Datum, ...], int]:
    """Return the highest and the lowest point of every few of a line, its two ends, and how many "few" is."""
    size = math.ceil(len(ys) / most)
    if size < 3:
        return tuple(xs), tuple(ys), 1
    kept = {0, len(ys) - 1}
    for start in range(0, len(ys), size):
        window = range(start, min(start + size, len(ys)))
        kept |= {min(window, key=ys.__getitem__), max(window, key=ys.__getitem__)}
    order = sorted(kept)
    return tuple(xs[at] for at in order), tuple(ys[at] for at in order), size
