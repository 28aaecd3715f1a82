"""`trexreport compare`: several engines side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.messages import kind_of, say_notes, say_written
from trexreport.cli.options import CaptureChoice, force_option, output_option, refuse_input_as_output
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.model import Engine


@click.command()
@click.argument("paths", nargs=-1, metavar="A B...")
@click.option(
    "--baseline", metavar="A|N", help="What the others are held against: a path, or its number.  [default: 1]"
)
@click.option(
    "--minimum-effect",
    type=click.FloatRange(0, 1000),
    default=2.0,
    show_default=True,
    metavar="PERCENT",
    help="A smaller difference does not count.",
)
@output_option("-", "The comparison, .md or .json; - for Markdown on standard output.")
@click.option(
    "--format", "format_", type=click.Choice(["md", "json"]), help="Instead of going by the ending."
)
@force_option
def compare(
    paths: tuple[str, ...],
    baseline: str | None,
    *,
    minimum_effect: float,
    output: str,
    format_: str | None,
    force: bool,
) -> None:
    """Say whether engines are faster than a baseline, whether that is real, and where the difference is.

    Each of A B... is a capture folder, a *.graph.json file, a TREx archive or an earlier report.
    """
    from trexreport.analyzer.analysis.verdict import VerdictSettings
    from trexreport.analyzer.comparison.compare import compare as compare_engines
    from trexreport.output import check_output, write_output
    from trexreport.renderer.comparison import render_comparison_markdown
    from trexreport.renderer.json_document import render_comparison_json

    kind = format_ or kind_of(output, ("md", "json"), for_stdout="md")
    if len(paths) < 2:
        raise UsageError("There is nothing to compare.", "Give two captures or more.")
    index = _baseline(paths, baseline)
    check_output(output, force=force)
    engines = [_read(path, output) for path in paths]
    comparison = compare_engines(
        engines, baseline=index, settings=VerdictSettings(minimum_effect_percent=minimum_effect)
    )
    data = (render_comparison_json if kind == "json" else render_comparison_markdown)(comparison)
    write_output(output, data, force=force)
    say_written(output, len(data))
    for engine in engines:
        say_notes(engine.notes)


def _read(path: str, output: str) -> Engine:
    capture = CaptureChoice((path,))
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    return engine


def _baseline(paths: tuple[str, ...], wanted: str | None) -> int:
    """Return the index of the path or number that is meant."""
    if wanted is None:
        return 0
    found = [index for index, path in enumerate(paths) if Path(path) == Path(wanted)]
    if found:
        return found[0]
    if wanted.isascii() and wanted.isdecimal() and len(wanted) < 6 and 0 < int(wanted) <= len(paths):
        return int(wanted) - 1
    raise UsageError(
        f"--baseline: '{wanted}' is none of what is compared.",
        f"Give one of the paths, or 1 to {len(paths)}.",
    )
