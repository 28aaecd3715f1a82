"""The findings of several phases in every format of `lint`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trexreport import __version__
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted
from trexreport.renderer.check_results import WRITERS
from trexreport.renderer.findings.document import Detail, lint_document
from trexreport.renderer.findings.json import findings_document
from trexreport.renderer.findings.results import lint_results
from trexreport.renderer.findings.run import LintRun, sum_up
from trexreport.renderer.phases.summary import sections_of
from trexreport.renderer.short_document import html, markdown, terminal
from trexreport.renderer.short_document.document import Column, Paragraph, ShortDocument, Table, named

if TYPE_CHECKING:
    from rich.console import Console

#: Name and version of the form; docs/phases-lint.schema.json describes it.
SCHEMA = "trexreport.phases-lint"
SCHEMA_VERSION = 1
_COLUMNS = (
    Column("Phase"),
    Column("Errors", is_number=True),
    Column("Warnings", is_number=True),
    Column("Infos", is_number=True),
)


@dataclass(frozen=True)
class PhasesLint:
    """The rules' outcome on the phases of a set.

    Attributes:
        title: Of the set.
        runs: Name of each phase and the outcome on it; at least one.
    """

    title: str
    runs: Sequence[tuple[str, LintRun]]

    @property
    def failed(self) -> bool:
        """Whether a finding of any phase fails the run, or a rule broke."""
        return any(run.failed for _, run in self.runs)

    def counts(self) -> dict[str, int]:
        """Return what `LintRun.counts` does, of all phases together."""
        together: Counter[str] = Counter()
        for _, run in self.runs:
            together.update(run.counts())
        return {key: together[key] for key in self.runs[0][1].counts()}


def print_phases_findings(lint: PhasesLint, console: Console, *, verbose: bool = False) -> None:
    """Print the findings of each phase."""
    terminal.print_document(phases_lint_document(lint, _text(verbose=verbose)), console)


def render_phases_findings(lint: PhasesLint, *, verbose: bool = False) -> bytes:
    """Return what `print_phases_findings` prints, as a file that says whose it is."""
    return terminal.render_text(phases_lint_document(lint, _text(verbose=verbose)))


def phases_lint_document(lint: PhasesLint, detail: Detail) -> ShortDocument:
    """Return a table of the phases, then the document of each."""
    counts = lint.counts()
    found = [counted(counts[severity], severity) for severity in ("error", "warning", "info")]
    rows = tuple(
        (named(name), *(str(run.counts()[severity]) for severity in ("error", "warning", "info")))
        for name, run in lint.runs
    )
    return ShortDocument(
        title=lint.title,
        summary=f"{counted(len(lint.runs), 'phase')}: {', '.join(found)}.",
        blocks=(Table(_COLUMNS, rows, noun="phase", is_essential=True),),
        sections=tuple(
            section for name, run in lint.runs for section in sections_of(name, _of_phase(run, detail))
        ),
    )


def _of_phase(run: LintRun, detail: Detail) -> ShortDocument:
    document = lint_document(run, detail)
    return replace(document, blocks=(Paragraph(document.title), Paragraph(sum_up(run)), *document.blocks))


def _text(*, verbose: bool) -> Detail:
    return "verbose" if verbose else "brief"


def _json(lint: PhasesLint) -> bytes:
    """Return the findings of each phase as those of one engine, in JSON in ASCII."""
    document = {
        "generator": "trexreport",
        "version": __version__,
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "title": lint.title,
        "fail_on": lint.runs[0][1].fail_on,
        "failed": lint.failed,
        "counts": lint.counts(),
        "phases": [{"name": name, "lint": findings_document(run)} for name, run in lint.runs],
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _markdown(lint: PhasesLint) -> bytes:
    return markdown.render_markdown(phases_lint_document(lint, "documented"), sys.maxsize)


def _by(name: str) -> Callable[[PhasesLint], bytes]:
    return lambda lint: WRITERS[name]([replace(lint_results(run), phase=of) for of, run in lint.runs])


#: Formats for programs, and what writes them.
PHASES_LINT_FORMATS: Mapping[str, Callable[[PhasesLint], bytes]] = {
    "json": _json,
    "markdown": _markdown,
    "html": lambda lint: html.render_html(phases_lint_document(lint, "documented")),
    **{name: _by(name) for name in WRITERS},
}
