"""Sentences about how stable the query times are."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.enqueue import enqueue_state
from trexreport.analyzer.analysis.timing import Latency, Percentiles, stated_variation
from trexreport.analyzer.thresholds import BUSY_PERCENT, OVERLAP_PERCENT, STEADY_PERCENT
from trexreport.numbers import counted, format_count, format_ms, format_number, format_rate
from trexreport.wording.shares import percent

#: A stall is this many times the median and longer by some ms, while p99 is at most this many times it.
_FAR, _LEAST_STALL_MS, _NEAR = 10, 5.0, 1.25
#: With more queries the ends of a run matter little; with fewer one more may be in its time, to a part of it.
_FEW_QUERIES, _ONE_QUERY = 50, 0.1
#: A copy takes the time between two queries, but for this part of it, if it limits the throughput.
_CLOSE = 0.02
#: From this part of the wall time on, in percent, computing limits the throughput where nothing else does.
_MOSTLY_BUSY_PERCENT = 90.0
#: The rule that reports weights which come from the host within GPU compute time.
_STREAMS_WEIGHTS = "TRX912"
#: The rule that reports long enqueue times, and the states in which GPU compute time may include its waits.
_ENQUEUE = "TRX805"
_ENQUEUES_AS_LONG = frozenset({"bound", "waits", "copies", "profiled"})
#: What is known of the query times of trtexec up to 8.4.
WARM_UP = "Up to TensorRT 8.4 the query times in the file include the warm-up queries."
#: The rule that reports transfers, and from which part on of latency and of GPU compute time what it and the
#: rule of the enqueue time leave out is stated.
_TRANSFERS, _LEAST_COPIES, _LEAST_ENQUEUE = "TRX806", 0.005, 0.1
_WAYS = "to the GPU", "back"
#: What an option that trtexec advises does not do.
_HIDDEN = " That only hides them: an application that needs the copies makes them all the same."


def timing_sentence(analysis: Analysis) -> str:
    """Return how much the GPU compute time of the queries varies, and for which part of the run it is."""
    if contradicted(analysis.contradictions, ["query-times"]):
        return "Files contradict the query times, so how stable they are is not known."
    sentences = _variation(analysis), host_sentence(analysis), _beside_sentence(analysis)
    return " ".join(filter(None, sentences))


def host_sentence(analysis: Analysis) -> str:
    """Return for which part of the run the GPU computes, and what limits that; empty where not known."""
    if contradicted(analysis.contradictions, ["query-times"]):
        return ""
    streams = any(each.code == _STREAMS_WEIGHTS for each in analysis.lint.findings)
    waits = may_include_waits(analysis)
    has_dla = uses_dla(analysis)
    return busy_sentence(analysis.latency, streams_weights=streams, enqueue_as_long=waits, has_dla=has_dla)


def _beside_sentence(analysis: Analysis) -> str:
    """Return what enqueue and transfers take, unless a finding states it or it is hardly anything."""
    latency = analysis.latency
    found = analysis.lint.findings
    reported = {each.code for each in found} | {each.code for one in found for each in one.consequences}
    times = latency.enqueue, latency.gpu_compute, latency.end_to_end
    enqueue_ms, compute_ms, whole_ms = (each.median_ms if each else 0.0 for each in times)
    copies = [
        (each.median_ms, way) for each, way in zip((latency.h2d, latency.d2h), _WAYS, strict=True) if each
    ]
    copies_ms = math.fsum(time_ms for time_ms, _ in copies)
    sentences = []
    if _ENQUEUE not in reported and compute_ms and enqueue_ms >= _LEAST_ENQUEUE * compute_ms:
        share = percent(100 * enqueue_ms / compute_ms)
        sentences.append(f"Enqueue takes {format_ms(enqueue_ms)}, {share} of GPU compute time.")
    if _TRANSFERS not in reported and whole_ms and copies_ms >= _LEAST_COPIES * whole_ms:
        listed = " and ".join(f"{format_ms(time_ms)} {way}" for time_ms, way in copies)
        sentences.append(f"Transfers take {listed}, {percent(100 * copies_ms / whole_ms)} of latency.")
    return " ".join(sentences)


def uses_dla(analysis: Analysis) -> bool:
    """Return whether GPU compute time includes what a DLA computes, by the layers or the commands."""
    return any(each.type == "DLA" for each in analysis.layers) or any(
        "--useDLACore" in command for command in analysis.commands
    )


def may_include_waits(analysis: Analysis) -> bool:
    """Return whether GPU compute time may include waits for the host, as enqueuing takes about as long."""
    version = analysis.identity.tensorrt_version
    return enqueue_state(analysis.latency, analysis.layers, analysis.commands, version) in _ENQUEUES_AS_LONG


def busy_sentence(
    latency: Latency, *, streams_weights: bool = False, enqueue_as_long: bool = False, has_dla: bool = False
) -> str:
    """Return for which part of a run the GPU computed, and what limits that; empty where not known.

    Args:
        latency: The times of the run.
        streams_weights: Whether weights come from the host, within GPU compute time.
        enqueue_as_long: Whether the host enqueues for about as long as the GPU computes, and not as a full
            launch queue holds it up.
        has_dla: Whether GPU compute time includes what a DLA computes.
    """
    busy = latency.gpu_busy_percent
    if not busy:
        return ""
    if busy >= OVERLAP_PERCENT:
        return f"Total GPU compute time is {format_number(busy / 100)} times the run's wall time."
    limit = _limit(latency, busy)
    if streams_weights and busy >= BUSY_PERCENT:
        limit = f", which includes its waits for streamed weights ({_STREAMS_WEIGHTS})"
    elif enqueue_as_long and busy >= BUSY_PERCENT:
        limit = f", which may include waits for the host: enqueue takes about as long ({_ENQUEUE})"
    if latency.kernels_percent is not None:
        limit += f"; kernels run for {percent(latency.kernels_percent)} of the time, by samples of the GPU"
    computes = "GPU and DLA compute" if has_dla else "The GPU computes"
    return f"{computes} {percent(min(busy, 100.0))} of the run's wall time{limit}."


def _limit(latency: Latency, busy_percent: float) -> str:
    """Return what keeps the GPU from computing all the time, as far as the figures show it."""
    compute, qps = latency.gpu_compute, latency.throughput_qps
    if busy_percent >= BUSY_PERCENT:
        if not any(each and each.max_ms for each in (latency.h2d, latency.d2h)):
            return ": the host does not limit the throughput"  # No transfers were measured.
        return ": neither the host nor transfers limit the throughput"
    if latency.is_enqueue_bound:
        return ", and waits for launches of the host"
    rest = ", which limits the throughput" if busy_percent >= _MOSTLY_BUSY_PERCENT else ""
    if compute is None or not qps:
        return rest
    if lacks_one_query(latency):
        rate = format_rate(1000 / compute.mean_ms)
        return f"; the rest is as long as one query, likely one of the warm-up: without it {rate} qps"
    return ", and waits for transfers" if waits_for_transfers(latency) else rest


def waits_for_transfers(latency: Latency) -> bool:
    """Return whether a copy takes the time between queries, in which the GPU does not always compute."""
    qps, busy = latency.throughput_qps, latency.gpu_busy_percent
    if not qps or not busy or busy >= BUSY_PERCENT or latency.is_enqueue_bound:
        return False
    copies = max(each.mean_ms if each else 0.0 for each in (latency.h2d, latency.d2h))
    return copies >= (1 - _CLOSE) * 1000 / qps


def lacks_one_query(latency: Latency) -> bool:
    """Return whether the wall time of few queries has room for one more, as of the warm-up."""
    compute, qps = latency.gpu_compute, latency.throughput_qps
    if compute is None or not (qps and compute.mean_ms and compute.count):
        return False
    if compute.count >= _FEW_QUERIES:
        return False
    missing = compute.count * (1000 / qps - compute.mean_ms) / compute.mean_ms
    return abs(missing - 1) <= _ONE_QUERY


def _variation(analysis: Analysis) -> str:
    stability = analysis.stability
    if stability is None:
        stated = stated_variation(analysis.measurement_warnings)
        known = (
            ""
            if stated is None
            else f" trtexec states a coefficient of variation of {percent(stated)} of GPU compute time."
        )
        compute = analysis.latency.gpu_compute
        count = f"; trtexec timed {format_count(compute.count)}" if compute and compute.count else ""
        return f"This capture has no times of single queries{count}.{known}{_slowest(compute)}"
    queries = counted(stability.queries, "query", "queries")
    if not stability.can_judge:
        verb = "is" if stability.queries == 1 else "are"
        return f"{queries} {verb} too few to judge how stable the times are."
    text = (
        f"GPU compute time is {steadiness(analysis)} over {queries}: its "
        f"coefficient of variation is {percent(stability.variation_percent)}"
    )
    if not stability.is_steady and (levels := stability.steps_ms):
        return f"{text}, as the times {'rise' if levels[-1] > levels[0] else 'fall'} in steps."
    if stability.is_drifting:
        direction = "slower" if stability.drift_percent > 0 else "faster"
        text += (
            f", and the last tenth of the queries is {percent(abs(stability.drift_percent))} {direction} "
            "than the first"
        )
    if not stability.is_steady and (modes := stability.two_modes) is not None:
        change = f"queries become {'slower' if modes.gets_slower else 'faster'} during the run"
        text += f", as {'the times fall into two groups' if modes.step_after is None else change}"
    return f"{text}."


def _slowest(compute: Percentiles | None) -> str:
    """Return how long a summary's slowest query took where it is far from all others; empty elsewhere."""
    if compute is None or compute.of_averages or compute.p99_ms is None:
        return ""
    median_ms, most_ms = compute.median_ms, compute.max_ms
    if compute.p99_ms > _NEAR * median_ms or most_ms < max(_FAR * median_ms, median_ms + _LEAST_STALL_MS):
        return ""
    times = format_number(most_ms / median_ms, 2)
    return (
        f" The slowest query took {format_ms(most_ms)} of GPU compute time, {times} times the median; 99% of "
        f"the queries took at most {format_ms(compute.p99_ms)}."
    )


def steadiness(analysis: Analysis) -> str:
    """Return "stable", "unstable", or how little so; what trtexec calls unstable is not called stable."""
    stability = analysis.stability
    if stability is None or not stability.is_steady:
        return "unstable" if stability else "not known"
    has_outliers = stability.variation_percent > STEADY_PERCENT
    if stated_variation(analysis.measurement_warnings) is None:
        return "stable but for a few outliers" if has_outliers else "stable"
    return "unstable in a few outliers alone" if has_outliers else "slightly unstable"


def measurement_warnings(analysis: Analysis) -> list[str]:
    """Return trtexec's own warnings, and what its version is known to do to the query times."""
    warm_up = analysis.stability is not None and analysis.stability.includes_warm_up
    stated = [
        each + (_HIDDEN if "Add --noDataTransfers" in each else "") for each in analysis.measurement_warnings
    ]
    return [*stated, *([WARM_UP] if warm_up else [])]
