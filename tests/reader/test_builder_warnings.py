"""What TensorRT warns of during a build becomes facts of the build."""

from __future__ import annotations

import pytest

from trexreport.reader.trtexec_log import read_trtexec_log

TIME = "[11/21/2026-07:39:40]"
COUNTED = "weights are affected by this issue: Detected"


def facts(*warnings: str, mark: str = "[W] [TRT]") -> dict[str, str]:
    lines = ["&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --fp16"]
    lines += [f"{TIME} {mark} {each}" for each in warnings]
    return dict(read_trtexec_log("\n".join(lines), "build.log").setup.build_facts)


def test_weights_are_counted_by_what_happened_to_them():
    found = facts(
        f"- 103 {COUNTED} subnormal FP16 values.",
        f"- 12 {COUNTED} values less than smallest positive FP16 subnormal value and converted them.",
        f"- 1 {COUNTED} finite FP32 values which would overflow in FP16 and converted them.",
        f"- 2 {COUNTED} something else.",
    )
    assert found == {
        "Weights subnormal in FP16": "103",
        "Weights below FP16": "12",
        "Weights beyond FP16": "1",
    }


def test_weights_that_are_named_several_times_count_once():
    name = "Weights [name={}] had the following issues when converted to FP16:"
    found = facts(
        name.format("a.weight"),
        " - Subnormal FP16 values detected. ",
        " - Values less than smallest positive FP16 Subnormal value detected. Converting.",
        name.format("a.weight"),
        " - Subnormal FP16 values detected. ",
        name.format("b.weight"),
        " - Finite FP32 values which would overflow in FP16 detected.  Converting to closest finite value.",
        " - An issue that is not known.",
    )
    assert found == {
        "Weights beyond FP16": "1: b.weight",
        "Weights below FP16": "1",
        "Weights subnormal in FP16": "1",
    }


@pytest.mark.parametrize(
    ("warning", "fact"),
    [
        (
            "onnx2trt_utils.cpp:403: One or more weights outside the range of INT32 was clamped",
            "Weights clamped to INT32",
        ),
        ("Running layernorm after self-attention in FP16 may cause overflow.", "LayerNorm in FP16"),
        ("Half2 support requested on hardware without native FP16 support.", "FP16 on this GPU"),
        (
            "Using an engine plan file across different models of devices is not recommended",
            "Engine of another GPU",
        ),
        (
            "Missing scale and zero-point for tensor x, expect fall back to non-int8 implementation",
            "Tensors without scales",
        ),
    ],
)
def test_a_warning_is_a_fact(warning, fact):
    assert list(facts(warning)) == [fact]
    assert not facts(warning, mark="[I] [TRT]")


def test_tensors_without_scales_count_once():
    text = "Missing scale and zero-point for tensor {}, expect fall back to non-int8 implementation"
    assert facts(*map(text.format, "aba"))["Tensors without scales"] == "2"


def test_layers_that_a_dla_does_not_support_are_named_once():
    text = "Layer '{}' (RESIZE): Unsupported on DLA. Switching this layer's device type to GPU."
    found = facts(*map(text.format, "aba"), *map(text.format, "cde"))
    assert found["Layers not on the DLA"] == "5: a, b, c, d and 1 more"
    earlier = "Default DLA is enabled but layer Resize_4 is not supported on DLA, falling back to GPU."
    assert facts(earlier)["Layers not on the DLA"] == "1: Resize_4"


def test_what_a_dla_does_not_support_is_counted_by_operation():
    text = "Layer '{}' ({}): Unsupported on DLA. Switching this layer's device type to GPU."
    names = [("/f.1/f.1.2/HardSwish", "ACTIVATION"), ("/f.2/HardSwish_1", "ACTIVATION"), ("up1", "RESIZE")]
    found = facts(*(text.format(*each) for each in names))
    assert found["Operations not on the DLA"] == "2 HardSwish, 1 RESIZE"


def test_layers_whose_requested_types_were_ignored_are_named_once():
    text = "No implementation of layer {} obeys the requested constraints in strict mode. No conforming one."
    found = facts(text.format("Conv_1 + Relu_2"), text.format("Conv_1 + Relu_2"), text.format("Conv_3"))
    assert found == {"Layers without the requested types": "2: Conv_1 + Relu_2, Conv_3"}


