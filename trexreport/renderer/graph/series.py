"""Say in a line what repeats in an engine, and what is unlike the rest of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis, Series
from trexreport.numbers import format_count, format_ms, middle_ellipsis
from trexreport.renderer.links import layer_link
from trexreport.wording.blocks import block_difference

_MOST_SERIES = 3
_MOST_ODD = 4
_LABEL_CHARACTERS = 60


@dataclass(frozen=True)
class SeriesLine:
    """A line about blocks that repeat.

    Attributes:
        text: What repeats and what it costs.
        odd: Link and wording of those that differ.
        more: What follows them.
    """

    text: str
    odd: tuple[tuple[str, str], ...]
    more: str


def series_lines(analysis: Analysis) -> list[SeriesLine]:
    """Return a line for each of the series that cost most."""
    series = [each for each in analysis.blocks.series if len(each.members) > 1]
    series.sort(key=lambda each: -(each.median_ms or 0.0) * len(each.members))
    labels = Counter(each.label for each in series)
    return [_line(analysis, each, _name(analysis, each, labels)) for each in series[:_MOST_SERIES]]


def _name(analysis: Analysis, series: Series, labels: Mapping[str, int]) -> str:
    """Return what repeats; of several series of one name also the module that it is in."""
    around = analysis.blocks.items[series.parent]
    inside = around.path or around.label
    return series.label if labels[series.label] == 1 or not inside else f"{inside}/{series.label}"


def _line(analysis: Analysis, series: Series, name: str) -> SeriesLine:
    text = f"{format_count(len(series.members))} × {middle_ellipsis(name, _LABEL_CHARACTERS)}"
    if series.median_ms is not None:
        text += f", {format_ms(series.median_ms)} each"
    if not series.odd:
        return SeriesLine(f"{text}, all alike.", (), "")
    blocks = [analysis.blocks.items[block] for block in series.odd]
    shown = tuple(
        (
            layer_link(block.ranges[0][0]),
            f"{middle_ellipsis(block.label, _LABEL_CHARACTERS)} ({block_difference(block.differs[0])})",
        )
        for block in blocks[:_MOST_ODD]
    )
    rest = len(blocks) - len(shown)
    more = f" and {format_count(rest)} more." if rest else "."
    return SeriesLine(f"{text}; unlike the others: ", shown, more)
