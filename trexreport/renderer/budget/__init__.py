"""What came of a budget as text, JSON, JUnit XML, SARIF, Markdown and GitHub's workflow commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis.budget import BudgetCheck
from trexreport.renderer.budget.github import render_budget_github
from trexreport.renderer.budget.json import render_budget_json
from trexreport.renderer.budget.junit import render_budget_junit
from trexreport.renderer.budget.markdown import render_budget_markdown
from trexreport.renderer.budget.sarif import render_budget_sarif
from trexreport.renderer.budget.suggestion import render_suggestion
from trexreport.renderer.budget.text import print_budget, render_budget_text

#: What writes each format.
BUDGET_FORMATS: Mapping[str, Callable[[BudgetCheck], bytes]] = {
    "text": render_budget_text,
    "json": render_budget_json,
    "sarif": render_budget_sarif,
    "junit": render_budget_junit,
    "markdown": render_budget_markdown,
    "github": render_budget_github,
}

__all__ = ["BUDGET_FORMATS", "print_budget", "render_budget_markdown", "render_suggestion"]