def test_the_log_states_why_layers_do_not_run_on_a_dla():
    text = "Layer '{}' ({}): Unsupported on DLA. Switching this layer's device type to GPU."
    found = facts(
        text.format("a/Constant_1", "CONSTANT"),
        "/m/Slice_1: DLA only supports slicing 4 dimensional tensors.",
        text.format("/m/Slice_1", "SLICE"),
        "/f/Pow: DLA cores do not support POW operation.",
        "DLA Layer conv1 does not support dynamic shapes in any dimension.",
        "DLA Layer conv2 does not support dynamic shapes in any dimension.",
        "setDefaultDeviceType was called but no layer in the network can run on DLA.",
    )
    assert found["Layers not on the DLA"] == "2: /m/Slice_1, a/Constant_1"
    assert found["Operations not on the DLA"] == "1 Slice"
    assert found["Reasons not on the DLA"] == (
        "it does not support dynamic shapes in any dimension (2 layers); "
        "it only supports slicing 4 dimensional tensors (/m/Slice_1); "
        "it does not support POW operation (/f/Pow)"
    )
    assert found["Layers that a DLA can run"] == "none"
    types = facts("DLA only supports FP16 and Int8 precision type. Switching fc device type to GPU.")
    assert types == {"Reasons not on the DLA": "it only supports FP16 and Int8 precision (fc)"}


def test_parts_beyond_the_limit_of_a_dla_are_none_that_it_does_not_support():
    text = "DLA supports only 16 subgraphs per DLA core. Switching to GPU for layer {}"
    found = facts(*map(text.format, ["{ForeignNode[Conv_1...Conv_3]}", "Conv_5", "Conv_5"]))
    assert found == {"Parts beyond the DLA's limit": "2 (limit: 16)"}


def test_the_layers_on_a_dla_and_those_beside_it_are_counted():
    listed = [
        "---------- Layers Running on DLA ----------",
        "[DlaLayer] {ForeignNode[Conv_0]}",
        "[DlaLayer] {ForeignNode[Relu_10...Conv_11]}",
        "---------- Layers Running on GPU ----------",
        "[GpuLayer] SHUFFLE: Reshape_2 + Shuffle_3",
        "[GpuLayer] PLUGIN_V2: InstanceNormalization_5",
        "[GpuLayer] Mul_8",
    ]
    assert facts(*listed, mark="[I] [TRT]") == {
        "Parts on the DLA": "2: {ForeignNode[Conv_0]}, {ForeignNode[Relu_10...Conv_11]}",
        "Layers beside the DLA": "3: InstanceNormalization_5, Mul_8, Reshape_2 + Shuffle_3",
        "Types beside the DLA": "1 SHUFFLE, 1 PLUGIN_V2",
    }
    assert facts(*listed[3:], mark="[I] [TRT]") == {
        "Layers on the GPU": "3: Reshape_2 + Shuffle_3, InstanceNormalization_5, Mul_8"
    }


def test_the_lists_of_tensorrt_5_to_7_have_all_layers_in_a_line():
    heading = "--------------- Layers running on {}: "
    dla, gpu = "{Conv_0,Relu_1,Conv_2}, {Conv_7}, ", "(Unnamed Layer* 4) [Shuffle], Softmax_5, "
    listed = [heading.format("DLA"), dla, heading.format("GPU"), gpu, "Detected 1 inputs"]
    assert facts(*listed, mark="[I] [TRT]") == {
        "Parts on the DLA": "2: {Conv_0...Conv_2}, {Conv_7}",
        "Layers beside the DLA": "2: (Unnamed Layer* 4) [Shuffle], Softmax_5",
    }
    for none in ([""], []):
        alone = [heading.format("DLA"), dla, heading.format("GPU"), *none, "Original: 12 layers"]
        assert facts(*alone, mark="[I] [TRT]") == {"Parts on the DLA": "2: {Conv_0...Conv_2}, {Conv_7}"}
    assert facts("Default DLA is enabled but layer a is not running on DLA, falling back to GPU.") == {
        "Layers not on the DLA": "1: a"
    }


def test_the_list_of_another_build_takes_the_place_of_the_first():
    first = ["---------- Layers Running on DLA ----------", "[DlaLayer] {ForeignNode[a...b]}"]
    first += ["---------- Layers Running on GPU ----------", "[GpuLayer] RESIZE: c"]
    second = ["---------- Layers Running on DLA ----------", "[DlaLayer] {ForeignNode[a...d]}"]
    assert facts(*first, *second, mark="[I] [TRT]") == {"Parts on the DLA": "1: {ForeignNode[a...d]}"}
