"""Check an engine against the limits of a configuration."""

from __future__ import annotations

from trexreport.analyzer.budget.check import check_budget
from trexreport.analyzer.budget.limits import Budget, Limit, Part
from trexreport.analyzer.budget.parse import parse_budget
from trexreport.analyzer.budget.suggest import suggest_limits

__all__ = ["Budget", "Limit", "Part", "check_budget", "parse_budget", "suggest_limits"]
