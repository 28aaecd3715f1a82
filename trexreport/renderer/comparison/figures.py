"""The figures of each engine, and their difference from the baseline's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Figures
from trexreport.analyzer.analysis.contradictions import FigureGroup
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, format_bytes, format_count, format_ms, format_rate
from trexreport.wording.comparison import signed_percent
from trexreport.wording.contradictions import contradicted_figures


@dataclass(frozen=True)
class Cell:
    """A figure and how it differs from the baseline's."""

    text: str
    change: str = ""


@dataclass(frozen=True)
class FigureColumn:
    """A figure of an engine.

    Attributes:
        title: What it is.
        field: Of `Figures`.
        write: Returns it as text.
        unknown: Field that counts what is not known of it: a part is not compared with a part.
        time: Field with the time of what it counts, which is shown beside it; such a figure is not compared.
        rests_on: It is not compared where files contradict each other in this.
    """

    title: str
    field: str
    write: Callable[[float | None], str] = format_ms
    unknown: str = ""
    time: str = ""
    rests_on: FigureGroup = "query-times"


FIGURES = (
    FigureColumn("Median latency", "latency_ms"),
    FigureColumn("p99 latency", "latency_p99_ms"),
    FigureColumn("Per item", "latency_per_item_ms"),
    FigureColumn("Throughput (qps)", "throughput_qps", format_rate),
    FigureColumn("Median enqueue time", "enqueue_ms"),
    FigureColumn("Transfers", "transfers_ms"),
    FigureColumn("Total layer time", "layer_sum_ms", rests_on="layer-times"),
    FigureColumn("Layers", "layers", format_count, rests_on="layers"),
    FigureColumn("Reformats", "reformats", format_count, time="reformat_ms", rests_on="layers"),
    FigureColumn("Weights", "weights_bytes", format_bytes, unknown="weights_unknown", rests_on="layers"),
    FigureColumn(
        "Live tensors", "peak_live_bytes", format_bytes, unknown="activations_unknown", rests_on="layers"
    ),
)
#: The same with the GPU compute time, which is judged.
FIGURES_WITH_COMPUTE = (*FIGURES[:2], FigureColumn("Median GPU compute time", "compute_ms"), *FIGURES[2:])
_NOT_ALWAYS = frozenset({"enqueue_ms", "transfers_ms"})


def stated_figures(
    comparison: Comparison, columns: Sequence[FigureColumn] = FIGURES
) -> Sequence[FigureColumn]:
    """Return the columns without times of the host and of transfers that no engine states."""
    figures = [engine.figures for engine in comparison.engines]
    return [
        column
        for column in columns
        if column.field not in _NOT_ALWAYS or any(getattr(each, column.field) is not None for each in figures)
    ]


def figure_rows(
    comparison: Comparison, columns: Sequence[FigureColumn] = FIGURES
) -> list[tuple[ComparedEngine, list[Cell]]]:
    """Return the figures of each engine, in the order of the columns."""
    baseline = comparison.engines[comparison.baseline]
    return [
        (engine, [_cell(column, engine, baseline) for column in columns]) for engine in comparison.engines
    ]


def _cell(column: FigureColumn, engine: ComparedEngine, baseline: ComparedEngine) -> Cell:
    cell = _compared(column, engine.figures, baseline.figures)
    if cell.text == MISSING:
        return cell
    if note := contradicted_figures(engine.contradictions)[column.rests_on]:
        return Cell(cell.text, note)
    is_alone = contradicted_figures(baseline.contradictions)[column.rests_on]
    return Cell(cell.text) if is_alone else cell


def _compared(column: FigureColumn, figures: Figures, baseline: Figures) -> Cell:
    value, before = getattr(figures, column.field), getattr(baseline, column.field)
    text = column.write(value)
    if column.time:
        time_ms = getattr(figures, column.time)
        return Cell(f"{text}, {format_ms(time_ms)}" if value and time_ms is not None else text)
    is_partial = column.unknown and getattr(figures, column.unknown)
    if column.field == "weights_bytes" and 2 * figures.weights_unknown > (figures.layers or 0):
        # What a few layers state does not show the size, as in the report of one engine.
        return Cell(MISSING)
    if is_partial and value is not None:
        text = f"≥ {text}"
    if figures is baseline or is_partial or (column.unknown and getattr(baseline, column.unknown)):
        return Cell(text)
    return Cell(text, signed_percent(value, before))
