"""Look for what slows an engine down: the rules, one file per family, and what runs them."""

from __future__ import annotations

from trexreport.analyzer.rules.description import describe_rules
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, all_rules, built_in_rules
from trexreport.analyzer.rules.rule import Hit, Rule, Threshold, rule
from trexreport.analyzer.rules.settings import (
    FAIL_ON,
    LintSettings,
    Suppression,
    check_selectors,
    find_rule,
    parse_settings,
)

__all__ = [
    "FAIL_ON",
    "Hit",
    "LintSettings",
    "Registry",
    "Rule",
    "Suppression",
    "Threshold",
    "all_rules",
    "built_in_rules",
    "check_selectors",
    "describe_rules",
    "find_rule",
    "lint",
    "parse_settings",
    "rule",
]
