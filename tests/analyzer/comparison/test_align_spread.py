"""Matches spread through the flow of data, those first whose counterpart is clearest."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from alignment_plans import analysis_of, layer
from generator import edits
from generator.edit_kinds import score
from generator.edits import RENAMES, Edited, drop_metadata
from generator.models import Network
from generator.pairs import make_pair

from trexreport.analyzer.comparison.align import align
from trexreport.analyzer.comparison.names import kinds

MIN_F1 = 0.9


def loop(steps):
    """Return a plan of a recurrent network that is unrolled: equal steps, each of which reads the last."""
    net = Network((1, 64, 64), myelin=True)
    state = net.product("/first", -1, 64)
    for step in range(steps):
        path = f"/cell.{step}"
        update = net.add(f"{path}/Sigmoid", net.product(f"{path}/update", state, 64))
        reset = net.add(f"{path}/Sigmoid_1", net.product(f"{path}/reset", state, 64))
        inner = net.add(f"{path}/Mul", reset, state)
        inner = net.add(f"{path}/Tanh", net.product(f"{path}/candidate", inner, 64))
        state = net.add(f"{path}/Add", net.add(f"{path}/Mul_1", update, inner), state)
    net.product("/last", state, 10)
    plan = Edited.of(make_pair(net, "renamed", metadata=True)[0].engine.graph_json())
    drop_metadata(plan)
    return plan


@pytest.mark.parametrize("seed", range(4))
def test_steps_of_a_renamed_loop_are_not_those_before_or_behind_them(seed):
    """All steps are equal, and no name says which is which; some layers are split, fused or added."""
    original = loop(10)
    plan = deepcopy(original)
    edits.rename(plan, range(len(plan.layers)), RENAMES["hash"])
    for change in (edits.split, edits.merge, edits.insert):
        change(plan, Random(seed), 0.05)
    rows = align([analysis_of(original.text()), analysis_of(plan.text())]).rows
    f1, _ = score(plan, [(row.layers[0], row.layers[1]) for row in rows])
    assert f1 >= MIN_F1


def test_a_result_that_nearly_all_layers_read_says_nothing():
    """Each layer reads the mask; the chain shows which is which."""

    def plan(name):
        mask = layer(f"__myl_Cast_myl0_{name}", "kgen", ["x"], ["mask"])
        chain = [
            layer(f"__myl_MulAdd_myl0_{name}{at}", "kgen", [f"t{at}", "mask"], [f"t{at + 1}"])
            for at in range(60)
        ]
        return analysis_of([mask, *chain])

    rows = align([plan("1"), plan("2")]).rows
    assert all(row.layers[0] == row.layers[1] for row in rows)


def test_names_of_torch_export_say_what_they_compute():
    assert kinds(["node_conv2d_12", "node_relu_3", "/layer1/conv1/Conv_2"]) == ("conv2d", "relu", "Conv")
