"""What the rules' own relations join: one root cause, with the layers of others under it."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

HALF, FLOAT = "Channel major FP16 format where channel % 8 == 0", "Row major linear FP32"
INT8 = "Thirty-two wide channel vectorized row major Int8 format"
A100 = {"gpu": "A100 80GB SXM"}


def kernel(name, kind, reads, writes, ms, **more):
    return {"Name": name, "LayerType": kind, "Inputs": reads, "Outputs": [writes], "ms": ms} | more


def attention(*, moves):
    """Twelve heads of 577 tokens in three kernels, with or without transposes beside them."""
    tokens, heads = "12x577x768", "12x12x577x64"
    sources = [
        kernel(
            f"__myl_ReshTran_myl0_{at}",
            "kgen",
            [f"x{name} | Half | {tokens}"],
            f"{name} | Half | {shape}",
            0.5,
        )
        for at, (name, shape) in enumerate([("q", heads), ("k", "12x12x64x577"), ("v", heads)])
    ]
    scores = "12x12x577x577"
    return [
        *(sources if moves else []),
        kernel("/attn/MatMul_myl0_5", "gemm", [f"q | Half | {heads}", "k | Half | 12x12x64x577"],
               f"s | Half | {scores}", 2.0, TacticName="sm80_xmma_gemm_f16f16_tensor16x8x16"),
        kernel("__myl_MaxSubExpSumDivMul_myl0_6", "kgen", [f"s | Half | {scores}"],
               f"p | Half | {scores}", 3.0),
        kernel("/attn/MatMul_1_myl0_7", "gemm", [f"p | Half | {scores}", f"v | Half | {heads}"],
               f"a | Half | {heads}", 2.0, TacticName="sm80_xmma_gemm_f16f16_tensor16x8x16"),
        *(
            [kernel("__myl_TranResh_myl0_8", "kgen", [f"a | Half | {heads}"], f"y | Half | {tokens}", 0.5)]
            if moves
            else []
        ),
    ]  # fmt: skip


def convolution(name, reads, writes, ms, kernel_name, **more):
    attributes = {"ParameterType": "Convolution", "Kernel": [3, 3], "PrePadding": [1, 1],
                  "PostPadding": [1, 1], "Stride": [1, 1], "TacticName": kernel_name}  # fmt: skip
    return kernel(name, "CaskConvolution", reads, writes, ms, **attributes, **more)


def slow_convolution():
    """Eleven convolutions, one of which takes longer than its work explains."""
    fast = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwckrsc_nhwc_tensor16x8x16"
    return [
        convolution(f"conv{at}", [f"t{at} | {HALF} | 1x256x32x32"], f"t{at + 1} | {HALF} | 1x256x32x32",
                    0.6 if at == 5 else 0.03, fast, OutMaps=256, Weights={"Type": "Half", "Count": 589824})
        for at in range(11)
    ]  # fmt: skip


def float_section():
    """A quantized convolution, a pointwise layer in FP32, a reformat, and a quantized convolution."""
    shape = "8x64x208x208"
    name = "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_tensor16x8x32"
    return [
        convolution("a", [f"t0 | {INT8} | {shape}"], f"t1 | {FLOAT} | {shape}", 0.09, name, OutMaps=64),
        kernel("PWN(gelu)", "PointWiseV2", [f"t1 | {FLOAT} | {shape}"], f"t2 | {FLOAT} | {shape}", 0.13),
        kernel("reformat", "Reformat", [f"t2 | {FLOAT} | {shape}"], f"t3 | {INT8} | {shape}", 0.08),
        convolution("b", [f"t3 | {INT8} | {shape}"], f"t4 | {INT8} | {shape}", 0.04, name, OutMaps=64),
    ]


def float_attention():
    """An attention in FP32 in an engine whose other product is in FP16."""
    half = "sm80_xmma_gemm_f16f16_tensor16x8x16"
    product = kernel("/fc/MatMul_myl0_9", "gemm", ["z | Half | 6924x4096", "w_dconst | Half | 4096x4096"],
                     "f | Half | 6924x4096", 9.0, TacticName=half)  # fmt: skip
    in_fp32 = json.dumps(attention(moves=False)).replace("Half", "Float")
    return [*json.loads(in_fp32.replace(half, "sm80_xmma_gemm_f32f32_tf32f32_f32_tensor16x8x8")), product]


def attention_of_one_head(size):
    """An attention in FP32 of one head, as in the decoder of a VAE."""
    tf32 = {"TacticName": "sm80_xmma_gemm_tf32f32_tf32f32_f32_tn_n_tensor16x8x8"}
    tokens, scores = f"1x4096x{size}", "1x4096x4096"
    return [
        kernel("/qk", "gemm", [f"q | Float | {tokens}", f"k | Float | 1x{size}x4096"],
               f"s | Float | {scores}", 3.0, **tf32),
        kernel("__myl_MaxSubExpSumDiv_myl0_2", "kgen", [f"s | Float | {scores}"],
               f"p | Float | {scores}", 3.0),
        kernel("/pv", "gemm", [f"p | Float | {scores}", f"v | Float | {tokens}"],
               f"y | Float | {tokens}", 3.0, **tf32),
    ]  # fmt: skip


def depthwise_in_fp32():
    """A depthwise convolution in FP32 beside other convolutions in FP32."""
    shape = "8x256x64x64"
    name = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tensor16x8x8"
    kinds = (("a", 0.9, name, 1), ("d", 0.3, "", 256), ("b", 0.9, name, 1))
    return [
        convolution(conv, [f"t{at} | {FLOAT} | {shape}"], f"t{at + 1} | {FLOAT} | {shape}", ms, tactic,
                    OutMaps=256, Groups=groups)
        for at, (conv, ms, tactic, groups) in enumerate(kinds)
    ]  # fmt: skip


def tiny_kernels():
    """Kernels as short as a launch, half of which only transpose."""
    layers = []
    for at in range(0, 30, 2):
        layers.append(
            kernel(
                f"__myl_ReshTran_myl0_{at}",
                "kgen",
                [f"t{at} | Half | 8x64"],
                f"t{at + 1} | Half | 64x8",
                0.0025,
            )
        )
        product = f"/{at}/MatMul_myl0_{at + 1}"
        reads = [f"t{at + 1} | Half | 64x8", f"{at}_dconst | Half | 8x64"]
        layers.append(kernel(product, "gemm", reads, f"t{at + 2} | Half | 8x64", 0.0025))
    return layers


def odd_products():
    """Products on CUDA cores whose summed dimension is not aligned."""
    cores = "sm80_xmma_gemm_f16f16_f32f32_f32_nn_n_tilesize128x64x8_stage3_ffma_aligna4_alignc4"
    return [
        kernel(f"/{at}/MatMul_myl0_{at}", "gemm",
               [f"t{at} | Half | 8192x1021", f"{at}_dconst | Half | 1021x1021"],
               f"t{at + 1} | Half | 8192x1021", 1.5, TacticName=cores)
        for at in range(3)
    ]  # fmt: skip


def interactions():
    """Products of the features of each item with each other, far from the bandwidth, beside aligned ones."""
    cores = "ampere_h16816gemm_64x64_ldg8_stages_64x5_tn"
    return [
        kernel("/MatMul_myl0_0", "gemm", ["x | Half | 8192x512", "w_dconst | Half | 512x3456"],
               "f | Half | 8192x27x128", 0.3, TacticName=cores),
        kernel("/MatMul_1_myl0_1", "gemm", ["f | Half | 8192x27x128", "f | Half | 8192x27x128"],
               "m | Half | 8192x27x27", 0.2, TacticName=cores),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "ends", "cause", "consequences"),
    [
        (attention(moves=True), ["xq", "xk", "xv", "y"], "TRX503", {"TRX205", "TRX604", "TRX704"}),
        (attention(moves=False), ["q", "k", "v", "a"], "TRX503", {"TRX604", "TRX704"}),
        (float_attention(), ["q", "k", "v", "a", "z", "f"], "TRX503", {"TRX401"}),
        (depthwise_in_fp32(), ["t0", "t3"], "TRX405", {"TRX105"}),
        (slow_convolution(), ["t0", "t11"], "TRX914", {"TRX605"}),
        (float_section(), ["t0", "t4"], "TRX303", {"TRX502", "TRX601"}),
        (odd_products(), ["t0", "t3"], "TRX106", {"TRX704"}),
        (interactions(), ["x", "m"], "TRX704", {"TRX604"}),
        (tiny_kernels(), ["t0", "t30"], "TRX508", {"TRX205", "TRX507"}),
    ],
    ids=[
        "attention and its transposes",
        "attention alone",
        "attention in FP32",
        "depthwise convolution in FP32",
        "one slow layer",
        "float section",
        "products that are not aligned",
        "small products that are not aligned",
        "tiny kernels",
    ],
)
def test_what_one_change_resolves_is_one_finding(tmp_path, layers, ends, cause, consequences):
    analysis = analyze_case({"layers": layers, "bindings": ends, **A100}, tmp_path)
    findings = {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}
    assert cause in findings
    assert consequences <= {each.code for each in findings[cause].consequences}
    assert consequences.isdisjoint(findings)


def test_what_waits_for_streamed_weights_is_no_finding_of_its_own(tmp_path):
    layers = [
        kernel(f"/{at}/MatMul_myl0_{at}", "gemm",
               [f"t{at} | Half | 1x4096", f"{at}_dconst | Half | 4096x4096"],
               f"t{at + 1} | Half | 1x4096", 1.0, TacticName="sm80_xmma_gemm_f16f16_tensor16x8x16")
        for at in range(4)
    ]  # fmt: skip
    setup = {"tensorrt_version": "10.3.0", "inference_options": {"Weight Streaming Budget": "20.000000%"}}
    analysis = analyze_case({"layers": layers, "bindings": ["t0", "t4"], "setup": setup, **A100}, tmp_path)
    streamed = lint(analysis, Registry(built_in_rules())).findings[0]
    assert (streamed.code, len(streamed.layers)) == ("TRX912", 4)
    assert "TRX605" in {each.code for each in streamed.consequences}


def test_a_profile_of_the_same_run_would_also_state_the_shapes(tmp_path):
    layers = [kernel("add", "Pooling", ["x | Half | -1x64"], "y | Half | -1x64", 1.0)]

    def found(folder):
        folder.mkdir()
        analysis = analyze_case({"layers": layers, "bindings": ["x", "y"]}, folder)
        return {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}

    # With times the shapes alone are missing.
    assert "TRX701" in found(tmp_path / "timed")
    del layers[0]["ms"]
    without_times = found(tmp_path / "untimed")
    assert "TRX701" not in without_times
    assert [each.code for each in without_times["TRX810"].consequences] == ["TRX701"]
    # Kernels of Myelin keep unknown shapes in any run.
    layers[0]["LayerType"] = "kgen"
    assert {"TRX701", "TRX810"} <= found(tmp_path / "myelin").keys()


def test_casts_of_q_and_k_are_not_around_the_softmax(tmp_path):
    scores = "10x4096x4096"
    layers = [
        kernel("/q/MatMul_myl0_0", "gemm", ["x | Half | 10x4096x64", "w | Half | 64x64"],
               "q | Half | 10x4096x64", 0.1),
        kernel("__myl_ReshCast_myl0_1", "kgen", ["q | Half | 10x4096x64"], "qf | Float | 10x4096x64", 0.1),
        kernel("__myl_TranCast_myl0_2", "kgen", ["q | Half | 10x4096x64"], "kf | Float | 10x64x4096", 0.1),
        kernel("/attn/MatMul_myl0_3", "gemm", ["qf | Float | 10x4096x64", "kf | Float | 10x64x4096"],
               f"s | Float | {scores}", 1.0),
        kernel("__myl_MulMaxrSubExpSumDivCast_myl0_4", "kgen", [f"s | Float | {scores}"],
               f"p | Half | {scores}", 1.0),
        kernel("/attn/MatMul_1_myl0_5", "gemm", [f"p | Half | {scores}", "q | Half | 10x4096x64"],
               "o | Half | 10x4096x64", 0.5),
    ]  # fmt: skip
    setup = {"tensorrt_version": "11.1.0"}
    analysis = analyze_case({"layers": layers, "bindings": ["x", "o"], "setup": setup, **A100}, tmp_path)
    (found,) = (each for each in lint(analysis, Registry(built_in_rules())).findings if each.code == "TRX503")
    assert "__myl_ReshCast_myl0_1" in {analysis.layers[at].name for at in found.layers}
    assert "as FP32 is not fused" in found.recommendation
    assert "Cast around Softmax" not in found.recommendation


@pytest.mark.parametrize(
    ("layer", "cause", "consequence"),
    [
        # GPU compute time has 2 ms more than the layers, in which the host reads the size.
        (
            kernel("/NonZero", "NonZero", ["x1 | Half | 1x64x56x56"], "n | Int32 | 4x-1", 0.1),
            "TRX705",
            "TRX808",
        ),
        # The host computes shapes before it launches more.
        ({"Name": "dummy_shape_call", "LayerType": "shape_call", "ms": 1.0}, "TRX702", "TRX805"),
    ],
)
def test_what_the_host_does_between_kernels_explains_that_the_gpu_waits(tmp_path, layer, cause, consequence):
    kernels = [
        kernel(f"gemm{at}", "gemm", [f"x{at} | Half | 1x64x56x56"], f"x{at + 1} | Half | 1x64x56x56", 0.5)
        for at in range(4)
    ]
    layers = [*kernels[:2], {"Inputs": [], "Outputs": [], **layer}, *kernels[2:]]
    total = sum(each["ms"] for each in layers)
    longer, enqueue = (2.0, 0.5) if consequence == "TRX808" else (0.1, total)
    summary = {"GPU Compute Time": total + longer, "Latency": total + longer, "Enqueue Time": enqueue}
    case = {"layers": layers, "bindings": ["x0", "x4", "n"], "measurement": {"summary": summary}}
    found = lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    (finding,) = (each for each in found if each.code == cause)
    assert finding.severity == "warning"
    assert consequence in {each.code for each in finding.consequences}


def findings_of_log(tmp_path, summary, **more):
    case = {"log": ["&&&& RUNNING TensorRT.trtexec # trtexec"], "measurement": {"summary": summary, **more}}
    commands = {"setup": {"commands": ["trtexec --deploy=a.prototxt --exportProfile=p.json"]}}
    analysis = analyze_case(case | ({} if more else commands), tmp_path)
    return lint(analysis, Registry(built_in_rules())).findings


def test_profiling_explains_that_the_host_waits_for_each_layer(tmp_path):
    summary = {"GPU Compute Time": 91.6, "Latency": 95.0, "Enqueue Time": 95.6}
    (finding,) = (each for each in findings_of_log(tmp_path, summary) if each.code == "TRX816")
    assert {each.code for each in finding.consequences} == {"TRX805"}


def test_the_wait_for_the_host_is_a_part_of_the_time_between_queries(tmp_path):
    summary = {"GPU Compute Time": 1.2, "Latency": 1.3, "Enqueue Time": 1.9}
    totals = {"throughput_qps": 500.0, "walltime_s": 3.0, "gpu_time_s": 1.8}
    (finding,) = (each for each in findings_of_log(tmp_path, summary, **totals) if each.code == "TRX805")
    assert finding.gain is not None
    assert (round(finding.gain.high_ms, 3), round(finding.gain.high_percent or 0)) == (0.8, 40)


def test_a_gpu_without_work_comes_before_times_that_vary(tmp_path):
    summary = {"GPU Compute Time": 1.0, "Latency": 1.0, "Enqueue Time": 0.3}
    totals = {"throughput_qps": 500.0, "walltime_s": 3.0, "gpu_time_s": 1.5}
    warning = "GPU compute time is unstable, with coefficient of variance = 6.6%. If"
    found = findings_of_log(tmp_path, summary, **totals, warnings=[warning])
    assert [each.code for each in found][:2] == ["TRX815", "TRX801"]


def test_what_only_joins_the_results_of_lookups_goes_with_them(tmp_path):
    case = json.loads((CASES / "TRX511" / "fires-on-joined-results.json").read_text(encoding="utf-8"))
    findings = {
        each.code: each for each in lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    }
    assert [each.code for each in findings["TRX511"].consequences] == ["TRX507"]
    assert "TRX507" not in findings


def silu_between_quantized():
    """Quantized convolutions whose activations run apart, in FP16."""
    shape = "8x64x208x208"
    name = "sm80_xmma_fprop_implicit_gemm_i8f16_i8i32_f32_nhwckrsc_nhwc_tensor16x8x32"
    layers = []
    for at in range(4):
        layers.append(convolution(f"/{at}/Conv", [f"t{at} | {INT8} | {shape}"], f"c{at} | {HALF} | {shape}",
                                  0.05, name, OutMaps=64))  # fmt: skip
        layers.append(
            kernel(
                f"PWN(PWN(/{at}/Sigmoid), PWN(/{at}/Mul))",
                "PointWiseV2",
                [f"c{at} | {HALF} | {shape}"],
                f"t{at + 1} | {INT8} | {shape}",
                0.04,
            )
        )
    return layers


def aligned_boxes():
    """A plugin of TensorRT in FP32 behind a reformat that takes less than a warning is worth."""
    layers = slow_convolution()
    layers[5]["ms"] = 0.12
    plugin = {"ParameterType": "PluginV2", "PluginType": "ROIAlign_TRT"}
    return [
        *layers,
        kernel("to linear", "Reformat", [f"t11 | {HALF} | 1x256x32x32"], f"l | {FLOAT} | 1x256x32x32", 0.025),
        kernel("/RoiAlign", "PluginV2DynamicExt", [f"l | {FLOAT} | 1x256x32x32", f"boxes | {FLOAT} | 900x4"],
               f"r | {FLOAT} | 900x256x7x7", 0.1, **plugin),
    ]  # fmt: skip


def fp32_head():
    """A convolution of one output channel that is pinned to FP32 behind convolutions in FP16."""
    half = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tensor16x8x16"
    cores = "sm80_xmma_fprop_implicit_gemm_f32f32_f32f32_f32_nhwckrsc_nhwc_simt_ffma"
    wide, shape = "Channel major FP32 format where channel % 4 == 0", "8x64x512x512"
    return [
        convolution("a", [f"t0 | {HALF} | {shape}"], f"t1 | {HALF} | {shape}", 5.0, half, OutMaps=64),
        kernel("reformat", "Reformat", [f"t1 | {HALF} | {shape}"], f"t2 | {wide} | {shape}", 0.6),
        convolution("b", [f"t2 | {wide} | {shape}"], f"t3 | {FLOAT} | 8x1x512x512", 2.0, cores, OutMaps=1),
    ]


TENSOR_CORES = "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tensor16x8x32"


def samplers_in_fp32():
    """Layers that sample in FP32 what convolutions in FP16 compute."""
    half, single = f"{HALF} | 1x64x128x128", f"{FLOAT} | 1x64x128x128"
    layers = []
    for at in range(3):
        reads = [f"b{at} | {single}", f"g{at} | {FLOAT} | 1x128x128x2"]
        sampler = kernel(f"/{at}/GridSample", "GridSample", reads, f"c{at} | {single}", 0.2)
        layers += [
            convolution(f"/{at}/Conv", [f"t{at} | {half}"], f"a{at} | {half}", 0.2, TENSOR_CORES, OutMaps=64),
            kernel(f"in {at}", "Reformat", [f"a{at} | {half}"], f"b{at} | {single}", 0.03),
            sampler,
            kernel(f"out {at}", "Reformat", [f"c{at} | {single}"], f"t{at + 1} | {half}", 0.03),
        ]
    return layers


def resizes_between_quantized():
    """Resizes in FP32 between convolutions in INT8, far from the roofline."""
    layers = []
    for at in range(3):
        small, large = "1x64x64x64", "1x64x128x128"
        reads, writes = f"b{at} | {FLOAT} | {small}", f"c{at} | {FLOAT} | {large}"
        layers += [
            convolution(f"/{at}/Conv", [f"t{at} | {INT8} | {small}"], f"a{at} | {INT8} | {small}", 0.2,
                        TENSOR_CORES, OutMaps=64),
            kernel(f"in {at}", "Reformat", [f"a{at} | {INT8} | {small}"], reads, 0.03),
            kernel(f"/{at}/Resize", "Resize", [reads], writes, 0.2),
            kernel(f"out {at}", "Reformat", [writes], f"d{at} | {INT8} | {large}", 0.03),
            convolution(f"/{at}/Down", [f"d{at} | {INT8} | {large}"], f"t{at + 1} | {INT8} | {small}", 0.2,
                        TENSOR_CORES, OutMaps=64),
        ]  # fmt: skip
    return layers


def lookups_into_places():
    """Lookups in tables, the result of each of which is copied to its place in one tensor."""
    part, joined = "Row major linear FP16 format | 2048x16", "x | Row major linear FP16 format | 2048x"
    layers = []
    for at in range(8):
        indices = f"i{at} | Row major Int32 tensor format | 2048"
        layers += [
            kernel(f"/{at}/Gather", "Gather", [indices], f"e{at} | {part}", 0.006),
            kernel(f"e{at} copy", "Reformat", [f"e{at} | {part}"], f"{joined}16", 0.006, Origin="CONCAT"),
        ]
    product = kernel("/MatMul", "MatrixMultiply", [f"{joined}128"], f"y | {part[:-2]}512", 0.5)
    return [*layers, product]


@pytest.mark.parametrize(
    ("layers", "ends", "cause", "consequence"),
    [
        (fp32_head(), ["t0", "t3"], "TRX401", "TRX604"),
        (samplers_in_fp32(), ["t0", "g0", "g1", "g2", "t3"], "TRX401", "TRX918"),
        (resizes_between_quantized(), ["t0", "t3"], "TRX303", "TRX918"),
        (lookups_into_places(), [*(f"i{at}" for at in range(8)), "y"], "TRX511", "TRX205"),
        (silu_between_quantized(), ["t0", "t4"], "TRX502", "TRX304"),
        (aligned_boxes(), ["t0", "boxes", "r"], "TRX903", "TRX207"),
    ],
    ids=[
        "head in FP32",
        "sampling in FP32",
        "resizes between quantized layers",
        "lookups",
        "activations apart",
        "a small reformat beside a plugin",
    ],
)
def test_what_a_cause_writes_or_leaves_in_floating_point_is_its_consequence(
    tmp_path, layers, ends, cause, consequence
):
    analysis = analyze_case({"layers": layers, "bindings": ends, **A100}, tmp_path)
    findings = {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}
    assert consequence in {each.code for each in findings[cause].consequences}
    assert consequence not in findings


def test_fp16_fuses_no_sum_that_fp32_did_not(tmp_path):
    name = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tensor16x8x8"
    shape = "8x256x64x64"
    layers = [
        convolution("/Conv", [f"x | {FLOAT} | {shape}"], f"c | {FLOAT} | {shape}", 0.2, name, OutMaps=256),
        kernel("PWN(/Add)", "PointWiseV2", [f"c | {FLOAT} | {shape}", f"r | {FLOAT} | {shape}"],
               f"a | {FLOAT} | {shape}", 0.06),
        convolution("/Conv_1", [f"a | {FLOAT} | {shape}"], f"y | {FLOAT} | {shape}", 0.2, name, OutMaps=256),
    ]  # fmt: skip
    analysis = analyze_case({"layers": layers, "bindings": ["x", "r", "y"], **A100}, tmp_path)
    findings = {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}
    assert "TRX502" in findings
    assert "TRX502" not in {each.code for each in findings["TRX405"].consequences}


def test_fp16_fuses_no_activation_of_what_others_read_too(tmp_path):
    name = "sm80_xmma_fprop_implicit_gemm_f32f32_tf32f32_f32_nhwckrsc_nhwc_tensor16x8x8"
    tensor = f"{FLOAT} | 8x256x64x64"
    layers = []
    for at in range(4):
        layers += [
            kernel(f"PWN(/{at}/LeakyRelu)", "PointWiseV2", [f"t{at} | {tensor}"], f"a{at} | {tensor}", 0.05,
                   Operations=["auto const var0 = pwgen::iLeakyRelu(arg0, literal0);"]),
            convolution(f"/{at}/Conv + /{at}/Add", [f"a{at} | {tensor}", f"t{at} | {tensor}"],
                        f"t{at + 1} | {tensor}", 0.2, name, OutMaps=256, HasResidual=1),
        ]  # fmt: skip
    first = convolution("/Conv", [f"x | {tensor}"], f"t0 | {tensor}", 0.2, name, OutMaps=256)
    analysis = analyze_case({"layers": [first, *layers], "bindings": ["x", "t4"], **A100}, tmp_path)
    findings = {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}
    assert len(findings["TRX502"].places) == 4
    assert "TRX502" not in {each.code for each in findings["TRX405"].consequences}


def test_copies_that_inform_are_no_warning_for_the_share_of_time_that_they_explain(tmp_path):
    tokens, heads = "1x512x1024", "1x16x512x64"
    layers = []
    for at in range(3):
        q, k, v = (f"{name}{at} | Half | {heads}" for name in "qkv")
        split = kernel(
            f"__myl_SlicReshTran_myl0_{3 * at + 1}", "kgen", [f"p{at} | Half | 1x512x3072"], q, 0.5
        )
        layers += [
            kernel(f"/{at}/qkv/MatMul_myl0_{3 * at}", "gemm", [f"x{at} | Half | {tokens}"],
                   f"p{at} | Half | 1x512x3072", 1.0),
            split | {"Outputs": [q, k, v]},
            kernel(f"_gemm_mha_v2_myl0_{3 * at + 2}", "kgen", [q, k, v], f"x{at + 1} | Half | {tokens}", 0.5),
        ]  # fmt: skip
    analysis = analyze_case({"layers": layers, "bindings": ["x0", "x3"]}, tmp_path)
    found = {each.code: each for each in lint(analysis, Registry(built_in_rules())).findings}
    assert found["TRX507"].severity == "info"
    assert "TRX205" in [each.code for each in found["TRX507"].consequences]


@pytest.mark.parametrize(("size", "is_resolved"), [(128, True), (512, False)])
def test_a_lower_precision_fuses_no_heads_that_are_too_large(tmp_path, size, is_resolved):
    """Kernels of fused attention take heads of up to 256 elements, in whatever type."""
    case = {**A100, "bindings": ["q", "k", "v", "y"], "layers": attention_of_one_head(size)}
    findings = lint(analyze_case(case, tmp_path), registry=Registry(built_in_rules())).findings
    found = {each.code: {one.code for one in each.consequences} for each in findings}
    assert ("TRX503" in found["TRX405"]) == is_resolved
    assert ("TRX503" in found) != is_resolved
