"""Graphs that other tools break at: nothing overlaps, every tensor is shown, the same bytes twice."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest
from graph_plans import analysis_of, chain, decoder, layer, unet
from layout_quality import foreign_boxes_crossed, overlapping_boxes, routes_that_miss_their_boxes

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.graph.composing import MAX_AT_A_SIDE, compose
from trexreport.renderer.graph.dot_picture import to_dot_text
from trexreport.renderer.graph.drawing import render_svg
from trexreport.renderer.graph.layout import lay_out
from trexreport.renderer.graph.layout.interface import Edge, Node
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import FOLDABLE, Choice, size_of
from trexreport.renderer.graph.streams import synchronized_boxes, waiting_boxes

SVG = "{http://www.w3.org/2000/svg}"
ENGINES = (
    "thor-driving-transformer-trt10",
    "controlnet-trt8.6",
    "rtx3060-mobilenetv2-torchtrt",
    "torchtrt-alexnet-runonacc",
    "orin-bev-trt8.6",
    "names-only-bert",
)
HOSTILE = [
    "<b>&amp;</b>",
    "a \"b\" & 'c'",
    "]]> -->",
    "nul\x00 esc\x1b[31m",
    "\u202eturned",
    "x" * 100_000,
    "\\N {a|b}",
]


def nested_unet(depth):
    """Return a U-Net of which each level reads all earlier ones of its own (Zhou et al., UNet++, 2018)."""
    layers = []
    for step in range(depth):
        for level in range(depth - step):
            same = [f"x{level}.{each}" for each in range(step)]
            other = f"x{level + 1}.{step - 1}" if step else f"x{level - 1}.0" if level else "in"
            out = "out" if (level, step) == (0, depth - 1) else f"x{level}.{step}"
            layers.append(layer(f"/conv{level}_{step}/Conv", [*same, other], [out]))
    return layers


def dense(count):
    return [
        layer(
            f"/dense.{n}/Conv",
            ["in", *(f"d{each}" for each in range(n))],
            [f"d{n}" if n < count - 1 else "out"],
        )
        for n in range(count)
    ]


def split_and_join(branches):
    return [
        layer("split", ["in"], [f"s{n}" for n in range(branches)]),
        *(layer(f"p{n}", [f"s{n}"], [f"o{n}"]) for n in range(branches)),
        layer("join", [f"o{n}" for n in range(branches)], ["out"]),
    ]


CASES = {
    "one layer": chain(["only"]),
    "two parts": [*chain(["a", "b"]), layer("c", ["in2"], ["x"]), layer("d", ["x"], ["out2"])],
    "cycles": [
        layer("a", ["in", "back1", "back2"], ["x"]),
        layer("b", ["x"], ["y", "back1"]),
        layer("c", ["y", "own"], ["own", "z"]),
        layer("d", ["z"], ["back2", "out"]),
    ],
    "read by all": [
        layer("mask", ["in"], ["m"]),
        *(layer(f"/l.{n}/MatMul", [f"t{n}" if n else "in", "m"], [f"t{n + 1}"]) for n in range(60)),
    ],
    "500 branches": split_and_join(500),
    "500 readers": [layer("start", ["in"], ["x"]), *(layer(f"p{n}", ["x"], [f"o{n}"]) for n in range(500))],
    "U-Net": unet(30),
    "nested U-Net": nested_unet(8),
    "dense": dense(24),
    "decoder": decoder(40),
    "reused names": [
        layer(f"l{n}", ["in" if not n else f"m{(n + 1) % 2}"], [f"m{n % 2}"]) for n in range(12)
    ],
    "streams": [
        layer("a", ["in"], ["x"], StreamId=0),
        layer("signal", [], [], "signal", StreamId=0, EventId=1),
        layer("wait", [], [], "wait", StreamId=1, EventId=1),
        layer("b", ["in"], ["y"], StreamId=1),
        layer("c", ["x", "y"], ["out"], StreamId=1),
    ],
    "hostile names": [
        layer(name, [before], [after], TacticName=name, Metadata=name)
        for name, before, after in zip(HOSTILE, ["in", *HOSTILE[1:]], [*HOSTILE[1:], "out"], strict=True)
    ],
    "long metadata": chain(["a", "b"], Metadata="\x1e".join(f"[ONNX Layer: /m/{n}/Op]" for n in range(5000))),
}


def laid_out(analysis, choice=None, engine="layered"):
    """Return boxes and edges as the drawing has them, and where they are."""
    picture = compose(analysis, choice)
    nodes = [Node(box.key, *size_of(box)) for box in picture.boxes]
    edges = [Edge(str(n), each.source, each.target, each.back) for n, each in enumerate(picture.arrows)]
    edges += [
        Edge(f"wait {n}", *pair)
        for n, pair in enumerate(waiting_boxes(synchronized_boxes(analysis, picture), picture))
    ]
    return picture, nodes, edges, lay_out(nodes, edges, engine)


def assert_sound(analysis, choice=None, engine="layered"):
    _, nodes, edges, layout = laid_out(analysis, choice, engine)
    assert overlapping_boxes(nodes, layout) == []
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert routes_that_miss_their_boxes(nodes, edges, layout) == []


def assert_every_use_is_shown(analysis):
    """Each tensor that a layer reads or writes is an arrow at it or a row of one of its small boxes."""
    picture = compose(analysis, Choice(frozenset(FOLDABLE)))
    shown = {(arrow.target, arrow.tensor, "read") for arrow in picture.arrows}
    shown |= {(arrow.source, arrow.tensor, "written") for arrow in picture.arrows}
    for box in picture.boxes:
        place, _, key = box.key.partition(":")
        if place in ("above", "below"):
            shown |= {(key, row.tensor, "read" if place == "above" else "written") for row in box.rows}
    # Values that share memory are drawn as the one that owns it.
    owner = compose_owner(analysis)
    for each in analysis.layers:
        key = picture.keys[each.index]
        for use in each.inputs:
            tensor = analysis.tensors[use.tensor]
            unwritten = not tensor.producers and tensor.role != "input"
            assert (key, owner[use.tensor], "read") in shown or unwritten, (each.name, tensor.name)
        for use in each.outputs:
            tensor = analysis.tensors[use.tensor]
            unread = not tensor.consumers and tensor.role != "output"
            found = {(key, index, "written") in shown for index in (use.tensor, owner[use.tensor])}
            assert True in found or unread, (each.name, tensor.name)


def compose_owner(analysis):
    """Return for each tensor the one that replaces it when aliases are followed."""
    owners = []
    for index in range(len(analysis.tensors)):
        seen, at = set(), index
        while analysis.tensors[at].alias_of is not None and at not in seen:
            if any(analysis.layers[each].type == "NoOp" for each in analysis.tensors[at].producers):
                break
            seen.add(at)
            at = analysis.tensors[at].alias_of
        owners.append(at)
    return owners


@pytest.mark.parametrize("name", CASES)
def test_a_hard_case_is_drawn_soundly_and_the_same_twice(name):
    analysis = analysis_of(CASES[name], ("in", "in2", "out", "out2"))
    assert_sound(analysis)
    assert_every_use_is_shown(analysis)
    data, drawing = render_svg(analysis, DrawOptions())
    again, _ = render_svg(analysis_of(CASES[name], ("in", "in2", "out", "out2")), DrawOptions())
    assert data == again
    root = ET.fromstring(data)  # noqa: S314 - drawn by this test
    drawn = [each for each in root.iter(f"{SVG}a") if each.get("class") == "node"]
    idle = sum(each["LayerType"] in ("signal", "wait") for each in CASES[name])
    assert len(drawn) == len(CASES[name]) - idle
    assert max(drawing.width, drawing.height) < 16_000


@pytest.mark.parametrize("name", ENGINES)
def test_a_real_engine_is_drawn_soundly_and_the_same_twice(name, engines_folder):
    analysis = analyze(read_engine(engines_folder / name))
    assert_sound(analysis)
    assert_sound(analysis, Choice(frozenset(FOLDABLE)))
    assert_every_use_is_shown(analysis)
    data, drawing = render_svg(analysis, DrawOptions())
    assert data == render_svg(analyze(read_engine(engines_folder / name)), DrawOptions())[0]
    ET.fromstring(data)  # noqa: S314 - drawn by this test
    assert max(drawing.width, drawing.height) < 25_000


@pytest.mark.parametrize("count", [4_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_chain_is_about_as_wide_as_it_is_high(count):
    analysis = analysis_of(chain([f"/m.{n}/Op" for n in range(count)]))
    _, nodes, edges, layout = laid_out(analysis)
    assert foreign_boxes_crossed(nodes, edges, layout) == []
    assert overlapping_boxes(nodes, layout) == []
    assert 0.5 < layout.width / layout.height < 2


def test_a_layer_with_many_arrows_names_its_tensors_instead():
    few, many = (compose(analysis_of(split_and_join(n))) for n in (MAX_AT_A_SIDE, MAX_AT_A_SIDE + 1))
    rows = [row for box in few.boxes for row in box.rows]
    assert rows
    assert not any(row.kind == "stub" for row in rows)
    stubs = [row for box in many.boxes for row in box.rows if row.kind == "stub"]
    assert len(stubs) == 4 * (MAX_AT_A_SIDE + 1)


def test_a_stub_below_a_layer_leads_to_the_first_reader():
    root = ET.fromstring(render_svg(analysis_of(split_and_join(30)), DrawOptions())[0])  # noqa: S314
    links = [each.get("href") for each in root.iter(f"{SVG}a") if each.get("class") == "port port-stub"]
    # Below "split" they lead to the branches, above these back to it; likewise around "join".
    assert links[:31] == [*(f"#L{n}" for n in range(1, 31)), "#L0"]
    assert links.count("#L31") == 30


def test_no_layer_at_all_says_so():
    data, drawing = render_svg(analysis_of([]), DrawOptions())
    assert "No graph" in data.decode()
    assert drawing.notes[-1].startswith("No graph")
    assert to_dot_text(analysis_of([])).endswith("}\n")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
@pytest.mark.parametrize("name", ["hostile names", "cycles", "streams", "nested U-Net", "reused names"])
def test_graphviz_accepts_the_dot_of_a_hard_case(name):
    text = to_dot_text(analysis_of(CASES[name]))
    done = subprocess.run(["dot", "-Tsvg"], input=text.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr[:300]
    assert b"rror" not in done.stderr
    ET.fromstring(done.stdout)  # noqa: S314 - drawn by this test
