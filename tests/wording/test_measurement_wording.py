"""The line on the measurement says what is known, and that the rest is not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.model import Contradiction, StatedValue
from trexreport.reader import read_engine
from trexreport.wording.measurement import measurement_details, measurement_line
from trexreport.wording.timing import timing_sentence

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def facts():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


def test_a_steady_run(facts):
    assert measurement_line(facts) == (
        "stable over 3,017 queries (coefficient of variation 0.49%); "
        "total layer time 6.35% above GPU compute time; GPU clocks not monitored"
    )
    (host,) = measurement_details(facts)
    assert host.startswith("The GPU computes")


@pytest.mark.parametrize(
    ("variation", "warned", "state"),
    [
        (1.5, False, "stable over"),
        (1.5, True, "slightly unstable over"),
        (6.3, False, "stable but for a few outliers over"),
        (6.3, True, "unstable in a few outliers alone over"),
    ],
)
def test_what_trtexec_calls_unstable_is_not_called_stable(facts, variation, warned, state):
    warning = f"GPU compute time is unstable, with coefficient of variance = {variation}%."
    stability = replace(facts.stability, variation_percent=variation, is_steady=True)
    judged = replace(facts, stability=stability, measurement_warnings=[warning] * warned)
    assert measurement_line(judged).startswith(state)
    assert f"GPU compute time is {state}" in timing_sentence(judged)


def test_what_is_not_known_is_not_stable(facts):
    latency = replace(facts.latency, gap_percent=None, gpu_compute=None, end_to_end=None)
    unknown = replace(facts, stability=None, latency=latency)
    assert measurement_line(unknown) == "no times of single queries; GPU clocks not monitored"


@pytest.mark.parametrize(("count", "timed"), [(13, "13 queries"), (1, "1 query")])
def test_how_many_queries_were_timed_is_stated_without_their_times(facts, count, timed):
    compute = replace(facts.latency.gpu_compute, count=count)
    stated = replace(facts, stability=None, latency=replace(facts.latency, gpu_compute=compute))
    assert measurement_line(stated).startswith(f"{timed} timed, no times of single queries; ")


def test_times_that_files_contradict_are_not_called_stable(facts):
    for code in ("query-times", "gpu-name"):
        found = Contradiction(code, (StatedValue("a", "1 ms"), StatedValue("b", "2 ms")), "", "a is not b.")
        contradicted = replace(facts, contradictions=[found])
        assert measurement_line(contradicted) == "files contradict the query times; GPU clocks not monitored"
        assert measurement_details(contradicted) == []


def test_warnings_and_drift_are_stated(facts):
    drifting = replace(facts.stability, is_steady=False, is_drifting=True)
    bad = replace(
        facts, stability=drifting, measurement_warnings=["Throughput may be bound by Enqueue Time."]
    )
    line = measurement_line(bad)
    assert line.startswith("unstable, drifting over 3,017 queries")
    assert line.endswith("1 warning")
    timing, warning = measurement_details(bad)
    assert timing.startswith("GPU compute time is unstable over 3,017 queries")
    assert "the last tenth of the queries" in timing
    assert warning == "Throughput may be bound by Enqueue Time."


def test_an_option_that_hides_transfers_is_not_repeated_as_advice(facts):
    bound = "Throughput may be bound by device-to-host transfers for the outputs."
    flag = "Add --noDataTransfers flag to disable data transfers."
    hidden = "That only hides them: an application that needs the copies makes them all the same."
    shown = measurement_details(replace(facts, measurement_warnings=[bound, f"{bound} {flag}"]))
    assert shown[-2:] == [bound, f"{bound} {flag} {hidden}"]


def test_the_variation_that_trtexec_states_is_shown_without_single_times(facts):
    warning = "GPU compute time is unstable, with coefficient of variance = 5.58977%."
    stated = replace(facts, stability=None, measurement_warnings=[warning])
    line = measurement_line(stated)
    assert line.startswith("3,017 queries timed, no times of single queries (coefficient of variation 5.59%")
    assert " in trtexec’s warning); " in line
    assert measurement_details(stated)[-1] == warning
