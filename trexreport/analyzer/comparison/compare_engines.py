"""The figures of each engine, and how its time and findings compare with the baseline's."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Figures
from trexreport.analyzer.analysis.contradictions import ALL_GROUPS, contradicted
from trexreport.analyzer.analysis.timing import Percentiles
from trexreport.analyzer.analysis.verdict import Metric, Reason, Role, Verdict, VerdictSettings
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.comparison.verdict_sides import geometric_mean, is_usable
from trexreport.analyzer.percentiles import median, percentile
from trexreport.analyzer.reformats import is_reformat
from trexreport.analyzer.transfers import find_transfers
from trexreport.model import Engine


def figures_of(engine: Engine, analysis: Analysis) -> Figures:
    """Return the figures of a whole engine; of several runs the geometric means of their figures."""
    latency, memory, batch = analysis.latency, analysis.memory, analysis.identity.batch
    whole_ms, whole_p99_ms = _of_runs(engine, "latency_ms", latency.end_to_end)
    compute_ms, compute_p99_ms = _of_runs(engine, "compute_ms", latency.gpu_compute)
    reformats = [layer for layer in analysis.layers if is_reformat(layer)]
    times = [layer.avg_ms for layer in reformats if layer.avg_ms is not None]
    names_only, transfers = analysis.identity.names_only, find_transfers(latency)
    # Kernels of Myelin own weights that no file states.
    weights_unknown = memory.weights_unknown + memory.layers_without_weights
    has_layers = bool(analysis.layers)
    known_weights = memory.weights_bytes or not weights_unknown
    known_activations = memory.activations > memory.activations_unknown or memory.peak_live_bytes
    return Figures(
        latency_ms=whole_ms,
        latency_p99_ms=whole_p99_ms,
        latency_per_item_ms=whole_ms / batch if whole_ms is not None and batch else None,
        compute_ms=compute_ms,
        compute_p99_ms=compute_p99_ms,
        throughput_qps=latency.throughput_qps,
        enqueue_ms=_of_runs(engine, "enqueue_ms", latency.enqueue)[0],
        transfers_ms=transfers.total_ms if transfers else None,
        layer_sum_ms=latency.layer_sum_ms,
        layers=sum(not layer.structural for layer in analysis.layers) if has_layers else None,
        reformats=len(reformats) if has_layers else None,
        reformat_ms=math.fsum(times) if times or latency.layer_sum_ms is not None else None,
        weights_bytes=memory.weights_bytes if has_layers and known_weights and not names_only else None,
        weights_unknown=weights_unknown,
        peak_live_bytes=memory.peak_live_bytes if known_activations else None,
        activations_unknown=memory.activations_unknown,
    )


def _of_runs(engine: Engine, column: str, first: Percentiles | None) -> tuple[float | None, float | None]:
    """Return median and 99th percentile of all runs, given what is known of the first."""
    runs = [sorted(filter(is_usable, run)) for run in runs_of(engine, column)]
    if len(runs) > 1 and all(runs):
        return geometric_mean(map(median, runs)), geometric_mean(percentile(run, 99) for run in runs)
    return (first.median_ms, first.p99_ms) if first else (None, None)


def verdict_of(
    engines: tuple[Engine, Engine], analyses: tuple[Analysis, Analysis], settings: VerdictSettings
) -> tuple[Verdict, Metric]:
    """Return what the times say of the second engine against the first, and which times those are.

    It is the GPU compute time where it is known of both, else the latency, else the total layer time; of the
    first two single iterations where both have them.
    """
    verdict, basis = _judge(engines, analyses, settings)
    hashes = [sorted(source.sha256 for source in engine.sources) for engine in engines]
    same = engines[0] is engines[1] or (hashes[0] == hashes[1] and hashes[0])
    if same and verdict.verdict != "no-change":
        reasons = (Reason("same-files"), *verdict.reasons)
        verdict = dataclasses.replace(verdict, verdict="no-change", provisional=False, reasons=reasons)
    return verdict, basis


def withhold(verdict: Verdict, *reasons: Reason) -> Verdict:
    """Return a verdict that is inconclusive for reasons that the times themselves do not show.

    If files contradict each other, it is not known whose times they are: how they differ is left out.
    """
    if any(reason.code == "contradictory-files" for reason in reasons):
        return Verdict(
            "inconclusive",
            verdict.basis,
            reasons,
            verdict.baseline,
            verdict.candidate,
            settings=verdict.settings,
        )
    all_reasons = (*reasons, *verdict.reasons)
    return dataclasses.replace(verdict, verdict="inconclusive", provisional=False, reasons=all_reasons)


def contradictions_of(sides: tuple[Analysis | None, Analysis | None]) -> list[Reason]:
    """Return why the files of either side leave open what is compared; None is a side without files.

    Traces of kernels and accuracy files that do not belong to the engine leave its times as they are.
    """
    roles: tuple[Role, Role] = ("baseline", "candidate")
    return [
        Reason("contradictory-files", role, details=tuple(each.message for each in found))
        for role, side in zip(roles, sides, strict=True)
        if side is not None and (found := contradicted(side.contradictions, ALL_GROUPS))
    ]


def qualified(verdict: Verdict, reason: Reason) -> Verdict:
    """Return a verdict that holds only if something does that no file shows."""
    is_open = verdict.provisional or verdict.verdict in ("faster", "slower")
    return dataclasses.replace(verdict, reasons=(*verdict.reasons, reason), provisional=is_open)


def with_reasons(verdict: Verdict, *reasons: Reason) -> Verdict:
    """Return a verdict with further reasons."""
    return dataclasses.replace(verdict, reasons=(*verdict.reasons, *reasons))


def _judge(
    engines: tuple[Engine, Engine], analyses: tuple[Analysis, Analysis], settings: VerdictSettings
) -> tuple[Verdict, Metric]:
    one, other = (analysis.latency for analysis in analyses)
    choices: tuple[tuple[Metric, str, tuple[Percentiles | None, Percentiles | None]], ...] = (
        ("GPU compute time", "compute_ms", (one.gpu_compute, other.gpu_compute)),
        ("latency", "latency_ms", (one.end_to_end, other.end_to_end)),
    )
    for basis, column, _ in choices:
        times = [runs_of(engine, column) for engine in engines]
        if all(times):
            sittings = engines[0].sittings, engines[1].sittings
            return compare_times(times[0], times[1], settings, sittings), basis
    for basis, _, whole in choices:
        ranges = [_range(side) for side in whole if side]
        if len(ranges) == len(whole):
            return compare_averages(_median(whole[0]), _median(whole[1]), settings, ranges), basis
    verdict = compare_averages(one.layer_sum_ms, other.layer_sum_ms, settings)
    if verdict.basis == "none":
        # One side may have another time, which is not what is missing.
        partly = next((whole for _, _, whole in choices if any(whole)), None)
        if partly:
            verdict = compare_averages(_median(partly[0]), _median(partly[1]), settings)
        return verdict, ""
    roles: tuple[Role, Role] = ("baseline", "candidate")
    sums = [
        Reason("times-are-sums", role)
        for role, each in zip(roles, engines, strict=True)
        if each.times_are_sums
    ]
    verdict = with_reasons(verdict, Reason("layer-times-only"))
    return withhold(verdict, *sums) if sums else verdict, "total layer time"


def runs_of(engine: Engine, column: str) -> list[Sequence[float]]:
    """Return the times of each run, in milliseconds, without runs whose file does not state them."""
    runs = [] if engine.queries is None else [engine.queries, *engine.more_runs]
    times: list[tuple[float, ...]] = [getattr(run, column) for run in runs]
    # Zeros are what the file does not state.
    return [of_run for of_run in times if any(of_run)]


def outside_of_layers(
    engines: tuple[Engine, Engine], analyses: tuple[Analysis, Analysis], verdict: Verdict
) -> float | None:
    """Return how much of the difference between query times is in no layer, where that is most of it.

    None also where the profile shows another state of the GPU, or not all layers.

    Args:
        engines: The baseline and the candidate.
        analyses: Theirs.
        verdict: On the times of queries.
    """
    before, after = verdict.baseline.median_ms, verdict.candidate.median_ms
    sums = [analysis.latency.layer_sum_ms for analysis in analyses]
    if before is None or after is None or sums[0] is None or sums[1] is None:
        return None
    is_partial = any(
        engine.times_are_sums
        or engine.unlisted_ms
        or any(reason.code == "changing-times" for reason in analysis.latency.gap_reasons)
        or any(layer.avg_ms is None and not layer.structural for layer in analysis.layers)
        for engine, analysis in zip(engines, analyses, strict=True)
    )
    least = math.log1p(verdict.settings.minimum_effect_percent / 100)
    if is_partial or abs(math.log(after) - math.log(before)) < least:
        return None
    in_layers_ms = sums[1] - sums[0]
    outside_ms = math.fsum((after, -before, -in_layers_ms))
    return outside_ms if abs(outside_ms) >= abs(in_layers_ms) else None


def _range(whole: Percentiles) -> tuple[float, float]:
    """Return between which times most of those of a summary lie; the last of them may be outliers."""
    return whole.min_ms, whole.percentiles.get("95", whole.p99_ms or whole.max_ms)


def _median(whole: Percentiles | None) -> float | None:
    return whole.median_ms if whole else None
