"""The values of the section on accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.accuracy import AccuracyFacts, TensorErrorFacts, TrialFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, format_count, format_number, join_names
from trexreport.renderer.graph.coloring import error_levels_data
from trexreport.wording import accuracy as words

_MAX_TENSORS, _MAX_TRIALS = 40, 40


@dataclass(frozen=True)
class TensorRow:
    """One tensor as the table shows it.

    Attributes:
        is_one_of_several: Several layers may cause its increase, or its NaN.
    """

    facts: TensorErrorFacts
    error: str
    input_error: str
    increase: str
    state: str
    is_one_of_several: bool
    range: str
    reference_range: str


@dataclass(frozen=True)
class AccuracyRows:
    """What the section shows.

    Attributes:
        left_out: Number of tensors after those of the table.
        has_ranges: The ranges of some tensors are known.
        has_remarks: Some tensors of the table have a remark.
    """

    tensors: Sequence[TensorRow]
    left_out: int
    has_errors: bool
    has_ranges: bool
    has_remarks: bool
    trials: Sequence[TrialFacts]
    trials_left_out: int


def accuracy_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values that the template of the section uses; none without facts."""
    found = analysis.accuracy
    if found is None:
        return {}
    return {
        "accuracy_facts": _facts(found),
        "accuracy_rows": _rows(found),
        "error_colorings": list(error_levels_data(analysis)),
        "accuracy_remarks": _remarks(found),
        "accuracy_plan": words.plan_sentence(analysis),
        "accuracy_commands": words.plan_commands(analysis),
        "accuracy_plan_remarks": words.plan_remarks(analysis),
    }


def _remarks(found: AccuracyFacts) -> list[str]:
    remarks = [words.MEASURES[found.measure]] if found.measure is not None else []
    return [*remarks, words.INCREASE] if any(each.increase is not None for each in found.tensors) else remarks


def _facts(found: AccuracyFacts) -> dict[str, str]:
    facts = {"Files": f"{join_names(found.files)}: {words.FORMATS[found.format]}" if found.files else ""}
    facts |= {"Compared": found.candidate, "Reference": found.reference}
    facts["Inputs compared"] = format_count(found.iterations) if found.iterations else ""
    facts["Measure"] = found.measure_name
    facts |= {name: format_number(value, 4) for name, value in found.metrics.items()}
    return {key: value for key, value in facts.items() if value}


def _rows(found: AccuracyFacts) -> AccuracyRows:
    shown = found.tensors[:_MAX_TENSORS]
    # The best trials come first, the fastest of them at the top.
    trials = sorted(
        found.trials, key=lambda each: (not each.is_best, each.gpu_time_ms or float("inf"), each.number)
    )
    rows = [_row(each, found) for each in shown]
    return AccuracyRows(
        rows,
        len(found.tensors) - len(shown),
        any(each.error is not None for each in found.tensors),
        any(each.figures.candidate_range for each in found.tensors),
        any(row.state or row.facts.begins_non_finite or row.is_one_of_several for row in rows),
        trials[:_MAX_TRIALS],
        max(len(trials) - _MAX_TRIALS, 0),
    )


def _row(each: TensorErrorFacts, found: AccuracyFacts) -> TensorRow:
    # Where only ranges are known, a sentence says so once.
    state = "" if each.state == found.measure else words.STATES[each.state]
    if each.state == "integer" and each.figures.mismatch_percent is not None:
        state = f"{format_number(each.figures.mismatch_percent)}% of the integers differ"
    return TensorRow(
        each,
        words.error_text(each.error, found.measure),
        words.error_text(each.input_error, found.measure),
        words.error_text(each.increase, found.measure),
        state,
        each.steps > 1 and bool(each.increase or each.begins_non_finite),
        _range(each.figures.candidate_range),
        _range(each.figures.reference_range),
    )


def _range(limits: tuple[float, float] | None) -> str:
    return f"{format_number(limits[0])} to {format_number(limits[1])}" if limits else MISSING
