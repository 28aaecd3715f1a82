"""Where a vertex belongs between its neighbors of the next row."""

from __future__ import annotations

import random

import pytest

from trexreport.renderer.graph.layout.layering import layer
from trexreport.renderer.graph.layout.ordering import (
    _weighted_median,
    count_crossings,
    reduce_crossings,
)


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


@pytest.mark.parametrize("is_thorough", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_reordering_keeps_all_vertices_and_adds_no_crossings(seed, is_thorough):
    rng = random.Random(seed)
    ranks = [number // 6 for number in range(60)]
    arcs = [(one, other) for one in range(60) for other in range(60) if ranks[other] == ranks[one] + 1]
    layering = layer(60, rng.sample(arcs, 120), ranks)
    before, crossings = [sorted(row) for row in layering.rows], count_crossings(layering, layering.rows)
    reduce_crossings(layering, is_thorough=is_thorough)
    assert [sorted(row) for row in layering.rows] == before
    assert count_crossings(layering, layering.rows) < crossings
