"""Rows hold every layer once, say by what it was matched, and mirror."""

from __future__ import annotations

import json
import string
from random import Random
from types import SimpleNamespace

import pytest
from alignment_plans import (
    analysis_of,
    check_is_partition,
    convolution,
    found_pairs,
    layer,
    members,
    metadata,
    named,
    plans,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.comparison import align_rows
from trexreport.analyzer.comparison.align import align, changes


def content(alignment, *, turned=False):
    """Return what the rows hold, whatever their order; of two engines in the other order if turned."""
    step = -1 if turned else 1
    return sorted(
        (row.layers[::step], row.helpers[::step], sorted({key for keys in row.keys for key in keys}), row.cut)
        for row in alignment.rows
    )


@given(st.lists(plans(), min_size=1, max_size=4), st.data())
@settings(max_examples=25)
def test_every_layer_is_in_exactly_one_row(several, data):
    analyses = [analysis_of(plan) for plan in several]
    baseline = data.draw(st.integers(0, len(analyses) - 1))
    alignment = align(analyses, baseline)
    check_is_partition(alignment, analyses)
    assert alignment.rows
    for row in alignment.rows:
        assert not row.changes[baseline]
        engines = [engine for engine, layers in enumerate(row.layers) if layers]
        first = baseline if row.layers[baseline] else engines[0]
        assert {engine for engine, keys in enumerate(row.keys) if keys} == set(engines) - {first}


@given(plans(), plans())
@settings(max_examples=40)
def test_the_other_way_round_is_the_mirror_image(one, other):
    analyses = [analysis_of(one), analysis_of(other)]
    assert content(align(analyses)) == content(align(analyses[::-1]), turned=True)


@given(plans())
def test_an_engine_is_aligned_with_itself_layer_by_layer(plan):
    analyses = [analysis_of(plan)] * 3
    alignment = align(analyses)
    assert alignment.rows
    for row in alignment.rows:
        assert len(row.layers[0]) == 1
        assert row.layers[0] == row.layers[1] == row.layers[2]
        assert row.helpers[0] == row.helpers[1] == row.helpers[2]
        assert row.changes == [[], [], []]


@given(plans(), plans())
def test_the_same_engines_give_the_same_alignment(one, other):
    analyses = [analysis_of(one), analysis_of(other)]
    assert align(analyses) == align([analysis_of(one), analysis_of(other)])


def test_fused_layers_stand_against_their_parts():
    fused = [
        convolution("conv1 + relu1", ["x"], ["a"]),
        convolution("conv2 + add2", ["a", "x"], ["b"]),
    ]
    split = [
        convolution("conv1", ["x"], ["c"]),
        layer("relu1", reads=["c"], writes=["a"]),
        convolution("conv2", ["a"], ["d"]),
        layer("PWN(add2)", reads=["d", "x"], writes=["b"]),
    ]
    analyses = [analysis_of(fused), analysis_of(split)]
    alignment = align(analyses)
    assert named(alignment, analyses) == [
        (("conv1 + relu1",), ("conv1", "relu1")),
        (("conv2 + add2",), ("conv2", "PWN(add2)")),
    ]
    assert [row.changes[1][0] for row in alignment.rows] == ["split", "split"]
    assert [row.changes[0] for row in align(analyses, baseline=1).rows] == [["fused"], ["fused"]]


def test_an_addition_that_moved_does_not_join_two_convolutions():
    one = [
        convolution("left", ["x"], ["a"]),
        convolution("right + add + relu", ["x", "a"], ["b"]),
    ]
    other = [
        convolution("right", ["x"], ["a"]),
        convolution("left + add + relu", ["x", "a"], ["b"]),
    ]
    one[0]["Name"], one[1]["Name"] = "/left/Conv", "/right/Conv + /add + /relu"
    other[0]["Name"], other[1]["Name"] = "/right/Conv", "/left/Conv + /add + /relu"
    analyses = [analysis_of(one), analysis_of(other)]
    assert named(align(analyses), analyses) == [
        (("/left/Conv",), ("/left/Conv + /add + /relu",)),
        (("/right/Conv + /add + /relu",), ("/right/Conv",)),
    ]


def test_each_kind_of_evidence_is_named():
    def match(one, other):
        analyses = [analysis_of(one), analysis_of(other)]
        (row,) = align(analyses).rows
        return row.keys[1]

    def named_layer(name, writes="y", **parameters):
        return [layer(name, "Softmax", ["x"], [writes], **parameters)]

    stated = {"Metadata": metadata("/a/Softmax")}
    assert match(named_layer("k1", **stated), named_layer("k2", **stated)) == ["ONNX metadata"]
    assert match(named_layer("/a/Softmax"), named_layer("PWN(/a/Softmax)")) == ["parts of the name"]
    assert match(named_layer("one", "/a/out"), named_layer("two", "/a/out")) == ["tensor names"]
    plans = [
        [layer(f"{name}{at}", "Softmax", [f"{name}{at}"], [f"{name}{at + 1}"]) for at in range(3)]
        for name in ("one", "two")
    ]
    rows = align([analysis_of(plan) for plan in plans]).rows
    assert [row.keys[1] for row in rows] == [["order, type and shape"]] * 3


def test_numbers_in_names_mean_nothing_between_two_exports():
    """The second export has one more operation, so that each number names the convolution before."""
    sizes = [8, 16, 24, 32, 40, 48]
    one = [convolution(f"Conv_{at}", [f"t{at}"], [f"t{at + 1}"], maps) for at, maps in enumerate(sizes)]
    other = [
        layer("Cast_0", "Softmax", ["t0"], ["u0"]),
        *(convolution(f"Conv_{at + 1}", [f"u{at}"], [f"u{at + 1}"], maps) for at, maps in enumerate(sizes)),
    ]
    pairs = found_pairs(align([analysis_of(one), analysis_of(other)]))
    assert {(at, at + 1) for at in range(len(sizes))} <= pairs
    assert not any((at, at) in pairs for at in range(1, len(sizes)))


def test_paths_of_another_exporter_distinguish_layers_of_equal_looks():
    """The second engine lacks the first block: by the flow of data from the stem all others would be off."""

    def plan(blocks, path):
        body = [convolution(path.format(at), [f"t{at}"], [f"t{at + 1}"]) for at in blocks]
        stem = convolution("/stem/stem/conv/Conv", ["x"], [f"t{blocks[0]}"])
        return [stem, *body, convolution("/head/head/conv/Conv", [f"t{blocks[-1] + 1}"], ["y"])]

    one = plan(range(8), "/stage.0/block.{}/conv/Conv")
    other = plan(range(1, 8), "model/stage/0/block/{}/conv/conv")
    pairs = found_pairs(align([analysis_of(one), analysis_of(other)]))
    assert {(0, 0), (9, 8)} | {(at + 1, at) for at in range(1, 8)} <= pairs
    assert len(pairs) <= 10


def test_numbers_in_names_are_trusted_where_shapes_agree():
    """Within one export a number is a name: the two convolutions are alike but for it."""
    one = [convolution("Conv_0", ["x"], ["a"]), convolution("Conv_1", ["x"], ["b"])]
    pairs = found_pairs(align([analysis_of(one), analysis_of(one[1:])]))
    assert pairs == {(1, 0)}


@pytest.mark.parametrize("baseline", [0, 1, 2])
def test_an_operation_that_was_added_moves_the_numbers_behind_it(baseline):
    """Nearly all numbers are the same; that of the pooling differs only because of what comes before it."""
    body = [convolution(f"Conv_{at}", [f"t{at}"], [f"t{at + 1}"], 8 * (at + 1)) for at in range(12)]
    plans = [
        [*body, layer(f"GlobalAveragePool_{number}", "CaskPooling", ["t12"], [f"p{number}"])]
        for number in (12, 14, 18)
    ]
    rows = align([analysis_of(plan) for plan in plans], baseline).rows
    assert [row.layers for row in rows] == [[[at]] * 3 for at in range(13)]


def test_helpers_stand_beside_what_they_serve():
    plain = [convolution("conv", ["x"], ["y"])]
    name = "Reformatting CopyNode for Input Tensor 0 to conv"
    served = [
        layer("QuantizeLinear_2", "Reformat", ["x"], ["q"], Origin="QDQ"),
        layer(name, "Reformat", ["q"], ["r"], Origin="REFORMAT"),
        convolution("conv", ["r"], ["s"]),
        layer("Reformatting CopyNode for Output Tensor 0 to conv", "NoOp", ["s"], ["y"]),
    ]
    (row,) = align([analysis_of(plain), analysis_of(served)]).rows
    assert (row.layers, row.helpers) == ([[0], [2]], [[], [0, 1, 3]])
    assert row.changes[1] == ["reformats added"]


def test_a_plan_of_helpers_alone_is_aligned_too():
    plan = [layer("a", "Reformat", ["x"], ["y"]), layer("b", "NoOp", ["y"], ["z"])]
    analyses = [analysis_of(plan), analysis_of(plan[:1])]
    assert named(align(analyses), analyses) == [(("a",), ("a",)), (("b",), ())]


def test_engines_that_share_nothing_share_no_row():
    one = [convolution(f"/cnn/{at}/Conv", [f"a{at}"], [f"a{at + 1}"], 8 * (at + 1)) for at in range(8)]
    other = [
        layer(f"/text/{at}/Softmax", "Softmax", [(f"b{at}", [1, 77])], [(f"b{at + 1}", [1, 77])])
        for at in range(8)
    ]
    alignment = align([analysis_of(one), analysis_of(other)])
    assert len(alignment.rows) == 16
    assert {tuple(row.changes[1]) for row in alignment.rows} == {("baseline only",), ("candidate only",)}
    assert not any(row.keys[1] for row in alignment.rows)


def test_a_few_shapes_in_common_do_not_make_engines_alike():
    """Of ten convolutions each two look alike by chance, in unlike places."""
    sizes = [8, 16, 24, 32, 40, 48, 56, 64, 72, 80]
    others = [8, 17, 25, 33, 41, 49, 57, 65, 73, 80]
    one, other = (
        [convolution(f"/{name}/{at}/Conv", ["x"], [f"{name}{at}"], maps) for at, maps in enumerate(each)]
        for name, each in (("one", sizes), ("other", others))
    )
    assert not found_pairs(align([analysis_of(one), analysis_of(other)]))


def test_plans_of_names_only_are_aligned_by_names():
    one = json.dumps({"Layers": ["conv1 + relu1", "fc", "soft"], "Bindings": []})
    other = json.dumps({"Layers": ["conv1", "relu1", "fc"], "Bindings": []})
    analyses = [analysis_of(one), analysis_of(other)]
    assert named(align(analyses), analyses)[:2] == [
        (("conv1 + relu1",), ("conv1", "relu1")),
        (("fc",), ("fc",)),
    ]


def test_what_the_baseline_lacks_is_aligned_among_the_others():
    base = [convolution("/a/Conv", ["x"], ["y"])]
    more = [*base, layer("/b/Softmax", "Softmax", ["y"], ["z"])]
    analyses = [analysis_of(plan) for plan in (base, more, more)]
    rows = align(analyses).rows
    assert [row.layers for row in rows] == [[[0], [0], [0]], [[], [1], [1]]]
    assert rows[1].keys == [[], [], ["parts of the name"]]
    assert rows[1].changes == [[], ["candidate only"], ["candidate only"]]


def test_fifty_engines_stand_side_by_side():
    random = Random(5)
    plans = []
    for _ in range(50):
        records = [convolution(f"/{name}/Conv", [name], [f"{name}1"]) for name in string.ascii_lowercase]
        random.shuffle(records)
        plans.append(records[: random.randint(20, 26)])
    analyses = [analysis_of(plan) for plan in plans]
    alignment = align(analyses, baseline=7)
    check_is_partition(alignment, analyses)
    assert len(alignment.rows) == 26
    for row in named(alignment, analyses):
        assert len({name for names in row for name in names}) == 1


def test_rows_follow_the_baseline():
    plan = [convolution(f"/{at}/Conv", [f"t{at}"], [f"t{at + 1}"]) for at in range(6)]
    extra = layer("/extra/Softmax", "Softmax", ["t3"], ["u"])
    analyses = [analysis_of(plan), analysis_of([*plan[:3], extra, *plan[3:]])]
    order = [row.layers for row in align(analyses).rows]
    assert order == [[[0], [0]], [[1], [1]], [[2], [2]], [[], [3]], [[3], [4]], [[4], [5]], [[5], [6]]]


@pytest.mark.parametrize("length", [10, 200])
def test_kernels_that_overlap_do_not_join_half_of_the_engine(length):
    """Each kernel names operations of two others: one chain, which shapes do not resolve."""
    one = [layer(f"/{at}/Add + /{at}/Mul", reads=["x"], writes=[f"a{at}"]) for at in range(length)]
    other = [
        layer(f"/{at}/Mul + /{at + 1}/Add", reads=["x"], writes=[(f"b{at}", [1, 8, 4])])
        for at in range(length)
    ]
    analyses = [analysis_of(one), analysis_of(other)]
    alignment = align(analyses)
    check_is_partition(alignment, analyses)
    largest = max(len(members(row, engine)) for row in alignment.rows for engine in (0, 1))
    assert largest <= align_rows._MAX_LAYERS
    assert bool(alignment.cut) == (length > align_rows._MAX_LAYERS)
    assert sum(row.cut for row in alignment.rows) >= min(2, alignment.cut)


def test_a_changed_output_precision_is_a_change_of_precision():
    def facts(**changed):
        fixed = {"precision": "INT8", "output_precision": "INT8", "tactic": "a", "structural": False}
        return SimpleNamespace(**({"inputs": (), "outputs": ()} | fixed | changed))

    row = AlignedRow([[0], [0]], [[], []], [[], []], [])
    other = facts(output_precision="FP16", tactic="b")
    assert changes(row, 0, [[facts()], [other]]) == [[], ["precision changed", "tactic changed"]]
    assert changes(row, 0, [[facts()], [facts(output_precision="")]]) == [[], []]


@pytest.mark.parametrize("side", ["inputs", "outputs"])
@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        (("INT8 NC/32HW32", "INT8 NC/32HW32"), ("INT8 NC/32HW32", "FP16 NHWC8"), True),
        (("FP16 NHWC8", "FP32 linear"), ("FP32 linear", "FP16 NHWC8"), False),
        (("INT8 linear", "unknown"), ("INT8 linear", "FP16 linear"), False),
        (("INT8 linear",), ("INT8 linear", "FP32 linear"), False),
    ],
)
def test_types_of_all_inputs_and_outputs_count(side, ours, theirs, expected):
    """A residual input that becomes INT8 is a change of precision; an order of inputs is none."""

    def facts(formats):
        uses = tuple(SimpleNamespace(format=each) for each in formats)
        fixed = {"precision": "INT8", "output_precision": "INT8", "tactic": "", "structural": False}
        return SimpleNamespace(**({"inputs": (), "outputs": ()} | fixed | {side: uses}))

    row = AlignedRow([[0], [0]], [[], []], [[], []], [])
    found = changes(row, 0, [[facts(ours)], [facts(theirs)]])[1]
    assert ("precision changed" in found) is expected


def test_the_same_numbers_throughout_are_one_network_also_if_it_is_pruned():
    def network(maps):
        return [convolution(f"Conv_{at}", [f"{at}"], [f"{at + 1}"], maps << at // 6) for at in range(24)]

    rows = align([analysis_of(network(16)), analysis_of(network(8))]).rows
    assert [row.layers for row in rows] == [[[at], [at]] for at in range(24)]
