from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import layout_plans as plans
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from layout_quality import ROUNDING, foreign_boxes_crossed, overlapping_boxes, routes_that_miss_their_boxes

from trexreport.renderer.graph.layout import folding
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.layout.segmented import SegmentedEngine

ENGINES = {"layered": LayeredEngine, "segmented": lambda: SegmentedEngine(LayeredEngine())}

ODD_PLANS = {
    "star": plans.star(400),
    "branches": plans.branches(500),
    "dense": plans.dense(40),
    "deep U-Net": plans.unet(80),
    "long transformer": plans.transformer(60),
    "long with skips": plans.skipping(700, 0.05),
    "random": plans.random_plan(400, 5),
}


@pytest.fixture
def unfolded(monkeypatch):
    """Leave stacks as high as they are."""
    monkeypatch.setattr(folding, "TALLEST", float("inf"))


def assert_sound(nodes: list[Node], edges: list[Edge], layout: Layout) -> None:
    assert list(layout.positions) or not nodes
    assert set(layout.positions) == {node.key for node in nodes}
    assert set(layout.routes) == {edge.key for edge in edges}
    assert overlapping_boxes(nodes, layout) == []
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    for node in nodes:
        x, y = layout.positions[node.key]
        assert -ROUNDING <= x - node.width / 2 <= x + node.width / 2 <= layout.width + ROUNDING
        assert -ROUNDING <= y - node.height / 2 <= y + node.height / 2 <= layout.height + ROUNDING
    for route in layout.routes.values():
        assert len(route) >= 2
        assert all(
            -ROUNDING <= x <= layout.width + ROUNDING and -ROUNDING <= y <= layout.height + ROUNDING
            for x, y in route
        )


def assert_downward(nodes: list[Node], edges: list[Edge], layout: Layout) -> None:
    boxes = {node.key: node for node in nodes}
    for edge in edges:
        bottom = layout.positions[edge.source][1] + boxes[edge.source].height / 2
        top = layout.positions[edge.target][1] - boxes[edge.target].height / 2
        assert bottom < top, edge


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", [*plans.generated_plans(), *ODD_PLANS])
def test_boxes_and_routes_keep_apart_and_run_down(name, engine, unfolded):
    nodes, edges = {**plans.generated_plans(), **ODD_PLANS}[name]
    layout = ENGINES[engine]()(nodes, edges)
    assert_sound(nodes, edges, layout)
    assert_downward(nodes, edges, layout)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", [1, 2, 30, 700])
def test_a_chain_is_exactly_vertical(count, engine, unfolded):
    nodes, edges = plans.chain(count)
    layout = ENGINES[engine]()(nodes, edges)
    assert len({x for x, _ in layout.positions.values()}) == 1
    assert all(len(route) == 2 and route[0][0] == route[1][0] for route in layout.routes.values())
    assert layout.width == max(node.width for node in nodes)


def test_the_main_path_of_a_residual_network_is_straight():
    nodes, edges = plans.resnet(6)
    layout = LayeredEngine()(nodes, edges)
    # In each block the main path is two layers and their sum; blocks 3, 7, .. have one more on the skip.
    columns = [x for x, _ in layout.positions.values()]
    main = max(set(columns), key=columns.count)
    assert columns.count(main) == len(nodes) - 1
    assert layout.width < 2.5 * max(node.width for node in nodes)


def test_repeated_blocks_do_not_drift_sideways():
    short, long = (LayeredEngine()(*plans.transformer(blocks, cache=True)).width for blocks in (4, 30))
    assert long < 2 * short


@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_of_20000_nodes_is_finished(engine, unfolded):
    nodes, edges = plans.chain(20_000)
    layout = ENGINES[engine]()(nodes, edges)
    assert len(layout.positions) == 20_000
    assert len({x for x, _ in layout.positions.values()}) == 1


def test_an_empty_graph_is_an_empty_layout():
    layout = LayeredEngine()([], [])
    assert (layout.width, layout.height, layout.positions, layout.routes) == (0, 0, {}, {})


def test_nodes_without_edges_stand_in_rows():
    nodes = [Node(str(number), 100, 40) for number in range(40)]
    layout = LayeredEngine()(nodes, [])
    assert_sound(nodes, [], layout)
    assert 4 <= len({y for _, y in layout.positions.values()}) <= 12


def test_separate_parts_stand_side_by_side():
    nodes, edges = plans.chain(10)
    others = [Node(f"other {node.key}", node.width, node.height) for node in nodes]
    links = [Edge(f"other {edge.key}", f"other {edge.source}", f"other {edge.target}") for edge in edges]
    layout = LayeredEngine()([*nodes, *others], [*edges, *links])
    assert_sound([*nodes, *others], [*edges, *links], layout)
    assert layout.height == LayeredEngine()(nodes, edges).height
    assert len({x for x, _ in layout.positions.values()}) == 2


