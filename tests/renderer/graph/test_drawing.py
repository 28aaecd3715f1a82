"""The drawing as SVG: well formed for any names, true to the engine, and with a legend for each mark."""

from __future__ import annotations

import base64
import gzip
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from graph_plans import analysis_of, chain, decoder, layer, random_layers, unet
from hypothesis import given, settings
from hypothesis import strategies as st
from layout_quality import foreign_boxes_crossed

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Finding, Lint
from trexreport.reader import read_engine
from trexreport.renderer.graph import laid_out
from trexreport.renderer.graph.coloring import Coloring
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.dot_picture import to_dot_text
from trexreport.renderer.graph.drawing import GraphDrawer, draw_graph, render_svg
from trexreport.renderer.graph.layout import lay_out
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node
from trexreport.renderer.graph.options import COLORINGS, DrawOptions
from trexreport.renderer.graph.picture import Choice, size_of
from trexreport.renderer.graph.selection import collapse, layers_around
from trexreport.renderer.graph.streams import synchronized_boxes, waiting_boxes
from trexreport.renderer.graph.svg_edges import Routes
from trexreport.renderer.graph_section import graph_values

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    "a \"b\" & 'c'",
    "]]>",
    "nul\x00esc\x1b[31m",
    "\ud800\uffff",
    "x" * 100_000,
    "",
]


def parsed(analysis, **options):
    data, drawing = render_svg(analysis, DrawOptions(**options))
    return ET.fromstring(data), drawing  # noqa: S314 - drawn by this test


def words(root):
    return [each.text or "" for each in root.iter(f"{SVG}text")]


def titles(root):
    return [each.text or "" for each in root.iter(f"{SVG}title")]


def through_boxes(analysis, choice=None, engine="layered"):
    picture = compose(analysis, choice)
    nodes = [Node(box.key, *size_of(box)) for box in picture.boxes]
    edges = [
        Edge(str(number), each.source, each.target, each.back) for number, each in enumerate(picture.arrows)
    ]
    edges += [
        Edge(f"wait {number}", *pair)
        for number, pair in enumerate(waiting_boxes(synchronized_boxes(analysis, picture), picture))
    ]
    return foreign_boxes_crossed(nodes, edges, lay_out(nodes, edges, engine))


@given(st.integers(0, 10**6), st.integers(1, 80), st.sampled_from(COLORINGS), st.integers(0, 3))
@settings(max_examples=12)
def test_any_part_of_any_engine_can_be_drawn(seed, count, color_by, depth):
    analysis = analysis_of(random_layers(seed, count))
    choices = [
        Choice(frozenset({"constants", "noops", "shape"})),
        Choice(collapsed=collapse(analysis, depth)),
    ]
    choices.append(Choice(only=layers_around(analysis, seed % count, depth)))
    for choice in choices:
        root, _ = parsed(analysis, color_by=color_by, part=choice, edge_text=("shape",))
        assert root.tag == f"{SVG}svg"
        assert not through_boxes(analysis, choice)
        assert to_dot_text(analysis, DrawOptions(color_by=color_by, part=choice)).endswith("}\n")


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_texts_whatever_they_hold(name):
    layers = [
        layer(name, ["in"], [f"t{name}"], name[:100] or "k", TacticName=name, Metadata=name),
        layer(f"{name}2", [f"t{name}"], ["out"]),
    ]
    assert COLORINGS
    for color_by in COLORINGS:
        root, drawing = parsed(analysis_of(layers), color_by=color_by, node_text=("name", "type", "tactic"))
        assert not list(root.iter(f"{SVG}script"))
        assert len(drawing.svg) < 60_000


@pytest.fixture
def laid_out_now(monkeypatch):
    """Collect the graphs that are laid out or set in columns from now on; none is remembered."""
    made = []
    for name in ("lay_out", "in_column_count"):
        make = getattr(laid_out, name)
        monkeypatch.setattr(laid_out, name, lambda *given, make=make: made.append(given) or make(*given))
    laid_out._remembered.clear()
    return made


def test_a_graph_is_laid_out_once_however_many_models_come_between_its_captures(laid_out_now):
    analyses = [analysis_of(chain([str(number) for number in range(length)])) for length in range(2, 32)]

    def drawn():
        drawers = [GraphDrawer(each, DrawOptions()) for each in analyses]
        return [[each.draw(None).svg, each.arrangement(2), each.arrangement(3)] for each in drawers]

    first = drawn()
    assert len(laid_out_now) == 3 * len(analyses)
    assert drawn() == first
    assert len(laid_out_now) == 3 * len(analyses)


