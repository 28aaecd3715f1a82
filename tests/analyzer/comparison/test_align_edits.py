"""Alignment finds the layers of an engine again after edits of its plan with known truth."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import cache
from random import Random

import pytest
from alignment_plans import analysis_of, convolution, layer
from generator.edit_kinds import EDITS, METADATA, score
from generator.edits import RENAMES, Edited, drop_metadata, rename
from generator.large import llm_like, unet_like
from generator.models import encoder, residual_network
from generator.pairs import make_pair

from trexreport.analyzer.comparison.align import align

PLANS = ("cnn", "encoder", "decoder")
MIN_F1 = 0.98
#: A layer that is split and another that is put behind it differ in names only, which an edit makes up.
MIN_F1_ONE_BY_ONE = 0.95
#: A renamed quantizer and a renamed layer of one part look alike.
MIN_F1_OF_NAMES = 0.9


@cache
def plan_of(name, mode):
    """Return a plan, and its analysis, with metadata unless `mode` is "none"."""
    if name == "decoder":
        text = next(data.decode() for file, data in llm_like(100).items() if file.endswith("graph.json"))
    else:
        network = {"cnn": residual_network(2), "encoder": encoder(3)}[name]
        text = make_pair(network, "renamed", metadata=True)[0].engine.graph_json()
    plan = Edited.of(text)
    if mode == "none":
        drop_metadata(plan)
    return plan, analysis_of(plan.text())


def scores(name, title, mode, part, seeds=1):
    original, analysis = plan_of(name, mode)
    found = []
    for seed in range(seeds):
        plan = deepcopy(original)
        EDITS[title](plan, Random(f"{name}{title}{part}{seed}"), part, mode == "renamed")
        rows = align([analysis, analysis_of(plan.text())]).rows
        found.append(score(plan, [(row.layers[0], row.layers[1]) for row in rows]))
    return found


@pytest.mark.parametrize("mode", METADATA)
@pytest.mark.parametrize("part", [0.1, 0.4])
@pytest.mark.parametrize(
    "title", [title for title in EDITS if title.startswith(tuple(RENAMES)) and "mixed" not in title]
)
def test_what_was_only_renamed_is_aligned_layer_by_layer(title, part, mode):
    """Also where a new name is another layer's old one, as when the numbers of blocks move."""
    for name in PLANS:
        assert scores(name, title, mode, part) == [(1.0, 0)], name


@pytest.mark.parametrize("mode", METADATA)
@pytest.mark.parametrize("part", [0.1, 0.4])
@pytest.mark.parametrize(
    "title", ["regrouped", "split", "merge", "reorder", "insert", "stage, mixed", "hash, mixed"]
)
def test_other_edits_hide_few_layers(title, part, mode):
    found = [f1 for name in PLANS for f1, _ in scores(name, title, mode, part)]
    assert sum(found) / len(found) >= MIN_F1
    assert min(found) >= MIN_F1_ONE_BY_ONE


@pytest.mark.parametrize("seed", [1, 3])
def test_paths_of_another_exporter_distinguish_equal_blocks(seed):
    """Beside layers that were split and inserted, order and shapes alone are off by one."""
    text = next(data.decode() for file, data in unet_like(120).items() if file.endswith("graph.json"))
    plan = Edited.of(text)
    drop_metadata(plan)
    analysis = analysis_of(plan.text())
    EDITS["exporter, mixed"](plan, Random(seed), 0.4, False)
    rows = align([analysis, analysis_of(plan.text())]).rows
    f1, left_alone = score(plan, [(row.layers[0], row.layers[1]) for row in rows])
    assert f1 >= MIN_F1
    # The edits leave a convolution whose extents are not those of its kernel.
    assert left_alone <= 1


@pytest.mark.parametrize("kind", RENAMES)
@pytest.mark.parametrize("name", ["cnn", "encoder"])
def test_in_a_plan_of_names_only_a_renamed_stage_keeps_its_place(name, kind):
    """Names are put together as before; quantizers whose names no longer say it count as layers."""
    original, _ = plan_of(name, "none")
    names = []
    for at, each in enumerate(original.layers):
        names += [f"/block.{at}/_input_quantizer/QuantizeLinear"] * (at % 3 == 0) + [each["Name"]]
    plan = Edited.of(json.dumps({"Layers": names, "Bindings": []}))
    analysis = analysis_of(plan.text())
    rename(plan, range(len(names) // 4, 3 * len(names) // 4), RENAMES[kind])
    rows = align([analysis, analysis_of(plan.text())]).rows
    f1, _ = score(plan, [(row.layers[0], row.layers[1]) for row in rows])
    assert f1 >= MIN_F1_OF_NAMES
    assert all(row.layers[1] for row in rows), "a layer of the baseline alone"


def blocks(copies):
    """Return a plan of blocks of a named product and a nameless kernel each, of which some are copies."""
    records, before = [], "input"
    for number, copied in enumerate(copies):
        block = f"/copy.{number}" if copied else f"/block.{number - sum(copies[:number])}"
        made = [f"{block}/Conv_output_0", f"__mye{number}"]
        records.append(convolution(f"{block}/Conv", [before], made[:1]))
        records.append(layer(f"__myl_MulTanh_myl0_{number}", "kgen", made[:1], made[1:]))
        before = made[1]
    return analysis_of(records)


@pytest.mark.parametrize("place", range(1, 6))
def test_the_kernels_of_a_copied_block_are_not_those_of_the_block(place):
    one, other = blocks([False] * 5), blocks([False] * place + [True] + [False] * (5 - place))
    assert alone(one, other) == [[], [2 * place, 2 * place + 1]]


def chain(blocks):
    """Return a plan of equal blocks, one after the other, with these numbers in their names."""
    names = [f"/block.{number}/{part}/Conv" for number in blocks for part in ("conv1", "conv2")]
    tensors = ["input", *(f"{name}_output_0" for name in names)]
    return analysis_of([convolution(name, [tensors[at]], [tensors[at + 1]]) for at, name in enumerate(names)])


def alone(one, other):
    """Return the layers that only one of two plans has."""
    rows = align([one, other]).rows
    return [
        [index for row in rows if not row.layers[1 - side] for index in row.layers[side]] for side in (0, 1)
    ]


@pytest.mark.parametrize("gone", [0, 3, 7])
def test_of_equal_blocks_names_state_which_was_removed(gone):
    left = [number for number in range(8) if number != gone]
    assert alone(chain(range(8)), chain(left)) == [[2 * gone, 2 * gone + 1], []]
    assert alone(chain(left), chain(range(8))) == [[], [2 * gone, 2 * gone + 1]]


@pytest.mark.parametrize("first", [0, 3, 7])
def test_equal_blocks_whose_numbers_moved_on_stay_where_they_are(first):
    """Nearly every new name is another block's old one."""
    one, other = chain(range(8)), chain([*range(first), *range(first + 1, 9)])
    assert [row.layers for row in align([one, other]).rows] == [[[at], [at]] for at in range(16)]


def test_how_a_renamed_layer_was_matched_is_stated():
    original, analysis = plan_of("cnn", "none")
    plan = deepcopy(original)
    chosen = range(5, 12)
    rename(plan, chosen, RENAMES["hash"])
    rows = align([analysis, analysis_of(plan.text())]).rows
    assert len(rows) > len(chosen)
    for row in rows:
        (at,) = row.layers[0]
        assert row.layers[1] == [at]
        assert ("parts of the name" in row.keys[1]) == (at not in chosen)
