"""The report of one engine: from its analysis to bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from trexreport.analyzer.analysis import Analysis
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine, Source
from trexreport.pipeline.settings import Settings
from trexreport.pipeline.targets import format_of
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.sizing import SizedReport, fit_report
from trexreport.renderer.variants import report_variants

#: Endings of report files.
ENDINGS = ("html", "htm", "pdf", "md", "json")


@dataclass(frozen=True)
class ReportFormat:
    """What a report is written as.

    Attributes:
        kind: "html", "pdf", "md" or "json".
        page: Charts and graph of a page; what the graph shows also holds for a PDF.
        max_bytes: How large it may be; None for any size.
    """

    kind: str = "html"
    page: HtmlOptions = field(default_factory=HtmlOptions)
    max_bytes: int | None = None


def check_report_target(output: str, format_: str | None, *, force: bool) -> str:
    """Return the kind of report to write, before a capture is read or made.

    Args:
        output: The file, or "-".
        format_: The kind, if the user states it.
        force: Replace a file that trexreport did not write.

    Raises:
        UsageError: The ending names no format.
        OutputError: The file must not be replaced, or its folder does not exist.
        MissingToolError: PDF is wanted and WeasyPrint or Pango is missing.
    """
    from trexreport.output import check_output

    kind = format_ or format_of(output, ENDINGS, for_stdout="html")
    check_output(output, force=force)
    check_tools([kind])
    return "html" if kind == "htm" else kind


def check_tools(kinds: Sequence[str]) -> None:
    """Check that everything is installed that documents of these kinds need.

    Raises:
        MissingToolError: PDF is wanted and WeasyPrint or Pango is missing.
    """
    if "pdf" in kinds:
        from trexreport.renderer.pdf import check_pdf_tools

        check_pdf_tools()


def render_report(analysis: Analysis, sources: Sequence[Source], format_: ReportFormat) -> SizedReport:
    """Return the report with as much as fits.

    Raises:
        UsageError: It does not fit even without everything that can be left out.
        MissingToolError: A library that the format needs is missing.
    """
    variants = report_variants(format_.kind, analysis, sources, format_.page, format_.max_bytes)
    return fit_report(variants, format_.max_bytes)


def make_report(engine: Engine, settings: Settings, format_: ReportFormat) -> tuple[Analysis, SizedReport]:
    """Analyze an engine and return the analysis and the report.

    Raises:
        UsageError: The report does not fit, or the chosen GPU is in no table.
        MissingToolError: A library that the format needs is missing.
    """
    check_tools([format_.kind])
    analysis = settings.analyze(engine)
    return analysis, render_report(analysis, engine.sources, format_)
