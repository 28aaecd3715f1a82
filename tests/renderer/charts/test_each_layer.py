"""Times of layers by precision, and their distribution."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.charts.catalog.each_layer import by_layer_precision, layer_times
from trexreport.renderer.charts.svg import to_svg
from trexreport.wording.latency import layer_times_sentence


def analysis_of(folder, layers):
    """Return the analysis of layers in a row, given as pairs of a format and a time in ms, or None."""
    graph = {
        "Layers": [
            {
                "Name": f"layer{number}",
                "LayerType": "Convolution",
                # A tensor has one type, so each layer reads one of its own.
                "Inputs": [{"Name": f"in{number}", "Dimensions": [1, 8], "Format/Datatype": kind}],
                "Outputs": [{"Name": f"out{number}", "Dimensions": [1, 8], "Format/Datatype": kind}],
            }
            for number, (kind, _) in enumerate(layers)
        ],
        "Bindings": ["in0", f"out{len(layers) - 1}"],
    }
    profile = [
        {"name": f"layer{number}", "timeMs": time, "averageMs": time, "percentage": 1}
        for number, (_, time) in enumerate(layers)
        if time is not None
    ]
    (folder / "x.graph.json").write_text(json.dumps(graph))
    (folder / "x.profile.json").write_text(json.dumps([{"count": 1}, *profile]))
    return analyze(read_engine(folder))


HALF, INT8 = "Row major linear FP16 format", "Row major Int8 format"


def test_each_layer_is_in_the_series_of_its_precision(tmp_path):
    analysis = analysis_of(tmp_path, [(HALF, 1.0), (INT8, 2.0), (HALF, 0.5), (INT8, None)])
    chart = by_layer_precision(analysis)
    assert [(each.name, each.role, each.x, each.y, each.labels) for each in chart.series] == [
        ("FP16", "precision:FP16", (0, 2), (1.0, 0.5), ("layer0", "layer2")),
        ("INT8", "precision:INT8", (1,), (2.0,), ("layer1",)),
    ]


def test_of_one_precision_there_is_no_second_chart_of_the_same_columns(tmp_path):
    analysis = analysis_of(tmp_path, [(HALF, 1.0), (HALF, 2.0)])
    assert by_layer_precision(analysis) is None
    names_only = dataclasses.replace(analysis.identity, names_only=True)
    mixed = analysis_of(tmp_path, [(HALF, 1.0), (INT8, 2.0)])
    assert by_layer_precision(mixed) is not None
    assert by_layer_precision(dataclasses.replace(mixed, identity=names_only)) is None


def test_every_layer_with_a_time_is_in_one_bin(tmp_path):
    times = [0.05, 0.1, 0.1, 0.25, 1.0, None]
    chart = layer_times(analysis_of(tmp_path, [(HALF, time) for time in times]))
    (series,) = chart.series
    assert series.x == pytest.approx((0, 0.2, 0.4, 0.6, 0.8, 1.0))
    assert series.y == (3, 1, 0, 0, 1)
    assert [line.value for line in chart.reference_lines] == [0.1]
    assert "median" in to_svg(chart, 520)


def test_many_layers_have_at_most_forty_bins(tmp_path):
    chart = layer_times(analysis_of(tmp_path, [(HALF, 0.001 * number) for number in range(1, 101)]))
    (series,) = chart.series
    assert len(series.y) == 40
    assert sum(series.y) == 100


@pytest.mark.parametrize("times", [[1.0], [0.0, 0.0], [None, None], [1.0, None]])
def test_what_has_no_distribution_has_no_chart(times, tmp_path):
    assert layer_times(analysis_of(tmp_path, [(HALF, time) for time in times])) is None


def test_the_smallest_time_that_a_number_can_hold_has_bins(tmp_path):
    tiny = math.ulp(0.0)
    chart = layer_times(analysis_of(tmp_path, [(HALF, tiny), (HALF, tiny)]))
    assert chart is None or sum(chart.series[0].y) == 2


def test_the_sentence_states_the_share_of_the_faster_half():
    first, second = layer_times_sentence([1.0, 3.0, 0.5, 5.5]).split(". ")
    assert first == "The median layer takes 2.00\N{NO-BREAK SPACE}ms"
    assert second == "The faster half of the layers takes 15.0% of layer time."
