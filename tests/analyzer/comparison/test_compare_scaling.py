"""Layers that differ by one factor alike show another state of the GPU, not another engine."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from trexreport.analyzer.analysis.comparison import LayerScaling
from trexreport.analyzer.comparison.compare_scaling import find_scaling


def scaling_of(ratios, bounds=(), batches=(None, None), gpus=("A10", "A10"), longer_ms=0.0, **row):
    """Return the scaling of rows of one layer each, given the ratio of each and perhaps what bounds it.

    Beside these, layers that only the candidate has may take a time.
    """
    row = {"changes": [], "causes": {}} | row
    bounds = bounds or [None] * len(ratios)
    layers = [
        SimpleNamespace(roof=None if bound is None else SimpleNamespace(roof=bound, bound=bound))
        for bound in bounds
    ]
    rows = []
    for index, ratio in enumerate(ratios):
        members = [SimpleNamespace(index=index)]
        before = SimpleNamespace(ratio=None, time_ms=1.0, members=members, changes=[], causes={})
        rows.append(
            SimpleNamespace(
                sides=[before, SimpleNamespace(ratio=ratio, time_ms=ratio, members=members, **row)]
            )
        )
    none = SimpleNamespace(ratio=None, time_ms=None, members=[], changes=[], causes={})
    alone = SimpleNamespace(ratio=None, time_ms=longer_ms, members=[], changes=["candidate only"], causes={})
    rows.append(SimpleNamespace(sides=[none, alone]))
    analyses = [
        SimpleNamespace(identity=SimpleNamespace(gpu=gpu, batch=batch), layers=layers)
        for gpu, batch in zip(gpus, batches, strict=True)
    ]
    return find_scaling(rows, analyses, 0, 1)


def test_all_layers_slower_or_faster_alike():
    assert scaling_of([1.5, 1.45, 1.55] * 5) == LayerScaling("all", 1.5, None, False)
    assert scaling_of([0.7, 0.72, 0.69] * 5) == LayerScaling("all", 0.7, None, False)


@pytest.mark.parametrize("gpus", [("", ""), ("A10", ""), ("", "A10")])
def test_layers_may_differ_alike_on_another_gpu_that_no_file_states(gpus):
    for batches in ((None, None), (64, 64)):
        found = scaling_of([1.5] * 12, gpus=gpus, batches=batches)
        assert found == LayerScaling("all", 1.5, None, False, is_one_gpu=False)


def test_a_larger_batch_counts_per_item():
    assert scaling_of([3.4] * 12, batches=(64, 128)) == LayerScaling("all", 1.7, None, True)
    assert scaling_of([2.0] * 12, batches=(64, 128)) is None


def test_more_items_use_the_gpu_better():
    assert scaling_of([0.31] * 12, batches=(32, 8)) is None
    assert scaling_of([3.2] * 12, batches=(8, 32)) is None
    assert scaling_of([0.2] * 12, batches=(32, 8)).ratio == 0.8


BOUNDS = ["compute"] * 6 + ["memory"] * 6


@pytest.mark.parametrize("factor", [1.4, 1 / 1.4])
def test_layers_of_one_bound_differ_with_its_clock(factor):
    arithmetic = scaling_of([factor] * 6 + [1.0] * 6, BOUNDS)
    assert arithmetic == LayerScaling("compute-bound", factor, 1.0, False)
    memory = scaling_of([1.01] * 6 + [factor] * 6, BOUNDS)
    assert memory == LayerScaling("memory-bound", factor, 1.01, False)


@pytest.mark.parametrize(
    "arguments",
    [
        {"ratios": [1.4] * 6 + [1.2] * 6, "bounds": BOUNDS},  # both differ
        {"ratios": [1.4] * 3 + [2.2] * 3 + [1.0] * 6, "bounds": BOUNDS},  # not alike
        {"ratios": [1.08] * 6 + [1.0] * 6, "bounds": BOUNDS},  # hardly slower
        {"ratios": [1.4] * 6 + [1.0] * 6, "bounds": ["compute"] * 6 + ["latency"] * 6},
        {"ratios": [1.4] * 9 + [1.0] * 3, "bounds": ["compute"] * 9 + ["memory"] * 3},  # few
        {"ratios": [3.0] * 6 + [2.0] * 6, "bounds": BOUNDS, "batches": (8, 16)},
        {"ratios": [1.4] * 6 + [1.0] * 6, "bounds": BOUNDS, "gpus": ("A10", "T4")},
        {"ratios": [1.4] * 6 + [1.0] * 6, "bounds": BOUNDS, "changes": ["tactic changed"]},
        {"ratios": [1.5] * 9},  # few layers
        {"ratios": [1.05] * 12},  # hardly slower
        {"ratios": [1.0] * 6 + [2.0] * 6},  # some only
        {"ratios": [1.5] * 12, "gpus": ("A10", "T4")},
        {"ratios": [1.5] * 12, "changes": ["tactic changed"]},
        {"ratios": [4.0] * 12, "causes": {"different shapes": 1.0}},
    ],
)
def test_other_differences_are_of_the_engine(arguments):
    assert scaling_of(**arguments) is None


def test_most_of_the_time_has_to_be_of_layers_that_both_have_alike():
    assert scaling_of([1.5] * 12, longer_ms=5.0) == LayerScaling("all", 1.5, None, False)
    assert scaling_of([1.5] * 12, longer_ms=50.0) is None
