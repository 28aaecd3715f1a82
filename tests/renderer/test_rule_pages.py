"""The documentation of the rules is what their docstrings say, and docs/rules.md is current."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from trexreport.analyzer.analysis import RuleFacts
from trexreport.analyzer.analysis.findings import ThresholdFacts
from trexreport.analyzer.rules.description import describe_rules
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.renderer.rule_pages import print_rules, rule_markdown, rule_text, rules_markdown

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
RULES = describe_rules(built_in_rules())


def test_the_page_is_current():
    current = rules_markdown(RULES)
    assert PAGE.read_text("utf-8") == current, "run: trexreport rules --format markdown > docs/rules.md"


def test_the_page_says_everything_of_each_rule():
    tokens = MarkdownIt("commonmark").enable("table").parse(rules_markdown(RULES))
    paragraphs = [
        "".join(child.content for child in token.children) for token in tokens if token.type == "inline"
    ]
    assert RULES
    for rule in RULES:
        # The code is in the table, too, before the headings.
        start = len(paragraphs) - 1 - paragraphs[::-1].index(rule.code)
        assert paragraphs[start + 1].startswith(rule.title)
        for text in (rule.cost, rule.recommendation, rule.false_alarm, rule.savings):
            first = text.split("\n", maxsplit=1)[0]
            shown = " ".join(first.replace("`", "").split())
            assert any(each.endswith(shown) for each in paragraphs), rule.code
        for threshold in rule.thresholds:
            assert threshold.name in paragraphs


def test_links_to_rules_lead_to_their_headings():
    page = rules_markdown(RULES)
    headings = {heading.lower() for heading in re.findall(r"^### (\S+)$", page, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", page)) == headings == {rule.code.lower() for rule in RULES}


@given(st.text(max_size=20))
def test_a_rule_of_another_package_writes_no_markup(text):
    threshold = ThresholdFacts("share", 0.5, 0, 1_000_000, text)
    rule = RuleFacts("ABC101", "a.b", "a", "info", *[text] * 5, needs=(text,), thresholds=(threshold,))
    tokens = MarkdownIt("commonmark").enable("table").parse(rule_markdown(rule))
    assert not {token.type for token in tokens} & {"html_block", "heading_open", "fence", "code_block", "hr"}
    inline = {child.type for token in tokens for child in token.children or ()}
    assert inline <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}


def test_thresholds_are_written_as_a_configuration_says_them():
    rule = RuleFacts(
        *("ABC101", "a.b", "a", "info", "T", "c", "a", "f", "b"),
        thresholds=(ThresholdFacts("share", 0.5, 0, 1e6, "Minimum share."),),
    )
    assert "| `share` | 0.5 | 0 to 1000000 | Minimum share. |" in rule_markdown(rule)
    assert rule_text(rule).endswith("Threshold share: Minimum share. Default: 0.5; range: 0 to 1000000.")


@pytest.mark.parametrize(("columns", "whole"), [(80, True), (60, False)])
def test_names_of_rules_stay_whole_where_the_findings_have_room(columns, whole):
    printed = io.StringIO()
    print_rules(RULES, Console(file=printed, width=columns))
    text = printed.getvalue()
    assert all(rule.name in text for rule in RULES) == whole
    assert "A layer computes" in text
