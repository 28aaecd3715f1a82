"""What is done for each capture, in this process, another one or on another machine.

A job gets plain values with all files in them, and returns plain values: it needs no file of the machine that
runs it.

What the index and the history know of a set of phases: one entry, with totals where counts are stated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from trexreport.analyzer.analysis.phases import PhaseMeasure, PhasesReport
from trexreport.analyzer.phases import phase_time
from trexreport.errors import TrexReportError
from trexreport.garbage import collect_if_many_are_new, collection_paused
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, Phase
from trexreport.pipeline.comparisons import NO_OPTIONS, compare_engines
from trexreport.pipeline.phase_comparisons import compare_sets
from trexreport.pipeline.phase_reports import make_phases_report
from trexreport.pipeline.phases import PhasesInput
from trexreport.pipeline.reports import ReportFormat, make_report
from trexreport.pipeline.settings import Settings
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.redaction.capture import redact_capture
from trexreport.redaction.kinds import Redaction
from trexreport.renderer.html_options import HtmlOptions
from trexreport.site.captures import Read
from trexreport.site.summary import EngineSummary, short_text, summarize
from trexreport.visible import one_line

_COUNTS = ("errors", "warnings", "infos", "degraded", "contradictions")
#: From a page of the site to its index.
HOME = "../index.html"


@dataclass(frozen=True)
class PageOptions:
    """What all pages of engines have in common.

    Attributes:
        interactive_charts: Embed plotly.js, about 2 MB in each page.
        settings: Of all analyses; a job uses the rules that are installed where it runs.
        redaction: What is replaced by pseudonyms; None for nothing.
    """

    interactive_charts: bool
    settings: Settings
    redaction: Redaction | None = None


@dataclass(frozen=True)
class JobResult:
    """What a job returns.

    Attributes:
        page: The HTML; empty if the job failed.
        summary: Of the engine, if the job makes its page.
        error: Why the job failed, in one line.
    """

    page: bytes = b""
    summary: EngineSummary | None = None
    error: str = ""


@collection_paused()
def make_page(capture: Read, place: str, options: PageOptions) -> JobResult:
    """Return the page of an engine or of several phases and its summary, or why there is none."""
    collect_if_many_are_new()
    try:
        page = ReportFormat(page=HtmlOptions(options.interactive_charts, home=HOME))
        if isinstance(capture, PhasesInput):
            phases = capture.read()
            together, sized = make_phases_report(capture.title, phases, options.settings, page)
            return JobResult(sized.data, _summarize_phases(together, phases, place))
        engine = _assemble(capture, options)
        analysis, report = make_report(engine, options.settings, page)
        return JobResult(report.data, summarize(engine, analysis, place))
    except Exception as error:  # noqa: BLE001 - one capture must not stop the others
        return JobResult(error=reason(error))


@collection_paused()
def make_comparison(before: Read, after: Read, names: tuple[str, str], options: PageOptions) -> JobResult:
    """Return the page that compares two captures or two sets of phases, or why there is none."""
    collect_if_many_are_new()
    try:
        if isinstance(before, PhasesInput) and isinstance(after, PhasesInput):
            named = [replace(each, title=name) for each, name in zip((before, after), names, strict=True)]
            sets = compare_sets(named, NO_OPTIONS, (), options.settings, kinds=["html"], outputs=())
            return JobResult(sets.render("html", home=HOME))
        if isinstance(before, PhasesInput) or isinstance(after, PhasesInput):
            return JobResult(error="One is a set of phases, and the other is one engine.")
        engines = [_assemble(before, options), _assemble(after, options)]
        compared = compare_engines(engines, options.settings, ["html"], names=names)
        return JobResult(compared.render("html", home=HOME))
    except Exception as error:  # noqa: BLE001 - one pair must not stop the others
        return JobResult(error=reason(error))


def result_of(outcome: JobResult | BaseException) -> JobResult:
    """Return the result of a job; of one whose process was lost, why."""
    return JobResult(error=reason(outcome)) if isinstance(outcome, BaseException) else outcome


def _assemble(capture: Capture, options: PageOptions) -> Engine:
    return assemble(redact_capture(capture, options.redaction) if options.redaction else capture)


def reason(error: BaseException) -> str:
    """Say in one line what went wrong."""
    if isinstance(error, TrexReportError):
        return one_line(str(error))
    if isinstance(error, MemoryError):
        return "It needs more memory than there is."
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return one_line(f"trexreport failed on it ({text[:300]}). This is a bug in trexreport: please report it.")


def _summarize_phases(report: PhasesReport, phases: Sequence[Phase], place: str) -> EngineSummary:
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
