"""The result of a budget check in every format of `check`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.renderer.budget.document import (
    print_budget,
    render_budget_html,
    render_budget_json,
    render_budget_markdown,
    render_budget_text,
    render_suggestion,
)
from trexreport.renderer.budget.results import budget_results
from trexreport.renderer.check_results import WRITERS


def _by(name: str) -> Callable[[BudgetCheck], bytes]:
    return lambda check: WRITERS[name]([budget_results(check)])


#: What writes each format.
BUDGET_FORMATS: Mapping[str, Callable[[BudgetCheck], bytes]] = {
    "text": render_budget_text,
    "json": render_budget_json,
    "markdown": render_budget_markdown,
    "html": render_budget_html,
    **{name: _by(name) for name in WRITERS},
}

__all__ = ["BUDGET_FORMATS", "print_budget", "render_budget_markdown", "render_suggestion"]
