"""A comparison adds up, mirrors, and says what it does not know."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from dataclasses import replace
from typing import get_args

import pytest
from alignment_plans import convolution, layer, metadata, plans
from compared_engines import check_sums, engine_of, waterfall
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_samples import run

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import MISSING_ROWS, as_json
from trexreport.analyzer.analysis.compared_rows import Cause, RowStatus
from trexreport.analyzer.analysis.findings import SuppressedPlace
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.analysis.waterfall import WaterfallKind
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_blocks import ELSEWHERE, NO_MODULE
from trexreport.errors import UsageError
from trexreport.model import Binding, LayerTime, QueryTimes, Setup
from trexreport.wording.conditions import conditions_sentence, different_measurement
from trexreport.wording.verdict import reason_sentences

#: Kinds that need no ONNX model.
OF_LAYERS = list(get_args(WaterfallKind))[:4]
MIRRORED = {
    "faster": "slower",
    "candidate only": "baseline only",
    "added": "removed",
    "fused": "split",
}
MIRRORED |= {after: before for before, after in MIRRORED.items()}


def mirrored(words):
    """Return a mark, a change or a cause as the other engine has it."""
    if words in MIRRORED:
        return MIRRORED[words]
    start, _, end = words.rpartition(" ")
    return f"{start} {MIRRORED.get(end, end)}" if start else words


@st.composite
def engines(draw):
    records = draw(plans())
    times = draw(
        st.none()
        | st.lists(
            st.none() | st.floats(0, 10, allow_subnormal=False), min_size=len(records), max_size=len(records)
        )
    )
    return engine_of(records, times)


@given(st.lists(engines(), min_size=1, max_size=4), st.data())
@settings(max_examples=25)
def test_everything_adds_up(several, data):
    baseline = data.draw(st.integers(0, len(several) - 1))
    comparison = compare(several, baseline=baseline)
    check_sums(comparison)
    for index, engine in enumerate(comparison.engines):
        is_candidate = index != baseline
        assert (engine.verdict is not None) == is_candidate
        assert (bool(engine.waterfalls) or bool(engine.unmeasured)) == is_candidate
        for each in engine.waterfalls:
            assert len(each.steps) == len({step.name for step in each.steps})
    for row in comparison.rows:
        assert not row.sides[baseline].causes
        assert {side.status for side in row.sides} <= {*get_args(RowStatus), ""}
        assert {cause for side in row.sides for cause in side.causes} <= set(get_args(Cause))
    text = json.dumps(as_json(comparison), allow_nan=False)
    assert text == json.dumps(as_json(compare(several, baseline=baseline)))


@pytest.mark.parametrize("unlisted_ms", list(itertools.product([0.0, 0.75, 1.5], repeat=2)))
def test_missing_rows_are_a_step_of_their_own(unlisted_ms):
    records = [layer("a", "Pooling"), layer("b", "Pooling")]
    pair = [
        replace(engine_of(records, times), unlisted_ms=each)
        for times, each in zip(([1.0, 2.0], [1.0, 2.5]), unlisted_ms, strict=True)
    ]
    start, end = compare(pair).engines
    assert [each.by for each in end.waterfalls] == OF_LAYERS
    for each in end.waterfalls:
        assert (each.baseline_ms, each.candidate_ms) == (start.figures.layer_sum_ms, end.figures.layer_sum_ms)
        assert math.fsum(step.difference_ms for step in each.steps) == pytest.approx(each.difference_ms)
        assert each.difference_ms == pytest.approx(0.5 + unlisted_ms[1] - unlisted_ms[0])
        missing = [(step.baseline_ms, step.candidate_ms) for step in each.steps if step.name == MISSING_ROWS]
        assert missing == ([unlisted_ms] if any(unlisted_ms) else [])
        assert each.steps == sorted(each.steps, key=lambda step: (-abs(step.difference_ms), step.name))


@given(engines(), engines())
@settings(max_examples=30)
def test_the_other_way_round_is_the_mirror_image(one, other):
    there, back = compare([one, other]), compare([other, one])
    assert there.engines[1].verdict.verdict == mirrored(back.engines[1].verdict.verdict)
    assert there.engines[1].blocking_conditions == back.engines[1].blocking_conditions
    assert [each.by for each in there.engines[1].waterfalls] in ([], OF_LAYERS)
    for by in OF_LAYERS if there.engines[1].waterfalls else ():
        steps, turned = waterfall(there, 1, by), waterfall(back, 1, by)
        assert {
            mirrored(name) if by == "cause" else name: step.difference_ms for name, step in steps.items()
        } == {name: -step.difference_ms for name, step in turned.items()}
    assert content(there) == content(back, is_turned=True)
    for ours, theirs in ((there.by_operator, back.by_operator), (there.by_module, back.by_module)):
        assert sorted(map(repr, ((each.names, each.layers, each.times_ms) for each in ours))) == sorted(
            map(repr, ((each.names, each.layers[::-1], each.times_ms[::-1]) for each in theirs))
        )


def content(comparison, *, is_turned=False):
    """Return what the rows say of the candidate, or of the baseline if turned."""
    step = -1 if is_turned else 1
    turn = mirrored if is_turned else str
    return sorted(
        repr(
            (
                [[member.index for member in side.members] for side in row.sides[::step]],
                row.module,
                turn(row.sides[1].status),
                row.sides[1].difference_ms and step * row.sides[1].difference_ms,
                sorted(turn(change) for change in row.sides[1].changes),
                sorted((turn(cause), step * change) for cause, change in row.sides[1].causes.items()),
            )
        )
        for row in comparison.rows
    )


@given(engines())
@settings(max_examples=20)
def test_an_engine_is_the_same_as_itself(engine):
    comparison = compare([engine, engine])
    candidate = comparison.engines[1]
    assert candidate.verdict.verdict == "no-change"
    assert not any(step.difference_ms for each in candidate.waterfalls for step in each.steps)
    assert {row.sides[1].status for row in comparison.rows} <= {"within noise", "unknown"}


#: Two convolutions with a reformat between them, and what a build in another precision makes of it.
PLAIN = [
    convolution(
        "/net/a/Conv + /net/a/Relu", ["input"], ["a"], Metadata=metadata("/net/a/Conv", "/net/a/Relu")
    ),
    convolution("/net/b/Conv", ["a"], ["b"], Metadata=metadata("/net/b/Conv")),
]
SPLIT = [
    convolution("/net/a/Conv", ["input"], ["c"], Metadata=metadata("/net/a/Conv")),
    layer("/net/a/Relu", reads=["c"], writes=["a"], Metadata=metadata("/net/a/Relu")),
    layer("Reformatting CopyNode for Input Tensor 0 to /net/b/Conv", "Reformat", ["a"], ["r"]),
    convolution("/net/b/Conv", ["r"], ["b"], Metadata=metadata("/net/b/Conv"), TacticName="other"),
]


def compare_plain_with_split():
    return compare(
        [engine_of(PLAIN, [3.0, 2.0]), engine_of(SPLIT, [2.5, 1.0, 0.25, 1.0])], names=["plain", "split"]
    )


def test_each_part_of_a_difference_has_its_cause():
    comparison = compare_plain_with_split()
    steps = {name: step.difference_ms for name, step in waterfall(comparison, 1, "cause").items()}
    assert steps == {"tactic changed": -1.0, "split": 0.5, "reformats added": 0.25}
    assert list(steps) == ["tactic changed", "split", "reformats added"]
    first, second = comparison.rows
    assert (first.label, first.module, first.position) == ("/net/b/Conv", "net/b", 1)
    assert first.sides[1].causes == {"tactic changed": -1.0, "reformats added": 0.25}
    assert (first.sides[1].difference_ms, first.sides[1].ratio) == (-0.75, 0.625)
    assert first.sides[1].status == "faster"
    assert [(member.index, member.is_helper) for member in first.sides[1].members] == [(3, False), (2, True)]
    assert (second.label, second.more_layers) == ("/net/a/Conv + /net/a/Relu", 0)
    assert (second.sides[1].status, second.sides[1].changes) == ("slower", ["split"])


def test_a_layer_of_several_operators_is_shared_and_counted_once():
    comparison = compare_plain_with_split()
    assert {tuple(share.names): share.times_ms for share in comparison.by_operator} == {
        ("/net/a/Conv", "/net/a/Relu"): [3.0, None],
        ("/net/a/Conv",): [None, 2.5],
        ("/net/a/Relu",): [None, 1.0],
        ("/net/b/Conv",): [2.0, 1.0],
        (): [None, 0.25],
    }
    assert {tuple(share.names): share.times_ms for share in comparison.by_module} == {
        ("net/a",): [3.0, 3.5],
        ("net/b",): [2.0, 1.25],
    }
    assert {name: step.difference_ms for name, step in waterfall(comparison, 1, "block").items()} == {
        "net/a": 0.5,
        "net/b": -0.75,
    }


def test_a_layer_across_modules_belongs_to_none_of_them():
    records = [layer("x", reads=["input"], writes=["a"], Metadata=metadata("/m/a/Mul", "/m/b/Add"))]
    (share,) = compare([engine_of(records, [1.0])]).by_module
    assert share.names == ["m/a", "m/b"]
    assert share.times_ms == [1.0]


def test_layers_that_name_no_module_belong_to_that_of_their_row():
    numbered = [
        convolution("Conv_0 + Relu_1", ["input"], ["/net/a/Relu_output_0"]),
        convolution("Conv_2", ["/net/a/Relu_output_0"], ["/net/b/Conv_output_0"]),
    ]
    named = [
        convolution("/net/a/Conv + /net/a/Relu", ["input"], ["/net/a/Relu_output_0"]),
        convolution("/net/b/Conv", ["/net/a/Relu_output_0"], ["/net/b/Conv_output_0"]),
    ]
    comparison = compare([engine_of(numbered, [1.0, 2.0]), engine_of(named, [3.0, 4.0])])
    assert {tuple(share.names): share.times_ms for share in comparison.by_module} == {
        ("net/a",): [1.0, 3.0],
        ("net/b",): [2.0, 4.0],
    }


def test_equal_numbers_are_one_operator_only_where_layers_are_aligned():
    def chain(prefix, *sizes):
        records = [
            convolution(f"Conv_{place}", [f"{prefix}{place}"], [f"{prefix}{place + 1}"], size)
            for place, size in enumerate(sizes)
        ]
        return engine_of(records, [float(size) for size in sizes])

    # Something came before what was the first of them, so that all numbers but none of the layers changed.
    comparison = compare([chain("one", 8, 16, 32, 64), chain("other", 16, 32, 64)])
    assert comparison.by_operator
    for share in comparison.by_operator:
        engines = [engine for engine, count in enumerate(share.layers) if count]
        assert len({share.times_ms[engine] for engine in engines}) == 1


def test_another_batch_is_another_amount_of_work():
    def batch(size):
        records = [layer("/a/Relu", reads=[("input", [size, 8, 4, 4])], writes=[("a", [size, 8, 4, 4])])]
        return engine_of(records, [float(size)])

    steps = waterfall(compare([batch(1), batch(4)]), 1, "cause")
    assert {name: step.difference_ms for name, step in steps.items()} == {"different shapes": 3.0}


def test_small_differences_of_a_layer_are_none():
    def one(time):
        return engine_of(PLAIN[:1], [time])

    def mark(before, after, **verdict):
        (row,) = compare([one(before), one(after)], settings=VerdictSettings(**verdict)).rows
        return row.sides[1].status

    assert [mark(1.0, 1.05), mark(1.05, 1.0)] == ["within noise", "within noise"]
    assert [mark(1.0, 1.2), mark(1.2, 1.0)] == ["slower", "faster"]
    assert mark(1.0, 1.05, noise_percent=1.0) == "slower"
    # Events do not resolve half a microsecond, whatever share of the layer that is.
    assert mark(0.001, 0.0014) == "within noise"


def test_times_of_iterations_show_how_small_a_difference_counts():
    def one(middle, half_width, iterations=50):
        """Times that rise evenly, four fifths of them within so much of the middle."""
        step = 2 * half_width / (0.8 * (iterations - 1))
        samples = tuple(middle + step * (at - (iterations - 1) / 2) for at in range(iterations))
        engine = engine_of(PLAIN[:1], [middle])
        time = LayerTime(middle, samples_ms=samples)
        layers = tuple(dataclasses.replace(each, time=time) for each in engine.layers)
        return dataclasses.replace(engine, layers=layers, profiled_iterations=iterations)

    def mark(before, after, **verdict):
        (row,) = compare([before, after], settings=VerdictSettings(**verdict)).rows
        return row.sides[1].status

    assert [mark(one(1.0, 0.01), one(1.05, 0.01)), mark(one(1.05, 0.01), one(1.0, 0.01))] == [
        "slower",
        "faster",
    ]
    # They overlap, though they differ by more than the noise of averages.
    assert mark(one(1.0, 0.1), one(1.15, 0.1)) == "within noise"
    assert mark(one(1.0, 0.001), one(1.015, 0.001)) == "within noise"
    assert mark(one(1.0, 0.001), one(1.015, 0.001), minimum_effect_percent=1.0) == "slower"
    # Too few iterations, or none on one side, show nothing: 10% has to do.
    assert mark(one(1.0, 0.01, iterations=19), one(1.05, 0.01)) == "within noise"
    assert mark(one(1.0, 0.01), engine_of(PLAIN[:1], [1.05])) == "within noise"


def test_a_layer_that_was_not_measured_is_unknown_and_still_adds_up():
    comparison = compare([engine_of(PLAIN, [3.0, None]), engine_of(PLAIN, [3.0, 2.0])])
    check_sums(comparison)
    row = comparison.rows[1]
    assert (row.label, row.sides[0].time_ms, row.sides[1].time_ms) == ("/net/b/Conv", None, 2.0)
    assert (row.sides[1].status, row.sides[1].difference_ms, row.sides[1].ratio) == ("unknown", None, None)
    assert waterfall(comparison, 1, "cause")["not fully measured"].difference_ms == 2.0


def test_without_times_the_structure_is_compared():
    comparison = compare([engine_of(PLAIN), engine_of(SPLIT, [1.0] * 4)], names=["old", "new"])
    candidate = comparison.engines[1]
    assert candidate.unmeasured == ["old"]
    assert (candidate.verdict.verdict, candidate.verdict_metric) == ("inconclusive", "")
    assert comparison.engines[0].figures.reformat_ms is None
    assert [row.sides[1].changes for row in comparison.rows] == [
        ["split"],
        ["tactic changed", "reformats added"],
    ]
    assert {row.sides[1].status for row in comparison.rows} == {"unknown"}


def test_unnamed_layers_are_divided_by_order():
    def unnamed(count):
        names = ["input", *(f"t{place}" for place in range(count))]
        return engine_of(
            [
                convolution(f"Conv_{place}", [names[place]], [names[place + 1]], 8 + place)
                for place in range(count)
            ],
            [1.0] * count,
        )

    comparison = compare([unnamed(40), unnamed(60)], names=["short", "long"])
    steps = waterfall(comparison, 1, "block")
    assert (comparison.block_basis, comparison.block_engine) == ("layer ranges", "short")
    assert steps["layers 00 – 01"].baseline_layers == 2
    assert (steps[ELSEWHERE].difference_ms, len(steps)) == (20.0, 21)


def test_a_step_counts_no_layer_that_does_nothing():
    def engine(time):
        records = [
            layer("/net/a/Conv", "CaskConvolution", ["input"], ["t0"], Metadata=metadata("/net/a/Conv")),
            layer("/net/a/Reshape", "NoOp", ["t0"], ["t1"], Metadata=metadata("/net/a/Reshape")),
        ]
        return engine_of(records, [time, 0.0])

    comparison = compare([engine(1.0), engine(2.0)], names=["old", "new"])
    (step,) = waterfall(comparison, 1, "block").values()
    assert (step.baseline_layers, step.candidate_layers) == (1, 1)


def test_many_modules_are_divided_where_the_time_is():
    def decoder(part, place, time):
        name = f"/model/layers.{place}/{part}/MatMul"
        return layer(name, reads=["input"], writes=[name], Metadata=metadata(name)), time

    parts = [
        decoder(part, place, time) for place in range(30) for part, time in (("mlp", 2.0), ("attn", 1.0))
    ]
    parts.append((layer("/Cast", reads=["input"], writes=["c"], Metadata=metadata("/Cast")), 0.5))
    engine = engine_of([record for record, _ in parts], [time for _, time in parts])
    comparison = compare([engine, engine])
    steps = waterfall(comparison, 1, "block")
    assert {name: step.baseline_ms for name, step in steps.items()} == {
        "model/layers.*/mlp": 60.0,
        "model/layers.*/attn": 30.0,
        NO_MODULE: 0.5,
    }
    assert (comparison.block_basis, comparison.block_engine) == ("module series", "")


def test_the_verdict_takes_the_best_times_that_both_have():
    slow, fast = run("slow", level_ms=2.0), run("fast")
    iterations = [engine_of(PLAIN, latencies=times) for times in (slow, fast)]
    verdict = compare(iterations).engines[1].verdict
    assert (verdict.verdict, verdict.basis) == ("faster", "iterations")
    assert math.isclose(verdict.median_ratio.value, 0.5, rel_tol=0.01)
    mixed = compare([iterations[0], engine_of(PLAIN, [0.5, 0.5])]).engines[1]
    assert (mixed.verdict.verdict, mixed.verdict_metric) == ("inconclusive", "")
    layers = compare([engine_of(PLAIN, [3.0, 2.0]), engine_of(PLAIN, [1.0, 1.0])]).engines[1]
    assert (layers.verdict.verdict, layers.verdict.basis) == ("faster", "averages")
    assert layers.verdict_metric == "total layer time"
    assert "total layer times" in reason_sentences(layers.verdict)[-1]


def test_a_column_of_zeros_is_no_time():
    zeros = dataclasses.replace(engine_of(PLAIN), queries=QueryTimes((1.0,) * 50, (0.0,) * 50))
    other = dataclasses.replace(zeros, queries=QueryTimes((1.1,) * 50, (1.0,) * 50))
    assert compare([zeros, other]).engines[1].verdict_metric == "latency"


def test_conditions_are_ordered_by_how_much_they_matter():
    one = engine_of(
        PLAIN,
        device={"Selected Device": "A100", "Compute Capability": "8.0"},
        inference_options={"CUDA Graph": "Enabled", "Streams": "1"},
        build_options={"Sparsity": "Disabled", "Save engine": "a.plan", "Refit": "Disabled"},
    )
    other = engine_of(
        PLAIN,
        device={"Selected Device": "T4"},
        inference_options={"CUDA Graph": "Disabled", "Inference Streams": "1"},
        build_options={"Sparsity": "Enabled", "Save engine": "b.plan", "Refit": "Disabled"},
    )
    comparison = compare([one, other, one])
    assert [engine.blocking_conditions for engine in comparison.engines] == [[], ["GPU"], []]
    found = {each.name: each for each in compare([one, other]).conditions}
    assert [(name, each.severity) for name, each in found.items() if each.differs] == [
        ("GPU", "blocking"),
        ("CUDA graph", "explanatory"),
        ("Sparsity", "explanatory"),
        ("Save engine", "harmless"),
    ]
    assert found["GPU"].values == ["A100", "T4"]
    assert (found["compute capability"].values, found["compute capability"].unknown) == (["8.0", ""], True)
    assert list(found).index("compute capability") == list(found).index("Save engine") + 1
    assert found["streams"].values == ["1", "1"]
    assert found["Sparsity"].kind == "build option"
    assert "Refit" not in found


TRTEXEC = "trtexec --loadEngine=m"
#: Version, command and stated options, and what is known of CUDA graph, data transfers and spin-wait.
SWITCHES = [
    ("10.16.0", (), {}, ["Disabled by default", "Enabled by default", "Disabled by default"]),
    ("11.0.0", (), {}, ["Enabled by default", "Disabled by default", "Enabled by default"]),
    ("10.16.0", (TRTEXEC,), {}, ["Disabled", "Enabled", "Disabled"]),
    (
        "8.6.1",
        ("trtexec --useCudaGraph --noDataTransfers --useSpinWait",),
        {},
        ["Enabled", "Disabled", "Enabled"],
    ),
    (
        "11.1.0",
        ("trtexec --noCudaGraph --includeDataTransfers --noSpinWait",),
        {},
        ["Disabled", "Enabled", "Disabled"],
    ),
    ("11.1.0", ("trtexec",), {"CUDA Graph": "Disabled"}, ["Disabled", "Disabled", "Enabled"]),
    ("", (), {}, None),
]


@pytest.mark.parametrize(("ours", "theirs"), list(itertools.combinations(range(len(SWITCHES)), 2)))
def test_a_default_that_a_version_changed_is_another_measurement(ours, theirs):
    def measured(version, commands, options, _):
        engine = dataclasses.replace(engine_of(PLAIN), queries=QueryTimes((1.0, 1.01, 0.99) * 20))
        setup = Setup(tensorrt_version=version, commands=commands, inference_options=options)
        return dataclasses.replace(engine, setup=setup)

    comparison = compare([measured(*SWITCHES[ours]), measured(*SWITCHES[theirs])])
    found = {each.name: each for each in comparison.conditions}
    names = ("CUDA graph", "data transfers", "spin-wait")
    expected = [each[3] or [""] * 3 for each in (SWITCHES[ours], SWITCHES[theirs])]
    differing = []
    for name, values in zip(names, zip(*expected, strict=True), strict=True):
        if not any(values):
            assert name not in found
            continue
        assert found[name].values == list(values)
        one, other = (value.split(" ")[0] for value in values)
        assert found[name].differs is bool(one and other and one != other)
        differing += [name] if found[name].differs else []
    sentence = different_measurement(comparison, 1)
    assert bool(sentence) is bool(differing)
    assert all(name in sentence for name in differing)
    assert sentence in conditions_sentence(comparison)


def test_shapes_are_those_of_the_measurement_whatever_the_inputs_are_called():
    def shapes(name, extents, **options):
        records = [layer("/a/Relu", reads=[(name, extents)], writes=["a"])]
        engine = engine_of(records, inference_options=options)
        binding = Binding(name, "input", engine.layers[0].inputs[0])
        return dataclasses.replace(engine, bindings=(binding,))

    engines = [
        shapes("input.1", [2, 8, 4, 4]),
        shapes("x", [-1, 8, 4, 4], **{"Input inference shape": "x=2x8x4x4"}),
        shapes("x", [2, 8, 4, 4], **{"Input inference shapes": "model"}),
        shapes("x", [-1, 8, 4, 4]),
        shapes("x", [4, 8, 4, 4]),
    ]
    (condition,) = (each for each in compare(engines).conditions if each.name == "input shapes")
    assert condition.values == ["2×8×4×4", "2×8×4×4", "2×8×4×4", "", "4×8×4×4"]
    assert compare(engines).engines[4].blocking_conditions == ["batch", "input shapes"]
    assert not compare(engines).engines[1].blocking_conditions


#: One of its layers only copies.
COPIES = [
    convolution("/net/a/Conv", ["input"], ["c"]),
    layer("/net/a/Reshape", "Shuffle", ["c"], ["r"]),
    convolution("/net/b/Conv", ["r"], ["b"]),
]


def test_a_rule_that_could_not_run_has_not_gone():
    other = engine_of([COPIES[0], convolution("/net/b/Conv", ["c"], ["b"])])
    there = compare([engine_of(COPIES, [0.002] * 3), other]).engines[1]
    gone = {change.code: change for change in there.resolved_findings}
    unchecked = {rule.code for rule in analyze(other).lint.unchecked}
    assert gone
    assert {code for code, change in gone.items() if not change.checked} == set(gone) & unchecked


def test_what_is_kept_quiet_has_not_gone():
    engine = engine_of(COPIES, [0.1, 5.0, 0.1])
    loud = analyze(engine)
    suppressed = [
        SuppressedPlace(finding.code, finding.severity, finding.places[0], "known")
        for finding in loud.lint.findings
    ]
    quiet = replace(loud, lint=replace(loud.lint, suppressed=suppressed, findings=[]))
    assert loud.lint.findings
    assert not compare([engine, engine], analyses=[loud, quiet]).engines[1].resolved_findings


def test_engines_with_the_same_name_are_distinguished():
    engine = engine_of(PLAIN)
    assert [each.name for each in compare([engine] * 3).engines] == ["x", "x (2)", "x (3)"]
    taken = compare([engine] * 3, names=["x", "x (2)", "x"]).engines
    assert [each.name for each in taken] == ["x", "x (2)", "x (3)"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"baseline": 2}, "no engine 2"),
        ({"baseline": -1}, "no engine -1"),
        ({"names": ["a"]}, "1 names for 2 engines"),
        ({"analyses": []}, "0 analyses for 2 engines"),
        ({"settings": VerdictSettings(confidence=0.5)}, "confidence"),
    ],
)
def test_what_makes_no_sense_is_refused(given, message):
    with pytest.raises(UsageError, match=message):
        compare([engine_of(PLAIN)] * 2, **given)


def test_no_engine_is_refused():
    with pytest.raises(UsageError, match="no engine to compare"):
        compare([])
