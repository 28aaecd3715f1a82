"""What layers compute, by names only."""

from __future__ import annotations

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.operation_names import is_product
from trexreport.model import Engine, Layer, LayerTime
from trexreport.reader import read_engine
from trexreport.wording.latency import latency_sentence
from trexreport.wording.sections import section_sentence

KINDS = {
    "Conv_0": "convolution",
    "/layer1/conv1/Conv + /layer1/relu/Relu": "convolution",
    "fpn/fnode4/conv2d_3/BiasAdd + fpn/fnode4/add": "convolution",
    "head/dense_1/BiasAdd": "matrix multiplication",
    "head/class-0/BiasAdd": "not stated",
    "/up/ConvTranspose": "convolution",
    "conv2d_9/Conv2D + activation_9/Relu || conv2d_12/Conv2D": "convolution",
    "unknown.head + /head/Conv_3": "convolution",
    "conv4 + relu4": "convolution",
    "(Unnamed Layer* 3) [Convolution] + (Unnamed Layer* 4) [Activation]": "convolution",
    "/attn/MatMul_1_myl2_33": "matrix multiplication",
    "/fc1/MatMul + /fc1/Add": "matrix multiplication",
    "fc6 + relu6": "matrix multiplication",
    "addmm_1 + bmm": "matrix multiplication",
    "__myl_FcMul_myl33_3": "matrix multiplication",
    "__myl_MatmAddDivErf_myl1_6": "matrix multiplication",
    "__myl_BmmAdd_myl1_6": "matrix multiplication",
    "_gemm_mha_v2_myl2_46": "attention",
    "/attn/Softmax": "softmax",
    "__myl_MaxrSubExpSumDivMul_myl1_4": "softmax",
    "BatchNormalization_79": "normalization",
    "__myl_MulAddCastMeanSubMulMeanAddSqrtDivMulCastMulAdd_myl2_26": "normalization",
    "pool1/AvgPool": "pooling",
    "re_lu/Relu:0_pooling": "pooling",
    "scores/Sum_reduce_min": "reduction",
    "ArgMax_argmax": "reduction",
    "[HostToDeviceCopy 0]": "data movement",
    "PWN(PWN(Sigmoid_1), Mul_2)": "elementwise",
    "onnx::Add_389 + (Unnamed Layer* 72) [Shuffle] + Add_42": "elementwise",
    "__myl_MulAdd_myl1_7": "elementwise",
    "__myl_CastMean_myl1_7": "reduction",
    "Reshape_17 + Transpose_18": "data movement",
    "Transpose__108": "data movement",
    "reshape_after_/v_proj/MatMul": "data movement",
    "shuffle_between_a_and_b": "data movement",
    "__myl_ReshMove_myl8_821": "data movement",
    "QuantizeLinear_2_quantize_scale_node": "quantization",
    "Reformatting CopyNode for Input Tensor 0 to Conv_0": "reformat",
    "activation_15/Relu:0 copy": "data movement",
    "{ForeignNode[a...b]}": "ForeignNode",
    "/det/EfficientNMS_TRT": "plugin",
    # Layers that models call after their place.
    "conv1/7x7_s2 + conv1/relu_7x7": "convolution",
    "conv1/dw + relu1/dw": "convolution",
    "inception_3a/3x3_reduce + inception_3a/relu_3x3_reduce": "convolution",
    "inception_3a/relu_3x3": "elementwise",
    "pool1/3x3_s2": "pooling",
    "inception_3a/pool": "pooling",
    "inception_3a/pool_proj": "convolution",
    "res5b_branch2a + PWN(re_lu_15_clip)": "convolution",
    "res5a_branch1 + res5a + res5a_relu": "convolution",
    "res5a + res5a_relu": "elementwise",
    "node_of_gpu_0/res2_0_branch2a_1 + node_of_gpu_0/res2_0_branch2a_bn_1": "convolution",
    "node_of_gpu_0/pool1_1": "pooling",
    "resnetv15_stage1_conv1_fwd + resnetv15_stage1__plus0 + resnetv15_stage1_activation0": "convolution",
    "resnetv15_dense0_fwd": "matrix multiplication",
    "layer_128_1_bn1_h + layer_128_1_scale1_h + layer_128_1_relu1": "normalization",
    "bn5a_branch1": "normalization",
    "scale5a_branch1": "elementwise",
    "block_1_expand + block_1_expand_relu": "convolution",
    "block_1_depthwise": "convolution",
    "Mconv2_stage1_L2_0": "convolution",
    "Mprelu2_stage1_L2_0": "elementwise",
    "pool1_stage1": "pooling",
    "upscore": "convolution",
    "model/stem/MaxPool2d": "pooling",
    "loss3/classifier": "matrix multiplication",
    "dense_3": "matrix multiplication",
    "prob": "softmax",
    "ReduceMean__23": "reduction",
    # What the names do not show.
    "stem.0 + /stem/Relu": "not stated",
    "conv2d_1/convolution__34": "not stated",
    "__mye548_0_myl5_0": "not stated",
    "__myl_FftMul_myl1_2": "not stated",
    "embedding_1": "not stated",
    "relu": "elementwise",
}


def analysis_of(times, **layer):
    layers = [
        Layer(index, name, name, time=LayerTime(ms), **layer)
        for index, (name, ms) in enumerate(times.items())
    ]
    return analyze(Engine("x", tuple(layers), names_only=not layer))


