"""One sentence for each section, right in number and in what is missing."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.model import Engine, Layer, LayerTime, QueryTimes


def sentences(*times, queries=None, **more):
    layers = tuple(
        Layer(index, f"l{index}", f"l{index}", "Convolution", time=None if time is None else LayerTime(time))
        for index, time in enumerate(times)
    )
    return analyze(Engine("e", layers, queries=queries, **more)).sentences


def test_every_section_has_one():
    expected = {"latency", "layers", "precision", "memory", "work", "reformats", "timing", "graph", "gap"}
    assert set(sentences()) == set(sentences(1.0)) == expected


@pytest.mark.parametrize(
    ("times", "start"),
    [
        ((1.0,), "1 layer of type Convolution takes 100"),
        ((1.0, 3.0), "2 layers of type Convolution take 100"),
        ((None,), "This capture has no profile"),
        ((0.0,), "No layer took a time"),
        ((), "This capture has no profile"),
    ],
)
def test_latency(times, start):
    assert sentences(*times)["latency"].startswith(start)


def test_half_of_the_time():
    assert "the slowest one takes half of the time" in sentences(1.0, 5.0, 1.0, 1.0)["layers"]
    assert "2 slowest take half" in sentences(3.0, 3.0, 2.0, 2.0)["layers"]


@pytest.mark.parametrize(
    ("count", "part"),
    [(1, "of 1 query are too few"), (19, "of 19 queries are too few"), (20, "the GPU time is steady")],
)
def test_steadiness(count, part):
    assert part in sentences(queries=QueryTimes((1.0,) * count))["timing"]


def test_drift():
    found = sentences(queries=QueryTimes((1.0,) * 50 + (2.0,) * 50))["timing"]
    assert "unsteady" in found
    assert "slower than the first" in found


def test_names_only():
    found = sentences(1.0, names_only=True)
    assert found["latency"].startswith("The slowest layer, l0, takes")
    assert "names" in found["memory"]
    assert "names" in found["precision"]
