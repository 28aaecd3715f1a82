"""Savings say whether they are a bound or an estimate, and what they are based on."""

from __future__ import annotations

import pytest

from trexreport.analyzer.analysis.gains import GAIN_BASIS_CODES, Gain, GainBasis, GainPart
from trexreport.analyzer.analysis.timing import Latency, Percentiles
from trexreport.model import Contradiction
from trexreport.wording.gains import savings, savings_basis, savings_ms, savings_shared, savings_whole


@pytest.mark.parametrize(
    ("gain", "expected"),
    [
        (None, "not estimated"),
        (Gain("bound", 0.0, 0.11, (), (), 0.0, 9.1), "at most 9.10% (0.110\u00a0ms)"),
        (Gain("bound", 0.0, 0.11), "at most 0.110\u00a0ms"),
        (Gain("estimate", 0.0412, 0.1134, (), (), 3.24, 9.04), "est. 3.2–9.0% (0.041–0.11\u00a0ms)"),
        (Gain("estimate", 0.0, 12.0, (), (), 0.0, 50.0), "est. 0–50% (0–12\u00a0ms)"),
        (Gain("estimate", 1e-5, 0.02, (), (), 1e-5, 1.0), "est. 0–1.0% (0–0.020\u00a0ms)"),
        (Gain("estimate", 0.1101, 0.1099, (), (), 5.0, 5.0), "est. 5.0% (0.11\u00a0ms)"),
        (Gain("estimate", 0.0, 1e-5), "est. 0–<0.001\u00a0ms"),
    ],
)
def test_savings(gain, expected):
    assert savings(gain) == expected


@pytest.mark.parametrize("code", GAIN_BASIS_CODES)
def test_each_basis_has_a_sentence(code):
    stated = savings_basis(Gain("estimate", 0.0, 1.0, [GainBasis(code)]))
    assert stated.endswith(".")
    assert stated.startswith(("Estimate from ", "Layers ", "Places ", "Times "))


def test_a_basis_names_its_figures_and_its_source():
    bases = [
        GainBasis("same-engine", 1.4, 1.8, [3, 4, 5]),
        GainBasis("published", 2.0, 3.0, (), "NVIDIA's blog"),
        GainBasis("peaks", 1.2, 2.0),
        GainBasis("roof", 0.4, 0.65),
        GainBasis("partial"),
        GainBasis("gpu-time"),
    ]
    assert savings_basis(Gain("estimate", 0.0, 1.0, bases)) == (
        "Estimate from 3 layers of this engine that already follow the recommendation, 1.4–1.8× as fast; "
        "published speedups of 2.0–3.0× (NVIDIA's blog); the GPU's peak in the narrower type and its fewer "
        "bytes, 1.2–2.0× as fast; the roofline time at 40–65% "
        "of peak performance plus the time of a launch. "
        "Times of layers are scaled to GPU compute time, which is less than their total. "
        "Places that are not estimated are not included."
    )
    assert savings_basis(Gain("bound", 0.0, 1.0)) == ""


def test_what_may_stay_altogether_has_no_least_share():
    stated = savings_basis(Gain("estimate", 0.0, 1.0, [GainBasis("roof", 0.0, 0.85)]))
    assert "the roofline time at up to 85% of peak performance" in stated


def test_a_single_layer_follows_the_recommendation():
    stated = savings_basis(Gain("estimate", 0.0, 1.0, [GainBasis("same-engine", references=[3])]))
    assert stated == "Estimate from 1 layer of this engine that already follows the recommendation."


def test_a_column_in_milliseconds_has_neither_unit_nor_share():
    assert savings_ms(Gain("bound", 0.0, 0.11, (), (), 0.0, 9.1)) == "at most 0.110"
    assert savings_ms(Gain("estimate", 0.0412, 0.1134, (), (), 3.24, 9.04)) == "est. 0.041–0.11"


def test_a_whole_that_files_contradict_is_named_without_its_value():
    times = Percentiles("trtexec's summary", None, 1.0, 2.0, 2.0, 3.0)
    latency = Latency(gpu_compute=times, layer_sum_ms=1.0)
    gains = [("TRX808", Gain("estimate", 0.0, 1.0, (), (), 0.0, 50.0))] * 2
    assert savings_whole(gains, latency) == "Savings are in percent of GPU compute time (2.00\u00a0ms)."
    contradictions = [Contradiction("query-count", (), "", "Files differ.")]
    stated = savings_whole(gains, latency, contradictions)
    assert stated == "Savings are in percent of GPU compute time (files contradict it)."


def of_layers(times_ms):
    return Gain("estimate", 0.0, 1.0, (), [GainPart(layer, 0.0, ms) for layer, ms in times_ms.items()])


@pytest.mark.parametrize(
    ("parts", "stated"),
    [
        ([{1: 0.5}, {1: 0.4, 2: 0.1}], "The savings of TRX1 and TRX2 do not add up"),
        ([{1: 0.5}, {2: 0.4}], ""),
        # Little of the smaller one.
        ([{1: 0.01, 2: 1.0}, {1: 0.4, 3: 0.1}], ""),
        ([{1: 0.5}, {2: 0.4}, {1: 0.2}], "The savings of TRX1 and TRX3 do not add up"),
        ([{1: 0.5}, {}], ""),
    ],
)
def test_savings_of_the_same_layers_do_not_add_up(parts, stated):
    gains = [(f"TRX{number}", of_layers(of)) for number, of in enumerate(parts, 1)]
    assert savings_shared(gains).partition(":")[0] == stated


def test_all_findings_of_a_rule_count():
    gains = [("TRX1", of_layers({1: 0.5})), ("TRX2", of_layers({1: 0.4})), ("TRX1", of_layers({2: 0.1}))]
    assert savings_shared(gains).startswith("The savings of TRX1 and TRX2 do not")