def test_self_loops_leave_and_return_to_their_box():
    nodes = [Node("a", 100, 40), Node("b", 100, 40), Node("c", 100, 40), Node("alone", 100, 40)]
    edges = [Edge("ab", "a", "b"), Edge("ac", "a", "c"), Edge("bb", "b", "b"), Edge("bb 2", "b", "b")]
    edges.append(Edge("alone", "alone", "alone"))
    layout = LayeredEngine()(nodes, edges)
    assert_sound(nodes, edges, layout)
    assert layout.routes["bb"] != layout.routes["bb 2"]


def test_edges_between_the_same_two_boxes_are_drawn_apart():
    nodes = [Node("a", 100, 40), Node("b", 100, 40)]
    edges = [Edge(str(number), "a", "b") for number in range(4)]
    layout = LayeredEngine()(nodes, edges)
    assert len(set(layout.routes.values())) == 4
    assert all(route[0][0] == route[-1][0] for route in layout.routes.values())


def test_ports_of_one_box_are_spread():
    nodes = [Node("source", 200, 40), *(Node(str(number), 100, 40) for number in range(4))]
    edges = [Edge(f"to {number}", "source", str(number)) for number in range(4)]
    starts = sorted(route[0][0] for route in LayeredEngine()(nodes, edges).routes.values())
    assert min(after - before for before, after in pairwise(starts)) >= 10


def test_a_back_edge_runs_up_and_leaves_the_ranks_alone():
    nodes, edges = plans.chain(5)
    without = LayeredEngine()(nodes, edges)
    back = Edge("again", nodes[3].key, nodes[1].key, back=True)
    layout = LayeredEngine()(nodes, [*edges, back])
    assert_sound(nodes, [*edges, back], layout)
    assert layout.routes["again"][0][1] > layout.routes["again"][-1][1]
    order = sorted(layout.positions, key=lambda key: layout.positions[key][1])
    assert order == sorted(without.positions, key=lambda key: without.positions[key][1])


def test_cycles_are_drawn_even_when_no_edge_is_flagged():
    nodes = [Node(key, 80, 40) for key in "abcd"]
    edges = [Edge(a + b, a, b) for a, b in ("ab", "bc", "ca", "cd", "db")]
    layout = LayeredEngine()(nodes, edges)
    assert_sound(nodes, edges, layout)
    heights = {key: y for key, (_, y) in layout.positions.items()}
    assert heights["a"] < heights["b"] < heights["c"] < heights["d"]


def test_a_source_is_next_to_its_only_reader():
    nodes, edges = plans.chain(12)
    constant = Node("constant", 60, 30)
    link = Edge("constant", "constant", nodes[9].key)
    layout = LayeredEngine()([constant, *nodes], [link, *edges])
    assert abs(layout.positions["constant"][1] - layout.positions[nodes[8].key][1]) < 20


def test_a_tensor_that_every_layer_reads_does_not_widen_the_drawing():
    nodes, edges = plans.star(400)
    assert LayeredEngine()(nodes, edges).width < 600


_SIZES = st.sampled_from([0.0, 1.0, 33.3, 80.0, 250.0])
_GRAPHS = st.integers(1, 14).flatmap(
    lambda count: st.tuples(
        st.lists(st.tuples(_SIZES, _SIZES), min_size=count, max_size=count),
        st.lists(st.tuples(st.integers(0, count - 1), st.integers(0, count - 1), st.booleans()), max_size=30),
    )
)


@settings(max_examples=40, deadline=None)
@example(([(0.0, 0.0), (33.3, 0.0), (33.3, 0.0), (33.3, 250.0), (1.0, 0.0)], [(0, 0, False), (0, 1, False)]))
@given(_GRAPHS)
def test_any_graph_is_drawn_soundly(graph):
    sizes, links = graph
    nodes = [Node(f"n{number}", *size) for number, size in enumerate(sizes)]
    edges = [
        Edge(f"e{number}", f"n{source}", f"n{target}", back)
        for number, (source, target, back) in enumerate(links)
    ]
    assert_sound(nodes, edges, LayeredEngine()(nodes, edges))


_PROGRAM = """
import hashlib, json, sys
import layout_plans as plans
from trexreport.renderer.graph.layout import lay_out
digest = hashlib.sha256()
for plan in (plans.random_plan(120, 9), plans.transformer(25, cache=True), plans.dense(20)):
    layout = lay_out(*plan)
    digest.update(json.dumps([layout.width, layout.height, layout.positions, layout.routes]).encode())
print(digest.hexdigest())
"""


def test_the_same_graph_gives_the_same_numbers_under_any_hash_seed():
    path = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parents[4])])
    digests = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(digests) == 1


def test_coordinates_are_tenths_of_a_pixel():
    layout = LayeredEngine()(*plans.random_plan(60, 2))
    points = json.loads(json.dumps([*layout.positions.values(), *sum(layout.routes.values(), ())]))
    assert len(points) > 60
    assert all(value == round(value, 1) for point in points for value in point)
