"""Names that one engine has below another module, or spells in another way."""

from __future__ import annotations

import pytest
from alignment_plans import analysis_of, convolution, layer

from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.align_renames import with_wholes


def tower(named, blocks, maps=8):
    """Return equal blocks of two convolutions; what each is called follows from its block and number."""
    plan, before = [], "input"
    for block in blocks:
        for number in (1, 2):
            written = f"{named(block, number)}_output_0"
            plan.append(convolution(f"{named(block, number)}/Conv", [before], [written], maps))
            before = written
    return plan


def of_model(block, number):
    """Return a name of the baseline."""
    return f"/body/body.{block}/conv{number}"


def rows_of(one, other):
    """Return which layers of two plans are in one row."""
    return [row.layers for row in align([analysis_of(one), analysis_of(other)]).rows]


@pytest.mark.parametrize(
    "named",
    [
        lambda block, number: f"/module/model{of_model(block, number)}",
        lambda block, number: f"/trunk/trunk.{block}/cv{number}",
        lambda block, number: f"model/body/{block}/conv{number}",
    ],
)
def test_numbers_in_renamed_paths_say_which_equal_block_was_removed(named):
    """Order and looks alone could mean any of them."""
    found = rows_of(tower(of_model, range(8)), tower(named, [0, 1, 2, 4, 5, 6, 7]))
    at = iter(range(14))
    assert found == [[[left], [] if left in (6, 7) else [next(at)]] for left in range(16)]


def test_a_subgraph_below_another_module_holds_the_layers_that_it_names():
    plan = tower(lambda block, number: f"/net{of_model(block, number)}", range(8))
    for start in (8, 2):
        first, second = plan[start : start + 2]
        name = f"{{ForeignNode[{first['Name']}...{second['Name']}]}}"
        plan[start : start + 2] = [
            layer(name, "Myelin") | {"Inputs": first["Inputs"], "Outputs": second["Outputs"]}
        ]
    found = rows_of(tower(of_model, range(8)), plan)
    assert found == [
        [[0], [0]], [[1], [1]], [[2, 3], [2]], *([[left], [left - 1]] for left in range(4, 8)),
        [[8, 9], [7]], *([[left], [left - 2]] for left in range(10, 16)),
    ]  # fmt: skip


def test_products_that_differ_are_not_the_same_below_another_module():
    """Two networks may number their blocks in the same way."""
    found = rows_of(tower(of_model, range(8)), tower(lambda *at: f"/net{of_model(*at)}", range(8), maps=16))
    assert all(not (left and right) for left, right in found)


@pytest.mark.parametrize("ends", [("_part0", "_part1"), ("_a", "_b"), (".0", ".1"), ("_head", "_tail")])
@pytest.mark.parametrize(("name", "after"), [("Softmax_3", "Mul_4"), ("/att/Softmax", "/out/Mul")])
@pytest.mark.parametrize("swapped", [False, True])
def test_pieces_of_a_layer_are_called_after_the_whole(ends, name, after, swapped):
    """The first piece keeps no tensor of the whole, and its look is that of the last."""
    whole = [layer(name, "SoftMax", ["x"], ["y"]), layer(after, "ElementWise", ["y"], ["z"])]
    pieces = [
        layer(f"{name}{ends[0]}", "PointWiseV2", ["x"], ["x_inner"]),
        layer(f"{name}{ends[1]}", "SoftMax", ["x_inner"], ["y"]),
        whole[1],
    ]
    found = rows_of(pieces, whole) if swapped else rows_of(whole, pieces)
    assert [each[::-1] if swapped else each for each in found] == [[[0], [0, 1]], [[1], [2]]]


def test_a_numbered_name_alone_is_no_piece():
    """Exporters number operations of one kind: "Add_1" is not part of "Add"."""
    names = [["/a/Add"], ["/b/Add"], ["/c/Mul"]], [["/a/Add_1"], ["/b/Add"], ["/b/Add_1"], ["/b/Add_2"]]
    assert with_wholes(names) is names


@pytest.mark.parametrize("units", [8, 12])
def test_numbers_mean_the_same_where_fusion_exchanged_branches(units):
    """Which of two equal branches comes first follows from the order in which their reader has them."""

    def plan(mark, *, turned):
        layers, state = [], "input"
        for at in range(0, 5 * units, 5):
            a, b, c, d, e = (f"{letter}{at}{mark}" for letter in "abcde")
            layers += [
                convolution(f"Conv_{at}", [state], [a]),
                convolution(f"Conv_{at + 1}", [state], [b]),
                layer(f"Add_{at + 2}", "ElementWise", [b, a] if turned else [a, b], [c]),
                convolution(f"Conv_{at + 3}", [c], [d]),
                convolution(f"Conv_{at + 4}", [d], [e]),
            ]
            state = e
        return layers

    found = rows_of(plan("", turned=False), plan("'", turned=True))
    assert found == [[[at], [at]] for at in range(5 * units)]
