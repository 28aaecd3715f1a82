"""Check how the times of phases are compared and added."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer.phases import compare_phases
from trexreport.model import Contradiction, InputWarning


def analysis(compute=None, latency=None, layers=None, *, notes=(), contradictions=(), gpu=""):
    def median(value):
        return None if value is None else SimpleNamespace(median_ms=value)

    return SimpleNamespace(
        identity=SimpleNamespace(gpu=gpu),
        latency=SimpleNamespace(gpu_compute=median(compute), end_to_end=median(latency), layer_sum_ms=layers),
        notes=[InputWarning("degraded", slug, "") for slug in notes],
        contradictions=[Contradiction(code, (), "", "") for code in contradictions],
    )


def test_counts_give_a_total():
    facts = compare_phases("ab", [analysis(2.0), analysis(0.5)], {"a": 1, "b": 12})
    assert facts.measure == "gpu_compute"
    assert facts.total_ms == pytest.approx(8)
    assert [each.total_ms for each in facts.phases] == pytest.approx([2, 6])
    assert [each.percent for each in facts.phases] == pytest.approx([25, 75])


def test_different_gpus_are_named():
    gpus = ["NVIDIA L4", "", "Orin", "NVIDIA L4"]
    assert compare_phases("abcd", [analysis(1.0, gpu=gpu) for gpu in gpus], {}).gpus == ["NVIDIA L4", "Orin"]
    assert compare_phases("ab", [analysis(1.0, gpu=gpu) for gpu in gpus[:2]], {}).gpus == ()


def test_without_counts_nothing_is_added():
    facts = compare_phases("ab", [analysis(2.0), analysis(0.5)], {})
    assert facts.total_ms is None
    assert [(each.times, each.total_ms, each.percent) for each in facts.phases] == [(None, None, None)] * 2
    assert [each.run_ms for each in facts.phases] == [2.0, 0.5]


def test_a_phase_without_a_count_leaves_no_total():
    facts = compare_phases("ab", [analysis(2.0), analysis(0.5)], {"b": 4})
    assert [(each.times, each.total_ms, each.percent) for each in facts.phases] == [
        (None, None, None),
        (4, pytest.approx(2.0), None),
    ]
    assert facts.total_ms is None


@pytest.mark.parametrize(
    ("first", "second", "measure"),
    [
        ({"compute": 1.0, "layers": 3.0}, {"layers": 4.0}, "layers"),
        ({"compute": 1.0, "latency": 2.0}, {"latency": 2.0, "layers": 4.0}, "latency"),
        ({"compute": 1.0}, {"layers": 4.0}, None),
    ],
)
def test_all_phases_are_measured_alike(first, second, measure):
    facts = compare_phases("ab", [analysis(**first), analysis(**second)], {"a": 1, "b": 1})
    assert facts.measure == measure
    assert (facts.total_ms is None) == (measure is None)


def test_a_phase_that_never_runs():
    facts = compare_phases("ab", [analysis(2.0), analysis(0.5)], {"a": 0, "b": 0})
    assert facts.total_ms == 0
    assert [each.percent for each in facts.phases] == [None, None]


def test_sums_over_several_runs_are_no_time_of_one():
    sums = analysis(layers=400.0, notes=["profile-sums"])
    assert compare_phases("ab", [sums, analysis(layers=1.0)], {"a": 1}).measure is None
    timed = analysis(2.0, layers=400.0, notes=["profile-sums"])
    assert compare_phases("ab", [timed, analysis(0.5)], {"a": 1, "b": 2}).total_ms == pytest.approx(3)


@pytest.mark.parametrize(
    ("code", "measure"), [("query-times", "layers"), ("layer-times", "gpu_compute"), ("gpu-name", None)]
)
def test_times_in_which_files_contradict_each_other_are_not_added(code, measure):
    doubtful = analysis(2.0, layers=1.5, contradictions=[code])
    assert compare_phases("ab", [doubtful, analysis(0.5, layers=0.4)], {"a": 1}).measure == measure
