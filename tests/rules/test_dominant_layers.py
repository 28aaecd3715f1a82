"""A layer that takes much of the time is found by the rule that says why, not once more by its share."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

HALF = "Row major linear FP16 format | 1x8x8x8"


def with_dominant_layer(code, name):
    """Return a case of a rule in which a layer of its first place takes about a quarter of the time."""
    case = json.loads((CASES / code / f"fires-{name}.json").read_text("utf-8"))
    (slow, *_) = case["expect"][0]["layers"]
    for layer in case["layers"]:
        layer["ms"] *= 40 if layer["Name"] == slow else 1
    fourth_ms = max(layer["ms"] for layer in case["layers"]) / 4
    for at in range(12):
        layer = {"Name": f"small{at}", "ms": fourth_ms}
        if "LayerType" in case["layers"][0]:
            layer |= {
                "LayerType": "Pooling",
                "Inputs": [f"s{at} | {HALF}"],
                "Outputs": [f"s{at + 1} | {HALF}"],
            }
        case["layers"].append(layer)
    return case | {"bindings": [*case.get("bindings", ()), "s0", "s12"]}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("TRX101", "int8-with-3-channels"),
        ("TRX103", "before-a-pooling"),
        ("TRX106", "on-odd-columns"),
        ("TRX109", "by-name"),
        ("TRX110", "single-experts"),
        ("TRX112", "far-from-the-roofline"),
        ("TRX401", "all-but-fp8-in-fp32"),
        ("TRX405", "fp16-io-converted-in-a-pointwise"),
        ("TRX512", "beside-quantized-products"),
        ("TRX513", "argmax"),
        ("TRX912", "half"),
        ("TRX913", "kernels-of-an-earlier-gpu-in-part"),
        ("TRX918", "by-name"),
        ("TRX918", "cumsum"),
    ],
)
def test_what_says_why_a_layer_is_slow_explains_that_it_dominates(code, name, tmp_path):
    found = lint(analyze_case(with_dominant_layer(code, name), tmp_path), Registry(built_in_rules())).findings
    assert "TRX914" not in {each.code for each in found}
    assert [each.code for each in found if "TRX914" in {other.code for other in each.consequences}] == [code]


def test_a_layer_that_no_other_rule_explains_dominates(tmp_path):
    case = with_dominant_layer("TRX918", "by-name")
    case["layers"][1]["Name"] = "/roi/Einsum_1"
    found = lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    assert "TRX914" in {each.code for each in found}
