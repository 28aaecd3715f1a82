"""An engine with one injected fault: the row of its kind has exactly its time, and there is no other."""

from __future__ import annotations

import dataclasses

import pytest
from precision_engines import (
    CHANNELS,
    COUNT,
    LINEAR,
    TIMES,
    VECTOR,
    Chain,
    costs,
    engine_of,
    explained,
    tensor,
)

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.speedup import gaps
from trexreport.model import QueryTimes

STEPS = [("FP32", "FP16"), ("FP16", "INT8"), ("FP32", "INT8")]


@pytest.mark.parametrize("gpu", [True, False])
@pytest.mark.parametrize(("high", "low"), STEPS)
def test_an_engine_as_fast_as_expected_has_no_gap(high, low, gpu):
    speedup = explained(Chain(high), Chain(low), gpu=gpu)
    assert (speedup.precision, speedup.reference_precision) == (low, high)
    assert (speedup.products, speedup.products_in_precision) == (COUNT, COUNT)
    assert costs(speedup) == {}
    assert speedup.expected_ms == pytest.approx(speedup.measured_ms)
    assert speedup.expected_speedup == pytest.approx(speedup.measured_speedup)
    assert set(speedup.basis_ms) == {"roofline" if gpu else "bytes"}
    assert sum(speedup.basis_ms.values()) == pytest.approx(speedup.reference_ms)
    assert bool(speedup.gpu) == gpu


@pytest.mark.parametrize(("high", "low"), STEPS)
def test_a_layer_that_fell_back(high, low):
    candidate = Chain(low)
    candidate.types[4], candidate.times[4] = high, TIMES[high]
    speedup = explained(Chain(high), candidate)
    (gap,) = speedup.gaps
    assert (gap.kind, gap.cost_ms) == ("fallback", pytest.approx(TIMES[high] - TIMES[low]))
    (place,) = gap.places
    assert place.name == "layer4/conv"
    assert list(place.reasons) == ["faster-tactic"]
    assert (speedup.products, speedup.products_in_precision) == (COUNT, COUNT - 1)


def test_a_layer_that_fell_back_and_is_slow_has_both_costs():
    candidate = Chain("INT8")
    candidate.types[4], candidate.times[4] = "FP16", 0.13
    found = costs(explained(Chain("FP16"), candidate))
    assert found == {"fallback": pytest.approx(0.05), "slower-layers": pytest.approx(0.03)}


@pytest.mark.parametrize("gpu", [True, False])
def test_remaining_qdq(gpu):
    candidate = Chain("INT8")
    candidate.before[3] = [("FP16", LINEAR, 0.011), ("INT8", LINEAR, 0.007)]
    speedup = explained(Chain("FP16"), candidate, gpu=gpu)
    assert costs(speedup) == {"qdq": pytest.approx(0.018)}
    assert (speedup.reference_reformats, speedup.reformats) == (2, 4)


@pytest.mark.parametrize("gpu", [True, False])
def test_a_reformat_of_the_layout(gpu):
    candidate = Chain("INT8")
    candidate.before[3] = [("INT8", VECTOR, 0.013)]
    speedup = explained(Chain("FP16"), candidate, gpu=gpu)
    assert costs(speedup) == {"reformats": pytest.approx(0.013)}
    assert list(speedup.gaps[0].places[0].reasons) == ["layout"]


@pytest.mark.parametrize(
    ("time", "kind"), [(0.12, "slower-layers"), (0.08, "less-speedup"), (0.03, "more-speedup")]
)
def test_a_slower_or_faster_tactic(time, kind):
    candidate = Chain("INT8")
    candidate.times[2] = time
    assert costs(explained(Chain("FP16"), candidate)) == {kind: pytest.approx(time - 0.05)}


def test_a_slower_tactic_is_not_explained_without_a_roofline():
    candidate = Chain("INT8")
    candidate.times[2] = 0.08
    assert costs(explained(Chain("FP16"), candidate, gpu=False)) == {"not-explained": pytest.approx(0.03)}
    candidate.tactics[2] = "ampere_fp32_icudnn_int8x4_128x64_relu_medium_nn_v0"
    (gap,) = explained(Chain("FP16"), candidate, gpu=False).gaps
    assert (gap.kind, list(gap.places[0].reasons)) == ("less-speedup", ["cuda-cores"])


