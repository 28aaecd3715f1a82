"""Engines with one cause and several symptoms: one finding names the cause, and sums up what it costs."""

from __future__ import annotations

import pytest
from case_files import analyze_case

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

HWC8 = "Channel major FP16 format where channel % 8 == 0"
HALF = "Row major linear FP16 format"
FLOAT = "Row major linear FP32"
INT8 = "Thirty-two wide channel vectorized row major Int8 format"
KERNELS = {
    "FP16": "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc"
    "_tilesize128x64x64_stage3_g1_tensor16x8x16",
    "FP32": "ampere_scudnn_128x64_relu_xregs_large_nn_v1",
    "INT8": "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32"
    "_nchw_vect_c_32_tilesize128x64x64_stage3_warpsize2x2x1_g1_tensor16x8x32",
}
GEMM = "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize64x64x64_stage5_warpsize2x2x1_tensor16x8x16"


class Chain:
    """Layers one behind the other, each with the format and the shape that it writes."""

    def __init__(self, first, shape="8x64x56x56"):
        self.layers, self.last, self.shape = [], f"x | {first} | {shape}", shape

    def put(self, name, kind, ms, after, also=(), **more):
        """Add a layer that writes a format, and reads what the last one wrote and perhaps other tensors."""
        self.layers.append({"Name": name, "LayerType": kind, "ms": ms, "Inputs": [self.last, *also], **more})
        self.last = f"t{len(self.layers)} | {after} | {self.shape}"
        self.layers[-1]["Outputs"] = [self.last]
        return self

    def convolution(self, name, after, precision="FP16", ms=1.0, groups=1):
        window = {"ParameterType": "Convolution", "Kernel": [3, 3], "Stride": [1, 1], "Groups": groups}
        return self.put(name, "CaskConvolution", ms, after, TacticName=KERNELS[precision], **window)

    def reformat(self, name, after, ms=0.2, origin="REFORMAT"):
        return self.put(name, "Reformat", ms, after, ParameterType="Reformat", Origin=origin)

    def engine(self, command="--fp16", precision="FP32+FP16"):
        setup = {"build_options": {"Precision": precision}, "tensorrt_version": "8.6.1"}
        setup["commands"] = [f"trtexec --onnx=m.onnx {command}"]
        last = self.last.split(" | ")[0]
        return {"layers": self.layers, "bindings": ["x", last], "setup": setup, "gpu": "NVIDIA A30"}


def plugins(shape="8x64x56x56", reads=FLOAT, behind=()):
    """Return plugins between convolutions, each with reformats around it, and perhaps a layer behind it."""
    chain = Chain(HWC8, shape).convolution("/c/Conv", HWC8)
    for at in range(4):
        chain.reformat(f"before{at}", reads).put(f"warp{at}", "PluginV2", 0.5, reads, PluginType="Warp")
        for operation, ms in behind:
            chain.put(f"PWN(/r{at}/{operation})", "PointWiseV2", ms, reads, ParameterType="PointWise")
        chain.reformat(f"behind{at}", HWC8).convolution(f"/c{at}/Conv", HWC8)
    return chain.engine()


def plugin_in_fp32():
    return plugins()


def plugin_before_pointwise():
    return plugins(behind=[("LeakyRelu", 0.25)])


def plugin_in_linear_layout():
    return plugins(reads=HALF)


def gap_in_quantization():
    chain = Chain(INT8).convolution("/c/Conv", INT8, "INT8")
    for at in range(3):
        chain.convolution(f"/d{at}/Conv", HALF, "INT8")
        chain.put(f"PWN(/h{at}/HardSwish)", "PointWiseV2", 0.3, HALF, ParameterType="PointWise")
        chain.reformat(f"/q{at}/QuantizeLinear", INT8, origin="QDQ").convolution(f"/e{at}/Conv", INT8, "INT8")
    return chain.engine("--int8 --fp16", "FP32+FP16+INT8")


def residual_in_fp16():
    chain = Chain(INT8).convolution("/c/Conv", HALF, "INT8")
    for at in range(3):
        branch = chain.last
        chain.reformat(f"/q{at}/QuantizeLinear", INT8, origin="QDQ").convolution(f"/d{at}/Conv", HALF, "INT8")
        chain.put(f"PWN(/r{at}/Add)", "PointWiseV2", 0.4, HALF, [branch], ParameterType="PointWise")
    return (
        chain.reformat("/q/QuantizeLinear", INT8, origin="QDQ")
        .convolution("/last/Conv", INT8, "INT8")
        .engine("--int8 --fp16", "FP32+FP16+INT8")
    )


def pinned_convolutions():
    chain = Chain(HWC8).convolution("/c/Conv", HWC8)
    for at in range(3):
        chain.reformat(f"before{at}", FLOAT).convolution(f"/head/{at}/Conv", FLOAT, "FP32")
        chain.reformat(f"behind{at}", HWC8).convolution(f"/c{at}/Conv", HWC8)
    return chain.engine("--fp16 --precisionConstraints=obey --layerPrecisions=/head/*:fp32")


def pinned_plugins():
    engine = plugin_in_fp32()
    engine["setup"]["commands"] = [
        "trtexec --onnx=m.onnx --fp16 --precisionConstraints=prefer --layerPrecisions=warp*:fp32"
    ]
    return engine


