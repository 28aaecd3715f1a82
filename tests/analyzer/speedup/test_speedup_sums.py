"""The parts add up to measured minus expected time, whatever the engines."""

from __future__ import annotations

import copy
import dataclasses
import math

from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from precision_engines import GPU, LINEAR, VECTOR, Chain, engine_of, plans

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.speedup.expected import Expectation

FORMATS = ["Row major linear FP32", "Row major linear FP16 format", "Row major Int8 format", "", "Two wide"]


@st.composite
def engines(draw):
    """Return an engine of random types and times, with or without a GPU; often nothing is measured."""
    records = draw(plans())
    for record in records:
        for side in (*record["Inputs"], *record["Outputs"]):
            side["Format/Datatype"] = draw(st.sampled_from(FORMATS))
    time = st.one_of(st.none(), st.just(0.0), st.floats(1e-9, 1e-6), st.floats(1e-3, 10))
    times = draw(st.none() | st.lists(time, min_size=len(records), max_size=len(records)))
    return engine_of(records, times, device=GPU if draw(st.booleans()) else {})


@st.composite
def variants(draw):
    """Return engines of one random plan, each mostly of one type, all measured on one GPU."""
    plan = draw(plans())
    built = []
    for main in draw(st.permutations(FORMATS[:3])):
        records = copy.deepcopy(plan)
        for at, record in enumerate(records):
            record["Name"] += f" # {at}"  # Equal records in a row would be read as one.
            for side in (*record["Inputs"], *record["Outputs"]):
                side["Format/Datatype"] = draw(st.sampled_from([main, main, main, *FORMATS]))
        times = draw(st.lists(st.floats(1e-3, 10), min_size=len(records), max_size=len(records)))
        built.append(engine_of(records, times, device=GPU))
    return built


def check(speedup, figures):
    """Check the sums of one candidate's explanation; return whether there was one."""
    if speedup is None or speedup.expected_ms is None:
        assert speedup is None or (speedup.obstacle and not speedup.gaps)
        return False
    gap_ms = math.fsum(gap.cost_ms for gap in speedup.gaps)
    largest = max(speedup.reference_ms, speedup.measured_ms, 1e-6)
    assert math.isclose(gap_ms, speedup.measured_ms - speedup.expected_ms, rel_tol=0, abs_tol=1e-8 * largest)
    for gap in speedup.gaps:
        parts = math.fsum(place.cost_ms for place in gap.places)
        assert not gap.places or math.isclose(parts, gap.cost_ms, rel_tol=0, abs_tol=1e-9 * largest)
        assert gap.cost_ms
    if speedup.metric == "total layer time":
        before, after = figures[speedup.reference], figures[speedup.engine]
        assert math.isclose(speedup.reference_ms, before.layer_sum_ms, abs_tol=1e-9 * largest)
        assert math.isclose(speedup.measured_ms, after.layer_sum_ms, abs_tol=1e-9 * largest)
    assert 0 <= speedup.expected_ms <= speedup.reference_ms + 1e-9 * largest
    assert math.fsum(speedup.basis_ms.values()) <= speedup.reference_ms + 1e-9 * largest
    assert [gap.kind for gap in speedup.gaps[:-1]].count("not-explained") == 0
    return True


@st.composite
def chains(draw):
    """Return a chain of random types, times, names and conversions; some layers are not measured."""
    chain = Chain(count=draw(st.integers(2, 6)))
    time = st.one_of(st.none(), st.floats(1e-3, 1), st.just(0.0))
    for at in range(len(chain.types)):
        chain.types[at] = draw(st.sampled_from(["FP32", "FP16", "INT8"]))
        chain.times[at] = draw(time)
        # Without a name in common, alignment has only the order.
        chain.names[at] = draw(st.sampled_from([chain.names[at], f"other{at}", f"block/{at}"]))
        kinds = st.tuples(
            st.sampled_from(["FP32", "FP16", "INT8"]), st.sampled_from([LINEAR, VECTOR]), st.floats(1e-6, 0.1)
        )
        chain.before[at] = draw(st.lists(kinds, max_size=2))
    engine = chain.engine(gpu=draw(st.booleans()), timed=draw(st.integers(0, 9)) > 0)
    return dataclasses.replace(engine, unlisted_ms=draw(st.sampled_from([0.0, 0.0, 0.3])))


def explanations(found, baseline):
    comparison = compare(found, baseline=baseline)
    figures = {engine.name: engine.figures for engine in comparison.engines}
    candidates = [engine.speedup for engine in comparison.engines if engine.verdict is not None]
    return [check(speedup, figures) for speedup in (*candidates, *comparison.speedup_steps)]


SEEN = []
SEEN_OF_ENGINES = []


@settings(max_examples=40, deadline=None, derandomize=True, phases=[Phase.generate])
@given(st.lists(chains(), min_size=2, max_size=4), st.integers(0, 1))
def check_chains(found, baseline):
    SEEN.extend(explanations(found, baseline))


def test_parts_of_random_chains_add_up():
    check_chains()
    assert sum(SEEN) >= 20


@settings(max_examples=20, deadline=None, derandomize=True, phases=[Phase.generate])
@given(st.lists(engines(), min_size=2, max_size=3) | variants(), st.integers(0, 1))
def check_engines(found, baseline):
    SEEN_OF_ENGINES.extend(explanations(found, baseline))


def test_parts_of_random_engines_add_up():
    check_engines()
    assert sum(SEEN_OF_ENGINES) >= 5


MEASURED = []


@settings(max_examples=30, deadline=None, derandomize=True, phases=[Phase.generate])
@given(engines(), st.sampled_from(["FP16", "INT8", "FP8"]))
def check_expected_times(engine, precision):
    context = Context(analyze(engine))
    launch_ms = context.analysis.roofline.launch_ms or 0.0
    expectation = Expectation(context, precision, launch_ms)
    for layer in context.analysis.layers:
        expected = expectation.time(layer, expectation.types(layer)[1]).time_ms
        measured = layer.avg_ms or 0.0
        MEASURED.append(measured)
        assert 0 <= expected <= measured * (1 + 1e-12)
        if layer.roof and measured:
            # No type is narrower than an eighth of FP32's bits, and no peak is more than 16 times as high.
            assert (
                expected >= min(layer.roof.roof_ms / 16, measured) * (1 - 1e-12) or layer.type == "Reformat"
            )


def test_no_layer_is_expected_to_be_slower_or_faster_than_possible():
    check_expected_times()
    assert any(MEASURED)
