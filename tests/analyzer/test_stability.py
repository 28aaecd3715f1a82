"""The histogram of query times: bins by Freedman and Diaconis, and its special cases."""

from __future__ import annotations

import pytest

from trexreport.analyzer.stability import describe_stability
from trexreport.model import QueryTimes


def test_bins_of_even_times():
    # p99 is 0.99 ms and the histogram ends a tenth above it, at 1.089 ms; twice the interquartile range
    # over the cube root of the count is 0.1 ms.
    found = describe_stability(QueryTimes(tuple(each / 999 for each in range(1000))))
    assert len(found.histogram_counts) == 11
    assert found.histogram_edges_ms[0] == 0
    assert found.histogram_edges_ms[-1] == pytest.approx(1.089, rel=1e-3)
    assert found.histogram_counts[:9] == [99] * 9
    assert sum(found.histogram_counts) == 1000
    assert found.outliers == 0


def test_equal_times_are_one_narrow_bin():
    found = describe_stability(QueryTimes((2.0,) * 20))
    assert found.histogram_edges_ms == [2.0, pytest.approx(2.002)]
    assert (found.histogram_counts, found.outliers) == ([20], 0)


def test_times_without_an_interquartile_range_have_the_most_bins():
    found = describe_stability(QueryTimes((1.0,) * 90 + (2.0,) * 10))
    assert len(found.histogram_counts) == 60
    assert (found.histogram_counts[0], sum(found.histogram_counts)) == (90, 100)


def test_few_times_have_five_bins():
    found = describe_stability(QueryTimes((1.0, 2.0, 3.0, 4.0)))
    assert len(found.histogram_counts) == 5


def test_times_far_above_the_rest_are_counted_apart():
    found = describe_stability(QueryTimes((*(1 + each / 1000 for each in range(999)), 9.0)))
    assert found.outliers == 1
    assert found.histogram_counts[-1] > 0
    assert found.histogram_edges_ms[-1] < 2.1


def test_two_groups_of_which_the_slow_one_has_the_median_are_not_steady():
    times = (1.0, 1.002, 0.998) * 50 + (1.5, 1.503, 1.497) * 200
    found = describe_stability(QueryTimes(times))
    assert found.percentiles.tail_percent < 1
    assert not found.is_steady


@pytest.mark.parametrize(
    ("times", "is_steady"),
    [
        ((1.0,) * 20 + (1.08,) * 30, False),
        ((1.0, 1.0, 0.88, 1.0, 1.0, 1.0) * 20, False),
        ((0.7,) + (1.0,) * 59, True),
        ((1.6,) + (1.0,) * 199, True),
    ],
)
def test_many_fast_queries_are_no_outliers(times, is_steady):
    found = describe_stability(QueryTimes(times))
    assert found.variation_percent > 2.5 > found.percentiles.tail_percent
    assert found.is_steady is is_steady


@pytest.mark.parametrize(
    ("times", "step", "gets_slower"),
    [
        ((1.0, 1.001) * 100 + (1.2, 1.26, 1.24, 1.3, 1.2, 1.4) + (1.5, 1.501) * 150, 203, True),
        ((1.5, 1.501) * 150 + (1.4, 1.2, 1.3, 1.2, 1.0) + (1.0, 1.001) * 100, 302, False),
        ((1.0, 1.001) * 100 + (1.5,) * 2 + (1.0, 1.001) * 100 + (1.5, 1.501) * 150, 402, True),
        (((1.0,) * 50 + (1.5,) * 50) * 5, None, False),
        ((1.0,) * 150 + (1.5,) * 100 + (1.0,) * 150, None, False),
    ],
)
def test_a_lasting_step_differs_from_groups_that_alternate(times, step, gets_slower):
    modes = describe_stability(QueryTimes(times)).two_modes
    assert modes.gets_slower is gets_slower
    assert modes.step_after == (step if step is None else pytest.approx(step, abs=4))
    assert (modes.changes == 1) is (step is not None)


@pytest.mark.parametrize(
    ("enqueue_ms", "expected"),
    [
        ((1.0, 2.0, 3.0) * 40, 1.0),
        ((3.0, 2.0, 1.0) * 40, -1.0),
        ((2.0, 4.0, 2.0) * 40, 0.0),
        ((2.0,) * 120, None),
        ((), None),
    ],
)
def test_enqueue_times_that_are_long_in_the_same_queries_correlate(enqueue_ms, expected):
    times = (1.0, 1.1, 1.2) * 40
    found = describe_stability(QueryTimes(times, times, enqueue_ms=enqueue_ms))
    assert found.enqueue_correlation == expected
