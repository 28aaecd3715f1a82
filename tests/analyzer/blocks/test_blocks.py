"""Blocks: every layer once, figures that add up, modules by name, repetitions, and what is odd."""

from __future__ import annotations

import math

import pytest
from graph_plans import analysis_of, chain, decoder, layer, random_layers, unet
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.blocks.division import Run, repetitions
from trexreport.analyzer.module_paths import stated_paths
from trexreport.reader import read_engine
from trexreport.wording.blocks import block_difference


def leaves(blocks):
    return [block for block in blocks.items if not block.children]


def layers_in(block):
    return [index for first, last in block.ranges for index in range(first, last + 1)]


def labels(blocks, parent=0):
    return [blocks.items[child].label for child in blocks.items[parent].children]


def differences(blocks, series):
    """Return how the odd members of a series differ, in words, by label."""
    odd = [blocks.items[each] for each in series.odd]
    return {
        block.label: [block_difference(each).replace("\u00a0", " ") for each in block.differs]
        for block in odd
    }


def check(analysis):
    """Check what holds of any engine's blocks."""
    blocks = analysis.blocks
    found = sorted(index for block in leaves(blocks) for index in layers_in(block))
    assert found == list(range(len(analysis.layers)))
    for block in blocks.items:
        below = [blocks.items[child] for child in block.children]
        assert all(child.parent == block.id < child.id for child in below)
        assert [child.ranges[0][0] for child in below] == sorted(child.ranges[0][0] for child in below)
        assert len({child.label for child in below}) == len(below)
        assert block.repeat_of is None or block.repeat_of < block.id
        if below:
            assert layers_in(block) == sorted(index for child in below for index in layers_in(child))
            assert block.count == sum(child.count for child in below)
        else:
            assert len(layers_in(block)) <= 80
        times = [analysis.layers[index].avg_ms for index in layers_in(block)]
        known = [time for time in times if time is not None]
        assert (block.time_ms is None) == (not known)
        assert block.time_ms is None or math.isclose(block.time_ms, math.fsum(known), abs_tol=1e-12)
        assert sum(block.precision_layers.values()) == block.count
    for series in blocks.series:
        assert set(series.odd) <= set(series.members)
        assert series.alike * 2 > len(series.members) >= 3


@given(st.integers(0, 10**6), st.integers(0, 150))
def test_any_engine(seed, count):
    check(analysis_of(random_layers(seed, count) or [layer("a", ["in"], ["out"])]))


def test_real_engines(engines_folder):
    for folder in sorted(each for each in engines_folder.iterdir() if each.is_dir()):
        check(analyze(read_engine(folder)))


def test_the_same_engine_gives_the_same_blocks():
    assert as_json(analysis_of(decoder(5)).blocks) == as_json(analysis_of(decoder(5)).blocks)


def test_modules_become_blocks_and_their_repetitions_a_series():
    blocks = analysis_of(decoder(12)).blocks
    assert blocks.basis == "names"
    series = next(each for each in blocks.series if each.label == "layers.*")
    assert [blocks.items[member].label for member in series.members] == [f"layers.{n}" for n in range(12)]
    assert (series.alike, series.odd) == (12, [])
    assert series.median_ms == pytest.approx(0.14)
    assert [blocks.items[member].repeat_of for member in series.members[1:]] == [series.members[0]] * 11


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"Inputs": "FP32"}, "1 layer in FP32 instead of FP16"),
        ({"ms": 0.1}, "0.230 ms, 64.3% more than usual"),
        ({"TacticName": "other"}, "another tactic in 1 layer"),
        ({"LayerType": "Reformat"}, "1 layer of another type"),
        ({"dims": [1, 99]}, "other shapes or formats"),
    ],
)
def test_a_block_that_differs_from_its_series_is_reported(change, sentence):
    layers = [{"TacticName": "usual", **each} for each in decoder(9)]
    odd = next(each for each in layers if each["Name"] == "/model/layers.4/part.7/MatMul")
    if "Inputs" in change:
        # A tensor of its own: all that read one state it in one type.
        odd["Inputs"][0].update({"Name": "other", "Format/Datatype": "Row major linear FP32"})
    elif "dims" in change:
        odd["Outputs"][0]["Dimensions"] = change["dims"]
    else:
        odd.update(change)
    blocks = analysis_of(layers).blocks
    (series,) = (each for each in blocks.series if each.label == "layers.*")
    assert differences(blocks, series) == {"layers.4": [sentence]}


def test_a_missing_layer_is_reported():
    layers = [each for each in decoder(9) if each["Name"] != "/model/layers.4/part.13/MatMul"]
    blocks = analysis_of(layers).blocks
    (series,) = (each for each in blocks.series if each.label == "layers.*")
    assert differences(blocks, series) == {"layers.4": ["13 layers instead of 14"]}


def test_repetitions_are_found_without_names():
    blocks = analysis_of(decoder(12, named=False)).blocks
    # The first layers still have names, but they are too few to go by.
    assert blocks.basis == "structure"
    units = [block for block in blocks.items if block.kind == "unit"]
    assert {len(layers_in(unit)) for unit in units} == {14}
    assert 11 <= len(units) <= 12
    assert [unit.repeat_of for unit in units[1:]] == [units[0].id] * (len(units) - 1)
    assert [series.label for series in blocks.series] == ["block *"]


