"""Levels of query times that change in several steps."""

from __future__ import annotations

import random

import pytest

from trexreport.analyzer.levels import find_levels


def levels_of(*parts, noise=0.003, slope=0.0):
    """Return the levels of parts of a run, each a number of queries and their time in ms."""
    chance = random.Random(5)
    times = [
        ms * (1 + chance.gauss(0, noise) + slope * at / queries)
        for queries, ms in parts
        for at in range(queries)
    ]
    return find_levels(times, range(len(times)))


def test_each_step_is_found_where_it_is():
    found = levels_of((800, 11.2), (600, 13.9), (750, 16.85))
    assert [each.begins for each in found] == pytest.approx([0, 800, 1400], abs=3)
    assert [each.ms for each in found] == pytest.approx([11.2, 13.9, 16.85], rel=0.002)
    assert sum(each.part for each in found) == pytest.approx(1)


def test_outliers_between_do_not_end_a_level():
    assert len(levels_of((400, 1.0), (12, 1.9), (400, 1.0), (500, 1.3), (500, 1.5))) == 3


@pytest.mark.parametrize(
    "parts",
    [
        [(2000, 11.2)],
        [(1000, 11.2), (1000, 13.9)],
        [(20, 1.0 + at / 100) for at in range(100)],
        [(20, 1.0 + at / 1000) for at in range(100)],
        [(3, 1.0 if at % 2 else 1.3) for at in range(600)],
        [(100, 1.0), *((20, 1.0 + at / 50) for at in range(25)), (100, 1.5)],
        [],
    ],
    ids=["one level", "one step", "ramp", "slow ramp", "to and fro", "ramp between levels", "nothing"],
)
def test_what_does_not_change_in_several_steps_has_no_levels(parts):
    assert not levels_of(*parts)


def test_parts_that_drift_as_much_as_they_differ_are_no_levels():
    assert levels_of((700, 1.0), (700, 1.02), (700, 1.04), noise=0.0)
    assert not levels_of((700, 1.0), (700, 1.02), (700, 1.04), noise=0.0, slope=0.018)
