"""Look for what slows an engine down: the rules, one in each file, and what runs them."""

from __future__ import annotations

from trexreport.analyzer.rules.gains import bound, estimate, removed
from trexreport.analyzer.rules.rule import Hit, Rule, Threshold, rule
from trexreport.analyzer.rules.settings import LintSettings, Suppression

__all__ = ["Hit", "LintSettings", "Rule", "Suppression", "Threshold", "bound", "estimate", "removed", "rule"]
