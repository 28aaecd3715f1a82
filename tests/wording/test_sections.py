"""One sentence for each section, right in number and in what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Reformat
from trexreport.model import DataFormat, Engine, Layer, LayerTime, QueryTimes, Tensor
from trexreport.wording.layers import missing_sections_sentence
from trexreport.wording.reformats import conversion
from trexreport.wording.sections import section_sentence, section_sentences


def sentences(*times, queries=None, **more):
    layers = tuple(
        Layer(index, f"l{index}", f"l{index}", "Convolution", time=None if time is None else LayerTime(time))
        for index, time in enumerate(times)
    )
    return section_sentences(analyze(Engine("e", layers, queries=queries, **more)))


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
        ((1.0,), "1 Convolution layer takes 100"),
        ((1.0, 3.0), "2 Convolution layers take 100"),
        ((None,), "This capture has no profile"),
        ((0.0,), "The profile has no layer time above zero"),
        ((), "This capture has no layer information"),
    ],
)
def test_latency(times, start):
    assert sentences(*times)["latency"].startswith(start)


@pytest.mark.parametrize(
    ("medians", "slowest"),
    [
        ((0.2, 0.6, 0.2), "take 100% of layer time by medians; the slowest layer, l1, takes 60.0%."),
        ((0.9, 0.6, 0.2), "; the slowest layer, l0, takes 52.6%."),
        ((0.2, 0.6, None), "; the slowest layer, l0, takes 52.6%."),
    ],
)
def test_the_slowest_layer_where_slow_iterations_lengthen_a_mean(medians, slowest):
    layers = tuple(
        Layer(at, f"l{at}", f"l{at}", "Convolution", time=LayerTime(mean, median))
        for at, (mean, median) in enumerate(zip((1.0, 0.7, 0.2), medians, strict=True))
    )
    assert section_sentences(analyze(Engine("e", layers)))["latency"].endswith(slowest)


@pytest.mark.parametrize(("type_", "names_only"), [("Convolution", False), ("", True)])
def test_a_sentence_states_times_by_medians_or_by_averages(type_, names_only):
    types = (type_, type_ and "Pooling", type_ and "Pooling")
    layers = tuple(
        Layer(at, f"/m/{name}", f"/m/{name}", kind, time=LayerTime(mean, median))
        for at, (name, kind, mean, median) in enumerate(
            zip(("Conv", "MaxPool", "MaxPool_1"), types, (2.0, 0.7, 0.2), (0.3, 0.6, 0.3), strict=True)
        )
    )
    found = section_sentences(analyze(Engine("e", layers, names_only=names_only)))["latency"]
    by_name = "The slowest layer by medians, /m/MaxPool, takes 50.0% of layer time."
    by_type = (
        "2 Pooling layers take 75.0% of layer time by medians; the slowest layer, /m/MaxPool, takes 50.0%."
    )
    assert found == (by_name if names_only else by_type)


def test_half_of_the_time():
    assert (
        "the slowest layer takes at least half of the layer time" in sentences(1.0, 5.0, 1.0, 1.0)["layers"]
    )
    assert "2 slowest layers take half of the layer time" in sentences(3.0, 3.0, 2.0, 2.0)["layers"]


@pytest.mark.parametrize(
    ("count", "part"),
    [
        (1, "1 query is too few"),
        (19, "19 queries are too few"),
        (20, "GPU compute time is stable over 20 queries"),
    ],
)
def test_steadiness(count, part):
    assert part in sentences(queries=QueryTimes((1.0,) * count))["timing"]


def test_drift():
    found = sentences(queries=QueryTimes(tuple(1 + place / 400 for place in range(400))))["timing"]
    assert "unstable" in found
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
    assert section_sentence(found, "precision") == (
        "By precision of the first input, FP16: 80.0% of layer time in 2 layers; "
        "FP32: 20.0% of layer time in 1 layer."
    )
    assert (
        section_sentence(plan(("A", "FP16", (), None)), "precision")
        == "By precision of the first input, FP16: 1 layer."
    )


def test_work_says_what_was_not_counted():
    found = plan(
        ("gemm", "FP16", (), 1.0),
        ("correlation", "FP16", (), 1.5),
        ("correlation", "FP16", (), 1.5),
        ("kgen", "FP16", ("Add",), 4.0),
    )
    assert section_sentence(found, "work").startswith(
        "1 of 3 convolutions and matrix products could be counted: "
    )
    assert section_sentence(found, "work").endswith("; the others take 37.5% of layer time.")
    nothing = section_sentence(plan(("correlation", "FP16", (), 1.0)), "work")
    assert (
        nothing
        == "The operations of 1 convolution or matrix product are not known: their shapes leave them open."
    )


def test_kernels_that_only_move_data():
    found = plan(
        ("kgen", "FP16", ("Transpose", "Cast"), 1.0),
        ("kgen", "FP16", ("Move",), 1.0),
        ("kgen", "FP16", ("Cast", "Add"), 6.0),
    )
    assert section_sentence(found, "reformats") == (
        "No reformat layer; 2 Myelin kernels that only move or convert data take 25.0% of layer time."
    )
    assert [(each.layer, each.kind, each.origin) for each in found.reformats] == [
        (0, "kernel", "Myelin kernel"),
        (1, "kernel", "Myelin kernel"),
    ]
    assert [(each.name, each.count, each.time_ms) for each in found.reformats_by_origin] == [
        ("Myelin kernel", 2, 2.0)
    ]


def test_reformats():
    one = section_sentence(plan(("Reformat", "FP16", (), 1.0), ("A", "FP16", (), 3.0)), "reformats")
    assert one == (
        "1 layer only changes the type or layout of data; it takes 25.0% of layer time, 1.00\u00a0ms."
    )
    none = section_sentence(plan(("A", "FP16", (), 3.0)), "reformats")
    assert none == "No layer only changes the type or layout of data."


def test_a_capture_without_layers_says_once_what_it_has_nothing_on():
    assert (
        missing_sections_sentence(("reformats", "graph"))
        == "Sections that need it are left out: graph and reformats."
    )
    every = ("graph", "latency", "precision", "memory", "roofline", "reformats")
    expected = (
        "Sections that need it are left out: graph, layer times, precisions, tensors, roofline and reformats."
    )
    assert missing_sections_sentence(every) == expected


def test_a_conversion_without_formats_is_not_an_arrow():
    reformat = Reformat(0, "reformat", "Myelin kernel", "", "", "not stated", None, None, (), ())
    assert conversion(reformat) == "not stated"
    assert conversion(replace(reformat, before="FP32")) == "FP32 → ?"
