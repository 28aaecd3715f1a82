"""The documentation of the rules, from their docstrings: one of them, or all on a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trexreport import __version__
from trexreport.analyzer.analysis import RuleFacts, as_json
from trexreport.analyzer.analysis.findings import ThresholdFacts
from trexreport.renderer.console import plain_table, print_beside, print_indented, print_wide_table
from trexreport.renderer.markdown_text import code, list_of, words
from trexreport.visible import one_line
from trexreport.wording.findings import rule_texts

if TYPE_CHECKING:
    from rich.console import Console

#: From this width of a terminal on, names of rules leave room for what they report.
_WIDTH_OF_NAMES = 80
_INTRODUCTION = (
    "# Rules",
    "<!-- Written by `trexreport rules --format markdown` from the rules' docstrings; not to be edited. -->",
    """\
The checks of `trexreport lint` and of every report. Savings are a bound or an estimate, as each rule states.
[Configuration](configuration.md) shows how to select rules, change thresholds and suppress findings;
`trexreport explain CODE` shows one rule.""",
)


def rules_markdown(rules: Sequence[RuleFacts]) -> str:
    """Return the page of all rules: a table, then the rules by family."""
    rows = [
        f"| [{words(rule.code)}](#{rule.code.lower()}) | {rule.severity} | {words(rule.name)} "
        f"| {words(rule.title)} |"
        for rule in rules
    ]
    table = "\n".join(["| Code | Severity | Name | Finding |", "|---|---|---|---|", *rows])
    parts = [*_INTRODUCTION, table]
    for family in dict.fromkeys(rule.family for rule in rules):
        parts.append(f"## {words(family)}")
        for rule in (each for each in rules if each.family == family):
            about = f"{words(rule.title)}. {code(rule.name)}, {rule.severity}."
            # A heading of the code alone gives a link that stays valid when the title changes.
            parts += [f"### {words(rule.code)}", about, rule_markdown(rule)]
    return "\n\n".join(parts) + "\n"


def rule_markdown(rule: RuleFacts) -> str:
    """Return the documentation of a rule without its title, as Markdown."""
    parts = [f"**{label}.**{list_of(text)}" for label, text in rule_texts(rule).items()]
    if rule.needs:
        parts.append("**Skipped** if an input is missing:")
        parts.append("\n".join(f"- {words(each)}" for each in rule.needs))
    if rule.thresholds:
        rows = [
            f"| {code(each.name)} | {_default(each)} | {_range(each)} | {words(each.meaning)} |"
            for each in rule.thresholds
        ]
        table = ["| Threshold | Default | Range | Meaning |", "|---|--:|---|---|", *rows]
        parts.append("\n".join(table))
    return "\n\n".join(parts)


def rule_text(rule: RuleFacts) -> str:
    """Return the documentation of a rule without its title, as plain paragraphs."""
    parts = [f"{label}: {text}" for label, text in rule_texts(rule).items()]
    parts += [f"Threshold {each.name}: {_threshold(each)}" for each in rule.thresholds]
    return "\n\n".join(parts)


def rules_json(rules: Sequence[RuleFacts]) -> bytes:
    """Return all rules as JSON in ASCII."""
    document = {"generator": "trexreport", "version": __version__, "rules": as_json(list(rules))}
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def print_rules(rules: Sequence[RuleFacts], console: Console) -> None:
    """Print a line for each rule."""
    table = plain_table(("Code", False), ("Severity", False), ("Name", False), ("Finding", False))
    for rule in rules:
        table.add_row(*(one_line(each) for each in (rule.code, rule.severity, rule.name, rule.title)))
    # A name is in one piece, to be copied, where that leaves room for the finding.
    for column in table.columns[:3]:
        column.no_wrap = console.width >= _WIDTH_OF_NAMES
    print_wide_table(console, table)


def print_rule(rule: RuleFacts, console: Console) -> None:
    """Print the documentation of one rule."""
    console.print(one_line(f"{rule.code} {rule.name} ({rule.severity})"), style="bold")
    print_indented(console, f"{rule.title}.", 0)
    for label, text in rule_texts(rule).items():
        console.print(f"\n{label}", style="bold")
        lines = text.splitlines()
        for line in lines:
            print_beside(console, "  - " if len(lines) > 1 else "  ", line)
    if rule.needs:
        console.print("\nSkipped if an input is missing", style="bold")
        for each in rule.needs:
            print_indented(console, each)
    if rule.thresholds:
        console.print("\nThresholds", style="bold")
        for threshold in rule.thresholds:
            print_indented(console, f"{threshold.name}: {_threshold(threshold)}")


def _threshold(threshold: ThresholdFacts) -> str:
    return f"{threshold.meaning} Default: {_default(threshold)}; range: {_range(threshold)}."


def _default(threshold: ThresholdFacts) -> str:
    return _number(threshold.default)


def _range(threshold: ThresholdFacts) -> str:
    return f"{_number(threshold.minimum)} to {_number(threshold.maximum)}"


def _number(value: float) -> str:
    """Return a number as a configuration states it: no spaces, no exponent for whole ones."""
    return str(int(value)) if value == int(value) else str(value)
