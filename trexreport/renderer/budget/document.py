"""The result of a budget check as a short document: a table of the limits, then why they are not met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis.budget import BudgetCheck, LimitOutcome
from trexreport.renderer.budget.wording import amount, in_order, limit_text, margin, state_text, sum_up
from trexreport.renderer.check_results.results import engine_title
from trexreport.renderer.short_document import markdown, terminal
from trexreport.renderer.short_document.document import (
    Cell,
    Column,
    Item,
    Items,
    Paragraph,
    Section,
    ShortDocument,
    Span,
    Style,
    Table,
    named,
)
from trexreport.wording.budget import check_remarks, limit_reason, limit_title

if TYPE_CHECKING:
    from rich.console import Console

_STYLES: dict[str, Style] = {"error": "error", "warn": "warning"}
_MAX_LAYERS = 3
_COLUMNS = (
    Column("Figure"),
    Column("Value", is_number=True),
    Column("Limit", is_number=True),
    Column("Margin", is_number=True),
    Column("Result"),
)


def print_budget(check: BudgetCheck, console: Console) -> None:
    """Print all limits, the reasons of those that are not met, and the result in one line."""
    terminal.print_document(budget_document(check), console)


def render_budget_text(check: BudgetCheck) -> bytes:
    """Return what `print_budget` prints, as a file that says whose it is."""
    return terminal.render_text(budget_document(check))


def render_budget_markdown(check: BudgetCheck, max_bytes: int = markdown.MAX_BYTES) -> bytes:
    """Return the result as Markdown; where it is too long, the least important limits are not shown."""
    return markdown.render_markdown(budget_document(check), max_bytes)


def budget_document(check: BudgetCheck) -> ShortDocument:
    """Return the result as a document, failed limits first."""
    baseline = [] if check.baseline is None else [Paragraph(f"Baseline: {engine_title(check.baseline)}")]
    table, *reasons = outcome_sections(check.outcomes)
    remarks = tuple(map(Item, check_remarks(check)))
    return ShortDocument(
        title=engine_title(check.engine),
        summary=sum_up(check),
        blocks=(*baseline, *table.blocks),
        sections=(*reasons, *([Section("Remarks", (Items(remarks, noun="line"),))] if remarks else [])),
    )


def outcome_sections(outcomes: Sequence[LimitOutcome], title: str = "") -> list[Section]:
    """Return the table of limits under a title, failed ones first, and a section with the reasons, if any."""
    ordered = in_order(outcomes)
    reasons = tuple(map(_reason, filter(_has_reason, ordered)))
    table = Table(_COLUMNS, tuple(map(_row, ordered)), noun="limit", is_essential=True)
    why = [Section("Reasons", (Items(reasons, noun="line"),))] if reasons else []
    return [Section(title, (table,)), *why]


def _row(outcome: LimitOutcome) -> tuple[Cell, ...]:
    state = Span(state_text(outcome), _STYLES.get(outcome.severity, "plain"))
    return limit_title(outcome), amount(outcome), limit_text(outcome), margin(outcome), state


def _has_reason(outcome: LimitOutcome) -> bool:
    return bool(outcome.severity and (limit_reason(outcome) or outcome.layers))


def _reason(outcome: LimitOutcome) -> Item:
    layers = tuple(Span(named(name), "code") for name in outcome.layers[:_MAX_LAYERS])
    return Item(": ".join(filter(None, (limit_title(outcome), limit_reason(outcome)))), layers)
