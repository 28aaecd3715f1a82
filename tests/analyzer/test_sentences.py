"""One sentence for each section, right in number and in what is missing."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.model import DataFormat, Engine, Layer, LayerTime, QueryTimes, Tensor


def sentences(*times, queries=None, **more):
    layers = tuple(
        Layer(index, f"l{index}", f"l{index}", "Convolution", time=None if time is None else LayerTime(time))
        for index, time in enumerate(times)
    )
    return analyze(Engine("e", layers, queries=queries, **more)).sentences


def test_every_section_has_one():
    expected = {
        "latency",
        "layers",
        "precision",
        "memory",
        "roofline",
        "work",
        "reformats",
        "timing",
        "graph",
        "findings",
        "gap",
    }
    assert set(sentences()) == set(sentences(1.0)) == expected


@pytest.mark.parametrize(
    ("times", "start"),
    [
        ((1.0,), "1 layer of type Convolution takes 100"),
        ((1.0, 3.0), "2 layers of type Convolution take 100"),
        ((None,), "This capture has no profile"),
        ((0.0,), "No layer took a time"),
        ((), "This capture has no layer information"),
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


def plan(*layers, **more):
    """Return the analysis of (type, input type, operations, ms) layers."""
    made = tuple(
        Layer(
            index,
            f"l{index}",
            f"l{index}",
            kind,
            inputs=(Tensor(f"t{index}", (1, 4), DataFormat("", data_type), version=min(index, 1)),),
            outputs=(Tensor(f"t{index + 1}", (1, 4), DataFormat("", data_type), version=1),),
            operations=operations,
            time=None if time is None else LayerTime(time),
        )
        for index, (kind, data_type, operations, time) in enumerate(layers)
    )
    return analyze(Engine("e", made, **more))


def test_precision():
    found = plan(("A", "FP16", (), 3.0), ("B", "FP16", (), 5.0), ("C", "FP32", (), 2.0))
    assert found.sentences["precision"] == (
        "By type of the first input, FP16: 80.0% of the time in 2 layers; FP32: 20.0% of the time in 1 layer."
    )
    assert (
        plan(("A", "FP16", (), None)).sentences["precision"] == "By type of the first input, FP16: 1 layer."
    )


def test_work_says_what_was_not_counted():
    found = plan(
        ("gemm", "FP16", (), 1.0),
        ("correlation", "FP16", (), 2.0),
        ("fusion", "FP16", ("FullyConnected", "Sigmoid"), 1.0),
        ("kgen", "FP16", ("Add",), 4.0),
    )
    assert found.sentences["work"].startswith("1 of 3 convolutions and matrix products could be counted: ")
    assert found.sentences["work"].endswith("; the others take 37.5% of the time.")
    nothing = plan(("correlation", "FP16", (), 1.0)).sentences["work"]
    assert nothing == "None of 1 convolution or matrix product could be counted from its shapes."


def test_kernels_that_only_move_data():
    found = plan(
        ("kgen", "FP16", ("Transpose", "Cast"), 1.0),
        ("kgen", "FP16", ("Move",), 1.0),
        ("kgen", "FP16", ("Cast", "Add"), 6.0),
    )
    assert found.sentences["reformats"] == (
        "No Reformat layer; 2 Myelin kernels that only move or convert data take 25.0% of the time."
    )
    assert [(each.layer, each.kind, each.origin) for each in found.reformats] == [
        (0, "kernel", "Myelin kernel"),
        (1, "kernel", "Myelin kernel"),
    ]
    assert [(each.name, each.count, each.time_ms) for each in found.reformats_by_origin] == [
        ("Myelin kernel", 2, 2.0)
    ]


def test_reformats():
    one = plan(("Reformat", "FP16", (), 1.0), ("A", "FP16", (), 3.0)).sentences["reformats"]
    assert one == (
        "1 layer only changes the type or layout of data; it takes 1.00\u00a0ms, 25.0% of the time."
    )
    none = plan(("A", "FP16", (), 3.0)).sentences["reformats"]
    assert none == "No layer only changes the type or layout of data."