def test_few_layers_in_the_lower_precision_come_first():
    candidate = Chain("INT8")
    for at in range(COUNT - 1):
        candidate.types[at], candidate.times[at] = "FP16", 0.1
    candidate.before[3] = [("INT8", LINEAR, 1.0), ("FP16", LINEAR, 1.0)]
    speedup = explained(Chain("FP16"), candidate)
    assert [gap.kind for gap in speedup.gaps][:2] == ["fallback", "qdq"]
    assert (speedup.products, speedup.products_in_precision) == (COUNT, 1)


def test_either_engine_may_be_the_baseline():
    candidate = Chain("INT8")
    candidate.types[4], candidate.times[4] = "FP16", 0.1
    one, other = explained(Chain("FP16"), candidate), explained(candidate, Chain("FP16"))
    assert [(each.reference, each.engine) for each in (one, other)] == [("x", "x (2)"), ("x (2)", "x")]
    assert one.gaps == other.gaps
    assert (one.expected_ms, one.measured_ms) == (other.expected_ms, other.measured_ms)


@pytest.mark.parametrize("data_type", ["FP32", "FP16", "INT8"])
def test_one_precision_has_no_expectation(data_type):
    slower = Chain(data_type)
    slower.times[0] *= 2
    assert explained(Chain(data_type), slower) is None


def test_without_times_nothing_is_expected():
    speedup = explained(Chain("FP16"), Chain("INT8"), timed=False)
    assert speedup.obstacle == "no-layer-times"
    assert (speedup.expected_ms, speedup.expected_speedup, list(speedup.gaps)) == (None, None, [])


def test_the_floor_of_a_launch_is_not_scaled():
    high, low = Chain("FP16"), Chain("INT8")
    high.times[0] = low.times[0] = 0.004
    low.times[1:] = [0.052] * (COUNT - 1)
    speedup = explained(high, low)
    assert speedup.launch_ms == pytest.approx(0.004, rel=0.5)
    kinds = {gap.kind for gap in speedup.gaps}
    assert "slower-layers" not in kinds


def test_time_outside_of_layers_is_a_part_where_layers_leave_room():
    engines = [
        dataclasses.replace(chain.engine(), queries=QueryTimes((whole,) * 30, (whole,) * 30))
        for chain, whole in ((Chain("FP16"), 1.0), (Chain("INT8"), 0.75))
    ]
    speedup = compare(engines).engines[1].speedup
    assert speedup.metric == "GPU compute time"
    assert (speedup.reference_ms, speedup.measured_ms) == (1.0, 0.75)
    layers = [sum(chain.records()[1]) for chain in (Chain("FP16"), Chain("INT8"))]
    assert costs(speedup) == {"outside-layers": pytest.approx((0.75 - layers[1]) - (1.0 - layers[0]))}
    assert speedup.expected_ms == pytest.approx(1.0 - layers[0] + layers[1])


def test_layers_that_are_lengthened_by_the_profile_are_compared_alone():
    engines = [
        dataclasses.replace(chain.engine(), queries=QueryTimes((whole,) * 30, (whole,) * 30))
        for chain, whole in ((Chain("FP16"), 0.7), (Chain("INT8"), 0.75))
    ]
    speedup = compare(engines).engines[1].speedup
    assert (speedup.metric, costs(speedup)) == ("total layer time", {})


def test_two_gpus_have_no_expectation():
    engines = [Chain("FP16").engine(), Chain("INT8").engine()]
    other = dataclasses.replace(engines[1].setup, device={"Selected Device": "NVIDIA L4"})
    speedup = compare([engines[0], dataclasses.replace(engines[1], setup=other)]).engines[1].speedup
    assert (speedup.obstacle, speedup.expected_ms) == ("different-gpus", None)


