"""Tall stacks in columns: everything on the sheet, connections in order, breaks at narrow places."""

from __future__ import annotations

import layout_plans as plans
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_quality import (
    ROUNDING,
    count_crossings,
    foreign_boxes_crossed,
    overlapping_boxes,
    routes_that_miss_their_boxes,
)

from trexreport.renderer.graph.layout import folding
from trexreport.renderer.graph.layout.folding import TALLEST, Area, fold
from trexreport.renderer.graph.layout.interface import Edge
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.layout.segmented import SegmentedEngine


def areas(*segments):
    """Return segments below each other, given as height and number of open connections."""
    found, y = [], 0.0
    for height, opened in segments:
        found.append(Area(0.0, y, 200.0, height, opened))
        y += height
    return found


def test_what_is_not_tall_stays_one_column():
    folded = fold(areas((4000.0, 2), (4000.0, 0)))
    assert folded.offsets == [(0.0, 0.0), (0.0, 4000.0)]
    assert folded.turns == {}


def test_a_column_ends_where_the_fewest_connections_are_open():
    folded = fold(areas((4000.0, 9), (3500.0, 1), (1000.0, 9), (4000.0, 9), (4000.0, 0)))
    assert next(iter(folded.turns)) == 1
    assert folded.turns[1].lanes == 1


def test_one_segment_that_is_too_tall_has_its_own_column():
    folded = fold(areas((50_000.0, 1), (50_000.0, 1), (10.0, 0)))
    assert list(folded.turns) == [0, 1]


@given(st.lists(st.tuples(st.integers(100, 9000), st.integers(0, 40)), min_size=1, max_size=60))
def test_columns_hold_all_segments_in_order_and_keep_apart(segments):
    found = areas(*((float(height), opened) for height, opened in segments))
    folded = fold(found)
    assert len(folded.offsets) == len(found)
    for number, ((x, y), area) in enumerate(zip(folded.offsets, found, strict=True)):
        assert 0 <= x <= folded.width - area.width + ROUNDING
        assert 0 <= y <= folded.height - area.height + ROUNDING
        if number:
            before_x, before_y = folded.offsets[number - 1]
            assert (x > before_x) if number - 1 in folded.turns else (x == before_x and y > before_y)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_connections_over_columns_keep_clear_of_boxes(seed, skips):
    nodes, edges = plans.chain(700)
    edges = edges + [
        Edge(f"skip {n}", nodes[(seed * 7 + n * 53) % 340].key, nodes[350 + (seed + n * 31) % 340].key)
        for n in range(skips)
    ]
    layout = SegmentedEngine(LayeredEngine())(nodes, edges)
    assert layout.width > 1000
    assert layout.height < 1.5 * TALLEST
    assert overlapping_boxes(nodes, layout) == []
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    assert all(
        -ROUNDING <= x <= layout.width + ROUNDING and -ROUNDING <= y <= layout.height + ROUNDING
        for route in layout.routes.values()
        for x, y in route
    )


@pytest.mark.parametrize("plan", ["skips", "decoder"])
def test_folding_adds_no_crossings(plan, monkeypatch):
    nodes, edges = plans.transformer(60) if plan == "decoder" else plans.skipping(700, 0.02)
    folded = SegmentedEngine(LayeredEngine())(nodes, edges)
    monkeypatch.setattr(folding, "TALLEST", float("inf"))
    straight = SegmentedEngine(LayeredEngine())(nodes, edges)
    assert folded.width > straight.width
    assert count_crossings(edges, folded) <= count_crossings(edges, straight)
