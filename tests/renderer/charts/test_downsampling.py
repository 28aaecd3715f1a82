"""Charts of large engines: few elements, the same sums, and a summary that says so."""

from __future__ import annotations

import json
import math
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.charts.catalog import report_charts
from trexreport.renderer.charts.catalog.breakdown import breakdowns
from trexreport.renderer.charts.catalog.shared import (
    MAX_COLUMNS,
    MAX_COLUMNS_OF_HALF,
    MAX_POINTS,
    extremes,
    with_rest_summed,
)
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.svg import to_svg

sys.path.insert(0, str(Path(__file__).parents[3] / "samples"))
LAYERS = 4321
POSITIVE = st.floats(1e-9, 1e9)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    """A plan of many layers."""
    from generator.large import llm_like

    folder = tmp_path_factory.mktemp("large")
    for name, content in llm_like(LAYERS).items():
        (folder / name).write_bytes(content)
    return analyze(read_engine(folder))


@pytest.fixture(scope="module")
def charts(analysis):
    return report_charts(analysis)


@given(st.lists(POSITIVE, max_size=60), st.integers(0, 20), POSITIVE)
def test_what_is_added_up_sums_to_the_whole(values, most, least):
    values.sort(reverse=True)
    names = [f"n{index}" for index in range(len(values))]
    shown_names, shown_values, shown = with_rest_summed(names, values, most, least)
    assert math.fsum(shown_values) == pytest.approx(math.fsum(values), rel=1e-12)
    assert (shown_names[:shown], shown_values[:shown]) == (names[:shown], values[:shown])
    rest = len(values) - shown
    assert shown_names[shown:] == ([f"{rest} others"] if rest else [])
    assert rest != 1, "one alone has a name"
    assert shown <= most + 1
    assert all(value >= least for value in values[: min(shown, len(values) - 1)]) or rest == 0


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=400), st.integers(1, 40))
def test_a_shorter_line_keeps_its_ends_and_every_extreme(ys, most):
    xs, kept, size = extremes(range(len(ys)), ys, most)
    assert len(kept) <= max(2 * most + 2, len(ys) if size == 1 else 0)
    assert (xs[0], xs[-1]) == (0, len(ys) - 1)
    assert list(xs) == sorted(set(xs))
    assert all(ys[x] == y for x, y in zip(xs, kept, strict=True))
    for start in range(0, len(ys), size):
        window = ys[start : start + size]
        inside = [y for x, y in zip(xs, kept, strict=True) if start <= x < start + size]
        assert (min(inside), max(inside)) == (min(window), max(window))


def total(chart, axis):
    return math.fsum(value for series in chart.series for value in getattr(series, axis) if value)


def test_gathered_parts_sum_to_the_whole(analysis, charts):
    time = pytest.approx(analysis.latency.layer_sum_ms, rel=1e-9)
    for key, axis in (
        ("by-layer", "y"),
        ("by-layer-precision", "y"),
        ("treemap", "x"),
        ("by-type", "x"),
        ("by-tactic", "x"),
    ):
        assert total(charts[key], axis) == time, key
    assert [key for key, chart in breakdowns(analysis).items() if total(chart, "x") == time] == [
        *breakdowns(analysis)
    ]
    moved = [layer for layer in analysis.layers if layer.moved_bytes]
    parts = sum(sum((each.input_bytes, each.output_bytes, each.weights_bytes)) for each in moved)
    assert total(charts["footprint"], "y") == parts
    assert total(charts["type-precision"], "x") == sum(group.count for group in analysis.by_type)
    assert max(charts["live-memory"].series[0].y) == max(analysis.memory.live_bytes)


def test_the_time_of_rows_that_a_profile_lacks_is_a_part_of_the_whole(tmp_path):
    rows = [
        {"name": f"layer {n}", "timeMs": 10.0 * n, "averageMs": 1.0 * n, "percentage": 10.0 * n}
        for n in (1, 2, 3)
    ]
    (tmp_path / "x.profile.json").write_text(json.dumps([{"count": 10}, *rows]))
    analysis = analyze(read_engine(tmp_path))
    (series,) = breakdowns(analysis)["type"].series
    assert series.labels == ("layer 3", "layer 2", "layer 1", "Missing rows")
    assert series.x == pytest.approx((3, 2, 1, 4))


def test_of_each_type_the_areas_and_columns_have_its_time(analysis, charts):
    times = {group.name: group.time_ms for group in analysis.by_type if group.time_ms}
    for key, axis in (("by-layer", "y"), ("treemap", "x")):
        found = {series.name: math.fsum(getattr(series, axis)) for series in charts[key].series}
        assert {name: value for name, value in found.items() if value} == pytest.approx(times), key


def test_a_column_links_to_exactly_its_layers(analysis, charts):
    assert charts["by-layer"].series
    for series in charts["by-layer"].series:
        for link, place, value in zip(series.links, series.places, series.y, strict=True):
            first, last = map(
                int, re.fullmatch(r"#filter=index%3E%3D(\d+)%20index%3C%3D(\d+)", link).groups()
            )
            layers = [each for each in analysis.layers[first : last + 1] if each.avg_ms is not None]
            of_type = [each.avg_ms for each in layers if each.type == series.name]
            assert value == pytest.approx(math.fsum(of_type))
            slowest = max(layers, key=lambda layer: layer.avg_ms)
            assert place == f"Layers {first} to {last}, slowest: {slowest.name}"


def test_titles_and_summaries_state_the_downsampling(charts):
    size, size_of_half = math.ceil(LAYERS / MAX_COLUMNS), math.ceil(LAYERS / MAX_COLUMNS_OF_HALF)
    assert charts["by-layer"].title == f"Time per group of {size} layers"
    precision = charts["by-layer-precision"].title
    assert precision == f"Time per group of {size_of_half} layers by input precision"
    assert charts["footprint"].title == f"Data moved per group of {size_of_half} layers"
    assert "highest and the lowest" in charts["live-memory"].summary
    assert "the others are summed by type" in charts["treemap"].summary
    assert any(label.endswith(" others") for series in charts["treemap"].series for label in series.labels)
    if len(charts["roofline"].series[0].x) == MAX_POINTS:
        assert f"the {MAX_POINTS} slowest of" in charts["roofline"].title


def test_no_drawing_has_more_than_can_be_seen(charts):
    assert charts
    for key, chart in charts.items():
        drawn = list(ET.fromstring(to_svg(chart, 1040)).iter())  # noqa: S314 - drawn by us
        assert len(drawn) < 7000, key
        points = sum(len(trace["hovertext"]) for trace in to_plotly(chart, 1040)["data"])
        assert points < 3000, key


def test_small_engines_are_drawn_layer_by_layer():
    small = analyze(read_engine(Path(__file__).parents[3] / "samples" / "resnet18-int8-before"))
    charts = report_charts(small)
    timed = [layer for layer in small.layers if layer.avg_ms]
    assert charts["by-layer"].title == "Time per layer"
    assert [name for name in charts["by-layer"].series[0].labels if name] == [
        layer.name for layer in small.layers if layer.avg_ms is not None and not layer.structural
    ]
    assert sum(len(series.x) for series in charts["treemap"].series) == len(timed)
    assert len(charts["live-memory"].series[0].x) == len(small.layers)
