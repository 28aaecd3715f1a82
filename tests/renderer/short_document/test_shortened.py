"""Sentences that are too long end where one of them ends, and keep their first share."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.renderer.short_document.document import Column, plain
from trexreport.renderer.short_document.shortened import shortened

FIRST = "Weights are streamed from the host, with a budget of 30%."
SECOND = " 93 layers take 98.7% of layer time (390 ms) for weights that come at 25 GB/s."
THIRD = " On the GPU, reading all of them takes about 15.1 ms, as others show."


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        (FIRST + SECOND, 200, FIRST + SECOND),
        (FIRST + SECOND + THIRD, 160, FIRST + SECOND + " …"),
        # No sentence ends behind the share.
        (FIRST + SECOND, 110, FIRST + " 93 layers take 98.7% of layer time (390 ms) for …"),
        ("It is slow, est. 3% in all, and " + "so on " * 9, 36, "It is slow, est. 3% in all, and so …"),
        ("It takes 40% of layer time; others of its kind take 0.107 ms.", 50, "It takes 40% of layer time …"),
        # Little would be left of it.
        ("It is slow. No one knows why that is so here.", 36, "It is slow. No one knows why that …"),
        ("x" * 30, 11, "xxxxx…xxxxx"),
    ],
)
def test_the_text(text, width, expected):
    assert shortened(text, width) == expected


def test_a_share_that_comes_late_is_kept():
    text = "It " + "waits and " * 50 + "then takes 98.7% of layer time (390 ms), which is much."
    short = shortened(text, 200)
    assert len(short) <= 200
    assert short.startswith("It waits and waits")
    assert "takes 98.7% of layer time (390 ms)" in short


def test_columns_of_sentences_do_so_and_names_differ_at_their_ends():
    text = FIRST + SECOND + THIRD
    (sentence,) = Column("Finding", max_chars=160, has_sentences=True).texts(text)
    assert sentence.text == FIRST + SECOND + " …"
    assert plain(Column("Layer", max_chars=160).texts(text)).endswith("as others show.")


@given(text=st.text("ab. %1of"), width=st.integers(2, 60))
def test_no_text_is_too_long(text, width):
    assert len(shortened(text, width)) <= width
