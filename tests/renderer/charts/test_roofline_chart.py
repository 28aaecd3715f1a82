"""The roofline: which layers it shows, where its rooflines are, and that both drawings agree."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from chart_samples import CHARTS

from trexreport.analyzer import GpuChoice, analyze
from trexreport.numbers import format_ms
from trexreport.reader import read_engine
from trexreport.renderer.charts.axes import scales
from trexreport.renderer.charts.catalog.roofline import roofline
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.frame import frame_of, value_domain
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.slopes import slope_lines
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.charts.text import TICK_SIZE, text_width

SAMPLE = Path(__file__).parents[3] / "samples" / "resnet18-int8-before"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def analysis():
    return analyze(read_engine(SAMPLE))


def test_every_point_is_a_layer_where_its_figures_put_it(analysis):
    (series,) = roofline(analysis).series
    layers = {layer.name: layer for layer in analysis.layers if layer.flops and layer.avg_ms}
    assert sorted(series.labels) == sorted(layers)
    for name, x, y, radius in zip(series.labels, series.x, series.y, series.radii, strict=True):
        layer = layers[name]
        assert x == layer.roof.intensity
        assert y == pytest.approx(layer.flops / (layer.avg_ms * 1e-3) / 1e12)
        assert 2.5 <= radius <= 9
    # Large ones come first, so that they hide no small one.
    assert list(series.radii) == sorted(series.radii, reverse=True)
    assert series.radii[0] == 9


def test_no_point_is_above_its_roof_unless_it_says_so(analysis):
    chart = roofline(analysis)
    (series,), (slope,) = chart.series, chart.slopes
    assert len(series.labels) == 23
    for name, x, y, place in zip(series.labels, series.x, series.y, series.places, strict=True):
        roof = next(layer.roof for layer in analysis.layers if layer.name == name)
        share = y / min(slope.ratio * x, roof.peak_tflops)
        assert share == pytest.approx(roof.reached_percent / 100)
        assert f"{roof.bound}-bound" in place
        assert "exceeds the model" not in place


def test_a_point_above_its_roof_exceeds_the_model(analysis):
    above = [
        replace(layer, roof=layer.roof and replace(layer.roof, reached_percent=109.0))
        for layer in analysis.layers
    ]
    (series,) = roofline(replace(analysis, layers=above)).series
    assert all("109% of roofline, exceeds the model" in place for place in series.places)


def test_roofs_begin_where_memory_allows_them(analysis):
    chart = roofline(analysis)
    peaks = {line.label: line.value for line in chart.reference_lines}
    assert peaks == {"FP32: 19.5": 19.5, "INT8: 624": 624}
    for line in chart.reference_lines:
        assert chart.slopes[0].ratio * line.begin == pytest.approx(line.value)


def test_without_a_gpu_there_are_points_and_no_roofs(analysis):
    engine = read_engine(SAMPLE)
    unknown = analyze(replace(engine, setup=replace(engine.setup, device={})))
    chart = roofline(unknown)
    assert chart.title == "Performance over arithmetic intensity"
    assert not chart.reference_lines
    assert not chart.slopes
    assert len(chart.series[0].x) == len(roofline(analysis).series[0].x)


@pytest.mark.parametrize("width", [388, 1040])
@pytest.mark.parametrize("gpu", [None, "T4"])
def test_no_point_is_cut_off_at_an_edge(gpu, width):
    engine = read_engine(SAMPLE)
    engine = replace(engine, setup=replace(engine.setup, device={}))
    prepared = prepare(roofline(analyze(engine, gpu=GpuChoice(gpu) if gpu else None)))
    frame = frame_of(prepared, width)
    across, up = scales(prepared, frame)
    assert prepared.marks
    for mark in prepared.marks:
        assert frame.top <= up(mark.value) - mark.radius
        assert up(mark.value) + mark.radius <= frame.foot
        assert frame.left <= across(mark.position) - mark.radius
        assert across(mark.position) + mark.radius <= frame.end


def test_only_the_slowest_of_many_are_drawn(monkeypatch):
    monkeypatch.setattr("trexreport.renderer.charts.catalog.roofline.MAX_POINTS", 5)
    analysis = analyze(read_engine(SAMPLE), gpu=GpuChoice("A100 80GB PCIe"))
    chart = roofline(analysis)
    (series,) = chart.series
    drawn = [layer for layer in analysis.layers if layer.flops and layer.avg_ms]
    assert len(drawn) > 5
    slowest = sorted(drawn, key=lambda layer: -layer.avg_ms)[:5]
    assert list(series.links) == [f"#L{layer.index}" for layer in slowest]
    assert chart.title.startswith("Roofline of A100 80GB PCIe: the 5 slowest of ")


def test_slopes_end_at_the_highest_level_and_at_the_edges():
    (line,) = slope_lines(prepare(CHARTS["roofs"]))
    assert (line.x2, line.y2) == (120.0, 120.0)
    assert line.y1 == pytest.approx(line.x1)
    bare = replace(CHARTS["roofs"], reference_lines=())
    (line,) = slope_lines(prepare(bare))
    assert line.y2 == pytest.approx(value_domain(prepare(bare))[1])


def test_both_drawings_have_the_same_roofs():
    chart = CHARTS["roofs"]
    figure = to_plotly(chart, 720)
    shapes = figure["layout"]["shapes"]
    assert [(shape["x0"], shape["y0"]) for shape in shapes[:2]] == [(15.0, 15.0), (120.0, 120.0)]
    assert (shapes[2]["x1"], shapes[2]["y1"]) == (120.0, 120.0)
    assert [size for trace in figure["data"] for size in trace["marker"]["size"]] == [18, 8, 5]
    notes = {note["text"]: note for note in figure["layout"]["annotations"]}
    assert notes["memory 1000 GB/s"]["x"] == pytest.approx(math.log10(120))
    root = ET.fromstring(to_svg(chart, 720))  # noqa: S314 - drawn by us
    dashed = [line for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")]
    ends = {(line.get("x2"), line.get("y2")) for line in dashed}
    begins = {(line.get("x1"), line.get("y1")) for line in dashed}
    # The slope ends where the highest roof begins.
    assert len(ends & begins) == 1


def test_the_layers_with_the_most_headroom_are_named(analysis):
    chart = roofline(analysis)
    (series,) = chart.series
    named = [name for name, caption in zip(series.labels, series.captions, strict=True) if caption]
    most = max(
        (each for each in analysis.layers if each.name in series.labels),
        key=lambda each: each.roof.headroom_ms,
    )
    assert most.name in named
    assert 1 < len(named) <= 4
    svg = to_svg(chart, 1000)
    shown = [caption for caption in series.captions if caption]
    assert [caption for caption in shown if f">{caption}<" not in svg] == []
    notes = [each["text"] for each in to_plotly(chart, 1000)["layout"]["annotations"]]
    assert [caption for caption in shown if caption not in notes] == []


def test_names_do_not_overlap_below_a_high_ceiling():
    chart = roofline(analyze(read_engine(SAMPLE.parent / "transformer-trt10-myelin")))
    names = {caption for caption in chart.series[0].captions if caption}
    root = ET.fromstring(to_svg(chart, 1000))  # noqa: S314 - drawn by us
    texts = [each for each in root.iter(f"{SVG}text") if each.text in names]
    boxes = [(float(each.get("x")), float(each.get("y")), text_width(each.text, TICK_SIZE)) for each in texts]
    assert len(boxes) == len(names) > 1
    pairs = combinations(boxes, 2)
    overlap = [
        (one, other)
        for one, other in pairs
        if abs(one[0] - other[0]) < (one[2] + other[2]) / 2 and abs(one[1] - other[1]) < TICK_SIZE
    ]
    assert overlap == []


def test_the_time_of_the_largest_mark_is_stated(analysis):
    chart = roofline(analysis)
    (series,) = chart.series
    longest = max(layer.avg_ms for layer in analysis.layers if layer.name in series.labels)
    assert chart.summary.endswith(f"the largest is {format_ms(longest)}.")


def dashed_lines(svg):
    """How many dashed lines there are; neighbors of one color are one path."""
    found = [each for each in ET.fromstring(svg).iter() if each.get("stroke-dasharray")]  # noqa: S314 - drawn by us
    return sum(each.get("d", "M").count("M") for each in found)


def test_measured_points_are_joined_with_those_by_tensors():
    folder = SAMPLE.parent / "kernels"
    files = {role: folder / f"{SAMPLE.name}.{role}.json" for role in ("kernels", "counters")}
    measured = analyze(read_engine(SAMPLE, files=files))
    chart = roofline(measured)
    (series,) = chart.series
    counts = {each.layer: each for each in measured.counters.layers}
    by_name = {layer.name: layer for layer in measured.layers}
    places = [place for place, role in enumerate(series.roles) if role.startswith("measured:")]
    assert len(places) == len(chart.pairs) == len(series.roles) - len(places) > 20
    for place, pair in zip(places, chart.pairs, strict=True):
        layer = by_name[series.labels[place]]
        found = counts[layer.index]
        operations = found.tensor_operations or layer.flops
        assert (series.x[place], series.y[place]) == (pair.x2, pair.y2)
        assert pair.x2 == pytest.approx(operations / found.dram_bytes)
        assert pair.y2 == pytest.approx(operations / layer.avg_ms / 1e9)
        own = series.labels.index(layer.name)
        assert (series.x[own], series.y[own]) == (pair.x1, pair.y1)
    lines = [each for each in to_plotly(chart)["layout"]["shapes"] if each.get("x0") == chart.pairs[0].x1]
    assert [(each["x1"], each["y1"]) for each in lines] == [(chart.pairs[0].x2, chart.pairs[0].y2)]
    drawn, without = (dashed_lines(to_svg(each)) for each in (chart, replace(chart, pairs=())))
    assert drawn - without == len(chart.pairs)
    assert "measured" in to_svg(chart)


def test_without_counts_no_point_is_measured(analysis):
    chart = roofline(analysis)
    assert chart.pairs == ()
    assert "Nsight Compute" not in chart.summary
