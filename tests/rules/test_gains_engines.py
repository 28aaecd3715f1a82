"""What findings say that a fix saves is what engines saved whose next version followed the recommendation.

The engines are those of NVIDIA's walkthrough: FP32, FP16, quantized, with quantized residual branches, with a
quantized global average pooling. Their layers are aligned as in a comparison. What a place says is compared
with what its layers saved, as part of GPU compute time like it: a bound is never exceeded, and an estimate
contains it.

Each layer was timed once, in steps of 1.024 µs: layers that did not change differ by one step between the
engines. So each layer of a place may be off by one step.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.kernels import read_kernel
from trexreport.analyzer.rules.context import QUANTIZED, Context
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules
from trexreport.reader import read_engine

STEP_MS = 0.001024
#: The generator varies the times of layers by up to this part.
JITTER = 0.1
NAMES = ("fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap")
PAIRS = (*itertools.pairwise(NAMES), ("qat", "qat-residual-qgap"))
#: What a step follows, and in how many places; the others are about what it left as it was.
FOLLOWED = {
    ("fp32", "fp16"): {"TRX101": 1, "TRX202": 1, "TRX405": 1},
    ("fp16", "qat"): {},
    ("qat", "qat-residual"): {
        "TRX101": 1,
        "TRX102": 11,
        "TRX201": 1,
        "TRX301": 8,
        "TRX302": 7,
        "TRX303": 1,
    },
    ("qat-residual", "qat-residual-qgap"): {"TRX102": 1, "TRX301": 2, "TRX303": 1},
    ("qat", "qat-residual-qgap"): {
        "TRX101": 1,
        "TRX102": 12,
        "TRX201": 1,
        "TRX301": 9,
        "TRX302": 8,
        "TRX303": 2,
    },
}


def conversion(member):
    """Return whether each side of a conversion is quantized, or the types where neither or both are."""
    sides = [precision in QUANTIZED for precision in (member.precision, member.output_precision)]
    return tuple(sides) if sides[0] != sides[1] else (member.precision, member.output_precision)


@dataclass
class Saved:
    """What a place says and what really happened; a layer fused with others may have saved all or little."""

    code: str
    gain: object
    low_ms: float
    high_ms: float
    layers: int
    time_ms: float


class Step:
    """Two engines of which one follows recommendations for the other, aligned by layers."""

    def __init__(self, before, after):
        self.before, self.after = analyze(before), analyze(after)
        rows = compare([before, after], analyses=[self.before, self.after]).rows
        self.row_of = {member.index: row for row in rows for member in row.sides[0].members}

    def counterparts(self, index):
        """Return what a layer became: layers of the other engine, and whether they do more than it did."""
        row = self.row_of[index]
        me = next(each for each in row.sides[0].members if each.index == index)
        alike = [each for each in row.sides[1].members if each.is_helper == me.is_helper]
        if me.is_helper:
            kind = conversion(me)
            return [each for each in alike if conversion(each) == kind], False
        return alike, sum(not each.is_helper for each in row.sides[0].members) > 1

    def saved_ms(self, indices):
        """Return the range of what layers saved together."""
        low = high = 0.0
        for index in indices:
            found, is_shared = self.counterparts(index)
            after_ms = math.fsum(each.time_ms or 0.0 for each in found)
            time_ms = self.before.layers[index].avg_ms or 0.0
            low += time_ms - after_ms
            high += time_ms if is_shared else time_ms - after_ms
        return low, high

    def follows(self, code, place):
        """Return whether the second engine does what a finding of the first recommends at a place."""
        layers = [self.before.layers[index] for index in place.layers]
        became = [self.counterparts(layer.index)[0] for layer in layers if layer.index in self.row_of]
        if code == "TRX405":
            return any(each.precision == "FP16" for each in itertools.chain(*became))
        if code == "TRX101":
            kernels = [read_kernel(each.tactic) for each in became[0]]
            return bool(kernels) and all(each.tensor_cores is not False for each in kernels)
        if code in {"TRX201", "TRX202", "TRX301"}:
            return not any(became)
        if code in {"TRX102", "TRX302", "TRX303"}:
            return all(each.output_precision in QUANTIZED for each in became[0])
        return False

    def places(self):
        """Yield the places of each rule alone, without what they explain, that the second engine follows."""
        for rule in built_in_rules():
            for finding in lint(self.before, Registry((rule,))).findings:
                for place in finding.places:
                    if place.gain is not None and self.follows(finding.code, place):
                        yield self.saved(finding.code, place.gain)

    def saved(self, code, gain):
        """Return what savings state and what their layers saved."""
        layers = [part.layer for part in gain.parts]
        time_ms = math.fsum(self.before.layers[layer].avg_ms or 0.0 for layer in layers)
        part = Context(self.before).gpu_part
        low_ms, high_ms = self.saved_ms(layers)
        return Saved(code, gain, part * low_ms, part * high_ms, len(layers), part * time_ms)


@pytest.fixture(scope="module")
def steps(engines_folder):
    engines = {name: read_engine(engines_folder / f"a100-resnet18-{name}") for name in NAMES}
    return {pair: Step(*(engines[name] for name in pair)) for pair in PAIRS}


@pytest.mark.parametrize("pair", PAIRS, ids=" to ".join)
def test_a_step_saves_what_the_findings_stated(steps, pair, engine_source):
    places = list(steps[pair].places())
    if engine_source == "real":
        assert Counter(each.code for each in places) == FOLLOWED[pair]
    assert bool(places) == bool(FOLLOWED[pair])
    for each in places:
        check(each, engine_source)


@pytest.mark.parametrize(
    ("pair", "code"),
    [
        (("fp32", "fp16"), "TRX405"),
        (("qat", "qat-residual-qgap"), "TRX302"),
        (("qat-residual", "qat-residual-qgap"), "TRX303"),
    ],
)
def test_a_cause_saves_with_its_consequences_what_its_layers_saved(steps, pair, code, engine_source):
    (finding,) = (each for each in steps[pair].before.lint.findings if each.code == code)
    check(steps[pair].saved(code, finding.gain), engine_source)


@pytest.mark.parametrize(
    ("pair", "code"),
    [(("qat", "qat-residual"), "TRX302"), (("qat-residual", "qat-residual-qgap"), "TRX303")],
)
def test_a_cause_saves_what_the_gpu_compute_time_became_shorter(steps, pair, code, engine_source):
    if engine_source != "real":
        pytest.skip("generated times show no overhead of profiling")
    step = steps[pair]
    (finding,) = (each for each in step.before.lint.findings if each.code == code)
    before, after = (each.latency.gpu_compute.median_ms for each in (step.before, step.after))
    assert finding.gain.low_ms <= before - after <= finding.gain.high_ms


def check(each, engine_source):
    tolerance = 1e-9 + (STEP_MS * each.layers if engine_source == "real" else JITTER * each.time_ms)
    assert each.low_ms <= each.gain.high_ms + tolerance, each
    if each.gain.kind == "estimate":
        assert each.gain.low_ms - tolerance <= each.high_ms, each
