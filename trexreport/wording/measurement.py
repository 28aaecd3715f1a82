"""How good the measurement is: one line for the overview, and what it rests on."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.timing import stated_variation
from trexreport.numbers import counted
from trexreport.wording.gpu_watch import gpu_watch_sentence, gpu_watch_warnings
from trexreport.wording.latency import gap_of, gap_reason_sentence, gap_sentence
from trexreport.wording.shares import percent
from trexreport.wording.timing import measurement_warnings, steadiness, timing_sentence

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
    """Return what is known of the measurement, as sentences; findings are not among them."""
    watch = analysis.gpu_watch
    sentences = [timing_sentence(analysis), gap_sentence(analysis)]
    if gap_of(analysis):
        sentences += [gap_reason_sentence(reason) for reason in analysis.latency.gap_reasons]
    unwatched = "The GPU was not monitored: its clocks during the measurement are unknown."
    sentences.append(gpu_watch_sentence(watch) if watch else unwatched)
    return [sentence for sentence in (*sentences, *_warnings(analysis)[:_MAX_WARNINGS]) if sentence]


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
    state = steadiness(stability)
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
