"""Compare engines with the latency of something that is not a TensorRT engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import ComparedLatency, Figures
from trexreport.analyzer.analysis.verdict import Metric, Reason, Verdict, VerdictSettings
from trexreport.analyzer.comparison.compare_engines import contradictions_of, runs_of, with_reasons, withhold
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.comparison.verdict_sides import make_side
from trexreport.errors import UsageError
from trexreport.model import Engine, ExternalLatency


def compare_other(
    other: ExternalLatency,
    engines: Sequence[Engine],
    analyses: Sequence[Analysis],
    figures: Sequence[Figures],
    settings: VerdictSettings,
) -> ComparedLatency:
    """Return a latency as a baseline of every engine.

    Frameworks are timed from call to result: the engine's latency is taken where it is known, else the GPU's
    compute time, else the total layer time.

    Raises:
        UsageError: There is no time at all.
    """
    side = make_side("baseline", other.runs_ms)
    if not side.runs:
        raise UsageError(f"There is no time of {other.name}.", "Give one that is above zero.")
    judged = [_judge(other, *each, settings) for each in zip(engines, analyses, figures, strict=True)]
    doubts = [contradictions_of((None, analysis)) for analysis in analyses]
    verdicts = [
        withhold(verdict, *reasons) if reasons else verdict
        for (verdict, _), reasons in zip(judged, doubts, strict=True)
    ]
    summary = side.summary()
    if all(len(run) == 1 for run in side.runs):
        summary = dataclasses.replace(summary, iterations=0)
    return ComparedLatency(
        name=other.name,
        # Where iterations were judged, more is known.
        times=next((each.baseline for each in verdicts if each.basis == "iterations"), summary),
        verdicts=verdicts,
        verdict_metrics=[basis for _, basis in judged],
        speedups=[
            None if reasons else _speedup(verdict) for verdict, reasons in zip(verdicts, doubts, strict=True)
        ],
    )


def _judge(
    other: ExternalLatency, engine: Engine, analysis: Analysis, figures: Figures, settings: VerdictSettings
) -> tuple[Verdict, Metric]:
    choices: tuple[tuple[Metric, str, float | None, tuple[Reason, ...]], ...] = (
        ("latency", "latency_ms", figures.latency_ms, ()),
        ("GPU compute time", "compute_ms", figures.compute_ms, (Reason("engine-compute-time-only"),)),
    )
    samples = any(len(run) > 1 for run in other.runs_ms)
    average_ms = make_side("baseline", other.runs_ms).summary().median_ms
    for basis, column, engine_ms, reasons in choices:
        runs = runs_of(engine, column) if samples else []
        if runs:
            verdict = compare_times(other.runs_ms, runs, settings, (1, engine.sittings))
            return with_reasons(verdict, *reasons), basis
        if engine_ms is not None:
            return with_reasons(compare_averages(average_ms, engine_ms, settings), *reasons), basis
    verdict = compare_averages(average_ms, analysis.latency.layer_sum_ms, settings)
    if verdict.basis == "none":
        return verdict, ""
    return with_reasons(verdict, Reason("engine-layer-times-only")), "total layer time"


def _speedup(verdict: Verdict) -> float | None:
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    return before / after if before and after else None
