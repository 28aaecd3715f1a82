"""Markdown: a table and details that no name can break out of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from lint_runs import empty_run, hostile_texts, make_run
from markdown_it import MarkdownIt

from trexreport.renderer.check_results.results import short_name
from trexreport.renderer.findings.document import render_markdown
from trexreport.renderer.markdown_text import code, paragraphs_of, words
from trexreport.visible import one_line

PARSER = MarkdownIt("commonmark").enable("table")
ALLOWED = {"text", "code_inline", "strong_open", "strong_close"}


def tokens(source):
    return PARSER.parse(source)


def inline(source):
    return [child for token in tokens(source) for child in token.children or ()]


@given(hostile_texts)
def test_words_are_words(text):
    children = inline(f"x {words(text)}")
    assert {child.type for child in children} <= {"text", "text_special"}
    # A space of no width keeps a name from mentioning a user.
    shown = "".join(child.content for child in children).replace("\u200b", "")
    assert shown == f"x {one_line(text).strip()}".strip()


@pytest.mark.parametrize("text", ["@everyone", "a @b/c", "x@example.org", "#12", "o/r#1", "gh-1"])
def test_no_user_is_mentioned_and_no_issue_is_referred_to(text):
    (child,) = inline(f"x {words(text)}")[:1]
    html = PARSER.render(words(text))
    assert not re.search(r"@\w|#\d|gh-\d", html)
    assert child.type == "text"


@given(hostile_texts)
def test_words_at_the_beginning_of_a_line_are_words(text):
    kinds = {token.type for token in tokens(words(text))}
    assert kinds <= {"paragraph_open", "inline", "paragraph_close"}


@given(hostile_texts)
def test_code_is_code(text):
    (child,) = inline(f"{code(text)}") or [None]
    shown = one_line(text)
    assert child.type == "code_inline"
    assert child.content.strip(" ") == shown.strip(" ")


@given(inner=hostile_texts, text=hostile_texts)
def test_code_in_a_text_of_a_rule_is_code_and_the_rest_is_words(inner, text):
    inner = inner.replace("`", "").replace("\n", " ") + "x"
    first, second, third = inline(paragraphs_of(f"a `{inner}` b"))
    assert (first.content, second.type, third.content) == ("a ", "code_inline", " b")
    assert second.content.strip() == one_line(inner).strip()
    kinds = {child.type for child in inline(paragraphs_of(f"a {text}"))}
    assert kinds <= {"text", "text_special", "code_inline", "softbreak"}


@given(text=hostile_texts, name=hostile_texts)
def test_no_name_becomes_markup(text, name):
    source = render_markdown(make_run(text, name)).decode()
    parsed = tokens(source)
    assert [token.content for token in parsed if token.type == "html_block"] == [
        source.splitlines()[0] + "\n"
    ]
    children = {child.type for token in parsed for child in token.children or ()}
    assert children <= ALLOWED | {"text_special"}
    rows = [token.type for token in parsed].count("tr_open")
    cells = [token.type for token in parsed].count("td_open")
    assert (rows, cells) == (4, 15)
    headings = [token.type for token in parsed].count("heading_open")
    assert headings == 8


@given(hostile_texts)
def test_layers_are_named_as_they_are(name):
    source = render_markdown(make_run("Text", name)).decode()
    spans = [child.content for child in inline(source) if child.type == "code_inline"]
    assert short_name(name).strip(" ") in [span.strip(" ") for span in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b*c", "a\\_b\\*c"),
        ("https://x", "https\\://x"),
        ("www.x.org", "www\\.x.org"),
        ("Est. savings: 3.4%", "Est. savings: 3.4%"),
        ("float-output", "float-output"),
        ("- x", "\\- x"),
        ("12. x", "12\\. x"),
        ("--flag=1", "\\--flag=1"),
    ],
)
def test_words_stay_readable(text, expected):
    assert words(text) == expected


def test_nothing_found_is_stated():
    assert "No findings. 0 rules ran." in render_markdown(empty_run()).decode()
