"""Real engines of one network, built in five ways, are aligned convolution by convolution."""

from __future__ import annotations

from itertools import combinations

import pytest
from alignment_plans import analysis_of, check_is_partition

from trexreport.analyzer.comparison.align import align

ENGINES = ["fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap"]
#: The convolutions of ResNet-18 in the order in which the floating-point export numbers them.
MODULES = ["conv1"]
for stage in (1, 2, 3, 4):
    for block in (0, 1):
        MODULES += [f"layer{stage}.{block}.conv1", f"layer{stage}.{block}.conv2"]
        if stage > 1 and block == 0:
            MODULES.append(f"layer{stage}.0.downsample.0")
NUMBERS = [0, 3, 5, 8, 10, 13, 15, 16, 19, 21, 24, 26, 27, 30, 32, 35, 37, 38, 41, 43]
MODULE_OF = {
    **{f"Conv_{number}": module for number, module in zip(NUMBERS, MODULES, strict=True)},
    **{f"{module}.weight": module for module in MODULES},
    "Gemm_48": "fc",
    "fc.weight": "fc",
}
CONVOLUTIONS = {"Convolution", "ConvActPool"}


@pytest.fixture(scope="module")
def engines(engines_folder):
    return {name: analysis_of(engines_folder / f"a100-resnet18-{name}") for name in ENGINES}


def module_of(layer):
    """Return the module that the first part of a convolution's name refers to."""
    return MODULE_OF[layer.name.split(" + ")[0]] if layer.type in CONVOLUTIONS else None


@pytest.mark.parametrize("pair", [*combinations(ENGINES, 2), tuple(ENGINES)], ids="-".join)
def test_every_convolution_is_aligned_with_its_counterpart(engines, pair):
    analyses = [engines[name] for name in pair]
    alignment = align(analyses)
    check_is_partition(alignment, analyses)
    found = []
    for row in alignment.rows:
        modules = [
            {module_of(analysis.layers[index]) for index in row.layers[engine]} - {None}
            for engine, analysis in enumerate(analyses)
        ]
        if any(modules):
            assert modules[0]
            assert all(each == modules[0] for each in modules)
            found += modules[0]
    assert sorted(found) == sorted([*MODULES, "fc"])


def test_the_quantized_engines_gain_and_lose_their_reformats(engines):
    """The quantized engine has twelve reformats; with the residual paths quantized three, at last one."""
    analyses = [engines[name] for name in ENGINES[2:]]
    alignment = align(analyses)
    counts = [
        sum(not analysis.layers[index].structural for row in alignment.rows for index in row.helpers[engine])
        for engine, analysis in enumerate(analyses)
    ]
    assert counts == [12, 3, 1]
    assert sum("reformats removed" in row.changes[1] for row in alignment.rows) == 10
    assert not any("reformats added" in row.changes[2] for row in alignment.rows)


def test_a_fused_pooling_is_in_the_row_of_its_convolution(engines):
    (row,) = [
        row
        for row in align([engines["qat"], engines["qat-residual"]]).rows
        if any("MaxPool_12" in engines["qat"].layers[index].name for index in row.layers[0])
    ]
    assert len(row.layers[0]) == 2
    assert len(row.layers[1]) == 1
    assert "fused" in row.changes[1]


def test_every_real_engine_is_aligned_with_itself_layer_by_layer(engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        analysis = analysis_of(folder)
        alignment = align([analysis, analysis])
        check_is_partition(alignment, [analysis, analysis])
        for row in alignment.rows:
            assert len(row.layers[0]) == 1
            assert row.layers[0] == row.layers[1]
            assert row.helpers[0] == row.helpers[1]
            assert row.changes[1] == []


def test_engines_of_two_networks_share_no_row(engines_folder):
    """A few of their products have the same shape by chance."""
    names = ("rtx3090-resnet50-fp16", "thor-driving-transformer-trt10")
    rows = align([analysis_of(engines_folder / name) for name in names]).rows
    assert len(rows) > 200
    assert [row.layers for row in rows if row.layers[0] and row.layers[1]] == []
