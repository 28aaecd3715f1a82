"""Describe rules as plain values for the renderers."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import RuleFacts, ThresholdFacts
from trexreport.analyzer.rules.rule import NEEDS, Rule


def describe_rules(rules: Iterable[Rule]) -> list[RuleFacts]:
    """Return codes, names, documentation and thresholds of rules, in their order."""
    return [
        RuleFacts(
            code=rule.code,
            name=rule.name,
            family=rule.family,
            severity=rule.severity,
            title=rule.title,
            cost=rule.cost,
            recommendation=rule.recommendation,
            false_alarm=rule.false_alarm,
            savings=rule.savings,
            needs=tuple(NEEDS[need] for need in rule.needs),
            thresholds=tuple(
                ThresholdFacts(each.key, each.default, each.minimum, each.maximum, each.meaning)
                for each in rule.thresholds
            ),
        )
        for rule in rules
    ]