def test_layouts_that_were_asked_for_least_lately_are_forgotten(laid_out_now, monkeypatch):
    one, other = analysis_of(chain(["a", "b", "c"])), analysis_of(chain(["a", "b", "c", "d"]))
    monkeypatch.setattr(laid_out._remembered, "_most", 8)
    for analysis in (one, other, other, one, one):
        draw_graph(analysis)
    assert len(laid_out_now) == 3


def test_texts_beside_arrows_are_placed_again_where_they_are_wider():
    layout = Layout(300.0, 200.0, {}, {"0": ((100.0, 0.0), (100.0, 200.0))})
    routes, box = Routes(layout), (150.0, 0.0, 200.0, 200.0)
    assert routes.places((40.0,), [box]) == routes.places((40.0,), [box]) == ((104.0, 103.5),)
    assert routes.places((60.0,), [box]) == ((36.0, 103.5),)
    assert routes.places((-1.0,), [box]) == (None,)


def test_no_arrow_of_a_real_engine_runs_through_a_foreign_box(engines_folder):
    folders = sorted(each for each in engines_folder.iterdir() if each.is_dir())
    assert folders
    for folder in folders:
        analysis = analyze(read_engine(folder))
        assert not through_boxes(analysis), folder.name
        if analysis.blocks.items:
            assert not through_boxes(analysis, Choice(collapsed=collapse(analysis, 1))), folder.name


@pytest.mark.parametrize(
    "layers",
    [
        chain(["only"]),
        chain([f"/m.{number}/Op" for number in range(3000)]),
        unet(60),
        decoder(8),
        [layer("start", ["in"], ["x"]), *(layer(f"p{n}", ["x"], [f"o{n}"]) for n in range(500))],
        [
            layer("start", ["in"], ["x"]),
            *(layer(f"p{n}", ["x"] if n < 5 else ["in"], [f"o{n}"]) for n in range(20)),
        ],
        [*chain(["a", "b"]), layer("c", ["in2"], ["x"]), layer("d", ["x"], ["out2"])],
        [layer("a", ["in", "loop"], ["x"]), layer("b", ["x"], ["loop", "out"])],
        [layer("split", ["in"], [f"s{n}" for n in range(300)])]
        + [layer(f"p{n}", [f"s{n}"], [f"o{n}"]) for n in range(300)]
        + [layer("join", [f"o{n}" for n in range(300)], ["out"])],
    ],
    ids=["one", "chain", "unet", "decoder", "fan", "inputs", "parts", "cycle", "branches"],
)
def test_plans_of_odd_shapes(layers):
    analysis = analysis_of(layers, ("in", "in2", "out", "out2"))
    root, drawing = parsed(analysis)
    assert len([each for each in root.iter(f"{SVG}a") if each.get("class") == "node"]) == len(layers)
    assert not through_boxes(analysis)
    assert drawing.width < 80_000


def test_no_layer_is_no_drawing():
    analysis = analysis_of([layer("n", [], [], "NoOp")])
    data, drawing = render_svg(analysis, DrawOptions())
    assert drawing.svg == ""
    root = ET.fromstring(data)  # noqa: S314 - drawn by this test
    assert words(root) == [drawing.notes[-1]]
    assert words(root)[0].startswith("No graph")


def test_what_changes_precision_is_marked():
    layers = [
        layer("a", ["in"], ["x"]),
        {**layer("b", ["x"], ["y"], "Reformat"), "Origin": "QDQ"},
        layer("c", ["y"], ["out"], precision="INT8"),
    ]
    layers[1]["Outputs"] = layers[2]["Inputs"]
    root, _ = parsed(analysis_of(layers))
    assert [each.get("class") for each in root.iter(f"{SVG}rect")].count("node-turn") == 1
    assert any("changes the precision" in word for word in words(root))
    assert "QDQ" in words(root)
    assert any("FP16 → INT8" in title for title in titles(root))


def test_values_of_reused_memory_are_distinguished():
    layers = [
        layer("a", ["in"], ["m"]),
        layer("b", ["m"], ["n"]),
        layer("c", ["n"], ["m"]),
        layer("d", ["m"], ["out"]),
    ]
    root, _ = parsed(analysis_of(layers))
    assert sum("m (2nd value)" in title for title in titles(root)) == 1


