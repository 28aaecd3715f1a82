"""Layers are colored by their error, and by what they add to it."""

from __future__ import annotations

import json
import math

import pytest
from graph_plans import chain

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.graph.coloring import Coloring, error_levels, error_levels_data
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.renderer.graph.options import DrawOptions

NAMES = ("a", "b", "c", "d")


@pytest.fixture
def analysis_with(tmp_path):
    """Return a function that analyzes a chain of four layers with figures of the tensors that they write."""

    def make(measure, *values):
        layers = chain(NAMES)
        tensors = [layer["Outputs"][0]["Name"] for layer in layers]
        figures = {"measure": measure, "tensors": dict(zip(tensors, values, strict=False))}
        (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
        if values:
            (tmp_path / "x.accuracy.json").write_text(json.dumps(figures))
        return analyze(read_engine(tmp_path))

    return make


def texts(analysis, by):
    meanings, levels = error_levels(analysis, by)
    return [meanings[each][0] for each in levels]


def test_errors_are_parts_of_the_reference(analysis_with):
    analysis = analysis_with("relative_error", 0.0005, 0.005, 0.05, 0.5)
    assert texts(analysis, "error") == ["error <0.1%", "error 0.1–1%", "error 1–10%", "error ≥10%"]


def test_the_layer_that_adds_the_error_is_marked_and_not_those_after_it(analysis_with):
    analysis = analysis_with("relative_error", 0.0, 0.2, 0.2, 0.2)
    assert texts(analysis, "error") == ["error <0.1%"] + ["error ≥10%"] * 3
    assert texts(analysis, "increase")[1] == "increase ≥10%"
    assert set(texts(analysis, "increase")) == {"increase ≥10%", "increase <0.1%"}


def test_other_figures_are_compared_with_the_largest(analysis_with):
    analysis = analysis_with("my_loss", 100.0, 49.0, 9.0, 0.5)
    assert texts(analysis, "error") == [
        "error ≥50% of the largest",
        "error 10–50% of the largest",
        "error 1–10% of the largest",
        "error <1% of the largest",
    ]


def test_overflow_is_marked_where_it_begins(analysis_with):
    analysis = analysis_with("relative_error", 0.001, math.nan, math.nan, math.nan)
    assert texts(analysis, "error")[1:] == ["NaN or infinity"] * 3
    assert texts(analysis, "increase")[1:] == ["NaN or infinity begins"] + ["increase not known"] * 2


def test_what_is_not_known_is_no_error_of_zero(analysis_with):
    analysis = analysis_with("relative_error", 0.5)
    assert texts(analysis, "error") == ["error ≥10%"] + ["error not known"] * 3


def test_without_accuracy_there_is_nothing_to_choose(analysis_with):
    analysis = analysis_with("relative_error")
    assert error_levels_data(analysis) == {}
    assert set(texts(analysis, "error")) == {"error not known"}
    assert "error not known" in draw_graph(analysis, DrawOptions(color_by="error", standalone=True)).svg


def test_the_legend_begins_with_the_worst(analysis_with):
    analysis = analysis_with("relative_error", 0.0005, 0.005, 0.05)
    coloring = Coloring(analysis, "error")
    for layer in analysis.layers:
        coloring.of(layer)
    assert list(coloring.legend()) == ["error 1–10%", "error 0.1–1%", "error <0.1%", "error not known"]


def test_a_closed_block_has_the_color_of_its_worst_layer(analysis_with):
    analysis = analysis_with("relative_error", 0.0005, 0.005, 0.05)

    class Closed:
        layers = (0, 2, 3)

    coloring = Coloring(analysis, "error")
    assert coloring.of_block([Closed()]) == [(coloring.of(analysis.layers[2]), 1.0)]


def test_the_page_gets_the_levels_of_each_layer(analysis_with):
    found = error_levels_data(analysis_with("relative_error", 0.0005, 0.5))
    assert list(found) == ["error", "increase"]
    assert found["error"]["of"] == [4, 1, 5, 5]
    assert len(found["error"]["meanings"]) == 6
