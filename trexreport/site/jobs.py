"""What is done for each capture, in this process, another one or on another machine.

A job gets plain values with all files in them, and returns plain values: it needs no file of the machine that
runs it.
"""

from __future__ import annotations

from dataclasses import replace

from trexreport.errors import TrexReportError
from trexreport.garbage import collect_if_many_are_new, collection_paused
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
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
from trexreport.site.phase_summary import summarize_phases
from trexreport.site.summary import EngineSummary, summarize
from trexreport.visible import one_line

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
            return JobResult(sized.data, summarize_phases(together, phases, place))
        engine = _assemble(capture, options)
        analysis, report = make_report(engine, options.settings, page)
        return JobResult(report.data, summarize(engine, analysis, place))
    except Exception as error:  # noqa: BLE001 - one capture must not stop the others
        return JobResult(error=reason(error))


@collection_paused()
def make_comparison(
    before: Read,
    after: Read,
    names: tuple[str, str],
    options: PageOptions,
) -> JobResult:
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
