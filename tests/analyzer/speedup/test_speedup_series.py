"""A series of real engines shows what NVIDIA's article about it states, and the bundled samples the same."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from precision_engines import costs

from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine

SAMPLES = Path(__file__).resolve().parents[3] / "samples"
NAMES = ["fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap"]


@pytest.fixture(scope="module")
def resnets(engines_folder):
    return {name: read_engine(engines_folder / f"a100-resnet18-{name}") for name in NAMES}


def of(resnets, *names):
    """Return the explanations of engines against the first."""
    return [each.speedup for each in compare([resnets[name] for name in names]).engines[1:]]


def place_names(speedup, kind):
    (gap,) = (gap for gap in speedup.gaps if gap.kind == kind)
    return [place.name for place in gap.places]


def test_reformats_of_the_series(resnets):
    found = of(resnets, "fp16", *NAMES[2:])
    assert [each.reformats for each in found] == [12, 3, 1]
    assert [(each.precision, each.reference_precision) for each in found] == [("INT8", "FP16")] * 3
    assert [each.products_in_precision == each.products for each in found] == [True] * 3
    # The same is expected of all; each step comes nearer to it.
    assert len({each.expected_ms for each in found}) == 1
    speedups = [each.measured_speedup for each in found]
    assert speedups[0] < 1 < speedups[1] < speedups[2] < found[0].expected_speedup


def test_residual_adds_and_their_conversions_cost_most_at_first(resnets):
    (quantized,) = of(resnets, "fp16", "qat")
    assert [gap.kind for gap in quantized.gaps[:2]] == ["residual-adds", "qdq"]
    found = costs(quantized)
    gap_ms = quantized.measured_ms - quantized.expected_ms
    assert found["residual-adds"] + found["qdq"] > 0.65 * gap_ms
    conversions = next(gap for gap in quantized.gaps if gap.kind == "qdq")
    residual = [place for place in conversions.places if "residual-add" in place.reasons]
    assert len(residual) >= 7
    (removed,) = of(resnets, "fp16", "qat-residual")
    assert "residual-adds" not in costs(removed)
    assert costs(removed)["qdq"] < found["qdq"] / 2


def test_pooling_is_left_until_it_is_quantized(resnets):
    residual, pooled = of(resnets, "fp16", "qat-residual", "qat-residual-qgap")
    assert "AveragePool" in place_names(residual, "other-fallback")[0]
    assert "other-fallback" not in costs(pooled)
    # The layer before it writes FP32, and a dequantization is beside it.
    slower = next(gap for gap in residual.gaps if gap.kind == "slower-layers").places[0]
    assert "wider-tensors" in slower.reasons
    conversions = next(gap for gap in residual.gaps if gap.kind == "qdq")
    assert any("beside-wider" in place.reasons for place in conversions.places)


@pytest.mark.parametrize("pair", list(permutations(NAMES, 2)), ids=" ".join)
def test_little_is_not_explained(resnets, engine_source, pair):
    (speedup,) = of(resnets, *pair)
    gap_ms = speedup.measured_ms - speedup.expected_ms
    assert sum(gap.cost_ms for gap in speedup.gaps) == pytest.approx(gap_ms)
    # Where a gap is as small as the noise of generated times, noise is a large part of it.
    noise_ms = 0.01 * speedup.measured_ms if engine_source == "generated" else 0.0
    assert abs(costs(speedup).get("not-explained", 0.0)) <= max(0.1 * abs(gap_ms), noise_ms)
    (swapped,) = of(resnets, *reversed(pair))
    assert swapped.gaps == speedup.gaps


def test_the_samples_differ_in_their_residual_adds():
    engines = [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]
    speedup = compare(engines).engines[1].speedup
    assert (speedup.reference, speedup.engine) == ("resnet18-int8-before", "resnet18-int8-after")
    assert (speedup.reference_reformats, speedup.reformats) == (12, 2)
    assert speedup.measured_speedup == pytest.approx(speedup.expected_speedup, rel=0.05)
    assert abs(costs(speedup).get("not-explained", 0.0)) <= 0.01 * speedup.measured_ms


def test_places_have_nodes_and_source_lines():
    files = [
        (SAMPLES / f"resnet18-int8-{name}", f"resnet18-int8-{name}.onnx") for name in ("before", "after")
    ]
    engines = [read_engine(path, files={"onnx": SAMPLES / "models" / model}) for path, model in files]
    speedup = compare(engines).engines[1].speedup
    places = [place for gap in speedup.gaps for place in gap.places]
    assert places
    for place in places:
        assert place.nodes, place.name
        assert any(source.startswith("models/resnet.py:") for source in place.sources), place.name
