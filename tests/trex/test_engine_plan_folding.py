"""No-ops and constants are folded as in TREx."""

from __future__ import annotations

from small_plans import (
    layer,
    quiet,
    tensor,
)


def test_no_ops_and_constants_are_left_out_of_the_table(plan):
    assert list(plan.df["Name"]) == ["conv1", "pool", "conv2", "cast"]
    assert [each.name for each in plan.all_layers] == ["conv1", "weights", "pool", "conv2", "cast"]
    assert [each.name for each in plan.constants] == ["weights"]


def test_the_consumer_of_a_no_op_reads_what_the_no_op_read(plan):
    pool = plan.find("pool")
    assert [each.name for each in pool.inputs] == ["a"]
    assert pool.inputs[0].shape == [1, 8, 4, 4]
    # The table is what the file says.
    assert plan.df["Inputs"][1] == [tensor("b", (1, 128, 1, 1))]


def test_chains_of_no_ops_are_folded():
    plan = quiet(
        [
            layer("first", "Shuffle", ["in"], ["a"]),
            layer("noop 1", "NoOp", ["a"], ["b"]),
            layer("noop 2", "NoOp", ["b"], ["c"]),
            layer("second", "Shuffle", ["c"], ["out"]),
        ]
    )
    assert [each.name for each in plan.find("second").inputs] == ["a"]


def test_a_no_op_that_only_names_an_output_renames_it_at_its_producer():
    graph = [layer("conv", "Shuffle", ["in"], ["a"]), layer("noop", "NoOp", ["a"], ["out"])]
    plan = quiet(graph)
    assert [each.name for each in plan.layers] == ["conv"]
    assert [each.name for each in plan.layers[0].outputs] == ["out"]
    assert plan.df["Outputs"][0][0]["Name"] == "a"
    assert [each.name for each in plan.get_bindings()[1]] == ["out"]


def test_other_readers_of_a_renamed_tensor_follow():
    graph = [
        layer("conv", "Shuffle", ["in"], ["a"]),
        layer("noop", "NoOp", ["a"], ["out"]),
        layer("next", "Shuffle", ["a"], ["out2"]),
    ]
    plan = quiet(graph)
    assert [each.name for each in plan.find("next").inputs] == ["out"]


def test_synchronization_is_dropped_however_many_follow_one_another():
    graph = [
        layer(f"s{n}", kind) for n, kind in enumerate(["signal", "wait", "wait", "shape_call", "signal"])
    ]
    plan = quiet([*graph, layer("relu", "PointWise", ["in"], ["out"])])
    assert [each.name for each in plan.all_layers] == ["relu"]


def test_names_are_readable_and_unique():
    names = ["a\x1eb", "x", "x", "x_2", "x", "a\ud800"]
    plan = quiet([layer(name, "Shuffle", ["in"], [f"t{n}"]) for n, name in enumerate(names)])
    shown = list(plan.df["Name"])
    assert shown[0] == "a+b"
    assert shown[1] == "x"
    assert len(set(shown)) == len(names)
    assert shown[5] == "a\ufffd"
    assert plan.find("a\x1eb") is plan.layers[0]
    assert plan.find("nothing") is None


def test_a_plan_of_nothing_but_no_ops():
    plan = quiet([layer("n", "NoOp", ["in"], ["out"])])
    assert plan.df.empty
    assert len(plan.get_layers_by_type("Convolution")) == 0
    assert [each.name for each in plan.get_bindings()[1]] == ["out"]
    assert plan.df.nlargest(3, "latency.pct_time").empty
    assert plan.df.groupby(["type"]).sum()["latency.avg_time"].empty
