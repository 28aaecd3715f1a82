"""The accuracy of the engines of a comparison, as a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis.accuracy import AccuracyPoint
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_number
from trexreport.wording.accuracy import compared_plan_sentence, error_text

_MAX_METRICS, _MAX_FRONT = 6, 12


@dataclass(frozen=True)
class AccuracyRow:
    """One engine: its latency, its figures of the whole model as texts, and the error of its outputs."""

    name: str
    latency_ms: float | None
    metrics: Sequence[str]
    error: str


@dataclass(frozen=True)
class AccuracyTable:
    """The engines; without rows where no file states any accuracy.

    Attributes:
        front: Of the first engine of which it is known, the rows of layers that save most for what they add
            to the error, the most time first.
        front_engine: Its name; "" for none.
    """

    names: Sequence[str]
    rows: Sequence[AccuracyRow]
    has_error: bool
    sentences: Sequence[str]
    front: Sequence[AccuracyPoint] = ()
    front_engine: str = ""


def accuracy_table(comparison: Comparison) -> AccuracyTable:
    """Return what is known of the accuracy of each engine."""
    found = [engine.accuracy for engine in comparison.engines]
    known = [each for each in found if each]
    names = list(dict.fromkeys(name for each in known for name in each.metrics))[:_MAX_METRICS]
    rows = [
        AccuracyRow(
            engine.name,
            engine.figures.latency_ms,
            [format_number(each.metrics.get(name) if each else None, 4) for name in names],
            error_text(each.output_error if each else None, each.measure if each else None),
        )
        for engine, each in zip(comparison.engines, found, strict=True)
    ]
    baseline = comparison.engines[comparison.baseline].name
    sentences = [compared_plan_sentence(engine, baseline) for engine in comparison.engines]
    has_error = any(each.output_error is not None for each in known)
    shown = rows if names or has_error else []
    compared = next((each for each in comparison.engines if each.accuracy and each.accuracy.points), None)
    front = pareto_front(compared.accuracy.points) if compared and compared.accuracy else []
    return AccuracyTable(
        names,
        shown,
        has_error,
        [each for each in sentences if each],
        front[-_MAX_FRONT:][::-1],
        compared.name if compared else "",
    )


def pareto_front(points: Iterable[AccuracyPoint]) -> list[AccuracyPoint]:
    """Return the points of the front by the time that they save, the least first."""
    return sorted((each for each in points if each.is_best), key=lambda each: each.saved_ms)
