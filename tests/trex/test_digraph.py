"""The graph that `to_dot` returns: graphviz's methods, and its way to quote."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from trexreport.errors import UsageError
from trexreport.trex._digraph import Digraph
from trexreport.trex._graphviz import as_html, literal, quote

needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("plain", "plain"),
        ("-1.5", "-1.5"),
        ("node", '"node"'),
        ("a b", '"a b"'),
        ('say "x"', '"say \\"x\\""'),
        ('escaped \\"', '"escaped \\""'),
        ("a\\nb", '"a\\nb"'),
        ("line\nbreak", '"line\\nbreak"'),
        ("end\\", '"end\\\\"'),
        ("<b>bold</b>", "<b>bold</b>"),
        ("", '""'),
        (True, "true"),
        (7, "7"),
        ("nul\x00", '"nul\ufffd"'),
    ],
)
def test_quoting(text, quoted):
    assert quote(text) == quoted


def test_long_texts_are_cut_and_hostile_ones_are_literal():
    assert len(quote("é" * 100_000).encode()) < 16_384
    assert literal("a\\n") == "a\\\\n"
    assert as_html('<b>&"') == "&lt;b&gt;&amp;&quot;"


def test_statements():
    graph = Digraph("my graph", comment="one\ntwo", graph_attr={"rankdir": "LR"})
    graph.attr("node", shape="box")
    graph.node("a", "A", color=None, penwidth=2)
    graph.edges([("a", "b"), ("b:port", "c")])
    graph.edge("a", "c", label="x", style="dashed")
    with graph.subgraph(name="cluster_0") as inner:
        inner.node("d")
    assert graph.source.splitlines()[1:] == [
        "// one",
        "// two",
        'digraph "my graph" {',
        "\tgraph [rankdir=LR]",
        "\tnode [shape=box]",
        "\ta [label=A penwidth=2]",
        "\ta -> b",
        "\tb:port -> c",
        "\ta -> c [label=x style=dashed]",
        "\tsubgraph cluster_0 {",
        "\td",
        "\t}",
        "}",
    ]
    assert (graph.node_count, graph.edge_count) == (1, 3)
    assert "".join(graph) == graph.source
    other = graph.copy()
    other.node("more")
    assert len(other.body) == len(graph.body) + 1
    graph.clear()
    assert graph.body == []
    with pytest.raises(ValueError, match="nothing"):
        graph.attr("nothing")


@needs_dot
def test_drawing(tmp_path):
    graph = Digraph(format="svg")
    graph.node("a", "<b>A</b> & B")
    assert "<svg" in graph.pipe(encoding="utf-8")
    assert "<svg" in graph._repr_mimebundle_()["image/svg+xml"]
    assert graph.render(tmp_path / "x") == str(tmp_path / "x.svg")
    assert (tmp_path / "x").read_text(encoding="utf-8") == graph.source
    assert Path(graph.render(outfile=tmp_path / "y.png", format="png")).read_bytes().startswith(b"\x89PNG")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["x", "x.svg", "y.png"]
    with pytest.raises(UsageError, match="not a format"):
        graph.pipe("svg -o/x")


def test_without_graphviz_a_notebook_shows_the_text(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Digraph()._repr_mimebundle_()["text/plain"].endswith("digraph {\n}\n")
