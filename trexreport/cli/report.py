"""`trexreport report`: one file that explains an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.options import CaptureChoice, capture_options, force_option, output_option
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.model import Engine

_FORMATS = ("html", "json")


@click.command()
@capture_options
@output_option("report.html", "The report, .html or .json; - for standard output.")
@click.option(
    "--charts",
    type=click.Choice(["interactive", "static"]),
    default="interactive",
    show_default=True,
    help="Static charts leave plotly.js out, which makes the report about 2 MB smaller.",
)
@click.option(
    "--format", "format_", type=click.Choice(_FORMATS), help="Instead of going by the file's ending."
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")
@force_option
def report(
    capture: CaptureChoice, output: str, charts: str, format_: str | None, *, quiet: bool, force: bool
) -> None:
    """Write a report of an engine.

    PATH is a capture folder, a *.graph.json file (the files beside it are found by their names), other files
    of the capture, a TREx archive (.tea), or an earlier report.
    """
    kind = format_ or _format_of(output)
    engine = capture.read()
    write_report(engine, output, kind, interactive=charts == "interactive", quiet=quiet, force=force)


def write_report(
    engine: Engine, output: str, kind: str, *, interactive: bool, quiet: bool, force: bool
) -> None:
    """Render, write, and say where, how large, and what was missing or repaired."""
    from trexreport.analyzer import analyze
    from trexreport.output import write_output

    analysis = analyze(engine)
    if kind == "json":
        from trexreport.renderer.json_document import render_json

        data = render_json(analysis)
    else:
        from trexreport.renderer.html import HtmlOptions, render_html

        data = render_html(analysis, engine.sources, HtmlOptions(interactive))
    write_output(output, data, force=force)
    if not quiet:
        tell(engine, output, len(data))


def tell(engine: Engine, output: str, size: int) -> None:
    """Print to standard error where the result is, its size, and the notes worth reading."""
    from trexreport.numbers import format_bytes

    if output != "-":
        click.echo(f"Wrote {output} ({format_bytes(size)}).", err=True)
    for note in engine.notes:
        if note.severity != "info":
            hint = f" {note.hint}" if note.hint else ""
            click.echo(f"  {note.severity}: {note.message}{hint}", err=True)


def _format_of(output: str) -> str:
    suffix = Path(output).suffix.lower().lstrip(".")
    if output == "-" or suffix in ("htm", "html"):
        return "html"
    if suffix in _FORMATS:
        return suffix
    known = ", ".join(f".{each}" for each in _FORMATS)
    raise UsageError(
        f"{output} has no ending that says what to write.", f"Known endings: {known}; or use --format."
    )
