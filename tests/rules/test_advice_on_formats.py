"""All findings of an engine advise one format for its inputs and one for its outputs."""

from __future__ import annotations

import re

import pytest
from case_files import analyze_case

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

#: Formats as options name them, in any advice.
FORMAT = re.compile(r"\b(?:fp32|fp16|bf16|int8|fp8):[a-z]*hwc?\d*\b")
FP32 = "Row major linear FP32"
KERNEL = (
    "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize128x64x64_stage3_g1_tensor16x8x16"
)
#: What the inspector writes of formats inside, to what options call them.
INSIDE = {
    "Row major linear FP16 format": "fp16:chw",
    "Channel major FP16 format where channel % 8 == 0": "fp16:hwc8",
    "Two wide channel vectorized row major FP16 format": "fp16:chw2",
    "Four wide channel vectorized row major Int8 format": "int8:chw4",
    "Thirty-two wide channel vectorized row major Int8 format": "int8:chw32",
}


def _reformat(name, before, after):
    return {"Name": name, "LayerType": "Reformat", "ms": 0.5, "Inputs": [before], "Outputs": [after]}


def _engine(inside, at_input, at_output):
    """An engine with reformats at its I/O tensors that mostly copies these."""
    shape = "1x64x512x512"
    x, y = (f"{name} | {FP32} | {shape}" for name in "xy")
    a, b = (f"{name} | {inside} | {shape}" for name in "ab")
    layer = {"Name": "conv", "LayerType": "CaskConvolution", "ParameterType": "Convolution", "Groups": 1}
    layer |= {"Kernel": [3, 3], "TacticName": KERNEL, "ms": 1.0}
    layers = [layer | {"Inputs": [a if at_input else x], "Outputs": [b if at_output else y]}]
    layers = [_reformat("in", x, a)] * at_input + layers + [_reformat("out", b, y)] * at_output
    setup = {"build_options": {"Precision": "FP32+FP16+INT8"}, "tensorrt_version": "8.6.1"}
    setup["commands"] = ["trtexec --onnx=m.onnx --fp16 --int8"]
    latency = {"GPU Compute Time": 2.0, "Latency": 12.0, "H2D Latency": 5.0, "D2H Latency": 5.0}
    return {"layers": layers, "bindings": ["x", "y"], "setup": setup, "measurement": {"summary": latency}}


def _advised(findings):
    """The formats that findings advise, by rule."""
    found = {each.code: FORMAT.findall(each.recommendation) for each in findings}
    return {code: set(formats) for code, formats in found.items() if formats}


@pytest.mark.parametrize("inside", INSIDE)
@pytest.mark.parametrize("side", ["input", "output"])
def test_all_advice_names_one_format_for_a_tensor(inside, side, tmp_path):
    case = _engine(inside, side == "input", side == "output")
    findings = lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    assert _advised(findings) == {"TRX206": {INSIDE[inside]}, "TRX806": {INSIDE[inside]}}


@pytest.mark.parametrize("side", ["input", "output"])
def test_formats_in_fp32_are_not_advised_to_copy_fewer_bytes(side, tmp_path):
    case = _engine("Channel major FP32 format", side == "input", side == "output")
    advised = _advised(lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings)
    assert advised["TRX806"] == {"fp16:chw"}


def _tail_and_features():
    """An engine that computes one output in FP32 after INT8, and dequantizes another."""
    quantized, single = "Thirty-two wide channel vectorized row major Int8 format", "Row major linear FP32"
    shape = "1x64x1080x1920"
    tensors = {name: f"{name} | {quantized} | {shape}" for name in "xabc"}
    image, result, features = (f"{name} | {single} | {shape}" for name in "tyz")
    layers = [
        {"Name": f"conv {before}", "LayerType": "CaskConvolution", "ParameterType": "Convolution", "ms": 1.0}
        | {"Inputs": [tensors[before]], "Outputs": [tensors.get(after, image)]}
        for before, after in ("xa", "ab", "bc", "ct")
    ]
    moves = {"Name": "/DepthToSpace", "LayerType": "Shuffle", "ms": 2.0}
    layers.append(moves | {"Inputs": [image], "Outputs": [result]})
    return {"bindings": ["x", "y", "z"], "layers": [*layers, _reformat("out", tensors["b"], features)]}


def test_an_output_in_fp16_is_not_requested_in_int8(tmp_path):
    findings = lint(analyze_case(_tail_and_features(), tmp_path), Registry(built_in_rules())).findings
    assert _advised(findings)["TRX419"] == {"fp16:chw"}
