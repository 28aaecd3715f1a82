"""Several runs of an engine, and latencies without an engine: their verdicts, and that they mirror."""

from __future__ import annotations

import dataclasses
import math

import pytest
from alignment_plans import convolution
from compared_engines import engine_of
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_samples import run

from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.compare import compare
from trexreport.errors import UsageError
from trexreport.model import ExternalLatency, Measurement, QueryTimes, Statistic
from trexreport.wording.verdict import reason_sentences

MIRRORED = {"faster": "slower", "slower": "faster"}
QUICK = VerdictSettings(resamples=100)
LAYERS = [convolution("/a/Conv", ["input"], ["a"])]


def measured(*runs, layer_ms=None, name="e"):
    """Return an engine of one layer with these runs of its queries."""
    engine = engine_of(LAYERS, None if layer_ms is None else [layer_ms])
    first, *more = (QueryTimes(tuple(times), tuple(times)) for times in runs) if runs else (None,)
    return dataclasses.replace(engine, name=name, queries=first, more_runs=tuple(more))


def verdict(one, other, **options):
    return compare([one, other], settings=QUICK, **options).engines[1].verdict


@st.composite
def measurements(draw):
    """Return an engine with one to three runs of a level of its own."""
    level = draw(st.sampled_from([1.0, 1.01, 1.1, 2.0]))
    runs = [
        run(
            draw(st.integers(0, 99)), draw(st.sampled_from([5, 60, 200])), level * draw(st.floats(0.97, 1.03))
        )
        for _ in range(draw(st.integers(1, 3)))
    ]
    return measured(*runs)


@given(measurements(), measurements())
@settings(max_examples=25)
def test_runs_mirror(one, other):
    there, back = verdict(one, other), verdict(other, one)
    assert there.verdict == MIRRORED.get(back.verdict, back.verdict)
    assert (there.baseline, there.candidate) == (back.candidate, back.baseline)
    assert there.run_spread_percent == back.run_spread_percent
    assert there.p_value == back.p_value
    if there.median_ratio and there.verdict != "no-change":
        assert there.median_ratio.low == pytest.approx(1 / back.median_ratio.high, rel=1e-12)


@given(measurements(), st.randoms(use_true_random=False))
@settings(max_examples=15)
def test_the_order_of_runs_does_not_matter(engine, dice):
    runs = [engine.queries, *engine.more_runs]
    dice.shuffle(runs)
    shuffled = dataclasses.replace(engine, queries=runs[0], more_runs=tuple(runs[1:]))
    assert verdict(engine, shuffled).verdict == "no-change"
    other = measured(run(7, 200, 1.5))
    assert as_json(verdict(other, engine)) == as_json(verdict(other, shuffled))


def test_the_spread_of_runs_decides_what_one_run_cannot_know():
    """Each run is steady, but they differ by more than the engines do."""
    one = [run(seed, 300, level) for seed, level in enumerate([1.0, 1.08, 0.93])]
    other = [run(seed + 9, 300, level) for seed, level in enumerate([1.08, 1.15, 1.0])]
    hasty = verdict(measured(one[0]), measured(other[0]))
    assert (hasty.verdict, hasty.provisional, hasty.run_spread_percent) == ("slower", True, None)
    assert "There is one run of each" in reason_sentences(hasty)[-1]
    patient = verdict(measured(*one), measured(*other))
    assert (patient.verdict, patient.baseline.runs, patient.candidate.runs) == ("inconclusive", 3, 3)
    assert 5 < patient.run_spread_percent < 10
    assert any("spread between runs of one engine" in reason for reason in reason_sentences(patient))


def test_captures_of_several_sittings_show_what_those_of_one_share():
    one, other = (
        measured(*(run(seed, 600, level) for seed in seeds))
        for seeds, level in (("abc", 1.0), ("def", 1.025))
    )
    in_turns = [dataclasses.replace(each, sittings=3) for each in (one, other)]
    assert (verdict(one, other).verdict, verdict(*in_turns).verdict) == ("inconclusive", "slower")
    # The runs of another program are of one sitting.
    found = [other_than(each, *(run(seed, 600, 1.028) for seed in "ghi")) for each in (one, in_turns[0])]
    assert [each.verdicts[0].verdict for each in found] == ["inconclusive", "faster"]


def test_figures_are_those_of_all_runs():
    comparison = compare([measured([1.0] * 20, [4.0] * 20), measured([2.0] * 20)], settings=QUICK)
    figures = comparison.engines[0].figures
    assert (figures.latency_ms, figures.compute_ms, figures.latency_p99_ms) == (2.0, 2.0, 2.0)
    conditions = {each.name: each.values for each in comparison.conditions}
    assert conditions["runs"] == ["2", "1"]
    assert conditions["measured iterations"] == ["40", "20"]


