"""What scales with constants is worth advice of its own only where it takes a notable part of the time."""

from __future__ import annotations

import pytest
from case_files import analyze_case, apply_rule

from trexreport.analyzer.rules.registry import built_in_rules

HALF = "Row major linear FP16 format | 1x64x56x56"
RULES = {rule.code: rule for rule in built_in_rules()}


def layer(name, kind, reads, writes, ms, **more):
    return {
        "Name": name,
        "LayerType": kind,
        "Inputs": [f"{reads} | {HALF}"],
        "Outputs": [f"{writes} | {HALF}"],
        "ms": ms,
        **more,
    }


@pytest.mark.parametrize(("scale_ms", "is_advised"), [(0.09, False), (0.11, True)])
def test_a_scale_is_worth_advice_from_a_tenth_of_what_is_not_fused_on(scale_ms, is_advised, tmp_path):
    layers = [
        layer("conv1", "CaskConvolution", "x", "a", 0.4, ParameterType="Convolution"),
        layer("__myl_MaxMin_myl0_1", "kgen", "a", "b", 1 - scale_ms),
        layer("conv2", "CaskConvolution", "b", "c", 0.4, ParameterType="Convolution"),
        layer("__myl_MulAdd_myl0_3", "kgen", "c", "y", scale_ms),
    ]
    analysis = analyze_case({"layers": layers, "bindings": ["x", "y"]}, tmp_path)
    (finding,) = apply_rule(analysis, RULES["TRX502"], {}).findings
    assert len(finding.layers) == 2
    assert "TensorRT fuses ReLU and Clip" in finding.recommendation
    assert ("Fold a scale" in finding.recommendation) is is_advised
