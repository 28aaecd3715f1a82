"""What a comparison states where files contradict each other, and where only files beside the engine do."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.model import Contradiction
from trexreport.reader import read_engine
from trexreport.wording.comparison import why

SAMPLES = Path(__file__).parents[3] / "samples"


def compared(code, factor=2.0):
    """Return the comparison of an engine with itself, with longer times that files contradict."""
    before = read_engine(SAMPLES / "resnet18-int8-before")
    layers = [
        dataclasses.replace(
            layer, time=layer.time and dataclasses.replace(layer.time, avg_ms=factor * layer.time.avg_ms)
        )
        for layer in before.layers
    ]
    contradictions = (Contradiction(code, (), "", "Files differ."),) if code else ()
    queries = dataclasses.replace(
        before.queries, compute_ms=tuple(factor * time for time in before.queries.compute_ms)
    )
    after = dataclasses.replace(
        before, layers=layers, queries=queries, contradictions=contradictions, sources=[]
    )
    return compare([before, after])


@pytest.mark.parametrize(
    ("code", "verdict", "is_scaled", "has_causes"),
    [
        (None, "slower", True, True),
        ("traced-gpu", "slower", True, True),
        ("accuracy-tensors", "slower", True, True),
        ("query-count", "inconclusive", False, True),
        ("layer-times", "inconclusive", False, False),
    ],
)
def test_only_figures_that_files_leave_open_are_not_compared(code, verdict, is_scaled, has_causes):
    comparison = compared(code)
    engine = comparison.engines[1]
    assert engine.verdict.verdict == verdict
    assert (engine.verdict.median_ratio is None) == (verdict == "inconclusive")
    assert bool(engine.scaling) == is_scaled
    assert bool(why(comparison, 1)) == has_causes
    assert ("likely" in why(comparison, 1)) == is_scaled


def test_what_total_layer_time_differs_from_must_be_known():
    """TRX808 reports a total far above the query time, unless files contradict either."""
    before = read_engine(SAMPLES / "resnet18-int8-before")
    queries = dataclasses.replace(
        before.queries, compute_ms=tuple(time / 3 for time in before.queries.compute_ms)
    )
    shorter = dataclasses.replace(
        before, queries=queries, measurement=dataclasses.replace(before.measurement, summary={})
    )

    def is_reported(*codes):
        found = tuple(Contradiction(code, (), "", "Files differ.") for code in codes)
        findings = analyze(dataclasses.replace(shorter, contradictions=found)).lint.findings
        return "TRX808" in {each.code for each in findings}

    assert is_reported()
    assert is_reported("traced-gpu")
    assert not is_reported("query-count")
    assert not is_reported("layer-times")


def test_no_speedup_is_expected_of_layer_times_that_files_contradict():
    engines = [read_engine(SAMPLES / f"resnet18-int8-{each}") for each in ("before", "after")]
    assert compare(engines).engines[1].speedup
    engines[0] = dataclasses.replace(
        engines[0], contradictions=(Contradiction("layer-times", (), "", "Files differ."),)
    )
    assert compare(engines).engines[1].speedup is None
