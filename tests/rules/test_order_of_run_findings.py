"""The order of findings on the run and its files."""

from __future__ import annotations

from case_files import analyze_case

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
