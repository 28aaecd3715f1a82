"""A place that a rule found, on its way to a finding."""

from __future__ import annotations

from trexreport.analyzer.analysis import Place, Severity
from trexreport.analyzer.rules.rule import Rule
from trexreport.lazy_dataclass import dataclass


@dataclass(frozen=True)
class RulePlace:
    """A place of a rule, before places are joined into findings.

    Attributes:
        affected: Layers that its fix changes: its own, and those that the rule adds.
        message: As the rule states it, with placeholders.
        is_severity_stated: The configuration states the severity.
        is_asked_for: It selects the rule, or states a threshold of it and so which places are worth reading.
    """

    rule: Rule
    severity: Severity
    place: Place
    affected: frozenset[int] = frozenset()
    message: str = ""
    is_severity_stated: bool = False
    is_asked_for: bool = False
