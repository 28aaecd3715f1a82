"""Check an engine against the limits of a configuration."""

from __future__ import annotations

from trexreport.analyzer.budget.check import check_budget
from trexreport.analyzer.budget.limits import Budget, Limit, Part
from trexreport.analyzer.budget.parse import parse_budget, parse_set_budget
from trexreport.analyzer.budget.phases import CheckedSet, SetBudget, check_phases
from trexreport.analyzer.budget.suggest import in_phase, suggest_limits, suggest_total

__all__ = [
    "Budget",
    "CheckedSet",
    "Limit",
    "Part",
    "SetBudget",
    "check_budget",
    "check_phases",
    "in_phase",
    "parse_budget",
    "parse_set_budget",
    "suggest_limits",
    "suggest_total",
]
