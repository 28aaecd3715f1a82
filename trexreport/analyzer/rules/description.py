"""Describe rules as plain values for the renderers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from trexreport.analyzer.analysis import RuleFacts
from trexreport.analyzer.analysis.findings import ThresholdFacts
from trexreport.analyzer.rules.advice import general_advice
from trexreport.analyzer.rules.needs import NEEDS
from trexreport.analyzer.rules.rule import Rule

_TEXTS = ("cost", "recommendation", "false_alarm", "savings")


def describe_rules(rules: Iterable[Rule]) -> list[RuleFacts]:
    """Return codes, names, documentation and thresholds of rules, in their order."""
    copied = [each.name for each in fields(RuleFacts) if each.name not in {"needs", "thresholds"}]
    return [
        RuleFacts(
            **{name: _general(name, getattr(rule, name)) for name in copied},
            needs=tuple(NEEDS[need] for need in rule.needs),
            thresholds=tuple(
                ThresholdFacts(each.key, each.default, each.minimum, each.maximum, each.meaning)
                for each in rule.thresholds
            ),
        )
        for rule in rules
    ]


def _general(name: str, value: Any) -> Any:
    return general_advice(value) if name in _TEXTS else value
