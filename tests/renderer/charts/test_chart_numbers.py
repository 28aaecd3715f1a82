"""How numbers are written everywhere in a report."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.numbers import (
    MISSING,
    format_bytes,
    format_count,
    format_ms,
    format_number,
    format_percent,
    middle_ellipsis,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (5, "5"),
        (5.0, "5.00"),
        (1.5, "1.50"),
        (0.00123456, "0.00123"),
        (9.996, "10.0"),
        (999.6, "1,000"),
        (12345.6, "12,300"),
        (-3.25, "\u22123.25"),
        (0.001, "0.00100"),
        (1e-7, "<0.001"),
        (2.5e20, "≥1,000,000,000,000,000"),
        (None, MISSING),
        (float("nan"), MISSING),
        (float("inf"), MISSING),
        (10**400, MISSING),
        (True, MISSING),
    ],
)
def test_three_significant_digits(value, text):
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0\u00a0B"),
        (1023, "1,023\u00a0B"),
        (1024, "1.00\u00a0KiB"),
        (4014080, "3.83\u00a0MiB"),
        (8 * 1024**3, "8.00\u00a0GiB"),
        (None, MISSING),
    ],
)
def test_sizes_are_binary(value, text):
    assert format_bytes(value) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.649, "64.9%"),
        (1.0, "100%"),
        (0.9999, "100%"),
        (0.0649, "6.49%"),
        (0.0005, "0.05%"),
        (0.00001, "<0.01%"),
        (0, "0%"),
        (-0.03, "\u22123.00%"),
        (float("nan"), MISSING),
    ],
)
def test_percentages(fraction, text):
    assert format_percent(fraction) == text


def test_units_and_counts():
    assert format_ms(0.2024) == "0.202\u00a0ms"
    assert format_ms(None) == MISSING
    assert format_count(1309) == "1,309"


@given(st.none() | st.floats() | st.integers())
def test_no_value_is_written_as_nan(value):
    for write in (format_number, format_bytes, format_percent, format_ms, format_count):
        assert not any(word in write(value).lower() for word in ("nan", "inf", "e+", "e-"))


@given(st.text(), st.integers(-1, 50))
def test_an_ellipsis_keeps_the_ends(text, width):
    short = middle_ellipsis(text, width)
    assert len(short) <= max(width, 0) or short == text
    if len(text) <= width:
        assert short == text
    elif width >= 3:
        assert short[0] == text[0]
        assert short[-1] == text[-1]
