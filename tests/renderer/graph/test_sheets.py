"""Sheets for paper: every layer has its box once, what is cut is named on both sides, and it fits."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from graph_plans import analysis_of, chain, decoder, layer, random_layers, unet
from hypothesis import assume, given
from hypothesis import strategies as st

from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.cutting import Cutter
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.selection import collapse
from trexreport.renderer.graph.sheets import draw_sheets

SIZE = (1096.0, 1440.0)
SVG = "{http://www.w3.org/2000/svg}"


def drawn_layers(sheets):
    return [
        int(index)
        for sheet in sheets.sheets
        for index in re.findall(r'class="node"[^>]* data-layer="(\d+)"', sheet.svg)
    ]


def named_tensors(sheet):
    return {int(index) for index in re.findall(r'class="port port-stub" data-tensor="(\d+)"', sheet.svg)}


@pytest.mark.parametrize(
    "layers", [chain([f"c{i}" for i in range(100)]), decoder(9), unet(40)], ids=["chain", "decoder", "unet"]
)
def test_every_layer_is_drawn_once_in_order_and_fits(layers):
    analysis = analysis_of(layers, ("in", "out"))
    sheets = draw_sheets(analysis, SIZE, 10_000)
    assert drawn_layers(sheets) == list(range(len(layers)))
    assert (sheets.drawn, sheets.left_out) == (len(layers), 0)
    assert len(sheets.sheets) > 1
    for sheet in sheets.sheets:
        assert (sheet.width, sheet.height) <= SIZE
        assert sheet.height <= SIZE[1]


def test_a_sheet_is_filled_before_the_next_one_begins():
    sheets = draw_sheets(analysis_of(chain([f"c{i}" for i in range(240)])), SIZE, 10_000)
    counts = [len(drawn_layers(type(sheets)((each,), 0, 0, "", 0.0))) for each in sheets.sheets]
    assert len(counts) > 2
    assert min(counts[:-1]) >= 40


@given(st.integers(0, 10_000), st.integers(0, 60))
def test_any_plan_can_be_cut(seed, count):
    analysis = analysis_of(random_layers(seed, count))
    picture = compose(analysis, Choice())
    drawn = [box.index for box in picture.boxes if box.kind == "layer"]
    sheets = draw_sheets(analysis, (700.0, 500.0), 10_000)
    assert sorted(drawn_layers(sheets)) == sorted(drawn)
    for sheet in sheets.sheets:
        root = ET.fromstring(sheet.svg)  # noqa: S314 - our own drawing
        assert root.tag == f"{SVG}svg"
        assert float(root.get("width")) == pytest.approx(sheet.width, abs=0.06)


@given(st.integers(0, 10_000), st.integers(2, 40), st.data())
def test_a_tensor_that_is_cut_is_named_on_both_sides(seed, count, data):
    analysis = analysis_of(random_layers(seed, count))
    picture = compose(analysis, Choice())
    cutter = Cutter(picture)
    assume(len(cutter.main) > 1)
    place = data.draw(st.integers(1, len(cutter.main) - 1))
    parts = cutter.part(0, place), cutter.part(place, len(cutter.main))
    home = {box.key: number for number, part in enumerate(parts) for box in part.boxes[: part.count]}
    ends = [(arrow, home.get(arrow.source), home.get(arrow.target)) for arrow in picture.arrows]
    cut = [(arrow, *sides) for arrow, *sides in ends if None not in sides and sides[0] != sides[1]]
    assume(cut)
    missing = [
        (arrow.tensor, key)
        for arrow, *sides in cut
        for number, key in zip(sides, (f"below:{arrow.source}", f"above:{arrow.target}"), strict=True)
        if arrow.tensor
        not in {row.tensor for box in parts[number].boxes if box.key == key for row in box.rows}
    ]
    assert missing == []


def test_a_cut_goes_where_few_tensors_are_open():
    # Two wide stages with one tensor between them: the cut belongs there, not through a stage.
    layers = []
    for stage, source in enumerate(("in", "x")):
        layers += [layer(f"s{stage}.{i}", [source], [f"t{stage}.{i}"]) for i in range(5)]
        target = "x" if stage == 0 else "out"
        layers.append(layer(f"join{stage}", [f"t{stage}.{i}" for i in range(5)], [target]))
    cutter = Cutter(compose(analysis_of(layers), Choice()))
    whole = cutter.part(0, 9).layout
    part = cutter.next_part(0, 12, (whole.width + 1, whole.height + 1))
    assert [box.index for box in part.boxes[: part.count]] == [0, 1, 2, 3, 4, 5]


def test_what_fits_nowhere_gets_a_sheet_of_its_own():
    layers = [layer(f"a{i}", ["in"], [f"t{i}"]) for i in range(60)]
    layers.append(layer("join", [f"t{i}" for i in range(60)], ["out"]))
    sheets = draw_sheets(analysis_of(layers), (300.0, 300.0), 10_000)
    assert drawn_layers(sheets) == list(range(61))
    assert max(sheet.height for sheet in sheets.sheets) > 300


def test_of_a_large_engine_each_structure_is_drawn_once():
    analysis = analysis_of(decoder(30))
    sheets = draw_sheets(analysis, SIZE, 100)
    drawn = drawn_layers(sheets)
    names = [analysis.layers[index].name for index in drawn]
    assert sheets.drawn == len(drawn) < 100
    assert sheets.drawn + sheets.left_out == len(analysis.layers)
    assert sum("layers.0/" in name for name in names) == 14
    assert not any("layers.17/" in name for name in names)


def test_of_a_large_engine_the_blocks_with_most_weight_are_drawn_though_they_repeat():
    analysis = analysis_of(decoder(30))
    weights = {layer.index: 1.0 for layer in analysis.layers if "layers.17/" in layer.name}
    drawn = drawn_layers(draw_sheets(analysis, SIZE, 100, weights=weights))
    assert set(weights) <= set(drawn)
    assert len(drawn) <= 100


def test_a_sheet_does_not_repeat_the_numbers_of_its_layers():
    sheets = draw_sheets(analysis_of(chain([f"conv_{i}" for i in range(30)])), SIZE, 10_000)
    assert sheets.sheets
    assert not any(sheet.label.startswith("layer") for sheet in sheets.sheets)


def test_no_more_layers_are_drawn_than_were_allowed():
    analysis = analysis_of(random_layers(3, 300))
    assert len(drawn_layers(draw_sheets(analysis, SIZE, 25))) == 25


def test_blocks_can_stand_on_sheets_too():
    analysis = analysis_of(decoder(6))
    options = DrawOptions(part=Choice(collapsed=collapse(analysis, 1)))
    sheets = draw_sheets(analysis, SIZE, 10_000, options)
    assert 'class="block"' in sheets.sheets[0].svg
    assert (sheets.sheets[0].first, sheets.sheets[-1].last) == (0, len(analysis.layers) - 1)


def test_a_sheet_says_what_it_shows():
    analysis = analysis_of(decoder(6))
    sheets = draw_sheets(analysis, SIZE, 10_000).sheets
    assert sheets[0].words.startswith("Graph of layers 0 to ")
    assert "/model/layers.0/part.0/MatMul" in sheets[0].words
    drawing = ET.fromstring(sheets[0].svg)  # noqa: S314 - our own drawing
    assert "part.0/MatMul" in "".join(drawing.itertext())


def test_waits_between_streams_are_drawn():
    layers = [
        layer("a", ["in"], ["x"], StreamId=0),
        layer("notify", [], [], "signal", StreamId=0, EventId=1),
        layer("await", [], [], "wait", StreamId=1, EventId=1),
        layer("b", ["in"], ["out"], StreamId=1),
    ]
    assert 'class="sync"' in draw_sheets(analysis_of(layers), SIZE, 100).sheets[0].svg


def test_nothing_makes_no_sheet():
    assert draw_sheets(analysis_of([]), SIZE, 100).sheets == ()


def test_the_same_plan_gives_the_same_sheets():
    first, second = (draw_sheets(analysis_of(decoder(9)), SIZE, 10_000) for _ in range(2))
    assert first == second
