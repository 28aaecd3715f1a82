"""Matches spread through the flow of data, those first whose counterpart is clearest."""

from __future__ import annotations

from copy import deepcopy
from random import Random

import pytest
from alignment_plans import analysis_of
from generator import edits
from generator.edit_kinds import score
from generator.edits import RENAMES, Edited, drop_metadata
from generator.models import Network
from generator.pairs import make_pair

from trexreport.analyzer.comparison.align import align

MIN_F1 = 0.95


def loop(steps):
    """Return a plan of an unrolled recurrent network: equal steps, all of whose states are read last."""
    net = Network((1, 64, 64), myelin=True)
    read = net.product("/first", -1, 192)
    states, state = [], net.add("/start/Tanh", read, shape=(1, 64, 64))
    for step in range(steps):
        path = f"/cell.{step}"
        taken = net.add(f"{path}/Slice", read, shape=(1, 1, 192))
        both = net.add(f"{path}/Softmax", taken, net.product(f"{path}/gates", state, 192))
        update = net.add(f"{path}/Slice_1", both, shape=(1, 1, 64))
        reset = net.add(f"{path}/Softmax_2", both, shape=(1, 1, 64))
        inner = net.add(f"{path}/Softmax_1", net.add(f"{path}/Mul", reset, both, shape=(1, 1, 64)))
        state = net.add(f"{path}/Add", net.add(f"{path}/Mul_1", update, inner), state)
        states.append(state)
    joined = net.add("/Softmax", *states, shape=(1, steps, 64))
    net.product("/last", joined, 10)
    plan = Edited.of(make_pair(net, "renamed", metadata=True)[0].engine.graph_json())
    drop_metadata(plan)
    return plan


@pytest.mark.parametrize("seed", [1, 3, 4, 8])
def test_steps_of_a_renamed_loop_are_not_those_before_or_behind_them(seed):
    """All steps are equal, and no name says which is which; some layers are split, fused or added."""
    original = loop(10)
    plan = deepcopy(original)
    edits.rename(plan, range(len(plan.layers)), RENAMES["hash"])
    for change in (edits.split, edits.merge, edits.insert):
        change(plan, Random(seed), 0.3)
    for each in plan.layers:
        each["Inputs"].reverse()
    rows = align([analysis_of(original.text()), analysis_of(plan.text())]).rows
    f1, _ = score(plan, [(row.layers[0], row.layers[1]) for row in rows])
    assert f1 >= MIN_F1
