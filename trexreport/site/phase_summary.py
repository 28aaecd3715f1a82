"""What the index and the history know of a set of phases: one entry, with totals where counts are stated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from trexreport.analyzer.analysis.phases import PhaseMeasure, PhasesReport
from trexreport.analyzer.phases import phase_time
from trexreport.model import Phase
from trexreport.site.summary import EngineSummary, short_text, summarize

_COUNTS = ("errors", "warnings", "infos", "degraded", "contradictions")


def summarize_phases(report: PhasesReport, phases: Sequence[Phase], place: str) -> EngineSummary:
    """Return the summary of a set.

    Its history has the sets of the same models whose phases and counts are equal: these are in the place of
    shapes. Without a count of every phase there are no times, and so no trend.

    Args:
        report: The analyses.
        phases: As they were read.
        place: Where the set was found, which may contain its date.
    """
    each = [
        summarize(phase.engine, analysis, place)
        for phase, analysis in zip(phases, report.analyses, strict=True)
    ]
    dated = max((one for one in each if one.date), key=attrgetter("date"), default=None)
    names = [phase.name for phase in report.together.phases]
    counts = [phase.times for phase in report.together.phases]
    shown = ", ".join(
        name if count is None else f"{name} \u00d7 {count}" for name, count in zip(names, counts, strict=True)
    )
    return EngineSummary(
        name=short_text(f"{report.title} ({shown})"),
        model=short_text(_joined(each, "model") or " + ".join(names)),
        gpu=short_text(_joined(each, "gpu")),
        tensorrt=short_text(_joined(each, "tensorrt")),
        precision=short_text(_joined(each, "precision")),
        shapes=short_text(shown),
        date=dated.date if dated else "",
        date_from=dated.date_from if dated else "",
        latency_ms=_total(report, counts, "latency"),
        compute_ms=_total(report, counts, "gpu_compute"),
        layer_sum_ms=_total(report, counts, "layers"),
        size_bytes=_sum(each, "size_bytes"),
        layers=_sum(each, "layers"),
        reformats=_sum(each, "reformats"),
        **{name: sum(getattr(one, name) for one in each) for name in _COUNTS},
        codes=tuple(sorted({code for one in each for code in one.codes})),
        conditions={"phases": short_text(shown)},
        synthetic=any(one.synthetic for one in each),
    )


def _joined(each: Sequence[EngineSummary], name: str) -> str:
    """Return the distinct texts of the phases, in their order."""
    return " + ".join(dict.fromkeys(text for one in each if (text := getattr(one, name))))


def _total(report: PhasesReport, counts: Sequence[int | None], measure: PhaseMeasure) -> float | None:
    """Return the time of all runs of a request; None unless every count and every time is known."""
    times = [phase_time(analysis, measure) for analysis in report.analyses]
    pairs = [
        time * count
        for time, count in zip(times, counts, strict=True)
        if time is not None and count is not None
    ]
    return math.fsum(pairs) if len(pairs) == len(times) else None


def _sum(each: Sequence[EngineSummary], name: str) -> Any:
    """Return the sum of whole numbers; None unless that of every phase is known."""
    values = [getattr(one, name) for one in each]
    return None if None in values else int(math.fsum(values))
