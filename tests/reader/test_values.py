"""Numbers and texts out of JSON values of any kind."""

from __future__ import annotations

import pytest

from trexreport.reader.values import duration, integer, number, records, text


@pytest.mark.parametrize(
    ("value", "as_number", "as_duration", "as_integer"),
    [
        (3, 3.0, 3.0, 3),
        ("2.5", 2.5, 2.5, None),
        ("1e-05", 1e-05, 1e-05, None),
        (-1, -1.0, None, -1),
        (0, 0.0, 0.0, 0),
        (5e-324, 5e-324, 0.0, None),
        (1e13, 1e13, None, 10**13),
        (2**60, float(2**60), None, None),
        (10**400, None, None, None),
        (float("nan"), None, None, None),
        ("-inf", None, None, None),
        ("x", None, None, None),
        (True, None, None, None),
        (None, None, None, None),
        ([1], None, None, None),
    ],
)
def test_numbers(value, as_number, as_duration, as_integer):
    assert (number(value), duration(value), integer(value)) == (as_number, as_duration, as_integer)


def test_texts_and_records():
    assert (text("a"), text(3), text(None)) == ("a", "", "")
    assert records([{"a": 1}, 2, None, {}]) == [{"a": 1}, {}]
    assert records({"a": 1}) == []
