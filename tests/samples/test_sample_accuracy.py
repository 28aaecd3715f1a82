"""The accuracy of the samples is about their tensors, and shows the layers that cause errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine

FOLDER = Path(__file__).resolve().parents[2] / "samples"
NAMES = ("resnet18-int8-before", "resnet18-int8-after")


@pytest.fixture(scope="module")
def engines():
    files = [{"accuracy": FOLDER / "accuracy" / f"{name}.accuracy.json"} for name in NAMES]
    return [read_engine(FOLDER / name, files=each) for name, each in zip(NAMES, files, strict=True)]


@pytest.fixture(scope="module")
def analyses(engines):
    return [analyze(each, with_blocks=False) for each in engines]


def test_every_tensor_is_one_of_the_engine(analyses):
    found = [each.accuracy for each in analyses]
    assert [each.match for each in found] == ["same", "same"]
    assert [each.joined for each in found] == [len(each.tensors) for each in found]


def test_the_layers_that_were_made_to_cause_errors_rank_first(analyses):
    first = [analysis.layers[analysis.accuracy.tensors[0].layers[-1]].name for analysis in analyses]
    assert "/layer2/layer2.0/conv1/Conv" in first[0]
    assert "/layer2/layer2.1/conv1/Conv" in first[1]
    assert {"TRX002"} <= {each.code for each in analyses[1].lint.findings}


def test_layers_that_save_time_add_an_error(engines, analyses):
    found = compare(engines, analyses=analyses).engines[1].accuracy
    assert "/layer2/layer2.1/conv1/Conv" in found.points[found.plan[0]].name
    assert found.points[found.plan[-1]].removed_percent > 80
    assert found.points[found.plan[-1]].cost_ms > 0


def test_int8_saves_half_the_time_and_one_layer_costs_most_of_the_accuracy(engines):
    half = read_engine(FOLDER / "accuracy" / "resnet18-fp16")
    pair = [half, engines[1]]
    compared = compare(pair, analyses=[analyze(each, with_blocks=False) for each in pair])
    before, after = (each.figures.latency_ms for each in compared.engines)
    assert 0.5 < after / before < 0.6
    first, second = (each.accuracy for each in compared.engines)
    assert first.metrics["top1"] > second.metrics["top1"]
    assert "/layer2/layer2.1/conv1/Conv" in second.points[second.plan[0]].name
    assert second.points[second.plan[-1]].removed_percent > 80


def test_the_baseline_has_no_impossible_values():
    engine = read_engine(FOLDER / "accuracy" / "resnet18-fp16")
    assert engine.layers
    # Each sample has this one: TREx keeps only the beginning of long values.
    assert [each.slug for each in engine.notes] == ["metadata-cut"]
