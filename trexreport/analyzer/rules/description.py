"""Describe rules as plain values for the renderers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from trexreport.analyzer.analysis import RuleFacts
from trexreport.analyzer.analysis.findings import ThresholdFacts
from trexreport.analyzer.rules.advice import general_advice
from trexreport.analyzer.rules.rule import NEEDS, Rule

_TEXTS = ("cost", "recommendation", "false_alarm", "savings")


def describe_rules(rules: Iterable[Rule]) -> list[RuleFacts]:
    """Return codes, names, documentation and thresholds of rules, in their order."""
    copied = [each.name for each in fields(RuleFacts) if each.name not in {"needs", "thresholds", *_TEXTS}]
    return [
        RuleFacts(
            **{name: getattr(rule, name) for name in copied},
            **{name: general_advice(getattr(rule, name)) for name in _TEXTS},
            needs=tuple(NEEDS[need] for need in rule.needs),
            thresholds=tuple(
                ThresholdFacts(each.key, each.default, each.minimum, each.maximum, each.meaning)
                for each in rule.thresholds
            ),
        )
        for rule in rules
    ]
