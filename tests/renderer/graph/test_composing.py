"""What is drawn of an engine: which boxes and arrows there are, and what is named instead."""

from __future__ import annotations

from graph_plans import analysis_of, chain, layer

from trexreport.renderer.graph.composing import MAX_AT_A_SIDE, compose
from trexreport.renderer.graph.picture import MAX_ARROWS, Arrow, Choice


def composed(layers, bindings=("in", "out"), **choice):
    analysis = analysis_of(layers, bindings)
    return analysis, compose(analysis, Choice(**choice))


def names(analysis, picture):
    """Return each box: the name of its layer, or what its rows name."""
    return {
        box.key: analysis.layers[box.index].name
        if box.kind == "layer"
        else [(row.kind, analysis.tensors[row.tensor].name, row.count) for row in box.rows]
        for box in picture.boxes
    }


def ends(arrows):
    return [(each.source, each.target) for each in arrows]


def test_a_chain_begins_and_ends_with_the_names_of_its_io_tensors():
    analysis, picture = composed(chain(["a", "b"]))
    assert names(analysis, picture) == {
        "above:layer:0": [("input", "in", 1)],
        "layer:0": "a",
        "layer:1": "b",
        "below:layer:1": [("output", "out", 1)],
    }
    assert sorted(ends(picture.arrows)) == [
        ("above:layer:0", "layer:0"),
        ("layer:0", "layer:1"),
        ("layer:1", "below:layer:1"),
    ]


def test_an_input_of_several_layers_is_one_box_as_far_as_arrows_can_be_followed():
    for readers, source in ((2, "input:0"), (MAX_ARROWS, "input:0"), (MAX_ARROWS + 1, "above:layer:0")):
        _, picture = composed([layer(f"r{n}", ["in"], [f"o{n}"]) for n in range(readers)])
        assert [key for key, target in ends(picture.arrows) if target == "layer:0"] == [source]


def test_an_output_that_several_layers_write_is_one_box():
    analysis, picture = composed([layer("a", ["in"], ["out"]), layer("b", ["in"], ["out"])])
    outputs = [box for box in picture.boxes if box.key.startswith("output:")]
    assert [analysis.tensors[row.tensor].name for box in outputs for row in box.rows] == ["out"]
    assert {source for source, target in ends(picture.arrows) if target == outputs[0].key} == {
        "layer:0",
        "layer:1",
    }


def test_a_tensor_with_many_readers_is_named_at_each_of_them():
    for readers, stubs in ((MAX_ARROWS, 0), (MAX_ARROWS + 1, MAX_ARROWS + 2)):
        layers = [layer("mask", ["in"], ["m"]), *(layer(f"r{n}", ["m"], []) for n in range(readers))]
        _, picture = composed(layers)
        assert sum(row.kind == "stub" for box in picture.boxes for row in box.rows) == stubs


def test_a_side_of_a_layer_has_a_limited_number_of_arrows():
    for count in (MAX_AT_A_SIDE, MAX_AT_A_SIDE + 1):
        layers = [
            *(layer(f"w{n}", [f"i{n}"], [f"t{n}"]) for n in range(count)),
            layer("join", [f"t{n}" for n in range(count)], ["out"]),
        ]
        _, picture = composed(layers)
        joined = [arrow for arrow in picture.arrows if arrow.target == f"layer:{count}"]
        assert len(joined) == (count if count == MAX_AT_A_SIDE else 1)


def test_what_reads_an_earlier_tensor_of_a_later_layer_points_back():
    _, picture = composed([layer("a", ["in", "state"], ["x"]), layer("b", ["x"], ["state", "out"])])
    assert [
        each.back for each in picture.arrows if each.source == "layer:1" and each.target == "layer:0"
    ] == [True]
    assert Arrow("layer:0", "layer:1", picture_tensor(picture, "layer:0", "layer:1")) in picture.arrows


def picture_tensor(picture, source, target):
    return next(each.tensor for each in picture.arrows if (each.source, each.target) == (source, target))


def test_a_part_names_what_comes_from_and_goes_to_others():
    analysis, picture = composed(chain(["a", "b", "c"]), only=frozenset({1}))
    assert names(analysis, picture) == {
        "above:layer:1": [("stub", "t1", 1)],
        "layer:1": "b",
        "below:layer:1": [("stub", "t2", 1)],
    }


def test_no_ops_and_constants_are_left_out_unless_asked_for():
    layers = [
        layer("c", [], ["weights"], "Constant"),
        layer("a", ["in", "weights"], ["x"]),
        layer("n", ["x"], ["y"], "NoOp"),
        layer("b", ["y"], ["out"]),
    ]
    _, picture = composed(layers)
    assert [box.index for box in picture.boxes if box.kind == "layer"] == [1, 3]
    assert (picture.folded, picture.hidden) == (1, 1)
    _, picture = composed(layers, shown=frozenset({"noops", "constants"}))
    assert [box.index for box in picture.boxes if box.kind == "layer"] == [0, 1, 2, 3]
    assert (picture.folded, picture.hidden) == (0, 0)


def test_a_collapsed_block_is_one_box_with_one_arrow_for_all_tensors():
    layers = [layer(f"/m/first/a{n}", [f"x{n}" if n else "in"], [f"x{n + 1}"]) for n in range(8)]
    layers += [layer(f"/m/middle/b{n}", [f"x{n + 1}"], [f"y{n}"]) for n in range(8)]
    layers += [layer(f"/m/last/c{n}", [f"y{n}"], [f"z{n}"]) for n in range(8)]
    analysis = analysis_of(layers)
    block = next(each.id for each in analysis.blocks.items if list(each.layers) == list(range(8, 16)))
    picture = compose(analysis, Choice(collapsed={block: (block,)}))
    box = f"block:{block}"
    assert [each.kind for each in picture.boxes if each.key == box] == ["block"]
    inside = {f"layer:{index}" for index in range(8, 16)}
    assert not inside & {each.key for each in picture.boxes}
    leaving = [each for each in picture.arrows if each.source == box]
    assert [(each.target, each.count) for each in leaving] == [(f"layer:{n}", 1) for n in range(16, 24)]
    whole = next(each.id for each in analysis.blocks.items if list(each.layers) == list(range(16, 24)))
    both = compose(analysis, Choice(collapsed={block: (block,), whole: (whole,)}))
    assert [each.count for each in both.arrows if each.source == box] == [8]