def other_than(engine, *runs, name="PyTorch"):
    (found,) = compare(
        [engine], settings=QUICK, others=[ExternalLatency(name, tuple(map(tuple, runs)))]
    ).external_latencies
    return found


def test_an_average_is_compared_with_the_latency():
    found = other_than(measured(run(1, 200, 10.0)), [18.0])
    assert (found.verdicts[0].verdict, found.verdict_metrics) == ("faster", ["latency"])
    assert found.verdicts[0].basis == "averages"
    assert found.speedups[0] == pytest.approx(1.8, rel=0.01)
    assert (found.times.median_ms, found.times.iterations) == (18.0, 0)
    # A figure without a known noise must differ by much.
    assert other_than(measured(run(1, 200, 10.0)), [10.5]).verdicts[0].verdict == "inconclusive"


@pytest.mark.parametrize(
    ("percentiles", "expected"),
    [({}, "inconclusive"), ({99.0: 1.15}, "slower"), ({90.0: 1.1, 95.0: 1.25, 99.0: 2.0}, "inconclusive")],
)
def test_summaries_whose_times_overlap_show_nothing(percentiles, expected):
    def stated(factor):
        times = {rank: factor * time for rank, time in percentiles.items()}
        summary = {"GPU Compute Time": Statistic(0.98 * factor, 3.0 * factor, 1.02 * factor, factor, times)}
        return dataclasses.replace(engine_of(LAYERS), measurement=Measurement(1000.0, summary))

    found = verdict(stated(1.0), stated(1.2))
    assert (found.verdict, found.basis) == (expected, "averages")


def test_samples_are_judged_as_those_of_engines_are():
    engine = measured(run(1, 600, 1.0), run(2, 600, 1.0))
    found = other_than(engine, run(3, 600, 1.05), run(4, 600, 1.05))
    assert (found.verdicts[0].verdict, found.verdicts[0].basis) == ("faster", "iterations")
    assert found.times.runs == 2
    assert found.times.p99_ms > found.times.median_ms
    assert found.speedups[0] == pytest.approx(1.05, rel=0.01)


@given(measurements())
@settings(max_examples=15)
def test_times_are_the_same_as_themselves_wherever_they_come_from(engine):
    runs = [each.latency_ms for each in (engine.queries, *engine.more_runs)]
    found = other_than(engine, *runs)
    assert found.verdicts[0].verdict == "no-change"
    assert found.speedups == [1.0]


@given(measurements(), measurements())
@settings(max_examples=15)
def test_an_engine_gets_the_verdict_that_its_times_get(one, other):
    """It makes no difference whether the baseline's times are those of an engine."""
    runs = [each.latency_ms for each in (one.queries, *one.more_runs)]
    found, as_engine = other_than(other, *runs), verdict(one, other)
    assert found.verdicts[0].verdict == as_engine.verdict
    assert found.verdicts[0].median_ratio == as_engine.median_ratio


def test_what_is_compared_is_stated():
    stated = Statistic(1.0, 3.0, 2.0, 2.0, {99.0: 2.9})
    compute = dataclasses.replace(
        measured(), measurement=Measurement(summary={"GPU Compute Time": stated}), name="compute"
    )
    engines = [compute, measured(layer_ms=4.0, name="layers"), measured(name="nothing")]
    (found,) = compare(engines, others=[ExternalLatency("x", ((8.0,),))]).external_latencies
    assert found.verdict_metrics == ["GPU compute time", "total layer time", ""]
    assert found.speedups == [4.0, 2.0, None]
    assert [each.verdict for each in found.verdicts] == ["faster", "faster", "inconclusive"]
    assert found.verdicts[0].reasons[-1].code == "engine-compute-time-only"
    assert found.verdicts[1].reasons[-1].code == "engine-layer-times-only"
    assert reason_sentences(found.verdicts[2]) == ["No time of the candidate is known."]


def test_names_stay_apart_and_no_time_is_refused():
    comparison = compare([measured(name="x")], others=[ExternalLatency("x", ((1.0,),))])
    assert [comparison.engines[0].name, comparison.external_latencies[0].name] == ["x", "x (2)"]
    for runs in ((), ((),), ((0.0, math.nan),)):
        with pytest.raises(UsageError, match="There is no time of PyTorch"):
            other_than(measured(), *runs)
