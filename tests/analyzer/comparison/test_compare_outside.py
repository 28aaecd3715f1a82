"""What two engines differ in beside the times of their layers."""

from __future__ import annotations

import dataclasses

import pytest
from alignment_plans import convolution
from compared_engines import engine_of
from test_compare import COPIES

from trexreport.analyzer.comparison.compare import compare
from trexreport.wording.comparison import why

LAYERS = [convolution(f"/net/{n}/Conv", [f"t{n}"], [f"t{n + 1}"]) for n in range(12)]


def run(layer_ms, query_ms, records=LAYERS, **setup):
    """Return an engine whose layers take so long each, or one by one, and whose queries so long."""
    times_ms = layer_ms if isinstance(layer_ms, list) else [layer_ms] * len(records)
    return engine_of(records, times_ms, latencies=[query_ms, query_ms * 1.001] * 20, **setup)


def outside(one, other):
    return compare([one, other]).engines[1].outside_layers_ms


def test_time_in_no_layer_is_stated_where_it_is_most_of_the_difference():
    fast, waits = run(0.1, 1.25), run(0.1, 2.0)
    assert outside(fast, waits) == pytest.approx(0.75, abs=0.01)
    assert outside(waits, fast) == -outside(fast, waits)
    # The layers explain most, all, or there is nothing to explain.
    assert outside(fast, run(0.15, 2.0)) is None
    assert outside(fast, run(0.1, 1.26)) is None
    # The layers go the other way, and so do they all, as in a profile at another clock.
    assert outside(fast, run([0.01] * 6 + [0.1] * 6, 1.5)) == pytest.approx(0.79, abs=0.01)
    assert outside(fast, run(0.05, 1.5)) is None


def test_time_in_no_layer_is_not_known_without_all_times():
    fast, waits = run(0.1, 1.25), run(0.1, 2.0)
    partly = [dataclasses.replace(waits.layers[0], time=None), *waits.layers[1:]]
    assert outside(fast, dataclasses.replace(waits, layers=tuple(partly))) is None
    assert outside(fast, dataclasses.replace(waits, unlisted_ms=0.3)) is None
    assert outside(fast, dataclasses.replace(waits, times_are_sums=True)) is None
    two = {"inference_options": {"Inference Streams": "2"}}
    one = {"inference_options": {"Inference Streams": "1"}}
    assert outside(run(0.1, 1.25, **one), run(0.1, 2.0, **one)) is not None
    assert outside(run(0.1, 1.25, **one), run(0.1, 2.0, **two)) is None


def test_layers_slower_alike_are_of_another_state_of_the_gpu():
    assert compare([run(0.1, 1.25), run(0.15, 1.8)]).engines[1].scaling.ratio == pytest.approx(1.5)
    # Where nothing shows that the work is the same, nothing shows the state of the GPU.
    bare = [{**record, "Inputs": [], "Outputs": []} for record in LAYERS]
    assert compare([run(0.1, 1.25, bare), run(0.15, 1.8, bare)]).engines[1].scaling is None


@pytest.mark.parametrize(
    ("layer_ms", "query_ms", "in_queries"),
    [(0.15, 1.8, True), (0.15, 1.5, False), (0.15, 1.25, False), (0.15, 1.0, False), (0.05, 1.5, False)],
)
def test_queries_show_whether_only_the_profile_is_of_another_state_of_the_gpu(layer_ms, query_ms, in_queries):
    comparison = compare([run(0.1, 1.25), run(layer_ms, query_ms)])
    assert comparison.engines[1].scaling.in_queries == in_queries
    sentence = why(comparison, 1)
    assert ("more likely than a" in sentence) == in_queries
    assert ("only while the layers were timed" in sentence) != in_queries


def test_a_difference_is_outside_of_layers_that_take_equally_long():
    comparison = compare([run(0.1, 1.25), run(0.1, 2.0)])
    assert why(comparison, 1).startswith("Most of the difference in ")
    assert why(compare([run(0.1, 1.25), run(0.1, 1.25)]), 1) == ""


def test_a_finding_of_layers_that_both_have_alike_is_not_resolved():
    """A rule may leave layers out that are fast, though they are as they were."""
    slow, fast = engine_of(COPIES, [0.1, 5.0, 0.1]), engine_of(COPIES, [50.0, 0.001, 50.0])
    other = engine_of([COPIES[0], convolution("/net/b/Conv", ["c"], ["b"])], [50.0, 50.0])
    copies = {each.code for each in compare([slow, other]).engines[1].resolved_findings}
    alike = {each.code for each in compare([slow, fast]).engines[1].resolved_findings}
    assert "TRX507" in copies
    assert "TRX507" not in alike


@pytest.mark.parametrize(
    ("stated", "value"),
    [
        ({"Input build shapes": "model"}, "model"),
        ({"Input build shape": "x=1x3+4x3+8x3"}, "x=1x3+4x3+8x3"),
        ({"Input build shape (profile 1)": "b", "Input build shape (profile 0)": "a"}, "a, b"),
        ({"Sparsity": "Disabled"}, ""),
    ],
)
def test_the_shapes_of_the_build_are_one_condition(stated, value):
    fixed = run(0.1, 1.25, build_options={"Input build shapes": "model"})
    found = compare([fixed, run(0.1, 1.25, build_options=stated)]).conditions
    (shapes,) = (each for each in found if each.name.startswith(("build shapes", "Input build")))
    assert shapes.values == ["model", value]
    assert shapes.differs == (value not in ("", "model"))
