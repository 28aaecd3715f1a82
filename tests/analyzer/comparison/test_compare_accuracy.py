"""Comparisons show the time that layers save beside the error that they add."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from random_networks import compare, engine_of, random_network

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare as compare_engines
from trexreport.model.accuracy import AccuracyResults
from trexreport.renderer.comparison.accuracy import accuracy_table
from trexreport.renderer.comparison.charts import comparison_charts
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.wording.accuracy import compared_plan_sentence

NETWORK = random_network(1007)
CAUSE = f"/MatMul_{NETWORK.perturbed}"


def engines(times, *, metrics=None):
    """Return an FP16 engine without errors and a faster INT8 engine with one, and their analyses."""
    right = AccuracyResults("metrics", metrics={"top1": 76.1})
    wrong = replace(compare(NETWORK), metrics=metrics or {"top1": 75.0, "mAP": 0.5})
    both = [
        engine_of(NETWORK, right, with_model=False, precision="FP16"),
        engine_of(NETWORK, wrong, with_model=False, precision="INT8"),
    ]
    found = [
        replace(
            engine,
            name=name,
            layers=tuple(
                replace(layer, time=replace(layer.time, avg_ms=layer.time.avg_ms * factor))
                for layer in engine.layers
            ),
        )
        for engine, factor, name in zip(both, times, ("fp16", "int8"), strict=True)
    ]
    return found, [analyze(engine) for engine in found]


@pytest.fixture(scope="module")
def compared():
    both, analyses = engines((1.0, 0.5))
    return compare_engines(both, analyses=analyses), analyses


def test_the_layer_that_causes_the_error_adds_most(compared):
    found = compared[0].engines[1].accuracy
    first = found.points[0]
    assert first.name == CAUSE
    assert first.added_error == pytest.approx(compared[1][1].accuracy.layers[NETWORK.perturbed].increase)
    baseline = compared[1][0].layers[NETWORK.perturbed].avg_ms
    assert first.saved_ms == pytest.approx(baseline / 2)


def test_the_plan_costs_what_was_measured(compared):
    found = compared[0].engines[1].accuracy
    assert [found.points[at].name for at in found.plan] == [CAUSE]
    assert found.points[0].cost_ms == found.points[0].saved_ms
    assert found.points[0].removed_percent == pytest.approx(100)
    sentence = compared_plan_sentence(compared[0].engines[1], "fp16")
    assert ": 1 layer in the precision of fp16 would cost" in sentence
    assert CAUSE in sentence


def test_no_best_point_is_beaten(compared):
    points = compared[0].engines[1].accuracy.points
    best = [each for each in points if each.is_best]
    assert best
    beaten = [
        (one, other)
        for one in best
        for other in points
        if other.saved_ms >= one.saved_ms and other.added_error < one.added_error
    ]
    assert beaten == []


def test_figures_of_the_whole_model_are_beside_the_latency(compared):
    table = accuracy_table(compared[0])
    assert list(table.names) == ["top1", "mAP"]
    assert [list(row.metrics) for row in table.rows] == [["76.10", "–"], ["75.00", "0.5000"]]
    assert table.has_error
    charts = comparison_charts(compared[0])
    assert math.fsum(len(each.x) for each in charts["accuracy"].series) > 1
    page = render_comparison_html(*compared).decode()
    assert "Time saved and error added" in page
    assert ">Accuracy</h3>" in page


def test_without_files_there_is_nothing():
    both, _ = engines((1.0, 1.0))
    plain = [replace(each, accuracy=None) for each in both]
    analyses = [analyze(each) for each in plain]
    comparison = compare_engines(plain, analyses=analyses)
    assert [each.accuracy for each in comparison.engines] == [None, None]
    assert not accuracy_table(comparison).rows
    assert "accuracy" not in comparison_charts(comparison)


def test_the_front_is_a_line_and_a_table(compared):
    comparison = compared[0]
    best = [each for each in comparison.engines[1].accuracy.points if each.is_best]
    assert best
    front = comparison_charts(comparison)["accuracy"].series[-1]
    assert (front.name, front.step) == ("Pareto front", True)
    # From little time saved to much, and from little error to much.
    assert list(front.x) == sorted(each.saved_ms for each in best)
    assert list(front.y) == sorted(front.y)
    table = accuracy_table(comparison)
    assert table.front_engine == "int8"
    assert [each.saved_ms for each in table.front] == sorted(front.x, reverse=True)[:12]


def test_no_point_of_the_front_is_cut_off(compared, monkeypatch):
    from trexreport.renderer.comparison import charts

    comparison = compared[0]
    best = sum(each.is_best for each in comparison.engines[1].accuracy.points)
    monkeypatch.setattr(charts, "_MAX_POINTS", best + 1)
    assert len(comparison_charts(comparison)["accuracy"].series[-1].x) == best
