"""What the user can change about the rules, and how a configuration states it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any

from trexreport.analyzer.analysis import SEVERITIES, Severity
from trexreport.analyzer.rules.rule import Rule
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import list_names
from trexreport.toml_table import TomlTable, did_you_mean, quoted

#: From which severity on findings fail a run.
FAIL_ON = (*SEVERITIES, "never")
#: How many rules of a family an error names; the largest family of trexreport has fewer.
_MAX_NAMED = 20
_KEYS = ("select", "ignore", "fail-on", "severity", "thresholds", "suppress")
_SUPPRESSION_KEYS = ("rule", "layers", "reason", "until")


@dataclass(frozen=True)
class Suppression:
    """Findings to suppress.

    Attributes:
        rule: Code, start of a code, name or family.
        layers: Shell pattern of layer names; a place is suppressed if its first layer matches. None: all.
        until: The last day on which it applies; None for no end.
        position: Of the entry in the configuration, for messages.
    """

    rule: str
    reason: str
    layers: str | None = None
    until: dt.date | None = None
    position: str = ""

    def fits_layer(self, name: str) -> bool:
        """Return whether the pattern matches the name of a first layer (empty: the whole engine)."""
        return self.layers is None or fnmatchcase(name, self.layers)


@dataclass(frozen=True)
class LintSettings:
    """Which rules run, the severity of their findings and what is suppressed.

    Attributes:
        select, ignore: Codes, starts of codes, names or families; no `select` means all.
        severities: Code of a rule to the severity of all its findings.
        thresholds: Code of a rule to threshold to value.
        today: The date for suppressions that expire; None: none expires.
        fail_on: One of `FAIL_ON`; the findings do not depend on it.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = field(default_factory=dict)
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    suppressions: tuple[Suppression, ...] = ()
    today: dt.date | None = None
    fail_on: str = "error"

    def wants(self, rule: Rule) -> bool:
        """Return whether the rule runs."""
        selected = not self.select or any(selects(each, rule) for each in self.select)
        return selected and not any(selects(each, rule) for each in self.ignore)

    def asks_for(self, rule: Rule) -> bool:
        """Return whether a wanted rule is selected, or one of its thresholds or its severity stated."""
        return bool(self.select) or rule.code in self.thresholds or rule.code in self.severities


def selects(selector: str, rule: Rule) -> bool:
    """Return whether a code, start of a code ("TRX1"), name or family matches this rule."""
    if selector in {rule.name, rule.family}:
        return True
    return selector[:1].isupper() and rule.code.startswith(selector)


def parse_settings(mapping: Mapping[str, Any], where: str, rules: Sequence[Rule]) -> LintSettings:
    """Return the settings in the table [lint] of a configuration.

    Args:
        mapping: The table, as a TOML parser returns it.
        where: Prefix of its keys in messages, such as "trexreport.toml: lint.".
        rules: All rules; naming any other is an error.

    Raises:
        UsageError: A key, rule, severity or threshold is unknown, renamed or out of range.
    """
    table = TomlTable(mapping, where)
    table.refuse_unknown(_KEYS)
    select = table.texts("select")
    if "select" in table.values and not select:
        raise table.wrong("select", "is empty", "Leave it out to run all rules.")
    return LintSettings(
        select=check_selectors(select, f"{where}select", rules),
        ignore=check_selectors(table.texts("ignore"), f"{where}ignore", rules),
        fail_on=table.one_of("fail-on", FAIL_ON) or "error",
        severities=_severities(table.table("severity"), rules),
        thresholds=_thresholds(table.table("thresholds"), rules),
        suppressions=tuple(_suppression(each, rules) for each in table.tables("suppress")),
    )


def check_selectors(selectors: Iterable[str], where: str, rules: Sequence[Rule]) -> tuple[str, ...]:
    """Return the selectors if each matches at least one rule.

    Raises:
        UsageError: One matches none; the message begins with `where`.
    """
    found = tuple(selectors)
    for selector in found:
        if not any(selects(selector, rule) for rule in rules):
            raise _unknown(where, selector, rules, families=True)
    return found


def find_rule(word: str, where: str, rules: Sequence[Rule]) -> Rule:
    """Return the rule of this code or name.

    Raises:
        UsageError: There is none; the message begins with `where` if that is not empty.
    """
    for rule in rules:
        if word in {rule.code, rule.name}:
            return rule
    raise _unknown(where, word, rules)


def _unknown(where: str, word: str, rules: Sequence[Rule], *, families: bool = False) -> UsageError:
    known = [name for rule in rules for name in (rule.code, rule.name)]
    if families:
        known += [rule.family for rule in rules]
    place = f"{where}: there" if where else "There"
    if renamed := next((rule for rule in rules if word and word == rule.former_name), None):
        hint = f"It is now called {renamed.name} ({renamed.code})."
    elif selected := [
        rule.code for rule in rules if word and (word == rule.family or rule.code.startswith(word))
    ]:
        hint = f"It selects {list_names(selected, _MAX_NAMED)}. Name one of them."
    else:
        hint = did_you_mean(word, known) or "The command `trexreport rules` lists all."
    return UsageError(f"{place} is no rule {quoted(word)}.", hint)


def _severities(table: TomlTable, rules: Sequence[Rule]) -> dict[str, Severity]:
    found: dict[str, Severity] = {}
    for key in table:
        rule = _rule_of(table, key, found, rules)
        found[rule.code] = table.one_of(key, SEVERITIES) or rule.severity
    return found


def _thresholds(table: TomlTable, rules: Sequence[Rule]) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for key in table:
        rule = _rule_of(table, key, found, rules)
        known = {each.key: each for each in rule.thresholds}
        values = table.table(key)
        if values.values and not known:
            raise table.wrong(key, "has no thresholds")
        renamed = {each.former_name: each.key for each in rule.thresholds if each.former_name}
        values.refuse_unknown(known, renamed)
        found[rule.code] = {
            known[name].name: values.number(name, known[name].minimum, known[name].maximum) for name in values
        }
    return found


def _rule_of(table: TomlTable, key: str, found: Mapping[str, object], rules: Sequence[Rule]) -> Rule:
    rule = find_rule(key, table.prefix.rstrip("."), rules)
    if rule.code in found:
        raise table.wrong(key, f"is {rule.code} again", "State it once, by code or by name.")
    return rule


def _suppression(table: TomlTable, rules: Sequence[Rule]) -> Suppression:
    table.refuse_unknown(_SUPPRESSION_KEYS)
    rule = table.needed_text("rule", "State a code, the start of a code, a name or a family.")
    check_selectors((rule,), f"{table.prefix}rule", rules)
    return Suppression(
        rule=rule,
        reason=table.needed_text("reason", "State why the finding does not matter here."),
        layers=table.text("layers"),
        until=table.day("until"),
        position=table.prefix.rstrip(": "),
    )
