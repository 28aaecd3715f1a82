"""Hold engines against what is no TensorRT engine and of which nothing but the latency is known."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import ComparedLatency, Figures
from trexreport.analyzer.analysis.verdict import TimesUsed, Verdict, VerdictSettings
from trexreport.analyzer.comparison.compare_engines import runs_of
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.comparison.verdict_sides import make_side
from trexreport.errors import UsageError
from trexreport.model import Engine, ExternalLatency

COMPUTE_ONLY = "Of the engine only the GPU's own time is known, without transfers and without the host."
LAYERS_ONLY = "Of the engine only the sum of its layers is known, not the time of a whole query."


def compare_others(
    others: Sequence[ExternalLatency],
    engines: Sequence[Engine],
    analyses: Sequence[Analysis],
    figures: Sequence[Figures],
    settings: VerdictSettings,
) -> list[ComparedLatency]:
    """Return each of the others as a baseline of every engine.

    Frameworks are timed from call to result: the engine's latency is taken where it is known, else the GPU's
    compute time, else the sum of the layers.

    Raises:
        UsageError: One has no time at all.
    """
    return [_compare(each, engines, analyses, figures, settings) for each in others]


def _compare(
    other: ExternalLatency,
    engines: Sequence[Engine],
    analyses: Sequence[Analysis],
    figures: Sequence[Figures],
    settings: VerdictSettings,
) -> ComparedLatency:
    side = make_side("baseline", other.runs_ms)
    if not side.runs:
        raise UsageError(f"There is no time of {other.name}.", "Give one that is above zero.")
    judged = [_judge(other, *each, settings) for each in zip(engines, analyses, figures, strict=True)]
    is_average = all(len(run) == 1 for run in side.runs)
    verdicts = [verdict for verdict, _ in judged]
    summary = side.summary()
    if is_average:
        summary = dataclasses.replace(summary, iterations=0)
    return ComparedLatency(
        name=other.name,
        # Where iterations were judged, more is known.
        times=next((each.baseline for each in verdicts if each.basis == "iterations"), summary),
        verdicts=verdicts,
        verdicts_of=[basis for _, basis in judged],
        speedups=[_speedup(verdict) for verdict in verdicts],
    )


def _judge(
    other: ExternalLatency, engine: Engine, analysis: Analysis, figures: Figures, settings: VerdictSettings
) -> tuple[Verdict, str]:
    choices = (
        ("latency", "latency_ms", figures.latency_ms, ""),
        ("GPU compute time", "compute_ms", figures.compute_ms, COMPUTE_ONLY),
    )
    samples = any(len(run) > 1 for run in other.runs_ms)
    for basis, column, average_ms, remark in choices:
        runs = runs_of(engine, column) if samples else []
        if runs:
            return _with(compare_times(other.runs_ms, runs, settings), remark), basis
        if average_ms is not None:
            return _with(compare_averages(_average(other), average_ms, settings), remark), basis
    verdict = compare_averages(_average(other), analysis.latency.layer_sum_ms, settings)
    return (verdict, "") if verdict.basis == "nothing" else (_with(verdict, LAYERS_ONLY), "sum of the layers")


def _average(other: ExternalLatency) -> float | None:
    return make_side("baseline", other.runs_ms).summary().median_ms


def _with(verdict: Verdict, remark: str) -> Verdict:
    return dataclasses.replace(verdict, reasons=[*verdict.reasons, remark]) if remark else verdict


def _speedup(verdict: Verdict) -> float | None:
    times: tuple[TimesUsed, TimesUsed] = (verdict.baseline, verdict.candidate)
    before, after = (each.median_ms for each in times)
    return before / after if before and after else None
