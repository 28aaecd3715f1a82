from __future__ import annotations

import os
import shutil
import stat
import statistics

import layout_plans as plans
import pytest
from layout_quality import (
    count_crossings,
    foreign_boxes_crossed,
    overlapping_boxes,
    routes_that_miss_their_boxes,
)
from waiting import HANG_S

from trexreport.errors import MissingToolError
from trexreport.renderer.graph.layout import ENGINES, Edge, Node, lay_out
from trexreport.renderer.graph.layout.graphviz import DotEngine, LayoutFailedError
from trexreport.renderer.graph.layout.layered import LayeredEngine

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


@pytest.fixture
def fake_dot(tmp_path, monkeypatch):
    """Put a `dot` of our own before all others on the path."""

    def install(script: str) -> None:
        program = tmp_path / "dot"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return install


def test_the_default_engine_is_the_built_in_one():
    nodes, edges = plans.resnet(3)
    layout = lay_out(nodes, edges)
    assert layout == lay_out(nodes, edges, "layered") == LayeredEngine()(nodes, edges)
    assert layout.notes == ()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_empty_graph_is_an_empty_layout(engine):
    layout = lay_out([], [], engine)
    assert (layout.width, layout.height, layout.positions, layout.routes) == (0, 0, {}, {})


@needs_dot
@pytest.mark.parametrize("plan", [plans.transformer(3), plans.transformer(30, cache=True)])
def test_dot_draws_soundly(plan):
    nodes, edges = plan
    layout = lay_out(nodes, edges, "dot")
    assert layout.notes == ()
    assert layout.positions != lay_out(nodes, edges).positions
    assert overlapping_boxes(nodes, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []
    # Graphviz lets splines touch a border.
    assert foreign_boxes_crossed(nodes, edges, layout, shrink=3) == []


@needs_dot
def test_dot_is_given_names_that_need_no_quoting():
    keys = ['"; node [label="', "a->b", "a:b", "", "\\", "\n", "node", "<b>", "ö"]
    nodes = [Node(key, 40, 20) for key in keys]
    edges = [Edge(f'"{key}', "node", key, back=key == "") for key in keys]
    layout = lay_out(nodes, edges, "dot")
    assert layout.notes == ()
    assert layout.positions != lay_out(nodes, edges).positions
    assert set(layout.positions) == set(keys)
    assert set(layout.routes) == {edge.key for edge in edges}


def test_without_dot_the_built_in_engine_draws_and_says_so(monkeypatch):
    monkeypatch.setenv("PATH", "")
    nodes, edges = plans.resnet(2)
    with pytest.raises(MissingToolError):
        DotEngine()(nodes, edges)
    layout = lay_out(nodes, edges, "dot")
    assert layout.notes == ("Graphviz 'dot' is not installed, so the built-in layout drew this graph.",)
    assert layout.positions == lay_out(nodes, edges).positions


def test_without_pydot_the_built_in_engine_draws_and_says_so(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pydot", None)
    layout = lay_out(*plans.resnet(2), "dot")
    assert layout.notes == ("pydot is not installed, so the built-in layout drew this graph.",)


def test_a_dot_that_hangs_is_replaced_when_the_time_is_over(fake_dot, tmp_path):
    # The second process keeps the output open.
    fake_dot(f"(sleep {HANG_S}; touch {tmp_path / 'over'}) &\nsleep {HANG_S}")
    layout = lay_out(*plans.resnet(2), "dot", time_limit_s=0.5)
    assert not (tmp_path / "over").exists()
    assert layout.notes == ("Graphviz 'dot' took longer than 0.5 s, so the built-in layout drew this graph.",)


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("cat > /dev/null; exit 3", "failed with exit code 3"),
        ("exit 1", "failed"),
        ("kill -11 $$", "failed"),
        ("cat > /dev/null; echo nonsense", "gave an answer that could not be read"),
        ("cat > /dev/null; echo '{}'", "gave an answer that could not be read"),
        ("cat > /dev/null; echo '[]'", "gave an answer that could not be read"),
        ("cat > /dev/null", "gave an answer that could not be read"),
    ],
)
def test_a_dot_that_fails_is_replaced(fake_dot, script, reason):
    fake_dot(script)
    with pytest.raises(LayoutFailedError, match=reason):
        DotEngine()(*plans.resnet(2))
    layout = lay_out(*plans.resnet(2), "dot")
    assert reason in layout.notes[0]


@needs_dot
def test_crossings_are_no_more_than_those_of_dot():
    ours, theirs = [], []
    for nodes, edges in plans.generated_plans().values():
        ours.append(count_crossings(edges, lay_out(nodes, edges)))
        theirs.append(count_crossings(edges, lay_out(nodes, edges, "dot")))
    assert statistics.median(ours) <= statistics.median(theirs)
    assert sum(ours) <= 1.5 * sum(theirs)