STREAMS = [
    layer("a", ["in"], ["x"], StreamId=0),
    layer("signal", [], [], "signal", StreamId=0, EventId=7),
    layer("wait", [], [], "wait", StreamId=1, EventId=7),
    layer("b", ["in"], ["y"], StreamId=1),
    layer("c", ["x", "y"], ["out"], StreamId=1),
]


def test_streams_and_what_waits_for_another_are_shown():
    root, drawing = parsed(analysis_of(STREAMS))
    assert words(root).count("s1") == 2
    (link,) = (each for each in root.iter(f"{SVG}g") if each.get("class") == "sync")
    assert link.find(f"{SVG}title").text == "b\nwaits for\na"
    assert "waits for a signal of another stream" in words(root)
    assert not any("name no signal" in note for note in drawing.notes)


def test_a_tensor_that_a_signal_hands_over_has_an_open_head():
    layers = [dict(each) for each in STREAMS]
    layers[3] = layer("b", ["x"], ["y"], StreamId=1)
    root, _ = parsed(analysis_of(layers))
    assert not any(each.get("class") == "sync" for each in root.iter(f"{SVG}g"))
    assert sum("waits for a signal of the producer" in title for title in titles(root)) == 1
    assert "tensor of another stream, after a wait for its signal" in words(root)


def test_colors_that_mean_several_things_are_in_the_legend_once():
    layers = chain(["a", "b"])
    layers[0]["LayerType"], layers[1]["LayerType"] = "Convolution", "CaskConvolution"
    colors = [Coloring(analysis_of(layers), "type").of(each) for each in analysis_of(layers).layers]
    root, _ = parsed(analysis_of(layers))
    (legend,) = (each for each in root.iter(f"{SVG}g") if each.get("class") == "graph-legend")
    marks = [each.get("stroke") for each in legend.iter(f"{SVG}path") if each.get("stroke-width") == "6"]
    assert len(marks) == len(set(colors))


def test_overrides_of_direction_do_not_turn_names_around():
    data, _ = render_svg(analysis_of(chain(["\u202egnp.\u2066exe"])), DrawOptions())
    assert "\ufffdgnp.\ufffdexe" in data.decode()
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", data.decode())


def test_waits_without_a_signal_are_stated():
    _, drawing = parsed(analysis_of([each for each in STREAMS if each["Name"] != "signal"]))
    assert "1 wait for another stream names no signal and is not shown." in drawing.notes


def test_findings_color_layers_by_the_most_severe():
    analysis = analysis_of(chain(["a", "b", "c"]))

    def finding(severity, layers):
        return Finding("TRX1", "x.y", severity, "", "", "", [], layers, None, None, "", "", "", "")

    analysis = replace(analysis, lint=Lint([finding("error", [1]), finding("info", [0, 1])]))
    coloring = Coloring(analysis, "findings")
    found = [coloring.of(each) for each in analysis.layers]
    assert list(coloring.meanings) == ["finding: info", "finding: error", "no finding"]
    assert len(set(found)) == 3


def test_a_legend_has_no_mark_that_does_not_occur():
    text = " ".join(words(parsed(analysis_of(chain(["a", "b"])))[0]))
    assert "stub" not in text
    assert "another stream" not in text
    assert "I/O tensor" in text


def test_texts_at_arrows_keep_clear_of_boxes_and_of_each_other():
    root, _ = parsed(analysis_of(decoder(3)), edge_text=("shape", "format"))
    (group,) = (each for each in root.iter(f"{SVG}g") if each.get("class") == "edge-texts")
    places = [(float(each.get("x")), float(each.get("y"))) for each in group]
    assert len(places) > 30
    assert len(set(places)) == len(places)
    for number, (x, y) in enumerate(places):
        assert not any(abs(x - ox) < 30 and abs(y - oy) < 11 for ox, oy in places[:number])


def test_an_arrow_for_several_tensors_claims_the_shape_of_none():
    analysis = analysis_of([layer("a", ["in", "in2"], ["out"])], ("in", "in2", "out"))
    root, drawing = parsed(analysis, edge_text=("shape",))
    assert sum(title.startswith("2 tensors, the first of them:\nin\n") for title in titles(root)) == 1
    (group,) = (each for each in root.iter(f"{SVG}g") if each.get("class") == "edge-texts")
    assert len(group) == 1
    assert drawing.notes == ()
    assert "2 tensors" not in to_dot_text(analysis)


