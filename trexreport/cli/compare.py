"""`trexreport compare`: several engines side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import redact_option
from trexreport.cli.comparing import Compared, ComparisonOptions, comparison_options
from trexreport.cli.messages import kind_of, say_written
from trexreport.cli.output_options import force_option, refuse_unclear_outputs

if TYPE_CHECKING:
    from trexreport.redaction import Redaction

_FORMATS = ("html", "pdf", "md", "json")


@click.command()
@click.argument("paths", nargs=-1, metavar="A B...")
@comparison_options
@redact_option
@click.option(
    "-o",
    "--output",
    "outputs",
    multiple=True,
    metavar="FILE",
    help="The comparison, .html, .pdf, .md or .json; - for Markdown on standard output. Repeatable.  "
    "[default: -]",
)
@click.option("--format", "format_", type=click.Choice(_FORMATS), help="Instead of going by the ending.")
@force_option
def compare(
    paths: tuple[str, ...],
    comparing: ComparisonOptions,
    *,
    redact: Redaction | None,
    outputs: tuple[str, ...],
    format_: str | None,
    force: bool,
) -> None:
    """Say whether engines are faster than a baseline, whether that is real, and where the difference is.

    Each of A B... is a capture folder, a *.graph.json file, an archive or an earlier report. With
    --baseline-latency one of them is enough.
    """
    from trexreport.analyzer import analyze
    from trexreport.output import check_output, write_output
    from trexreport.renderer.pdf import check_pdf_tools

    targets = _targets(outputs or ("-",), format_)
    if "pdf" in targets.values():
        check_pdf_tools()
    choice = comparing.choose(paths, redact)
    for output in targets:
        check_output(output, force=force)
    compared = choice.read(targets, analyze=analyze, is_drawn=bool({"html", "pdf"} & set(targets.values())))
    for output, kind in targets.items():
        data = _rendered(kind, compared)
        write_output(output, data, force=force)
        say_written(output, len(data))
    compared.say_notes()


def _targets(outputs: Sequence[str], format_: str | None) -> dict[str, str]:
    """Return where to write in which format."""
    refuse_unclear_outputs(outputs, format_)
    return {output: format_ or kind_of(output, _FORMATS, for_stdout="md") for output in outputs}


def _rendered(kind: str, compared: Compared) -> bytes:
    """Return the document; what draws pages is loaded only for one."""
    comparison, analyses, shown = compared.comparison, compared.analyses, compared.shown
    if kind == "html":
        from trexreport.renderer.comparison.html import render_comparison_html

        return render_comparison_html(comparison, analyses, shown)
    if kind == "pdf":
        from trexreport.renderer.pdf import render_comparison_pdf

        return render_comparison_pdf(comparison, analyses, compared.sources, shown, compared.others)
    if kind == "json":
        from trexreport.renderer.json_document import render_comparison_json

        return render_comparison_json(comparison)
    from trexreport.renderer.comparison.markdown import render_comparison_markdown

    return render_comparison_markdown(comparison)
