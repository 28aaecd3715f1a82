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
