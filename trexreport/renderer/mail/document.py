"""A mail: its subject and a short document, as HTML that mail programs show and as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_ms, middle_ellipsis
from trexreport.renderer.comparison.summary import comparison_result, comparison_summary
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.phases.comparison_summary import phase_comparison_summary
from trexreport.renderer.phases.summary import phases_summary, total_change
from trexreport.renderer.short_document.document import ShortDocument
from trexreport.renderer.short_document.fitting import fit
from trexreport.renderer.short_document.html import write_html
from trexreport.renderer.short_document.plain_text import write_plain_text
from trexreport.visible import one_line

_MAX_NAME, _MAX_ROWS, _MAX_BREAKDOWNS = 90, 10, 3

#: Gmail cuts a message at 102 kB.
MAX_HTML_BYTES = 100_000


@dataclass(frozen=True)
class MailDocument:
    """A mail's subject and content."""

    subject: str
    document: ShortDocument


def engine_mail(
    analysis: Analysis, *, subject: str = "", attached: Sequence[str] = (), left_out: str = ""
) -> MailDocument:
    """Return the mail about one engine.

    Args:
        analysis: The engine.
        subject: Instead of one made of the engine's name and latency.
        attached: Names of the attached files.
        left_out: What was left out of those, in one sentence.
    """
    whole = analysis.latency.end_to_end
    latency = f": {one_line(format_ms(whole.median_ms))} median" if whole else ""
    name = middle_ellipsis(one_line(analysis.identity.name), _MAX_NAME)
    document = engine_summary(
        analysis, max_layers=_MAX_ROWS, max_findings=_MAX_ROWS, closing=_closing(attached, left_out)
    )
    return MailDocument(subject or f"TensorRT engine {name}{latency}", document)


def comparison_mail(
    comparison: Comparison, *, subject: str = "", attached: Sequence[str] = (), left_out: str = ""
) -> MailDocument:
    """Return the mail about several engines, or about one and the latency of something else.

    Args:
        comparison: The comparison.
        subject: Instead of one made of the names and the verdict.
        attached: Names of the attached files.
        left_out: What was left out of those, in one sentence.
    """
    document = comparison_summary(
        comparison,
        max_rows=_MAX_ROWS if len(comparison.engines) < 3 else _MAX_ROWS // 2,
        max_breakdowns=_MAX_BREAKDOWNS,
        closing=_closing(attached, left_out),
    )
    return MailDocument(subject or f"{document.title}: {comparison_result(comparison)}", document)


def phases_mail(
    report: PhasesReport, *, subject: str = "", attached: Sequence[str] = (), left_out: str = ""
) -> MailDocument:
    """Return the mail about several phases.

    Args:
        report: What the phases take, and the analysis of each.
        subject: Instead of one made of the title and the total.
        attached: Names of the attached files.
        left_out: What was left out of those, in one sentence.
    """
    total = report.together.total_ms
    time = "" if total is None else f": {one_line(format_ms(total))} in total"
    name = middle_ellipsis(one_line(report.title), _MAX_NAME)
    document = replace(
        phases_summary(report, max_layers=_MAX_ROWS // 2), closing=_closing(attached, left_out)
    )
    return MailDocument(subject or f"TensorRT engines {name}{time}", document)


def phase_comparison_mail(
    comparison: PhasesComparison, *, subject: str = "", attached: Sequence[str] = (), left_out: str = ""
) -> MailDocument:
    """Return the mail about compared sets of phases.

    Args:
        comparison: Of the sets.
        subject: Instead of one made of the names and of how the totals differ.
        attached: Names of the attached files.
        left_out: What was left out of those, in one sentence.
    """
    document = phase_comparison_summary(comparison, max_rows=_MAX_ROWS // 2)
    change = total_change(comparison)
    ending = f": {one_line(change)} in total" if change else ""
    document = replace(document, closing=_closing(attached, left_out))
    return MailDocument(subject or f"{one_line(document.title)}{ending}", document)


def _closing(attached: Sequence[str], left_out: str) -> tuple[str, ...]:
    """Return the last sentences: which files are attached, and what was left out of them."""
    return tuple(filter(None, (f"Attached: {', '.join(attached)}." if attached else "", left_out)))


@dataclass(frozen=True)
class MailBody:
    """The two forms of a mail's text."""

    html: str
    text: str


def render_mail(mail: MailDocument, max_bytes: int = MAX_HTML_BYTES) -> MailBody:
    """Return the mail in both forms, shortened until the HTML fits; it says how much is not shown."""
    document, page = fit(mail.document, lambda each: write_html(each, mail.subject), max_bytes)
    return MailBody(page, write_plain_text(document))
