"""`trexreport compare`: several engines side by side."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import redact_option
from trexreport.cli.command import Command
from trexreport.cli.comparison_options import comparison_options
from trexreport.cli.messages import say_notes, write_result
from trexreport.cli.output_options import force_option, format_option, max_tokens_option, outputs_option
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.pipeline.comparisons import ComparisonOptions
    from trexreport.pipeline.settings import Settings
    from trexreport.redaction.kinds import Redaction
    from trexreport.renderer.short_document.document import ShortDocument

# The same as `FORMATS` of the pipeline, which is not imported for the help.
_FORMATS = ("html", "pdf", "md", "json", "xlsx")


@click.command(cls=Command, short_help="Compare engines with a baseline: verdicts and differences.")
@click.argument("paths", nargs=-1, metavar="A B...")
@comparison_options
@click.option(
    "--times",
    multiple=True,
    metavar="NAME=N",
    help="For folders with phases: how often one runs per request, to give a total. Repeatable.",
)
@redact_option
@outputs_option(
    "The comparison, .html, .pdf, .md, .json or .xlsx; - for standard output: a text in a terminal, "
    "Markdown elsewhere. Repeatable.  [default: -]"
)
@format_option(_FORMATS)
@max_tokens_option
@force_option
@settings_options
def compare(
    paths: tuple[str, ...],
    comparing: ComparisonOptions,
    settings: Settings,
    *,
    times: tuple[str, ...],
    redaction: Redaction | None,
    outputs: tuple[str, ...],
    format_: str | None,
    max_tokens: int | None,
    force: bool,
) -> None:
    """Show whether engines are faster than a baseline, whether that is significant, and where they differ.

    Each of A B... is a capture folder, a *.graph.json file, an archive, an earlier report, or a log, of which
    all.log#2 is run 2. With --baseline-latency one of them is enough. Folders that `collect --phase` made are
    compared phase by phase.
    """
    from trexreport.pipeline.phase_comparisons import choose_sets, compare_sets
    from trexreport.renderer.comparison.summary import comparison_summary
    from trexreport.renderer.phases.comparison_summary import phase_comparison_summary

    targets = _targets(outputs or ("-",), format_, max_tokens, force=force)
    as_text = format_ is None and max_tokens is None and sys.stdout.isatty()
    sets = choose_sets(paths, redaction)
    if sets is not None:
        if "xlsx" in targets.values():
            raise UsageError("A workbook compares engines, not folders with phases.", "Give two engines.")
        compared_sets = compare_sets(
            sets, comparing, times, settings, kinds=list(targets.values()), outputs=targets
        )
        for output, kind in targets.items():
            if output == "-" and as_text:
                _print(phase_comparison_summary(compared_sets.comparison))
            else:
                write_result(output, compared_sets.render(kind, max_tokens), force=force)
        return
    if times:
        raise UsageError("--times is for folders with phases.", "Leave it out.")
    inputs = comparing.choose(paths, redaction)
    compared = inputs.compare(settings, list(targets.values()), outputs)
    for output, kind in targets.items():
        if output == "-" and as_text:
            _print(comparison_summary(compared.comparison))
        else:
            write_result(output, compared.render(kind, max_tokens=max_tokens), force=force)
    for engine, notes in zip(compared.comparison.engines, compared.notes, strict=True):
        say_notes(notes, of=engine.name)


def _targets(
    outputs: tuple[str, ...], format_: str | None, max_tokens: int | None, *, force: bool
) -> dict[str, str]:
    """Return the format of each output.

    Raises:
        TrexReportError: One can't be written, or not in this way.
    """
    from trexreport.output import check_output
    from trexreport.pipeline.reports import check_tools
    from trexreport.pipeline.targets import check_distinct, format_of

    check_distinct(outputs, format_)
    targets = {output: format_ or format_of(output, _FORMATS, for_stdout="md") for output in outputs}
    if max_tokens is not None and set(targets.values()) != {"md"}:
        raise UsageError("--max-tokens is for Markdown.", "Write .md files only, or leave it out.")
    check_tools(list(targets.values()))
    for output in outputs:
        check_output(output, force=force)
    return targets


def _print(summary: ShortDocument) -> None:
    from trexreport.renderer.console import open_console
    from trexreport.renderer.short_document.terminal import print_document

    print_document(summary, open_console())
