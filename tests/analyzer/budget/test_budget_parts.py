"""Limits on layers and blocks: which are meant, their sums, the worst of them, and the aligned layers."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from budget_engines import AFTER, BEFORE, SAMPLES, checked, outcome
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.analyzer.analysis import Block
from trexreport.analyzer.analysis.blocks import Blocks
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.wording.budget import limit_reason


def part(text, engine=AFTER, baseline=None):
    return outcome(f"[[budget.part]]\n{text}", engine, baseline)


def times(path, start):
    return [each.avg_ms for each in checked(path)[1].layers if each.name.startswith(start)]


def test_the_times_of_layers_that_fit_are_summed():
    total = math.fsum(times(AFTER, "layer1."))
    found = part(f'layers = "layer1.*"\ntime-ms = {total!r}')
    assert (found.value, found.state) == (total, "held")
    below = math.nextafter(total, 0)
    assert part(f'layers = "layer1.*"\ntime-ms = {below!r}').state == "broken"


def test_each_holds_every_layer_against_the_limit_by_itself():
    longest = max(times(AFTER, "layer1."))
    found = part(f'layers = "layer1.*"\neach = true\ntime-ms = {longest!r}')
    assert (found.value, found.state) == (longest, "held")
    broken = part('layers = "layer1.*"\neach = true\ntime-ms = 0')
    assert limit_reason(broken) == f"The maximum of {len(times(AFTER, 'layer1.'))} layers."
    (name,) = broken.layers
    (layer,) = [each for each in checked(AFTER)[1].layers if each.name == name]
    assert layer.avg_ms == longest


@pytest.mark.parametrize("key", PART_FIGURES)
@pytest.mark.parametrize("choice", ['layers = "*"', 'block = "layer[12]"', 'block = "layer*"\neach = true'])
def test_each_limit_on_both_sides_of_its_bound(key, choice):
    value = part(f"{choice}\n{key} = 0", BEFORE, AFTER).value
    if value > 0:
        assert part(f"{choice}\n{key} = {min(value, 100)!r}", BEFORE, AFTER).state == "held"
        tighter = math.nextafter(value, 0)
        assert part(f"{choice}\n{key} = {tighter!r}", BEFORE, AFTER).state == "broken"
    else:
        assert part(f"{choice}\n{key} = 0", BEFORE, AFTER).state == "held"


def test_the_parts_of_all_layers_make_the_whole():
    analysis = checked(AFTER)[1]
    assert part('layers = "*"\ntime-ms = 99').value == pytest.approx(analysis.latency.layer_sum_ms)
    assert part('layers = "*"\nshare-percent = 100').value == pytest.approx(100)
    assert part('layers = "*"\ncount = 99').value == outcome("layers = 99").value
    assert part('block = "*"\ncount = 99').value == outcome("layers = 99").value
    assert part('layers = "*"\nreformats = 99').value == 2


def test_a_block_is_its_layers():
    blocks = checked(AFTER)[1].blocks.items
    (block,) = [each for each in blocks if each.path == "layer1" and each.kind == "module"]
    found = part('block = "layer1"\ntime-ms = 0')
    assert found.value == pytest.approx(block.time_ms)
    assert part('block = "/layer1/"\ntime-ms = 0').value == found.value


def test_of_nested_blocks_the_outermost_counts_once():
    whole = SAMPLES / "transformer-trt10-myelin"
    together = part('block = "model*"\nshare-percent = 100', whole)
    alone = part('block = "model"\nshare-percent = 100', whole)
    assert (together.value, together.state) == (alone.value, alone.state)
    each = part('block = "model/layers.*"\neach = true\ncount = 0', whole)
    assert limit_reason(each) == "The maximum of 6 blocks."


def test_a_group_of_blocks_is_none_by_itself():
    engine, analysis = checked(AFTER)
    blocks = Blocks(
        [
            Block(0, "engine", "engine", "", None, [1], [[0, 3]]),
            Block(1, "group", "layers.0 – layers.1", "model", 0, [2, 3], [[0, 3]]),
            Block(2, "module", "layers.0", "model/layers.0", 1, [], [[0, 1]]),
            Block(3, "module", "layers.1", "model/layers.1", 1, [], [[2, 3]]),
        ]
    )
    grouped = (engine, dataclasses.replace(analysis, blocks=blocks))
    each = part('block = "model/layers.*"\neach = true\ncount = 0', grouped)
    assert (each.value, limit_reason(each)) == (2, "The maximum of 2 blocks.")


@pytest.mark.parametrize("choice", ['layers = "nothing*"', 'block = "nothing*"'])
@pytest.mark.parametrize("key", PART_FIGURES)
def test_a_pattern_that_fits_nothing_does_not_pass(choice, key):
    found = part(f"{choice}\n{key} = 100", AFTER, BEFORE)
    assert (found.state, limit_reason(found)) == ("unknown", "Nothing fits the pattern.")


def test_what_was_not_measured_is_not_known():
    whole = SAMPLES / "transformer-trt10-myelin"
    names = [
        layer.name for layer in checked(whole)[1].layers if layer.avg_ms is None and not layer.structural
    ]
    (name,) = names
    pattern = "".join(f"[{each}]" if each in "[]*?" else each for each in name)
    assert part(f"layers = '{pattern}'\ntime-ms = 1", whole).state == "unknown"
    found = part('layers = "*"\neach = true\ntime-ms = 99', whole)
    assert found.state == "unknown"
    assert limit_reason(found).startswith("Not fully known for 1 of ")
    assert part('layers = "*"\neach = true\ntime-ms = 0', whole).state == "broken"


def test_the_regression_of_what_was_not_measured_is_not_known():
    whole = SAMPLES / "transformer-trt10-myelin"
    found = part('layers = "*"\nregression-percent = 99', whole, whole)
    assert (found.state, found.value) == ("unknown", None)
    assert limit_reason(found) == "The aligned layers were not fully measured, here or in the baseline."
    measured = part('layers = "__myl_MulConcCosSin_*"\nregression-percent = 0', whole, whole)
    assert (measured.state, measured.value) == ("held", 0)


def plan(folder, **times):
    """Return an engine of pointwise layers with these times, one after another."""
    folder.mkdir()
    tensors = [
        {"Name": f"t{number}", "Dimensions": [1, 8], "Format/Datatype": "Row major linear FP32"}
        for number in range(len(times) + 1)
    ]
    layers = [
        {"Name": name, "LayerType": "PointWise", "Inputs": [tensors[at]], "Outputs": [tensors[at + 1]]}
        for at, name in enumerate(times)
    ]
    rows = [{"name": name, "averageMs": time} for name, time in times.items()]
    (folder / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": []}))
    (folder / "x.profile.json").write_text(json.dumps([{"count": 10}, *rows]))
    return folder


def test_a_growth_of_exactly_the_limit_holds(tmp_path):
    old, new = plan(tmp_path / "old", first=1.0, second=1.0), plan(tmp_path / "new", first=1.25, second=1.0)
    assert part('layers = "first"\nregression-percent = 25', new, old).state == "held"
    assert part('layers = "first"\nregression-percent = 24.9', new, old).state == "broken"
    assert part('layers = "*"\nregression-percent = 12.5', new, old).state == "held"


def test_what_only_one_engine_has_is_no_regression_of_anything(tmp_path):
    old, new = plan(tmp_path / "old", first=1.0), plan(tmp_path / "new", first=1.0, other=5.0)
    found = part('layers = "other"\nregression-percent = 99', new, old)
    assert (found.state, limit_reason(found)) == ("unknown", "The baseline has no time for this part.")
    # With what it has a counterpart of, it is.
    assert part('layers = "*"\nregression-percent = 99', new, old).state == "broken"


def test_regression_is_of_the_aligned_layers():
    comparable = part('layers = "layer1.*"\nregression-percent = 0', BEFORE, AFTER)
    assert comparable.value > 0
    mirrored = part('layers = "layer1.*"\nregression-percent = 0', AFTER, BEFORE)
    assert mirrored.value < 0
    assert part('layers = "*"\nregression-percent = 0', BEFORE, BEFORE).value == 0


def test_the_regression_of_all_layers_is_that_of_their_sums():
    before, after = (checked(path)[1].latency.layer_sum_ms for path in (AFTER, BEFORE))
    found = part('layers = "*"\nregression-percent = 0', BEFORE, AFTER)
    assert found.value == pytest.approx(100 * (after / before - 1))


@settings(max_examples=40)
@given(st.text(alphabet="*?[]!-layer1.conv2 +/\\", max_size=12).filter(str.strip))
def test_any_pattern_chooses_some_layers_or_none(pattern):
    quoted = "'''" + pattern + "'''"
    found = part(f"layers = {quoted}\ncount = 0")
    assert found.state in {"broken", "unknown"}
    assert (found.value is None) == (limit_reason(found) == "Nothing fits the pattern.")


def test_parts_of_the_walkthrough_regress_though_their_layers_have_other_names(engines_folder):
    baseline, candidate = (engines_folder / f"a100-resnet18-{name}" for name in ("fp16", "qat"))
    pooling, body = (
        part(f'layers = "{pattern}"\nregression-percent = 0', candidate, baseline)
        for pattern in ("*MaxPool*", "layer4*")
    )
    # Pooling in FP32 between reformats takes twice as long; convolutions in INT8 are faster.
    assert (pooling.state, pooling.value > 100) == ("broken", True)
    assert (body.state, body.value < -10) == ("held", True)
