"""Texts from files are shown as they are, and do not move the text beside them."""

from __future__ import annotations

import sys
from unicodedata import bidirectional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.visible import in_order, visible

MARK = "\u200e"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("שלום 2×3", f"שלום {MARK}2×3"),
        ("طبقة 6.50\u00a0ms", f"طبقة {MARK}6.50\u00a0ms"),
        ("FP16 −1.2 ms; نوع 7 +2.45 ms.", f"FP16 −1.2 ms; نوع 7 {MARK}+2.45 ms."),
        ("שכבה (2) 27.1%", f"שכבה (2) {MARK}27.1%"),
        ("שכבה 16.0\u00a0KiB", f"שכבה {MARK}16.0\u00a0KiB"),
        ("שכבה/Conv 2 ms", "שכבה/Conv 2 ms"),
        ("שכבה 7: 12 / 34", "שכבה 7: 12 / 34"),
        ("שכבה 7 miles", "שכבה 7 miles"),
        ("é 2 ms", "é 2 ms"),
        ("Conv 2 ms", "Conv 2 ms"),
    ],
)
def test_a_figure_stays_after_the_name_that_it_is_of(text, expected):
    assert in_order(text) == expected


@given(st.text())
def test_nothing_but_marks_is_added(text):
    assert in_order(text).replace(MARK, "") == text.replace(MARK, "")
    assert in_order(in_order(text)) == in_order(text)


def test_every_letter_that_is_written_from_the_right_is_looked_for():
    letters = [chr(code) for code in range(sys.maxunicode) if bidirectional(chr(code)) in ("R", "AL")]
    assert len(letters) > 1000
    assert [each for each in letters if in_order(f"{each} 2 ms") != f"{each} {MARK}2 ms"] == []


def test_every_control_character_is_seen():
    controls = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in "\t\n"]
    assert [each for each in controls if visible(each) in controls] == []
    assert visible("6.50\u00a0ms \x00") == "6.50\u00a0ms ␀"
    assert visible("\x00 \x7f \x85 \x9b") == "␀ ␡ � �"