@pytest.mark.parametrize("count", [20, 200])
def test_many_layers_in_one_row_take_time_in_proportion(count, monkeypatch):
    """As when one Myelin layer takes the place of thousands."""
    contexts = [Context(analyze(Chain(name, count).engine())) for name in ("FP16", "INT8")]
    asked = []
    monkeypatch.setattr(gaps, "multiplies", lambda _, layer: bool(asked.append(layer)) or True)
    found = gaps.Gaps((contexts[0], 0), (contexts[1], 1), "INT8", 0.0)
    found.add(AlignedRow([[*range(count + 2)]] * 2, [[], []], [[], []], [[], []]))
    assert 0 < len(asked) <= 5 * (count + 2)


def test_another_amount_of_work_has_none():
    assert explained(Chain("FP16", count=4), Chain("INT8", count=12)) is None


def test_each_step_of_a_series():
    series = [Chain(name).engine() for name in ("FP32", "FP16", "INT8")]
    comparison = compare(series, names=["a", "b", "c"])
    assert [engine.speedup and engine.speedup.engine for engine in comparison.engines] == [None, "b", "c"]
    (step,) = comparison.speedup_steps
    assert (step.reference, step.engine, costs(step)) == ("b", "c", {})
    assert compare(series, baseline=1).speedup_steps == []


def test_missing_rows_are_a_part():
    engines = [Chain("FP16").engine(), dataclasses.replace(Chain("INT8").engine(), unlisted_ms=0.2)]
    assert costs(compare(engines).engines[1].speedup) == {"missing-rows": pytest.approx(0.2)}


def test_without_operations_the_peaks_and_bytes_count():
    engines = []
    for name in ("FP16", "INT8"):
        chain = Chain(name)
        chain.dimensions = [1, CHANNELS, -1, -1]
        engines.append(chain.engine())
    speedup = compare(engines).engines[1].speedup
    assert set(speedup.basis_ms) == {"peaks", "bytes"}
    assert speedup.gpu.startswith("A100")
    # Tensors of unknown size have as many elements as each other: the FP32 ones of the engine stay.
    assert costs(speedup) == {}
    assert speedup.expected_ms == pytest.approx(explained(Chain("FP16"), Chain("INT8")).expected_ms)


def test_other_engines_and_their_order_do_not_change_an_explanation():
    candidate = Chain("INT8")
    candidate.types[4], candidate.times[4] = "FP16", 0.1
    engines = [Chain("FP16").engine(), candidate.engine(), Chain("FP32").engine()]
    assert [gap.cost_ms for gap in compare(engines).engines[1].speedup.gaps] == [
        gap.cost_ms for gap in explained(Chain("FP16"), candidate).gaps
    ]


@pytest.mark.parametrize("stated", [("FP32+FP16", "FP32+FP16+INT8"), ("FP32", "FP32"), ("", "FP32+FP16")])
def test_layers_without_types_have_no_expectation(stated):
    names = [{"Name": f"layer{number}/conv", "LayerType": "CaskConvolution"} for number in range(4)]
    engines = [
        engine_of([dict(each, Inputs=[], Outputs=[]) for each in names], [0.1] * 4, build_options=options)
        for options in ({"Precision": text} if text else {} for text in stated)
    ]
    speedup = compare(engines).engines[1].speedup
    if stated[0] in {"", stated[1]}:
        assert speedup is None
    else:
        assert (speedup.obstacle, speedup.precision, speedup.reference_precision) == (
            "no-types",
            "INT8",
            "FP16",
        )


def test_engines_without_products_have_no_expectation():
    relu = {"Name": "relu", "LayerType": "PointWise", "Inputs": [tensor("a", "FP16")], "Outputs": []}
    engines = [engine_of([relu], [0.1], build_options={"Precision": text}) for text in ("FP32", "FP32+FP16")]
    assert compare(engines).engines[1].speedup is None


@pytest.mark.parametrize("kind", ["Reformat", "Scale", "Quantize", "Cast"])
def test_qdq_of_each_type_counts_with_reformats(kind):
    candidate = Chain("INT8")
    candidate.before[3] = [("FP16", LINEAR, 0.011), ("INT8", LINEAR, 0.007)]
    records, times = candidate.records()
    records[5]["LayerType"] = kind
    engines = [Chain("FP16").engine(), engine_of(records, times, device=candidate.gpu)]
    speedup = compare(engines).engines[1].speedup
    assert (records[5]["Name"][:12], speedup.reformats) == ("Reformatting", 4)
