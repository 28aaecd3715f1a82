"""The figures of each engine, and their difference from the baseline's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Figures
from trexreport.numbers import format_count, format_ms, format_number
from trexreport.wording.comparison import at_least, signed_percent


@dataclass(frozen=True)
class Cell:
    """A figure and how it differs from the baseline's."""

    text: str
    change: str = ""


@dataclass(frozen=True)
class _Column:
    """A figure of an engine.

    Attributes:
        title: What it is.
        write: Returns it as text.
        field: Of `Figures`, by which engines are compared; empty for none.
        unknown: Field that counts what is not known of it: a part is not compared with a part.
    """

    title: str
    write: Callable[[Figures], str]
    field: str = ""
    unknown: str = ""


def _reformats(figures: Figures) -> str:
    count = format_count(figures.reformats)
    has_time = figures.reformats and figures.reformat_ms is not None
    return f"{count}, {format_ms(figures.reformat_ms)}" if has_time else count


_COLUMNS = (
    _Column("Median latency", lambda found: format_ms(found.latency_ms), "latency_ms"),
    _Column("p99 latency", lambda found: format_ms(found.latency_p99_ms), "latency_p99_ms"),
    _Column("Per item", lambda found: format_ms(found.latency_per_item_ms), "latency_per_item_ms"),
    _Column("Throughput (qps)", lambda found: format_number(found.throughput_qps), "throughput_qps"),
    _Column("Total layer time", lambda found: format_ms(found.layer_sum_ms), "layer_sum_ms"),
    _Column("Layers", lambda found: format_count(found.layers), "layers"),
    _Column("Reformats", _reformats),
    _Column(
        "Weights",
        lambda found: at_least(found.weights_bytes, found.weights_unknown),
        "weights_bytes",
        "weights_unknown",
    ),
    _Column(
        "Live tensors",
        lambda found: at_least(found.peak_live_bytes, found.activations_unknown),
        "peak_live_bytes",
        "activations_unknown",
    ),
)
FIGURE_TITLES = tuple(column.title for column in _COLUMNS)


def figure_rows(comparison: Comparison) -> list[tuple[ComparedEngine, list[Cell]]]:
    """Return the figures of each engine, in the order of `FIGURE_TITLES`."""
    baseline = comparison.engines[comparison.baseline].figures
    return [
        (
            engine,
            [
                _cell(column, engine.figures, None if index == comparison.baseline else baseline)
                for column in _COLUMNS
            ],
        )
        for index, engine in enumerate(comparison.engines)
    ]


def _cell(column: _Column, figures: Figures, baseline: Figures | None) -> Cell:
    text = column.write(figures)
    if baseline is None or not column.field:
        return Cell(text)
    if column.unknown and (getattr(figures, column.unknown) or getattr(baseline, column.unknown)):
        return Cell(text)
    return Cell(text, signed_percent(getattr(figures, column.field), getattr(baseline, column.field)))
