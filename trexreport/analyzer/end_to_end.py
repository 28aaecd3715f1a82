"""Describe the time of the whole engine, and why the total layer time differs from it.

What the totals of a run say that no single query does.

Judge from the averages in a log how far a measurement can be trusted, where there are no single times.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis import timing as facts
from trexreport.analyzer.analysis.enqueue import enqueue_state
from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.analyzer.percentiles import describe, mean_and_deviation, median
from trexreport.analyzer.slow_once import slow_once
from trexreport.analyzer.stability import levels_ms
from trexreport.analyzer.states import find_states, ramp_ends, rate_qps
from trexreport.analyzer.thresholds import STEADY_PERCENT
from trexreport.model import Engine, TraceAverages
from trexreport.model.implicit_batch import samples_per_query
from trexreport.model.measurement import gpu_busy_percent

#: Averages change once where they have two states. Levels are apart by this part of the faster one at least.
_ONE_STEP, _LEAST_STEP = 2, 0.05
#: One in this many averages is few.
_FEW_OF = 5
#: Below this difference the two agree as well as such measurements can.
_AGREEMENT_PERCENT = 5.0
#: The starts of fewer queries state no throughput.
_MIN_STARTS = 10
#: By column of the queries that of averages.
_OF_AVERAGES = {"latency_ms": "latency_ms", "compute_ms": "gpu_ms", "enqueue_ms": "enqueue_ms"}


def describe_latency(
    engine: Engine,
    layers: Sequence[LayerFacts],
    stability: facts.Stability | None,
    watch: GpuWatch | None = None,
) -> facts.Latency:
    """Return end-to-end figures beside the total layer time, with the reasons why they differ."""
    times = [layer.avg_ms for layer in layers if layer.avg_ms is not None]
    compute = _distribution(engine, "GPU Compute Time", "compute_ms")
    stated = facts.Latency(
        end_to_end=_distribution(engine, "Latency", "latency_ms"),
        gpu_compute=compute,
        enqueue=_distribution(engine, "Enqueue Time", "enqueue_ms"),
        h2d=_distribution(engine, "H2D Latency", "h2d_ms"),
        d2h=_distribution(engine, "D2H Latency", "d2h_ms"),
        throughput_qps=_throughput_qps(engine),
        throughput_samples=samples_per_query(engine),
        gpu_busy_percent=_busy_percent(engine, compute),
        layer_sum_ms=math.fsum((*times, engine.unlisted_ms)) if times else None,
        profiled_layers=len(times),
        profiled_iterations=engine.profiled_iterations,
        slowest_half_layers=_slowest_half(times),
        averages=describe_averages(engine.measurement.averages),
        kernels_percent=watch.kernels_percent if watch else None,
    )
    setup = engine.setup
    state = enqueue_state(stated, layers, setup.commands, setup.tensorrt_version)
    latency = replace(stated, is_enqueue_bound=state == "bound")
    whole = latency.gpu_compute or latency.end_to_end
    if whole is None or whole.median_ms <= 0 or latency.layer_sum_ms is None:
        return latency
    # The median: a single hiccup of the whole is in no layer's time.
    gap_percent = 100 * (latency.layer_sum_ms / whole.median_ms - 1)
    levels = levels_ms(engine.queries, stability) if latency.gpu_compute else None
    if levels and _fits(latency.layer_sum_ms, levels) and abs(gap_percent) >= _AGREEMENT_PERCENT:
        reasons = [facts.GapReason("changing-times")]
    else:
        reasons = _gap_reasons(engine, layers, latency, gap_percent)
    return replace(latency, gap_percent=gap_percent, gap_reasons=reasons)


def _fits(layer_sum_ms: float, levels: tuple[float, float]) -> bool:
    """Return whether the sum agrees with a level between the fastest and the slowest of the run."""
    low, high = levels
    part = _AGREEMENT_PERCENT / 100
    return (1 - part) * low <= layer_sum_ms <= (1 + part) * high


def _slowest_half(times: Sequence[float]) -> int | None:
    """Return how many of the slowest layers together take half of the time; None if none took any."""
    ordered = sorted((time for time in times if time), reverse=True)
    half = math.fsum(ordered) / 2
    for number, running in enumerate(accumulate(ordered), 1):
        if running >= half:
            return number
    return None


def _distribution(engine: Engine, title: str, column: str) -> facts.Percentiles | None:
    """Return the times that trtexec's summary has under a title, else those of the queries' column.

    Where there is neither, a log may state averages of several queries each.
    """
    statistic = engine.measurement.summary.get(title)
    if statistic is None:
        times = getattr(engine.queries, column, ())
        # Zeros stand for what the file does not say, and for transfers that were left out.
        return describe(times, "query times") if any(times) else _averages(engine, column)
    return facts.Percentiles(
        source="trtexec's summary",
        count=_queries_of_run(engine),
        min_ms=statistic.min_ms,
        mean_ms=statistic.mean_ms,
        median_ms=statistic.median_ms,
        max_ms=statistic.max_ms,
        percentiles={f"{rank:g}": time for rank, time in sorted(statistic.percentiles.items())},
    )


def _averages(engine: Engine, column: str) -> facts.Percentiles | None:
    """Return how averages of several queries each are distributed; None where single queries are known."""
    stated = engine.measurement.averages
    if stated is None or engine.queries:
        return None
    times = getattr(stated, _OF_AVERAGES.get(column, ""), ())
    if not any(times):
        return None
    mean, _ = mean_and_deviation(times)
    ordered = sorted(times)
    count = stated.queries * len(times)
    return facts.Percentiles(facts.FROM_AVERAGES, count, ordered[0], mean, median(ordered), ordered[-1])


def _gap_reasons(
    engine: Engine, layers: Sequence[LayerFacts], latency: facts.Latency, gap_percent: float
) -> list[facts.GapReason]:
    """Return what is known to make the total layer time larger or smaller than that of the whole."""
    missing = sum(layer.avg_ms is None and not layer.structural for layer in layers)
    unprofiled = [facts.GapReason("unprofiled-layers", missing)] if missing else []
    if abs(gap_percent) < _AGREEMENT_PERCENT:
        # A sum without some of the layers agrees by chance.
        return unprofiled or [facts.GapReason("agreement")]
    reasons = []
    if gap_percent > 0:
        is_slow_once = slow_once(layers, latency) is not None
        reasons.append(facts.GapReason("slow-iteration" if is_slow_once else "profiling-overhead"))
        streams = {layer.stream for layer in layers if layer.stream is not None}
        if len(streams) > 1:
            reasons.append(facts.GapReason("concurrent-streams", len(streams)))
    else:
        reasons += unprofiled
        if latency.gpu_compute is None:
            reasons.append(facts.GapReason("transfers-included"))
        reasons.append(facts.GapReason("enqueue-bound" if latency.is_enqueue_bound else "gpu-gaps"))
    if engine.profiled_iterations == 1:
        reasons.append(facts.GapReason("single-iteration"))
    return reasons


def _throughput_qps(engine: Engine) -> float | None:
    """Return the throughput in qps, as stated or as queries begin; None where it counts unknown batches."""
    stated, samples = engine.measurement.throughput_qps, samples_per_query(engine)
    starts = engine.queries.start_ms if engine.queries else ()
    # Those of several runs, or streams, do not follow each other.
    if stated is None and len(starts) >= _MIN_STARTS and all(map(operator.lt, starts, starts[1:])):
        return rate_qps(starts)
    if stated is None:
        return engine.measurement.timed_qps
    return stated / samples if samples is not None else None


def _busy_percent(engine: Engine, compute: facts.Percentiles | None) -> float | None:
    """Return total GPU compute time in percent of the wall time, else of the time in which queries begin."""
    rate = _throughput_qps(engine)
    is_of_starts = engine.measurement.throughput_qps is None and not engine.measurement.walltime_s
    if compute and not compute.of_averages and rate and is_of_starts:
        return compute.mean_ms * rate / 10
    return gpu_busy_percent(engine.measurement, rate)


def _queries_of_run(engine: Engine) -> int | None:
    """Return how many queries a run timed: throughput times total host walltime, else as the log states."""
    rate, seconds = _throughput_qps(engine), engine.measurement.walltime_s
    return (round(rate * seconds) if rate and seconds else 0) or engine.measurement.timed_queries


def describe_averages(averages: TraceAverages | None) -> facts.LoggedAverages | None:
    """Return how much averages vary, and between which levels they rise or fall, once or through the run."""
    if averages is None or not averages.gpu_ms:
        return None
    variation = _variation_percent(averages.gpu_ms)
    copies = None
    if averages.latency_ms:
        copies = median(sorted(averages.latency_ms)) - median(sorted(averages.gpu_ms))
    found = facts.LoggedAverages(averages.queries, len(averages.gpu_ms), variation, copies_ms=copies)
    states, step_after = find_states(averages.gpu_ms), None
    ends = ramp_ends(averages.gpu_ms)
    if len(states) == _ONE_STEP:
        step_after = states[1].begins
    levels = [state.ms for state in states]
    if len(levels) > 1 and levels in (sorted(levels), sorted(levels, reverse=True)):
        ends = levels[0], levels[-1]
    if ends is None or max(ends) - min(ends) < _LEAST_STEP * min(ends):
        return replace(found, slow=_slow_averages(averages.gpu_ms))
    return replace(found, step_after=step_after, before_ms=ends[0], after_ms=ends[1])


def _variation_percent(times_ms: Sequence[float]) -> float:
    mean, deviation = mean_and_deviation(times_ms)
    return 100 * deviation / mean if mean else 0.0


def _slow_averages(times_ms: Sequence[float]) -> facts.SlowAverages | None:
    """Return the slowest averages without which the others agree: a few of any time, or more that agree.

    None where all agree.
    """
    ordered = sorted(times_ms)
    few = len(ordered) // _FEW_OF
    gap = max(range(1, len(ordered)), key=lambda at: ordered[at] / (ordered[at - 1] or 1), default=0)
    is_group = few > 1 and _variation_percent(ordered[gap:]) <= STEADY_PERCENT
    groups = [len(ordered) - gap] if is_group else []
    variations = _variations_percent(ordered)
    for count in (*range(few + 1), *groups):
        others = len(ordered) - count
        if variations[others - 1] <= STEADY_PERCENT:
            are_first = min(times_ms[:count], default=0.0) > ordered[others - 1]
            middle = median(ordered[:others])
            return facts.SlowAverages(count, ordered[-1], middle, are_first, count <= few) if count else None
    return None


def _variations_percent(ordered: Sequence[float]) -> list[float]:
    """Return how much the fastest averages vary: the first one alone, the first two, and so on."""
    near = median(ordered)  # Sums of what exceeds it lose little to rounding.
    total = squares = 0.0
    found = []
    for number, above in enumerate((each - near for each in ordered), 1):
        total, squares = total + above, squares + above**2
        mean = total / number
        deviation = math.sqrt(max(squares / number - mean**2, 0.0))
        found.append(100 * deviation / (near + mean) if near + mean else 0.0)
    return found
