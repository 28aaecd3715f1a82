"""Comparisons of real engines state the known differences."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from alignment_plans import analysis_of
from compared_engines import check_sums, waterfall

from trexreport.analyzer.analysis import as_json
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine

NAMES = ["fp32", "fp16", "qat", "qat-residual", "qat-residual-qgap"]


@pytest.fixture(scope="module")
def resnets(engines_folder):
    return [read_engine(engines_folder / f"a100-resnet18-{name}") for name in NAMES]


@pytest.fixture(scope="module")
def against_fp32(resnets):
    return compare(resnets, names=NAMES)


@pytest.fixture(scope="module")
def against_fp16(resnets):
    return compare(resnets, names=NAMES, baseline=1)


def test_half_precision_is_about_twice_as_fast(against_fp32):
    half = against_fp32.engines[1]
    assert (half.verdict.verdict, half.verdict.basis) == ("faster", "iterations")
    assert half.verdict_metric == "GPU compute time"
    assert 2 < 1 / half.verdict.median_ratio.value < 2.5
    causes = waterfall(against_fp32, 1, "cause")
    assert next(iter(causes)) == "precision changed"
    assert causes["precision changed"].difference_ms < -1


def test_the_first_quantized_engine_is_slower_than_half_precision_because_of_reformats(against_fp16):
    # One run of each does not show that 2.4% more time is more than runs differ.
    verdict = against_fp16.engines[2].verdict
    assert (verdict.verdict, verdict.reasons[2].would_be) == ("inconclusive", "slower")
    causes = waterfall(against_fp16, 2, "cause")
    adverse = max(causes.values(), key=lambda step: step.difference_ms)
    assert adverse.name == "reformats added"
    assert adverse.difference_ms > waterfall(against_fp16, 2, "type")["Convolution"].difference_ms
    # All that the quantized convolutions gain is lost again.
    assert adverse.difference_ms > -causes["precision changed"].difference_ms > 0


def test_quantizing_the_residual_paths_removes_the_reformats(against_fp16):
    figures = [engine.figures for engine in against_fp16.engines]
    assert [each.reformats for each in figures[2:]] == [12, 3, 1]
    assert figures[2].reformat_ms > figures[3].reformat_ms > figures[4].reformat_ms
    verdicts = [engine.verdict and engine.verdict.verdict for engine in against_fp16.engines]
    assert verdicts == ["slower", None, "inconclusive", "faster", "faster"]
    assert all(engine.verdict.provisional for engine in against_fp16.engines[3:])


def test_steps_sum_to_the_differences(resnets, against_fp32, against_fp16):
    check_sums(against_fp32)
    check_sums(against_fp16)
    for pair in combinations(resnets, 2):
        check_sums(compare(pair))


def test_what_differs_between_the_engines_comes_first(against_fp32):
    differing = [condition.name for condition in against_fp32.conditions if condition.differs]
    assert differing == ["precision options", "model file", "measured iterations"]
    assert [each.name for each in against_fp32.conditions[:3]] == differing
    (gpu,) = (each for each in against_fp32.conditions if each.name == "GPU")
    assert set(gpu.values) == {"NVIDIA A100 80GB PCIe"}
    assert (gpu.differs, gpu.unknown) == (False, False)


def test_modules_that_one_engine_names_hold_the_layers_of_all(against_fp32):
    """Only the quantized engines show modules; alignment carries them to the others."""
    (share,) = (each for each in against_fp32.by_module if each.names == ["layer1/0/conv2"])
    assert share.layers == [1, 1, 1, 1, 1]
    assert share.times_ms[0] > share.times_ms[1] > share.times_ms[2]
    # The first and the last layer are in no other module: only their weights' names identify them.
    outermost = {
        each.names[0]: each.layers for each in against_fp32.by_module if each.names in (["conv1"], ["fc"])
    }
    assert set(outermost) == {"conv1", "fc"}
    assert all(min(layers) >= 1 for layers in outermost.values())


def test_numbers_of_operators_are_not_taken_for_names(against_fp32):
    """The third convolution of the quantized model is not the floating-point model's "Conv_3"."""
    assert against_fp32.by_operator
    for share in against_fp32.by_operator:
        if "Relu_4" in share.names:
            assert share.layers[2:] == [0, 0, 0]


@pytest.mark.parametrize("baseline", range(len(NAMES)))
def test_no_row_holds_two_convolutions_of_an_engine(resnets, baseline):
    """Each export numbers its operations again: "Conv_84" is another convolution in each quantized model."""
    rows = compare(resnets, baseline=baseline).rows
    members = [
        [member.name for member in side.members if "Conv" in member.name and not member.is_helper]
        for row in rows
        for side in row.sides
    ]
    assert max(len(names) for names in members) == 1


def test_resolved_findings_are_reported(against_fp16):
    quantized, residual = against_fp16.engines[2:4]
    appeared = {change.code for change in quantized.new_findings}
    # What TRX302 explains is not listed beside it.
    assert "TRX302" in appeared
    assert not {"TRX201", "TRX301"} & appeared
    assert not {change.code for change in residual.new_findings} & {"TRX201", "TRX302"}
    assert all(change.places for change in (*quantized.new_findings, *quantized.resolved_findings))


def test_every_real_engine_is_the_same_as_itself(engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert folders
    for folder in folders:
        engine, analysis = read_engine(folder), analysis_of(folder)
        comparison = compare([engine, read_engine(folder)], analyses=[analysis, analysis])
        candidate = comparison.engines[1]
        assert candidate.verdict.verdict == "no-change"
        assert not candidate.new_findings
        assert not candidate.resolved_findings
        assert not any(condition.differs for condition in comparison.conditions)
        assert {row.sides[1].status for row in comparison.rows} <= {"within noise", "unknown"}
        assert all(not step.difference_ms for each in candidate.waterfalls for step in each.steps)
        assert bool(candidate.waterfalls) != bool(candidate.unmeasured)


def test_engines_that_share_nothing_are_compared_too(engines_folder):
    names = ["rtx3090-resnet50-fp16", "thor-driving-transformer-trt10", "torchtrt-alexnet-runonacc"]
    comparison = compare([read_engine(engines_folder / name) for name in names])
    check_sums(comparison)
    causes = waterfall(comparison, 1, "cause")
    assert {"candidate only", "baseline only"} <= set(causes)
    assert causes["baseline only"].candidate_ms == causes["candidate only"].baseline_ms == 0
    assert comparison.engines[2].unmeasured
    assert comparison.engines[2].verdict.verdict == "inconclusive"
    json.dumps(as_json(comparison), allow_nan=False)


def test_blocks_are_few_enough_to_be_shown(engines_folder):
    for name in ("controlnet-trt8.6", "thor-driving-transformer-trt10", "orin-bev-trt8.6"):
        engine = read_engine(engines_folder / name)
        steps = waterfall(compare([engine, engine]), 1, "block")
        assert 12 <= len(steps) <= 24