def test_what_neither_repeats_nor_has_names_is_cut_into_runs():
    layers = chain([f"x{number}" for number in range(300)])
    for number, each in enumerate(layers):
        each["Outputs"][0]["Dimensions"] = [1, number]
    blocks = analysis_of(layers).blocks
    assert blocks.basis == "order"
    assert {block.kind for block in blocks.items[1:]} == {"layers"}
    assert labels(blocks)[0].startswith("layers 0 – ")


def test_runs_are_cut_where_few_tensors_are_alive():
    layers = []
    for part in range(4):
        start = f"p{part}" if part else "in"
        names = [f"{part}.{number}" for number in range(40)]
        layers += [layer(f"n{name}", [start], [name], dims=(part, int(name.split(".")[1]))) for name in names]
        layers.append(layer(f"join{part}", names, [f"p{part + 1}"], "Concat", dims=(part, 99)))
    blocks = analysis_of(layers).blocks
    assert [block.ranges for block in leaves(blocks)] == [[[41 * n, 41 * n + 40]] for n in range(4)]


def test_layers_without_names_belong_to_their_neighbors():
    layers = [
        layer("/a/Conv", ["in"], ["1"]),
        layer("Reformatting CopyNode for Input Tensor 0 to /b/Conv", ["1"], ["2"], "Reformat"),
        layer("__myl_Foo_1", ["2"], ["3"], "kgen"),
        *(layer(f"/b/Conv_{n}", [str(n)], [str(n + 1)]) for n in range(3, 9)),
        *(layer(f"/a/Conv_{n}", [str(n)], [str(n + 1)]) for n in range(9, 14)),
    ]
    blocks = analysis_of(layers, ("in", "14")).blocks
    assert {block.label: block.ranges for block in blocks.items[1:]} == {
        "a": [[0, 0], [9, 13]],
        "b": [[1, 8]],
    }


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("/model/layers.3/mlp/Mul + /model/layers.3/mlp/Add", "model/layers.3/mlp"),
        ("[CONVOLUTION]-[aten_ops.convolution.default]-[/features/1/conv/convolution_2]", "features/1/conv"),
        ("layer1.0.conv2.weight + QuantizeLinear_32 + Conv_34", "layer1/0/conv2"),
        ("conv1.weight + QuantizeLinear_7 + Conv_9", "conv1"),
        ("squeeze_node_after_fc.weight + Gemm_48", "fc"),
        ("{ForeignNode[/neck/a/Constant_output_0.../neck/b/Where_13]}", "neck"),
        ("reshape_before_/model/head/Gemm", "model/head"),
        ("PWN(PWN(/stem/act/Sigmoid), /stem/act/Mul)", "stem/act"),
        ("/h.3/mlp/c_proj/Gemm + /h.3/Add + /h.3/act/Gelu", "h.3/mlp/c_proj"),
        ("/layer1/conv2/Conv + /layer1/Add + /layer1/relu/Relu", "layer1/conv2"),
        ("/h.3/q_proj/MatMul + /h.3/k_proj/MatMul_1 + /h.3/q_proj/Add", "h.3"),
        # Of a subgraph only the ends are known, and a reduction does not multiply.
        ("{ForeignNode[/h.0/attn/MatMul.../h.0/mlp/Add]}", "h.0"),
        ("/h.3/ln/ReduceMean + /h.3/Add", "h.3"),
    ],
)
def test_names_of_all_kinds_show_a_module(name, path):
    layers = [layer(name, ["in"], ["t"]), *(layer(f"/x/y{n}/Op", ["t"], ["t"]) for n in range(3))]
    analysis = analysis_of(layers)
    assert "/".join(stated_paths(analysis.layers)[0]) == path


def test_many_tiny_modules_are_taken_together():
    blocks = analysis_of(unet(200)).blocks
    assert blocks.basis == "names"
    assert len(blocks.items[0].children) <= 64
    assert labels(blocks)[0].startswith("down.0 – down.")


def test_many_modules_are_taken_together_in_groups():
    blocks = analysis_of(decoder(200)).blocks
    assert max(len(block.children) for block in blocks.items) <= 64
    (series,) = (each for each in blocks.series if each.label == "layers.*")
    assert len(series.members) == 200
    groups = [block for block in blocks.items if block.kind == "group"]
    assert groups[0].label == "layers.0 – layers.31"


def test_without_times_nothing_is_stated_of_times():
    blocks = analysis_of(decoder(6), timed=False).blocks
    assert all(block.time_ms is None and block.share_percent is None for block in blocks.items)
    assert blocks.series[0].median_ms is None
    assert blocks.items[0].precision_ms == {}
    assert blocks.items[0].precision_layers == {"FP16": 87}


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        # Six parts of four, which are three of eight as well: the rest makes eight a candidate.
        ("abcd" * 6 + "efghijkl" * 2, [Run(0, 24, 6), Run(24, 40, 0)]),
        # Two stretches of one length that overlap: the first is taken.
        ("abcd" * 3 + "ebcd" * 2 + "e", [Run(0, 12, 3), Run(12, 21, 0)]),
        ("abcd" * 2, [Run(0, 8, 0)]),
        ("abc" * 5, [Run(0, 15, 0)]),
    ],
)
def test_of_equal_repetitions_the_shortest_and_the_first_is_taken(numbers, expected):
    assert repetitions([ord(each) for each in numbers]) == expected
