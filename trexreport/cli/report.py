"""`trexreport report`: one file that explains an engine."""

from __future__ import annotations

import click

from trexreport.cli.drawing_options import show_option
from trexreport.cli.messages import kind_of, say_notes, say_written
from trexreport.cli.options import (
    CaptureChoice,
    FindingChoice,
    capture_options,
    finding_options,
    force_option,
    output_option,
    refuse_input_as_output,
)

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
    quiet: bool,
    force: bool,
) -> None:
    """Write a report of an engine.

    PATH is a capture folder, a *.graph.json file (the files beside it are found by their names), other files
    of the capture, a TREx archive (.tea), or an earlier report.
    """
    from trexreport.api import render
    from trexreport.output import write_output
    from trexreport.renderer.json_document import render_json
    from trexreport.renderer.pdf import render_pdf
    from trexreport.renderer.summary_markdown import render_summary_markdown

    kind = kind_of_report(output, format_, force=force)
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    if kind == "json":
        data = render_json(findings.analyze(engine))
    elif kind == "md":
        data = render_summary_markdown(findings.analyze(engine, with_blocks=False))
    elif kind == "pdf":
        data = render_pdf(findings.analyze(engine), engine.sources, shown)
    else:
        page = render(
            engine,
            interactive_charts=charts == "interactive",
            shown=shown,
            settings=findings.settings,
            registry=findings.registry,
            gpu=findings.gpu,
        )
        data = page.html
    write_output(output, data, force=force)
    if not quiet:
        say_written(output, len(data))
        say_notes(engine.notes)
