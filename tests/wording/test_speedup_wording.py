"""What is stated of expected speedups is right in number and names what it rests on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trexreport.analyzer.analysis.speedup import ExpectedSpeedup, SpeedupGap, SpeedupPlace
from trexreport.wording.speedup import gap_sentences, speedup_sentences, speedup_title

PLACE = SpeedupPlace("conv7", [7], [6], 0.05, ["missing-qdq"], [], [])
SPEEDUP = ExpectedSpeedup(
    "low",
    "high",
    "INT8",
    "FP16",
    products=8,
    products_in_precision=7,
    reformats=3,
    reference_reformats=1,
    metric="total layer time",
    reference_ms=1.0,
    expected_ms=0.5,
    measured_ms=0.55,
    expected_speedup=2.0,
    measured_speedup=1 / 0.55,
    basis_ms={"roofline": 0.75, "bytes": 0.25},
    gpu="A100",
    launch_ms=0.004,
    gaps=[SpeedupGap("fallback", 0.05, [PLACE])],
)


def plain(texts):
    return " ".join(texts).replace("\u00a0", " ")


def test_all_is_stated():
    assert speedup_title(SPEEDUP) == "FP16 → INT8"
    assert plain(speedup_sentences(SPEEDUP)) == (
        "Expected speedup of low over high in total layer time: 2.00× (1.00 ms → 0.500 ms); measured: 1.82× "
        "(0.550 ms), 0.0500 ms slower than expected. 7 of 8 convolutions and matrix products compute in "
        "INT8. Reformat layers, Q/DQ included: 1 → 3. The expected time is that of high, of which all but "
        "0.00400 ms for each launch of a kernel is scaled by the roofline time on A100 (75.0%); the bytes of "
        "the tensors (25.0%)."
    )
    assert plain(gap_sentences(SPEEDUP)) == (
        "Precision fallback: +0.0500 ms in 1 place (no Q/DQ on an input). Largest: conv7, +0.0500 ms."
    )


@pytest.mark.parametrize(
    ("basis_ms", "text"),
    [
        ({"roofline": 1.0}, "The expected time is that of high, scaled by the roofline time on A100."),
        (
            {"none": 0.4, "bytes": 0.6},
            (
                "The expected time is that of high, scaled by the bytes of the tensors (60.0%). For 40.0% of "
                "the layer time no saving is known; it is not scaled."
            ),
        ),
    ],
)
def test_time_without_an_expectation_is_stated_apart(basis_ms, text):
    sentences = plain(speedup_sentences(replace(SPEEDUP, basis_ms=basis_ms, launch_ms=None)))
    assert sentences.endswith(f"1 → 3. {text}")


def test_few_layers_in_the_lower_precision_are_stated_first():
    few = replace(SPEEDUP, products_in_precision=1)
    assert "Only 1 of 8 convolutions and matrix products computes in INT8." in plain(speedup_sentences(few))
    assert "(only 1 of 8 in INT8, 7 in a wider type; no Q/DQ on an input)" in plain(gap_sentences(few))


@pytest.mark.parametrize(
    ("obstacle", "text"),
    [
        ("no-layer-times", "not measured"),
        ("different-gpus", "different GPUs"),
        ("no-basis", "no layer states"),
    ],
)
def test_an_obstacle_takes_the_place_of_times(obstacle, text):
    speedup = ExpectedSpeedup("low", "high", "INT8", "FP16", 1, 1, 0, 0, obstacle=obstacle)
    sentences = speedup_sentences(speedup)
    assert text in sentences[0]
    assert sentences[1:] == ["The only convolution or matrix product computes in INT8."]
    assert gap_sentences(speedup) == []


def test_one_precision_in_more_layers_has_a_title_of_its_own():
    assert speedup_title(replace(SPEEDUP, reference_precision="INT8")) == "INT8 in more layers"
