"""Lines on the repeated blocks of an engine, and which of them differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.blocks import Series
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_count, format_ms, middle_ellipsis
from trexreport.renderer.links import layer_link
from trexreport.wording.blocks import block_difference

_MAX_SERIES = 3
_MAX_ODD = 4
_LABEL_CHARACTERS = 60


@dataclass(frozen=True)
class SeriesLine:
    """A line about blocks that repeat.

    Attributes:
        text: The repeated block and its time.
        odd: Link and label of those that differ.
        more: The end of the line.
    """

    text: str
    odd: tuple[tuple[str, str], ...]
    more: str


def series_lines(analysis: Analysis) -> list[SeriesLine]:
    """Return a line for each of the slowest series."""
    series = [each for each in analysis.blocks.series if len(each.members) > 1]
    series.sort(key=lambda each: -(each.median_ms or 0.0) * len(each.members))
    labels = Counter(each.label for each in series)
    return [_line(analysis, each, _name(analysis, each, labels)) for each in series[:_MAX_SERIES]]


def _name(analysis: Analysis, series: Series, labels: Mapping[str, int]) -> str:
    """Return the name of a series, with its module where several series have the same name."""
    around = analysis.blocks.items[series.parent]
    inside = around.path or around.label
    return series.label if labels[series.label] == 1 or not inside else f"{inside}/{series.label}"


def _line(analysis: Analysis, series: Series, name: str) -> SeriesLine:
    text = f"{format_count(len(series.members))} × {middle_ellipsis(name, _LABEL_CHARACTERS)}"
    if series.median_ms is not None:
        text += f", {format_ms(series.median_ms)} each"
    if not series.odd:
        return SeriesLine(f"{text}, all identical.", (), "")
    blocks = [analysis.blocks.items[block] for block in series.odd]
    shown = tuple(
        (
            layer_link(block.ranges[0][0]),
            f"{middle_ellipsis(block.label, _LABEL_CHARACTERS)} ({block_difference(block.differs[0])})",
        )
        for block in blocks[:_MAX_ODD]
    )
    rest = len(blocks) - len(shown)
    more = f", {format_count(rest)} more." if rest else "."
    return SeriesLine(f"{text}; differing: ", shown, more)
