"""Where a vertex belongs between its neighbors of the next row."""

from __future__ import annotations

import pytest

from trexreport.renderer.graph.layout.ordering import _weighted_median


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([3], 3),
        ([1, 4], 2.5),
        ([1, 2, 9], 2),
        # (1 * 15 + 5 * 1) / 16: the left two are denser.
        ([0, 1, 5, 20], 1.25),
        # (15 * 1 + 19 * 15) / 16: the right two are.
        ([0, 15, 19, 20], 18.75),
        ([0, 4, 6, 10], 5),
        ([1, 1, 4, 4], 2.5),
    ],
)
def test_the_median_leans_to_where_the_others_are_denser(places, expected):
    assert _weighted_median(places) == expected
