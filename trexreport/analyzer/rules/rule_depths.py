"""How many rules explain a rule one after the other."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.rules.rule import Rule


def rule_depths(rules: Mapping[str, Rule]) -> dict[str, int]:
    """Return how many rules explain a rule one after the other; those that explain each other count once."""
    depths: dict[str, int] = {}
    for code in rules:
        _find_depth(code, frozenset({code}), rules, depths)
    return depths


def _find_depth(
    code: str, on_the_way: frozenset[str], rules: Mapping[str, Rule], depths: dict[str, int]
) -> int:
    """Return the depth of a rule, and note those of it and of all that are above it."""
    if code not in depths:
        before = [
            _find_depth(other, on_the_way | {code}, rules, depths)
            for other, rule in rules.items()
            if code in rule.explains and other not in on_the_way
        ]
        depths[code] = 1 + max(before, default=-1)
    return depths[code]
