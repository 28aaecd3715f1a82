"""A tall drawing is set in columns: nothing is lost, no edge crosses a foreign box, and the width is used."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from graph_plans import analysis_of, chain, random_layers
from layout_quality import boxes, foreign_boxes_crossed, overlapping_boxes, routes_that_miss_their_boxes

from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.layout import lay_out
from trexreport.renderer.graph.layout.interface import Edge, Node
from trexreport.renderer.graph.layout.reflow import Proportions, in_columns
from trexreport.renderer.graph.picture import size_of

WANTED = Proportions(600.0, 1.6)


def graph_of(layers):
    picture = compose(analysis_of(layers))
    nodes = [Node(box.key, *size_of(box)) for box in picture.boxes]
    edges = [Edge(str(n), each.source, each.target, each.back) for n, each in enumerate(picture.arrows)]
    return nodes, edges


def skips(count, step):
    """A chain with an edge past a number of layers, again and again."""
    layers = chain([f"n{number}" for number in range(count)])
    for number in range(step, count, step):
        layers[number]["Inputs"].append(layers[number - step]["Outputs"][0])
    return layers


def check(nodes, edges, layout):
    """Nothing overlaps or is outside, and every route begins and ends at its boxes."""
    assert set(layout.positions) == {node.key for node in nodes}
    assert set(layout.routes) == {edge.key for edge in edges}
    edge_points = [point for route in layout.routes.values() for point in route]
    areas = boxes(nodes, layout).values()
    corners = [corner for area in areas for corner in (area[:2], area[2:])]
    xs, ys = zip(*edge_points, *corners, strict=True)
    assert min(*xs, *ys) > -0.2
    assert max(xs) < layout.width + 0.2
    assert max(ys) < layout.height + 0.2
    assert overlapping_boxes(nodes, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    assert not foreign_boxes_crossed(nodes, edges, layout)


def test_a_chain_becomes_columns_of_about_one_height():
    nodes, edges = graph_of(chain([f"n{number}" for number in range(40)]))
    tall = lay_out(nodes, edges)
    layout = in_columns(tall, nodes, WANTED)
    check(nodes, edges, layout)
    assert layout.height < tall.height / 3
    assert 1 < layout.width / layout.height < 2.5
    lefts = sorted({round(x) for x, _ in layout.positions.values()})
    columns = [sum(round(x) == left for x, _ in layout.positions.values()) for left in lefts]
    assert len(columns) > 2
    assert max(columns) <= 2 * min(columns)


def test_the_order_goes_down_a_column_and_on_at_the_head_of_the_next():
    nodes, edges = graph_of(chain([f"n{number}" for number in range(40)]))
    layout = in_columns(lay_out(nodes, edges), nodes, WANTED)
    places = [layout.positions[f"layer:{number}"] for number in range(40)]
    assert places == sorted(places)


def halved(route):
    """The same route with a further point in the middle of each piece."""
    middles = [((x + u) / 2, (y + v) / 2) for (x, y), (u, v) in pairwise(route)]
    return (*(point for pair in zip(route, middles, strict=False) for point in pair), route[-1])


def test_edges_past_many_layers_take_the_room_of_their_pieces():
    nodes, edges = graph_of(skips(80, 70))
    tall = lay_out(nodes, edges)
    routes = tall.routes
    for _ in range(6):
        routes = {key: halved(route) for key, route in routes.items()}
    layout, pieces = (in_columns(each, nodes, WANTED) for each in (tall, replace(tall, routes=routes)))
    assert layout.width > tall.width
    assert (layout.positions, layout.width, layout.height) == (pieces.positions, pieces.width, pieces.height)


@pytest.mark.parametrize("step", [2, 3, 7])
def test_edges_that_pass_a_cut_keep_clear_of_boxes(step):
    nodes, edges = graph_of(skips(50, step))
    tall = lay_out(nodes, edges)
    layout = in_columns(tall, nodes, WANTED)
    assert layout.width > tall.width
    check(nodes, edges, layout)


@pytest.mark.parametrize("seed", range(12))
def test_any_graph_keeps_all_boxes_and_edges(seed):
    nodes, edges = graph_of(random_layers(seed, 60))
    check(nodes, edges, in_columns(lay_out(nodes, edges), nodes, Proportions(200.0, 1.6)))


def test_a_low_drawing_and_a_wide_one_stay_as_they_are():
    nodes, edges = graph_of(chain([f"n{number}" for number in range(5)]))
    layout = lay_out(nodes, edges)
    assert in_columns(layout, nodes, WANTED) is layout
    wide = [Node(f"n{number}", 100.0, 40.0) for number in range(20)]
    row = lay_out(wide, [])
    assert in_columns(row, wide, Proportions(10.0, 1.6)) is row


def test_nothing_is_cut_where_too_many_edges_pass():
    names = [f"a{number}" for number in range(30)]
    layers = chain(names)
    for number in range(20):
        layers[29]["Inputs"].append(layers[number]["Outputs"][0])
    nodes, edges = graph_of(layers)
    check(nodes, edges, in_columns(lay_out(nodes, edges), nodes, WANTED))
