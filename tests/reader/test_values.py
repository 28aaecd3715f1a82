"""Numbers and texts out of JSON values of any kind."""

from __future__ import annotations

import pytest

from trexreport.reader import values
from trexreport.reader.values import duration, integer, known_extents, number, records, text


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


@pytest.mark.parametrize(
    ("extents", "known"),
    [
        ([1, 3, 0], (1, 3, 0)),
        ([1, 1.0], None),
        ([True], None),
        ([-1], None),
        ([2**60], None),
        ([[1]], None),
        ([], ()),
        ([2] * 100, (2,) * 100),
        ([2] * 100 + [[1]], None),
    ],
)
def test_known_extents(extents, known):
    assert known_extents(extents) == known


def test_only_shapes_of_tensors_are_remembered():
    values._known_extents.cache_clear()
    known_extents([7, 7])
    known_extents([7] * 1000)
    assert values._known_extents.cache_info().currsize == 1
