"""Look for what slows an engine down: the rules, one file per family, and what runs them."""

from __future__ import annotations

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, all_rules, built_in_rules
from trexreport.analyzer.rules.rule import Hit, Rule, Threshold, rule
from trexreport.analyzer.rules.settings import LintSettings, Suppression

__all__ = [
    "Hit",
    "LintSettings",
    "Registry",
    "Rule",
    "Suppression",
    "Threshold",
    "all_rules",
    "built_in_rules",
    "lint",
    "rule",
]
