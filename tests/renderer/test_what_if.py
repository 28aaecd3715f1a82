"""The GPUs and points that the page offers for another roofline."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Roofline
from trexreport.analyzer.roofline.peaks import known_gpus
from trexreport.reader import read_engine
from trexreport.renderer.charts.catalog.roofline import roofline_points
from trexreport.renderer.page_data import what_if_data

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(scope="module")
def analysis():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


def records(columns):
    """The records of `in_columns`, as the page's script reads them."""
    found = [{} for _ in range(columns["count"])]
    for key, values, *which in columns["columns"]:
        for at, record in enumerate(found):
            record[key] = values[which[0][at] if which else at]
    return found


def peak(gpu, kind):
    peaks = (gpu.get(f"{unit} {name}") for name in kind or ["FP32"] for unit in ("tensor", "vector"))
    return next(filter(None, peaks), None)


def test_the_gpu_of_the_capture_gives_the_roofs_of_the_analysis(analysis):
    data = what_if_data(analysis)
    roofs = {
        layer.index: layer.roof.peak_tflops
        for layer in analysis.layers
        if layer.roof and layer.roof.peak_tflops
    }
    layers, _, kinds = data["points"]
    (here,) = records(data["here"])
    found = {
        layer: peak(here, data["kinds"][kind])
        for layer, kind in zip(layers, kinds, strict=True)
        if layer in roofs
    }
    assert len(found) > 10
    assert found == pytest.approx({layer: roofs[layer] for layer in found}, rel=1e-5)
    assert layers == [layer.index for layer, _, _ in roofline_points(analysis)]


def test_all_gpus_of_the_table_are_offered_at_boost_clock(analysis):
    names = [gpu["name"] for gpu in records(what_if_data(analysis)["gpus"])]
    assert names == [gpu.name for gpu in known_gpus()]
    assert len(set(names)) == len(names) > 90
    assert {gpu.clock_scale for gpu in known_gpus()} == {1.0}


def test_without_a_gpu_there_are_points_and_no_roofs(analysis):
    layers = [dataclasses.replace(layer, roof=None) for layer in analysis.layers]
    data = what_if_data(dataclasses.replace(analysis, layers=layers, roofline=Roofline()))
    assert records(data["here"]) == []
    assert len(data["points"][0]) > 10
    assert what_if_data(dataclasses.replace(analysis, layers=[])) == {}