def test_an_origin_that_is_not_stated_is_not_claimed():
    moved = {**layer("move", ["in"], ["out"], "Reformat"), "Origin": ""}
    shown = titles(parsed(analysis_of([moved]))[0])
    assert any("move" in title for title in shown)
    assert not any("Inserted for" in title for title in shown)


def test_the_drawing_of_a_page_has_no_legend_and_no_ids_of_its_own():
    svg = draw_graph(analysis_of(decoder(2))).svg
    assert "graph-legend" not in svg
    assert not re.search(r'\bid="', svg)


def test_blocks_in_one_box_have_the_color_of_their_whole_share():
    analysis = analysis_of(decoder(30))
    root, _ = parsed(analysis, color_by="latency", part=Choice(collapsed=collapse(analysis, 2)))
    (box,) = (
        each for each in root.iter(f"{SVG}a") if "30 × layers.0 – layers.29" in "".join(each.itertext())
    )
    mark = next(each for each in box.iter(f"{SVG}rect") if each.get("class") == "node-fill")
    legend = next(each for each in root.iter(f"{SVG}g") if "≥5% of time" in "".join(each.itertext()))
    assert mark.get("fill") in {each.get("stroke") for each in legend.iter(f"{SVG}path")}


def test_blocks_with_the_same_name_are_distinguished_by_the_module_around_them():
    layers = chain(
        [f"/stage.{stage}/{part}/Op_{n}" for stage in range(2) for part in "ab" for n in range(20)]
    )
    analysis = analysis_of(layers)
    root, _ = parsed(analysis, part=Choice(collapsed=collapse(analysis, 2)))
    assert {"stage.0/a", "stage.0/b", "stage.1/a", "stage.1/b"} <= set(words(root))


def test_the_odd_one_of_a_series_keeps_its_own_box_and_is_marked():
    layers = decoder(9)
    next(each for each in layers if each["Name"] == "/model/layers.4/part.7/MatMul")["ms"] = 0.1
    analysis = analysis_of(layers)
    root, _ = parsed(analysis, part=Choice(collapsed=collapse(analysis, 2)))
    names = [word for word in words(root) if "layers." in word]
    assert names == ["4 × layers.0 – layers.3", "layers.4", "4 × layers.5 – layers.8"]
    assert any("64.3% more than usual" in title for title in titles(root))
    assert any("block that differs" in word for word in words(root))


def arrangements(analysis):
    packed = graph_values(analysis)["arrangements"]
    return json.loads(gzip.decompress(base64.b64decode(packed))) if packed else []


@pytest.mark.parametrize("layers", [30, 60])
def test_a_chain_in_columns_is_read_whole_in_a_window(layers):
    found = arrangements(analysis_of(chain([f"n{at}" for at in range(layers)])))
    # The graph of a page in a window of 1440 x 1000 pixels; below 0.6 texts are too small to be read.
    assert max(min(1192 / each["w"], 886 / each["h"]) for each in found) >= 0.6
    # On a tablet two columns are read beside each other, on a laptop three.
    assert found[0]["w"] <= 736
    assert found[1]["w"] <= 1040


def test_arrangements_place_all_that_is_drawn():
    analysis = analysis_of(chain([f"n{at}" for at in range(30)]))
    svg = graph_values(analysis)["graph"].svg
    nodes = svg[svg.index('class="graph-nodes"') :]
    found = arrangements(analysis)
    assert len(found) == 2
    for each in found:
        assert len(each["boxes"]) == 2 * len(re.findall(r"<(?:a|g) [^>]*transform=", nodes))
        assert len(each["lines"]) == len(re.findall(r"<path ", svg[: svg.index('class="graph-nodes"')]))
        (left, top), xs, ys = each["at"], each["boxes"][::2], each["boxes"][1::2]
        assert min(xs) + left >= 0
        assert min(ys) + top >= 0
        assert max(xs) + left < each["w"]
        assert max(ys) + top < each["h"]
        assert {text for _, _, text in each["texts"]} == {"1×8 FP16 linear"}


def test_few_layers_have_one_arrangement():
    assert arrangements(analysis_of(chain(["a", "b", "c"]))) == []
