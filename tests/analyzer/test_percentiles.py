"""The distribution of times."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.percentiles import describe, median, percentile


class TestPercentiles:
    @pytest.mark.parametrize(
        ("count", "rank", "expected"),
        [
            (1, 99, 0),
            (10, 90, 8),
            (10, 99, 9),
            (100, 99, 98),
            (100, 90, 89),
            (1000, 99.9, 998),
            (10, 0, 0),
            (7, 100, 6),
        ],
    )
    def test_as_trtexec_counts(self, count, rank, expected):
        assert percentile(range(count), rank) == expected

    def test_median(self):
        assert median([1, 2, 9]) == 2
        assert median([1, 2, 4, 9]) == 3
        assert median([5]) == 5

    @given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50))
    def test_order(self, values):
        found = describe(values, "x")
        assert found.min_ms <= found.median_ms <= found.max_ms
        assert found.median_ms <= found.percentiles["99"] <= found.max_ms
        assert list(found.percentiles.values()) == sorted(found.percentiles.values())
        assert found.count == len(values)