def test_products_among_the_operations_of_a_model():
    products = ("Conv_3", "conv2d_1", "addmm_1_mm", "linear", "MatMulNBits", "BatchMatMulV2_4", "fc6")
    others = ("Relu_1", "convert", "Linearized", "DequantizeLinear", "_conv", "")
    assert [name for name in (*products, *others) if is_product(name)] == list(products)


@pytest.mark.parametrize("name", KINDS)
def test_the_operation_of_a_name(name):
    (group,) = analysis_of({name: 1.0}).by_operation
    assert group.name == KINDS[name]


def test_all_time_is_in_one_group_and_what_is_not_known_is_stated():
    analysis = analysis_of({name: 0.5 + index for index, name in enumerate(KINDS)})
    groups = {group.name: group for group in analysis.by_operation}
    assert groups.keys() == set(KINDS.values())
    assert sum(group.count for group in groups.values()) == len(KINDS)
    assert sum(group.time_ms for group in groups.values()) == pytest.approx(analysis.latency.layer_sum_ms)
    sentence = latency_sentence(analysis_of({"Conv_0": 3.0, "Conv_1": 2.0, "embed": 5.0}))
    assert sentence == (
        "The slowest layer, embed, takes 50.0% of layer time. By name, convolution takes 50.0%; names that "
        "show no operation take 50.0%."
    )
    assert (
        latency_sentence(analysis_of({"embed": 5.0})) == "The slowest layer, embed, takes 100% of layer time."
    )


def test_where_types_are_known_names_count_nothing():
    assert not analysis_of({"Conv_0": 1.0}, type="Convolution").by_operation


def listing(*names, on_dla=()):
    """Return a log of a build that lists layers."""
    lines = ["&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=a.onnx", *on_dla]
    lines += [f"[11/15/2021-21:47:43] [I] [TRT] [GpuLayer] {name}" for name in names]
    return "\n".join([*lines, "[11/15/2021-21:47:43] [I] Throughput: 10 qps", ""])


def test_the_names_that_a_log_lists_show_the_operations_of_unknown_layers(tmp_path):
    names = ["stem/Conv2D + Relu", "b0/depthwise_conv2d/depthwise", "b1/dw/Conv", "b2/Conv", "b3/Conv", "odd"]
    (tmp_path / "a.log").write_text(listing(*names, *(f"CONVOLUTION: c{number}/Conv" for number in range(2))))
    analysis = analyze(read_engine(tmp_path / "a.log"))
    counts = {group.name: group.count for group in analysis.by_operation}
    assert counts == {"convolution": 5, "depthwise convolution": 2, "not stated": 1}
    assert section_sentence(analysis, "latency") == (
        "This capture has no layer information. The log lists the names of 8 layers: convolution "
        "(5), depthwise convolution (2) and 1 other."
    )
    on_dla = ("[11/15/2021-21:47:43] [I] [TRT] [DlaLayer] {ForeignNode[a...b]}",)
    (tmp_path / "a.log").write_text(listing(*names, on_dla=on_dla))
    analysis = analyze(read_engine(tmp_path / "a.log"))
    assert not analysis.by_operation
    assert section_sentence(analysis, "latency") == "This capture has no layer information."


def test_names_that_show_no_operation_are_counted_alone(tmp_path):
    (tmp_path / "a.log").write_text(listing("odd", "even"))
    assert section_sentence(analyze(read_engine(tmp_path / "a.log")), "latency") == (
        "This capture has no layer information. The log lists the names of 2 layers, which show no "
        "operations."
    )


def test_what_follows_a_part_on_a_dla_waits_for_it():
    times = {
        "conv0 input reformatter 0": 0.1,
        "conv0": 1.0,
        "{conv1,relu1,fc} input reformatter 0": 0.05,
        "{conv1,relu1,fc}": 0.01,
        "{conv1,relu1,fc} reformatted input 0 finish": 0.01,
        "prob input reformatter 0": 3.0,
        "prob": 0.1,
        "conv2 input reformatter 0": 3.0,
        "{ForeignNode[a...b]}": 1.0,
        "Reformatting CopyNode for Input Tensor 0 to conv3": 2.0,
    }
    groups = {each.name: each for each in analysis_of(times).by_operation}
    waiting = groups["waiting for a DLA"]
    assert (waiting.count, waiting.time_ms) == (1, 3.0)
    assert groups["reformat"].count == 4


def test_what_runs_on_a_dla_and_its_copies_are_not_named_after_the_first_layer():
    times = {
        "data to nvm": 0.1,
        "{conv1,relu1,fc}": 0.01,
        "data copy finish": 0.1,
        "fc from nvm": 0.1,
        "fc finish": 0.1,
        "prob": 0.1,
    }
    groups = {each.name: each.count for each in analysis_of(times).by_operation}
    assert groups == {"DLA part": 1, "DLA transfer": 4, "softmax": 1}


def test_reformats_of_no_time_are_apart():
    reformat = "Reformatting CopyNode for Input Tensor 0 to conv"
    times = {f"{reformat}{number}": 0.0 for number in range(3)} | {f"{reformat}9": 0.1, "conv1": 1.0}
    groups = {each.name: each.count for each in analysis_of(times).by_operation}
    assert groups == {"reformat": 1, "reformat of no time": 3, "convolution": 1}
