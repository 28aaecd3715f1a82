"""Say what rules are, as plain values for whoever shows them."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import RuleFacts, ThresholdFacts
from trexreport.analyzer.rules.rule import NEEDS, Rule


def describe_rules(rules: Iterable[Rule]) -> list[RuleFacts]:
    """Return what there is to be said of rules, in their order."""
    return [
        RuleFacts(
            code=rule.code,
            name=rule.name,
            family=rule.family,
            severity=rule.severity,
            title=rule.title,
            cost=rule.cost,
            advice=rule.advice,
            false_alarm=rule.false_alarm,
            bound=rule.bound,
            needs=tuple(NEEDS[need] for need in rule.needs),
            thresholds=tuple(
                ThresholdFacts(each.name.replace("_", "-"), each.default, each.least, each.most, each.meaning)
                for each in rule.thresholds
            ),
        )
        for rule in rules
    ]