def resize_in_fp32():
    chain = Chain(HWC8).convolution("/c/Conv", HWC8)
    for at in range(3):
        chain.reformat(f"before{at}", FLOAT)
        chain.shape = "8x64x56x56" if at % 2 else "8x64x112x112"
        chain.put(f"/up{at}/Resize", "Resize", 0.1, FLOAT, ParameterType="Resize")
        chain.reformat(f"behind{at}", HWC8).convolution(f"/c{at}/Conv", HWC8)
    return chain.engine()


def depthwise_between_tokens():
    chain = Chain("Half", "8x3136x64")
    for at in range(4):
        chain.shape = "8x3136x64"
        chain.put(f"/f{at}/MatMul_myl{at}_0", "gemm", 1.0, "Half", TacticName=GEMM)
        chain.shape = "8x64x56x56"
        chain.put(f"__myl_TranResh_myl{at}_1", "kgen", 0.1, "Half")
        chain.last = chain.last.replace("| Half", f"| {HALF}")
        chain.reformat(f"before{at}", HWC8, 0.15).convolution(f"/d{at}/Conv", HWC8, ms=0.3, groups=64)
        chain.reformat(f"behind{at}", HALF, 0.15)
        chain.shape = "8x3136x64"
        chain.put(f"__myl_ReshTranMulErfAddMulMul_myl{at + 1}_2", "kgen", 0.2, "Half")
    return chain.put("/l/MatMul_myl9_0", "gemm", 1.0, "Half", TacticName=GEMM).engine()


def pooling_in_linear_layout():
    chain = Chain(HWC8).convolution("/c/Conv", HWC8)
    for at in range(3):
        chain.reformat(f"before{at}", HALF)
        chain.put(f"/p{at}/MaxPool", "Pooling", 0.3, HALF, ParameterType="Pooling")
        chain.reformat(f"behind{at}", HWC8).convolution(f"/c{at}/Conv", HWC8)
    return chain.engine()


def quantized_without_half():
    chain = Chain(INT8).convolution("/c/Conv", INT8, "INT8").convolution("/e/Conv", FLOAT, "INT8")
    for at in range(4):
        chain.convolution(f"/d{at}/Conv", FLOAT, "FP32")
    return chain.engine("--int8", "FP32+INT8")


def scan_between_tokens():
    chain = Chain("Half", "4x2048x1536")
    for at in range(3):
        chain.shape = "4x2048x1536"
        chain.put(f"/i{at}/MatMul_myl{at}_0", "gemm", 1.0, "Half", TacticName=GEMM)
        chain.shape = "4x1536x2048"
        chain.put(f"__myl_TranCast_myl{at}_1", "kgen", 0.2, "Float")
        chain.last = chain.last.replace("| Float", f"| {FLOAT}")
        chain.put(f"/scan{at}", "PluginV3", 0.6, FLOAT, PluginType="SelectiveScan")
        chain.last = chain.last.replace(f"| {FLOAT}", "| Float")
        chain.shape = "4x2048x1536"
        chain.put(f"__myl_CastTran_myl{at + 1}_2", "kgen", 0.2, "Half")
    return chain.put("/l/MatMul_myl9_0", "gemm", 1.0, "Half", TacticName=GEMM).engine()


#: By engine: the rule that names its cause, what it explains, the time of all that it costs in ms, and what
#: the message says of it.
EXPECTED = {
    plugin_in_fp32: ("TRX903", {"TRX207"}, 3.6, "3.60\u00a0ms) with the 8 reformats"),
    plugin_before_pointwise: (
        "TRX903",
        {"TRX207"},
        4.6,
        "4.60\u00a0ms) with the 8 reformats and 4 FP32 layers",
    ),
    plugin_in_linear_layout: ("TRX903", {"TRX207"}, 3.6, "3.60\u00a0ms) with the 8 reformats"),
    gap_in_quantization: ("TRX303", {"TRX102", "TRX301"}, 4.5, "3 FP16 sections"),
    residual_in_fp16: ("TRX302", {"TRX102", "TRX301"}, 6.0, "3 residual Adds"),
    pinned_convolutions: ("TRX423", {"TRX401", "TRX201"}, 4.2, "4.20\u00a0ms) with the 6 conversions"),
    pinned_plugins: ("TRX423", {"TRX903", "TRX207"}, 3.6, "3.60\u00a0ms) with the 8 conversions"),
    resize_in_fp32: ("TRX401", {"TRX201"}, 1.5, "3 layers compute in FP32"),
    depthwise_between_tokens: (
        "TRX208",
        {"TRX105", "TRX202"},
        2.8,
        "3.60\u00a0ms) with the 8 reformats, 4 data",
    ),
    pooling_in_linear_layout: ("TRX202", {"TRX205"}, 1.2, "6 reformats"),
    quantized_without_half: ("TRX407", {"TRX401"}, 4.0, "4 layers compute in FP32"),
    scan_between_tokens: ("TRX903", {"TRX207"}, 3.0, "3.00\u00a0ms) with the 6 reformats"),
}


@pytest.mark.parametrize("make", EXPECTED, ids=lambda make: make.__name__)
def test_one_finding_names_the_cause(make, tmp_path):
    code, explained, whole_ms, text = EXPECTED[make]
    analysis = analyze_case(make(), tmp_path)
    findings = lint(analysis, Registry(built_in_rules())).findings
    first = findings[0]
    ms = {each.index: each.avg_ms or 0.0 for each in analysis.layers}
    own = {
        *first.layers,
        *(layer for each in first.consequences if not each.in_part for layer in each.layers),
    }
    assert first.code == code
    assert explained <= {each.code for each in first.consequences}
    assert text in first.message
    assert sum(ms[each] for each in own) == pytest.approx(whole_ms)
