"""`trexreport summary` in its formats, and summaries within a budget of tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport.renderer.short_document.tokens import estimate_tokens
from trexreport.resources import resource_folder

BEFORE, AFTER = (resource_folder("samples") / f"resnet18-int8-{name}" for name in ("before", "after"))


def test_formats(run):
    text = run("summary", BEFORE).stdout
    assert run("summary", BEFORE, "--format", "text").stdout == text
    assert run("summary", BEFORE, "--format", "json").stdout == run("summary", BEFORE, "--json").stdout
    markdown = run("summary", BEFORE, "--format", "md").stdout
    assert "## resnet18-int8-before" in markdown
    assert "| Median latency | 0.798" in markdown


def test_a_budget_of_tokens(run):
    text = run("summary", BEFORE, "--max-tokens", "500").stdout
    assert text == run("summary", BEFORE, "--format", "md", "--max-tokens", "500").stdout
    assert estimate_tokens(text) <= 500
    assert "- Median latency: 0.798 ms" in text
    assert "Left out: " in text


def test_top_limits_the_layers_of_a_budget(run):
    assert "MaxPool|Pooling" in run("summary", BEFORE, "--max-tokens", "9000").stdout
    assert "MaxPool|Pooling" not in run("summary", BEFORE, "--max-tokens", "9000", "--top", "0").stdout


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--format", "json", "--max-tokens", "500"), "--max-tokens is for Markdown"),
        (("--json", "--format", "md"), "contradict each other"),
        (("--max-tokens", "99"), "100<=x<=1000000"),
        (("--max-tokens", "100"), "100 tokens are too few for what identifies the result. Give 1"),
    ],
)
def test_errors_are_one_line(run, options, error):
    assert error in run("summary", BEFORE, *options, code=2).stderr


def test_phases(run):
    options = ("--phase", f"prefill={BEFORE}", "--phase", f"decode={AFTER}")
    text = run("summary", *options, "--max-tokens", "900").stdout
    assert estimate_tokens(text) <= 900
    assert "|prefill|" in text
    assert "## prefill" in run("summary", *options, "--format", "md").stdout
    assert json.loads(run("summary", *options, "--format", "json").stdout)["together"]["phases"]


def test_a_comparison_within_a_budget(run):
    text = run("compare", BEFORE, AFTER, "--max-tokens", "800").stdout
    assert "Verdict: faster" in text
    assert estimate_tokens(text) <= 800
    run("compare", BEFORE, AFTER, "--max-tokens", "800", "-o", "short.md")
    assert Path("short.md").read_text("utf-8") == text
    assert (
        "is for Markdown"
        in run("compare", BEFORE, AFTER, "--max-tokens", "800", "-o", "x.html", code=2).stderr
    )
