"""The order of findings: those on the run and its files, and regions of which nothing is known."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules


def codes(case, tmp_path):
    found = lint(analyze_case(case, tmp_path), Registry(built_in_rules()), LintSettings()).findings
    return [(each.code, each.severity) for each in found if each.about == "measurement"]


SUMMARY = {
    "Enqueue Time": 33.8,
    "H2D Latency": 1.53,
    "D2H Latency": 8.0,
    "GPU Compute Time": 32.3,
    "Latency": 41.83,
}


def test_a_multiplied_throughput_comes_first_and_missing_files_last(tmp_path):
    case = {
        "log": ["[01/02/2025-03:04:05] [I] Throughput: 30 qps"],
        "setup": {"tensorrt_version": "8.4.1", "commands": ["trtexec --loadEngine=m.plan --batch=64"]},
        "measurement": {"summary": SUMMARY, "throughput_qps": 1920.0},
    }
    found = codes(case, tmp_path)
    assert len(found) > 3
    assert (found[0], found[-1]) == (("TRX823", "info"), ("TRX907", "info"))
    assert ("TRX805", "info") in found


def test_files_in_which_figures_are_missing_come_before_information(tmp_path):
    layer = {
        "Name": "pool",
        "LayerType": "Pooling",
        "Inputs": ["x | unheard of | 1x64x56x56"],
        "Outputs": ["y | unheard of | 1x64x56x56"],
        "ms": 1.0,
    }
    found = codes({"layers": [layer], "measurement": {"summary": SUMMARY}}, tmp_path)
    assert found.index(("TRX907", "warning")) < found.index(("TRX805", "info"))


@pytest.mark.parametrize(("copied_ms", "is_first"), [(1.0, False), (0.0, True)])
def test_transfers_that_cost_more_come_before_times_that_vary(copied_ms, is_first, tmp_path):
    warning = "GPU compute time is unstable, with coefficient of variance = 4.8%."
    summary = {"GPU Compute Time": 4.0, "D2H Latency": copied_ms, "Latency": 4.0 + copied_ms}
    stated = {"summary": summary, "warnings": [warning]}
    found = [code for code, _ in codes({"log": ["[I] Throughput: 200 qps"], "measurement": stated}, tmp_path)]
    assert (found[0] == "TRX801") is is_first
    assert ("TRX806" in found) is not is_first


REGION = {"Name": "{ForeignNode[/a...b]}", "LayerType": "Myelin", "ms": 2.0}
POOL = {
    "Name": "pool",
    "LayerType": "Pooling",
    "ParameterType": "Pooling",
    "Inputs": ["x | Row major linear FP16 format | 1x64x56x56"],
    "Outputs": ["y | Row major linear FP16 format | 1x64x56x56"],
    "ms": 1.0,
}


def all_codes(case, tmp_path):
    found = lint(analyze_case(case, tmp_path), Registry(built_in_rules()), LintSettings()).findings
    return [each.code for each in found]


@pytest.mark.parametrize(("slow_ms", "is_first"), [(5.6, True), (4.3, False)])
def test_two_states_of_the_times_rank_by_their_effect_unless_it_is_small(slow_ms, is_first, tmp_path):
    queries = [{"pattern": [each, each * 1.002, each * 0.998], "times": 100} for each in (4.0, slow_ms)]
    found = all_codes({"layers": [REGION, POOL], "queries_ms": queries}, tmp_path)
    assert {"TRX803", "TRX902"} <= {*found}
    assert (found.index("TRX803") < found.index("TRX902")) is is_first


@pytest.mark.parametrize(("region_ms", "first"), [(2.0, "TRX101"), (9.0, "TRX902")])
def test_regions_come_after_large_estimated_savings(region_ms, first, tmp_path):
    case = json.loads((CASES / "TRX101" / "fires-in-three-dimensions.json").read_text(encoding="utf-8"))
    total = sum(layer["ms"] for layer in case["layers"])
    layers = [*case["layers"], {**REGION, "ms": region_ms * total}]
    found = all_codes({**case, "layers": layers}, tmp_path)
    assert next(each for each in found if each in {"TRX101", "TRX902"}) == first
    assert {"TRX101", "TRX902"} <= {*found}
