"""Look for what slows an engine down: the rules, one in each file, and what runs them.

What every rule needs is here, for those of trexreport and of other packages.
"""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import bound, estimate, removed
from trexreport.analyzer.rules.rule import Hit, Hits, Rule, Threshold, built_in_rule, rule
from trexreport.analyzer.rules.settings import LintSettings, Suppression

__all__ = [
    "Context",
    "Gain",
    "Hit",
    "Hits",
    "LayerFacts",
    "LintSettings",
    "Rule",
    "Suppression",
    "Threshold",
    "bound",
    "built_in_rule",
    "estimate",
    "removed",
    "rule",
]
