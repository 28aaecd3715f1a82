"""What a user may change about the rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from trexreport.analyzer.rules.rule import Rule


@dataclass(frozen=True)
class Suppression:
    """Findings that shall be kept quiet.

    Attributes:
        rule: Code, start of a code, name or family.
        layers: Shell pattern of layer names; a place is kept quiet if it fits its first layer. None fits all.
        until: The last day on which it holds; None for ever.
        position: Of the entry in the configuration, for messages.
    """

    rule: str
    reason: str
    layers: str | None = None
    until: dt.date | None = None
    position: str = ""

    def fits_layer(self, name: str) -> bool:
        """Tell whether a place whose first layer has this name (empty: the whole engine) is meant."""
        return self.layers is None or fnmatchcase(name, self.layers)


@dataclass(frozen=True)
class LintSettings:
    """Which rules run, how grave their findings are and what is kept quiet.

    Attributes:
        select, ignore: Codes, starts of codes, names or families; no `select` means all.
        severities: Code of a rule to the severity of all its findings.
        thresholds: Code of a rule to threshold to value.
        today: The day for suppressions that expire; None lets none expire.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, str] = field(default_factory=dict)
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    suppressions: tuple[Suppression, ...] = ()
    today: dt.date | None = None

    def wants(self, rule: Rule) -> bool:
        """Tell whether the rule is to run."""
        chosen = not self.select or any(selects(each, rule) for each in self.select)
        return chosen and not any(selects(each, rule) for each in self.ignore)


def selects(selector: str, rule: Rule) -> bool:
    """Tell whether a code, start of a code ("TRX1"), name or family means this rule."""
    if selector in {rule.name, rule.family}:
        return True
    return selector[:1].isupper() and rule.code.startswith(selector)
