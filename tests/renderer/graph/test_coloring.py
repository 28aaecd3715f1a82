"""The meanings of a graph's colors, in the order of all legends."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.graph.coloring import Coloring

SAMPLES = Path(__file__).resolve().parents[3] / "samples"


@pytest.fixture(scope="module")
def analysis():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("type", ["Convolution", "Reformat", "Pooling"]),
        ("precision", ["FP32", "FP16", "INT8"]),
        ("bound", ["compute-bound", "memory-bound", "latency-bound"]),
    ],
)
def test_a_legend_has_the_order_of_all_legends(analysis, by, expected):
    coloring = Coloring(analysis, by)
    for layer in reversed(analysis.layers):
        coloring.of(layer)
    assert [name for name in coloring.legend() if name in expected] == expected


def test_streams_are_in_their_order_and_what_is_not_stated_is_last(analysis):
    coloring = Coloring(analysis, "stream")
    layers = [dataclasses.replace(analysis.layers[0], stream=stream) for stream in (10, None, 2)]
    for layer in layers:
        coloring.of(layer)
    assert list(coloring.legend()) == ["stream 2", "stream 10", "stream not stated"]
