"""`trexreport report`: one file that explains an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.drawing_options import show_option
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.messages import kind_of, say, say_notes, say_written
from trexreport.cli.output_options import force_option, max_size_option, output_option, refuse_input_as_output

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis
    from trexreport.model import Engine
    from trexreport.renderer.fitting import Fitted

_KINDS = ("html", "htm", "pdf", "md", "json")


def kind_of_report(output: str, format_: str | None = None, *, force: bool) -> str:
    """Return which kind of report to write; what can't be written is told before a capture is read or made.

    Raises:
        UsageError: The ending says nothing.
        OutputError: The place is taken.
        MissingToolError: What draws PDF is missing.
    """
    from trexreport.output import check_output
    from trexreport.renderer.pdf import check_pdf_tools

    kind = format_ or kind_of(output, _KINDS, for_stdout="html")
    check_output(output, force=force)
    if kind == "pdf":
        check_pdf_tools()
    return kind


@click.command()
@capture_options
@output_option("report.html", "The report, .html, .pdf, .md (a summary) or .json; - for standard output.")
@click.option(
    "--charts",
    type=click.Choice(["interactive", "static"]),
    default="interactive",
    show_default=True,
    help="Static charts leave plotly.js out, which makes the report about 2 MB smaller.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["html", "pdf", "md", "json"]),
    help="Instead of going by the ending.",
)
@show_option
@max_size_option
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@force_option
@finding_options
def report(
    capture: CaptureChoice,
    findings: FindingChoice,
    *,
    output: str,
    charts: str,
    format_: str | None,
    shown: frozenset[str],
    max_size: int | None,
    quiet: bool,
    force: bool,
) -> None:
    """Write a report of an engine.

    PATH is a capture folder, a *.graph.json file (the files beside it are found by their names), other files
    of the capture, an archive (.trexa, TREx's .tea), or an earlier report.
    """
    from trexreport.output import write_output

    kind = kind_of_report(output, format_, force=force)
    engine = capture.read()
    keeps_inputs = kind in ("html", "pdf") and not (capture.redact or capture.files or max_size)
    refuse_input_as_output(capture, engine, output, keeps_inputs=keeps_inputs)
    analysis = findings.analyze(engine, with_blocks=kind != "md")
    fitted = _fitted(kind, analysis, engine, max_size, interactive=charts == "interactive", shown=shown)
    data = fitted.data
    write_output(output, data, force=force)
    if not quiet:
        say_written(output, len(data))
        if fitted.left_out:
            say(f"  Left out to fit: {', '.join(fitted.left_out)}.")
        say_notes(engine.notes)


def _fitted(
    kind: str,
    analysis: Analysis,
    engine: Engine,
    max_size: int | None,
    *,
    interactive: bool,
    shown: frozenset[str],
) -> Fitted:
    """Return the report with as much as fits."""
    from trexreport.renderer import fitting
    from trexreport.renderer.html import HtmlOptions
    from trexreport.renderer.json_document import render_json
    from trexreport.renderer.summary_markdown import MOST_BYTES, render_summary_markdown

    if kind == "json":
        return fitting.refuse_if_larger(render_json(analysis), max_size)
    if kind == "md":
        summary = render_summary_markdown(analysis, min(max_size or MOST_BYTES, MOST_BYTES))
        return fitting.refuse_if_larger(summary, max_size)
    if kind == "pdf":
        return fitting.fit_pdf(analysis, engine.sources, shown, max_size)
    return fitting.fit_html(analysis, engine.sources, HtmlOptions(interactive, shown=shown), max_size)
