"""Icicles: widths are times, every layer is in one once, and paper shows the first levels."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from onnx_engines import fused_engine

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.icicle import Icicle, Item, icicles, with_ranges
from trexreport.renderer.icicle_drawing import draw_icicle, merged
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings

SAMPLES = Path(__file__).parents[2] / "samples"
BOX = re.compile(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="25"')


@pytest.fixture(scope="module")
def analysis():
    files = {"onnx": SAMPLES / "models" / "resnet18-int8-before.onnx"}
    return analyze(read_engine(SAMPLES / "resnet18-int8-before", files=files))


def totals(icicle, layers):
    """Return the time of each group by its path."""
    found = defaultdict(list)
    for layer, group in zip(layers, icicle.layers, strict=True):
        position = group
        while position >= 0:
            assert icicle.parents[position] < position
            found[position].append(layer.avg_ms or 0.0)
            position = icicle.parents[position]
    return {each: math.fsum(parts) for each, parts in found.items()}


@pytest.mark.parametrize("count", [60, 9000])
def test_ranges_keep_every_layer_in_its_group(count):
    analysis = analyze(fused_engine(count, "metadata", 4).read(), with_blocks=False)
    made = icicles(analysis)
    assert list(made) == ["module", "source"]
    tree = analysis.onnx.module_tree
    icicle = made["module"]
    assert totals(icicle, analysis.layers)[0] == pytest.approx(analysis.onnx.total_ms)
    # The layers of a group stay together, in it or in its ranges.
    own = defaultdict(set)
    for layer, before, after in zip(analysis.layers, tree.layers, icicle.layers, strict=True):
        now = after
        if layer.avg_ms and tree.kinds[before] == "module":
            while " … " in icicle.labels[now]:
                now = icicle.parents[now]
            own[before].add(now)
            assert icicle.labels[now] == tree.names[before]
    assert own
    assert all(len(groups) == 1 for groups in own.values())
    assert any(" … " in text for text in icicle.labels) == (count > 1000)
    children = defaultdict(int)
    for parent in icicle.parents[1:]:
        children[parent] += 1
    assert max(children.values()) <= 300


def test_one_flat_group_of_many_layers_is_ranges():
    analysis = analyze(fused_engine(9000, "names", 4).read(), with_blocks=False)
    flat = Icicle("module", "t", "s", ["All layers"], [-1], [0] * len(analysis.layers))
    ranged = with_ranges(flat, analysis.layers)
    assert totals(ranged, analysis.layers)[0] == pytest.approx(analysis.onnx.total_ms)
    assert len(ranged.labels) > 20
    assert max(ranged.layers.count(each) for each in set(ranged.layers)) <= 100


def flat(analysis, times, names=None):
    """Return one group of layers with these times, as ranges, and the layers."""
    names = names or [f"layer {at}" for at in range(len(times))]
    layers = [
        replace(analysis.layers[0], index=at, name=name, avg_ms=ms)
        for at, (ms, name) in enumerate(zip(times, names, strict=True))
    ]
    icicle = Icicle("module", "t", "s", ["All layers"], [-1], [0] * len(layers))
    return with_ranges(icicle, layers), layers


def inside(icicle, layers):
    """Return the times of what is in each group, in the order of execution."""
    found = defaultdict(list)
    sums = totals(icicle, layers)
    first = {}
    for layer, group in zip(layers, icicle.layers, strict=True):
        found[group].append((layer.index, layer.avg_ms))
        around = group
        while around >= 0:
            first.setdefault(around, layer.index)
            around = icicle.parents[around]
    for group, parent in enumerate(icicle.parents):
        if parent >= 0:
            found[parent].append((first[group], sums[group]))
    return [[ms for _, ms in sorted(items)] for items in found.values()]


@pytest.mark.parametrize(
    "times",
    [
        pytest.param([98.8] + [0.03] * 40, id="one large of 41"),
        pytest.param([1e-5] * 250 + [99.9] + [1e-5] * 250, id="several ranges too narrow to show"),
        pytest.param([10.0 ** -(at % 9) for at in range(90)], id="any sizes"),
        pytest.param([3.0**-at for at in range(60)], id="each a third"),
        pytest.param([1.0] * 5000, id="alike"),
    ],
)
def test_every_layer_can_be_enlarged(analysis, times):
    icicle, layers = flat(analysis, times)
    assert totals(icicle, layers)[0] == pytest.approx(math.fsum(times))
    # In the narrowest window no two boxes beside each other are joined once what is around them is enlarged.
    for items in inside(icicle, layers):
        scale = 320 / math.fsum(items)
        assert not any(left * scale < 2 and right * scale < 2 for left, right in pairwise(items))
        assert len(items) <= 300


@pytest.mark.parametrize("count", [200, 3000])
def test_ranges_beside_each_other_have_names_of_their_own(analysis, count):
    # What differs is in the middle of a name, where it is cut.
    names = [f"model.encoder.stage.{at:05}.attention.projection.linear.weight" for at in range(count)]
    icicle, _ = flat(analysis, [1.0] * count, names)
    ranges = list(zip(icicle.labels[1:], icicle.parents[1:], strict=True))
    assert len(set(ranges)) == len(ranges) > 1
    assert all(len(set(label.split(" … "))) == 2 for label, _ in ranges)


def test_narrow_neighbors_are_one_box():
    items = [
        Item(1.0, layer=0),
        Item(0.1, layer=1),
        Item(0.1, layer=2),
        Item(5.0, layer=3),
        Item(0.1, layer=4),
    ]
    found = merged(items, 10)
    assert [item.merged for item in found] == [0, 2, 0, 0]
    assert [item.layer for item in found] == [0, -1, 3, 4]
    assert math.fsum(item.ms for item in found) == pytest.approx(math.fsum(item.ms for item in items))


def test_the_rows_of_a_drawing_are_as_wide_as_what_is_above(analysis):
    found = icicles(analysis)
    assert found
    for icicle in found.values():
        svg = draw_icicle(icicle, analysis.layers, 1000)
        assert svg == draw_icicle(icicle, analysis.layers, 1000)
        rows = defaultdict(list)
        for x, y, width in BOX.findall(svg):
            rows[float(y)].append((float(x), float(x) + float(width)))
        assert len(rows) >= 4
        assert rows[0.0] == [(0, 999)]
        ordered = [sorted(row) for _, row in sorted(rows.items())]
        for above, row in pairwise(ordered):
            assert all(left[1] <= right[0] + 0.1 for left, right in pairwise(row))
            for start, end in row:
                assert any(low - 0.1 <= start and end <= high + 0.1 for low, high in above)
        # Nothing but what is not drawn is missing below the whole.
        assert math.fsum(end - start + 1 for start, end in ordered[1]) == pytest.approx(1000, abs=1)


def test_modules_replace_the_treemap(analysis):
    page = render_html(analysis, [], HtmlOptions(interactive_charts=False)).decode()
    assert 'id="icicle-module"' in page
    assert 'id="icicle-source"' in page
    assert "layer1 19.8%" in page
    assert "shared: conv1, relu" in page
    assert 'id="chart-treemap"' not in page


def test_names_give_modules_without_a_model():
    with_names = analyze(read_engine(SAMPLES / "transformer-trt10-myelin"))
    found = icicles(with_names)
    if with_names.blocks.basis == "names":
        assert list(found) == ["module"]
    without = replace(with_names, blocks=replace(with_names.blocks, basis="structure"))
    assert icicles(without) == {}
    page = render_html(without, [], HtmlOptions(interactive_charts=False)).decode()
    assert 'id="chart-treemap"' in page
    assert 'id="icicle-module"' not in page


def test_an_engine_without_times_has_none(analysis):
    untimed = [replace(layer, avg_ms=None) for layer in analysis.layers]
    assert icicles(replace(analysis, layers=untimed)) == {}


def test_paper_has_the_first_levels_with_names(analysis):
    drawings = Drawings()
    page = report_page(analysis, drawings, frozenset(), carries_inputs=False)
    assert "Layer time by module" in page
    assert "Layer time by source line" in page
    assert "layer1 19.8%" in page or any(b"layer1 19.8%" in each for each in drawings.contents.values())
