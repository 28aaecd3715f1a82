"""How good the measurement is: one line for the overview, and what it rests on."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.timing import stated_variation
from trexreport.numbers import counted
from trexreport.wording.gpu_watch import gpu_watch_sentence, gpu_watch_warnings
from trexreport.wording.latency import gap_of
from trexreport.wording.shares import percent
from trexreport.wording.timing import host_sentence, measurement_warnings, steadiness, timing_sentence

_MAX_WARNINGS = 10


def measurement_line(analysis: Analysis) -> str:
    """Return how stable the times are, how far layer times agree, and how many warnings there are."""
    parts = [_steadiness(analysis)]
    if gap := gap_of(analysis):
        parts.append(f"total layer time {gap}")
    parts.append(_gpu(analysis))
    if count := len(_warnings(analysis)):
        parts.append(counted(count, "warning"))
    if count := sum(finding.about == "measurement" for finding in analysis.lint.findings):
        parts.append(counted(count, "finding"))
    return "; ".join(part for part in parts if part)


def measurement_details(analysis: Analysis) -> list[str]:
    """Return what is known of the measurement beyond `measurement_line`, as sentences without findings."""
    watch, stability = analysis.gpu_watch, analysis.stability
    is_in_line = (
        stability is None or not stability.can_judge or (stability.is_steady and not stability.is_drifting)
    )
    timing = host_sentence(analysis) if is_in_line else timing_sentence(analysis)
    sentences = (timing, gpu_watch_sentence(watch) if watch else "", *_warnings(analysis)[:_MAX_WARNINGS])
    return [sentence for sentence in sentences if sentence]


def _steadiness(analysis: Analysis) -> str:
    stability = analysis.stability
    if contradicted(analysis.contradictions, ["query-times"]):
        return "files contradict the query times"
    if stability is None:
        stated = stated_variation(analysis.measurement_warnings)
        known = (
            "" if stated is None else f" (coefficient of variation {percent(stated)} in trtexec’s warning)"
        )
        whole = analysis.latency.gpu_compute or analysis.latency.end_to_end
        count = whole.count if whole else None
        timed = f"{counted(count, 'query', 'queries')} timed, " if count else ""
        return f"{timed}no times of single queries{known}"
    queries = counted(stability.queries, "query", "queries")
    if not stability.can_judge:
        return f"{queries}, too few to judge"
    state = steadiness(analysis)
    drift = ", drifting" if stability.is_drifting else ""
    return f"{state}{drift} over {queries} (coefficient of variation {percent(stability.variation_percent)})"


def _gpu(analysis: Analysis) -> str:
    watch = analysis.gpu_watch
    if watch is None:
        return "GPU clocks not monitored"
    throttled = watch.timed.held_down_percent
    if throttled:
        return f"GPU throttled in {percent(throttled)} of the samples"
    return "GPU not throttled" if throttled is not None else ""


def _warnings(analysis: Analysis) -> list[str]:
    watch = analysis.gpu_watch
    return measurement_warnings(analysis) + (gpu_watch_warnings(watch) if watch else [])
