from __future__ import annotations

from math import inf

import layout_plans as plans
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_quality import (
    count_crossings,
    foreign_boxes_crossed,
    overlapping_boxes,
    routes_that_miss_their_boxes,
)

from trexreport.renderer.graph.layout import folding
from trexreport.renderer.graph.layout.cuts import LEAST, MOST, open_tails, segment_of, segment_starts
from trexreport.renderer.graph.layout.interface import Edge
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.layout.segmented import SegmentedEngine, Stack


class _CountingEngine(LayeredEngine):
    def __init__(self) -> None:
        self.placed = 0

    def place(self, nodes, edges, top, bottom):
        self.placed += 1
        return super().place(nodes, edges, top, bottom)


def _chain_arcs(count):
    return [(position, position + 1) for position in range(count - 1)]


def test_open_tails_are_counted_once_for_all_their_heads():
    assert open_tails(4, [(0, 1), (0, 3), (1, 3), (2, 3)]) == [1, 2, 3, 0]


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 900), st.lists(st.tuples(st.integers(0, 899), st.integers(1, 60)), max_size=40))
def test_segments_hold_40_to_160_positions(count, skips):
    arcs = _chain_arcs(count) + [(tail, tail + span) for tail, span in skips if tail + span < count]
    starts = segment_starts(count, arcs)
    sizes = [end - start for start, end in zip(starts, [*starts[1:], count], strict=True)]
    assert sum(sizes) == count
    assert all(size <= MOST for size in sizes)
    assert all(size >= LEAST for size in sizes) or count < LEAST
    assert [segment_of(starts, start) for start in starts] == list(range(len(starts)))


def test_a_plan_is_cut_where_the_fewest_connections_are_open():
    bridges = [(100, 170), (170, 300), (300, 430)]
    arcs = _chain_arcs(431) + [
        (position, min(position + 2, end)) for start, end in bridges for position in range(start, end - 1)
    ]
    opened = open_tails(431, arcs)
    _, *starts = segment_starts(431, arcs)
    assert [opened[start - 1] for start in starts] == [1] * 3


def test_repeated_blocks_are_laid_out_once(monkeypatch):
    engine = _CountingEngine()
    nodes, edges = plans.transformer(400)
    layout = SegmentedEngine(engine)(nodes, edges)
    assert len(layout.positions) == len(nodes) > 6000
    assert engine.placed <= 8
    assert layout.width < 2 * layout.height
    monkeypatch.setattr(folding, "TALLEST", inf)
    assert SegmentedEngine(engine)(nodes, edges).width < 3 * LayeredEngine()(*plans.transformer(4)).width


def test_edges_over_several_segments_keep_clear_of_boxes():
    nodes, edges = plans.chain(900)
    long = [
        Edge(f"long {number}", nodes[10 + 7 * number].key, nodes[890 - 3 * number].key) for number in range(9)
    ]
    edges = [*edges, *long]
    layout = SegmentedEngine(LayeredEngine())(nodes, edges)
    assert overlapping_boxes(nodes, layout) == []
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    assert count_crossings(edges, layout) <= 2 * count_crossings(edges, LayeredEngine()(nodes, edges)) + 4


def test_back_edges_and_self_loops_survive_the_cuts():
    nodes, edges = plans.chain(600)
    back = Edge("back", nodes[500].key, nodes[50].key, back=True)
    loop = Edge("loop", nodes[300].key, nodes[300].key)
    edges = [*edges, back, loop]
    layout = SegmentedEngine(LayeredEngine())(nodes, edges)
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert layout.routes["back"][0][1] > layout.routes["back"][-1][1]


def test_a_stack_of_one_segment_is_that_segment():
    nodes, edges = plans.resnet(4)
    stacked = Stack(LayeredEngine(), nodes, edges).layout()
    whole = LayeredEngine()(nodes, edges)
    assert (stacked.width, stacked.height) == (whole.width, whole.height)


def test_a_plan_without_narrow_places_is_laid_out_whole():
    engine = _CountingEngine()
    nodes, edges = plans.unet(150)
    layout = SegmentedEngine(engine)(nodes, edges)
    assert engine.placed == 0
    assert layout.width == LayeredEngine()(nodes, edges).width
