"""Regular expressions of `draw --query`: what fits, and that no expression takes forever."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.renderer.graph.pattern import compile_pattern
from trexreport.renderer.graph.pattern_syntax import PatternError

VECTORS = json.loads((Path(__file__).parents[2] / "pattern_vectors.json").read_text(encoding="utf-8"))
PIECES = [
    "a",
    "b",
    "1",
    ".",
    r"\w",
    r"\d",
    "[ab]",
    "[^a]",
    "a*",
    "b+",
    "a?",
    "(a|b)",
    "(?:ab)*",
    "^",
    "$",
    r"\b",
    "a{1,2}",
]


@pytest.mark.parametrize(("pattern", "fitting", "others"), VECTORS["fits"])
def test_patterns_fit_as_those_of_the_page(pattern, fitting, others):
    assert [text for text in (*fitting, *others) if compile_pattern(pattern)(text)] == fitting


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [(fault, each) for fault in ("faulty", "not_supported", "too_long") for each in VECTORS[fault]],
)
def test_what_cannot_be_used_is_refused(fault, pattern):
    with pytest.raises(PatternError) as refused:
        compile_pattern(pattern)
    assert refused.value.fault == fault


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.text("ab1 -_A", max_size=8))
def test_patterns_fit_as_those_of_python(pattern, text):
    found = re.search(pattern, text, re.IGNORECASE | re.ASCII)
    assert compile_pattern(pattern)(text) == bool(found)


@given(st.text("ab(|)*+?{1,}[]^$\\\\d-:.", max_size=12))
def test_any_text_is_a_pattern_or_refused(pattern):
    try:
        fits = compile_pattern(pattern)
    except PatternError:
        return
    assert fits("ab 1") in (True, False)


@pytest.mark.parametrize(
    "pattern", [r"(\w+\.?)+:", "(a*)*b$", "(a|aa)+$", ".*.*.*.*=", "(a|b)*a(a|b){90}x", r"([a-z]+)*\d"]
)
def test_no_pattern_takes_longer_than_linear_time(pattern):
    begun = time.process_time()
    for part in ("a", "a.", "ab", "aaaaaaa!"):
        compile_pattern(pattern)(part * (20_000 // len(part)))
    assert time.process_time() - begun < 30
