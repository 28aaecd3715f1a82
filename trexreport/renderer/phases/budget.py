"""The result of a budget check of several phases in every format of `check`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis.phases_check import PhaseCheck, PhasesCheck
from trexreport.numbers import counted, format_count
from trexreport.reader.file_names import distinct_names
from trexreport.renderer.budget.document import budget_document, check_document, outcome_sections
from trexreport.renderer.budget.results import budget_results, outcome_results
from trexreport.renderer.budget.wording import sum_up_outcomes
from trexreport.renderer.check_results import WRITERS
from trexreport.renderer.check_results.results import CheckResults
from trexreport.renderer.phases.summary import sections_of
from trexreport.renderer.short_document import document as short
from trexreport.renderer.short_document import html, markdown, terminal
from trexreport.wording.phases import check_sentences, phases_sentence

if TYPE_CHECKING:
    from rich.console import Console

_COLUMNS = (
    short.Column("Phase"),
    short.Column("Limits", is_number=True),
    short.Column("Met", is_number=True),
    short.Column("Result"),
)
_TOTAL = "All phases"


def print_phases_budget(check: PhasesCheck, console: Console) -> None:
    """Print all limits of each phase, and the result in one line."""
    terminal.print_document(phases_budget_document(check), console)


def render_phases_budget_markdown(check: PhasesCheck, max_bytes: int = markdown.MAX_BYTES) -> bytes:
    """Return the result as Markdown; where it is too long, the last sections are not shown."""
    return markdown.render_markdown(phases_budget_document(check), max_bytes)


def phases_budget_document(check: PhasesCheck) -> short.ShortDocument:
    """Return a table of the phases, the limits on the total, then the document of each phase."""
    outcomes = [each for phase in check.phases for each in phase.check.outcomes]
    baseline = [] if check.baseline is None else [short.Paragraph(f"Baseline: {short.named(check.baseline)}")]
    rows = tuple(
        (
            short.named(phase.name),
            format_count(len(phase.check.outcomes)),
            format_count(phase.check.counts["held"]),
            short.Span("failed", "error")
            if phase.check.failed
            else "passed"
            if phase.check.outcomes
            else "no limit",
        )
        for phase in check.phases
    )
    remarks = tuple(map(short.Item, check_sentences(check)))
    return short.ShortDocument(
        title=check.title,
        summary=sum_up_outcomes([*outcomes, *check.total], failed=check.failed),
        blocks=(*baseline, short.Table(_COLUMNS, rows, noun="phase", is_essential=True)),
        sections=(
            *_total(check),
            *(
                section
                for phase in check.phases
                for section in sections_of(phase.name, _of_phase(phase))
                if phase.check.outcomes
            ),
            *([short.Section("Remarks", (short.Items(remarks, noun="line"),))] if remarks else []),
        ),
    )


def _of_phase(phase: PhaseCheck) -> short.ShortDocument:
    document = budget_document(phase.check)
    return replace(document, blocks=(short.Paragraph(document.title), *document.blocks))


def _total(check: PhasesCheck) -> Iterator[short.Section]:
    if check.total:
        table, *others = outcome_sections(check.total, _TOTAL)
        yield replace(table, blocks=(short.Paragraph(phases_sentence(check.together)), *table.blocks))
        for section in others:
            yield replace(section, title=f"{_TOTAL}: {section.title}")


def _results(check: PhasesCheck) -> list[CheckResults]:
    """Return the results of each phase, and those on the total as one more."""
    found = [replace(budget_results(each.check), phase=each.name) for each in check.phases]
    if not check.total:
        return found
    (name,) = distinct_names([_TOTAL], [each.name for each in check.phases])
    total = replace(
        found[0],
        engine=replace(found[0].engine, name=check.title),
        summary=f"{counted(len(check.total), 'limit')} on the total.",
        sources=tuple(source for each in found for source in each.sources),
        remarks=tuple(check_sentences(check)),
        phase=name,
    )
    return [*found, outcome_results(total, check.total)]


def _by(name: str) -> Callable[[PhasesCheck], bytes]:
    return lambda check: WRITERS[name](_results(check))


#: What writes each format.
PHASES_BUDGET_FORMATS: Mapping[str, Callable[[PhasesCheck], bytes]] = {
    "text": lambda check: terminal.render_text(phases_budget_document(check)),
    "json": lambda check: (json.dumps(check_document(check), indent=1, allow_nan=False) + "\n").encode(
        "ascii"
    ),
    "markdown": render_phases_budget_markdown,
    "html": lambda check: html.render_html(phases_budget_document(check)),
    **{name: _by(name) for name in WRITERS},
}
