"""The flags that shape a build reach TensorRT's builder, in every version that has them."""

from __future__ import annotations

import json

import pytest

from trexreport.collector.tensorrt_api.build_options import (
    BuildOptions,
    IoFormat,
    StreamingBudget,
    matching,
    with_option,
)
from trexreport.errors import ToolFailedError


def option(flag, value):
    return with_option(BuildOptions(), flag, value)


def built(api):
    return api.json("")["built"]


def test_values_are_read_as_trtexec_does():
    assert option("inputIOFormats", "fp16:chw+hwc8,int8:chw32").inputs == (
        IoFormat("HALF", ("LINEAR", "HWC8")),
        IoFormat("INT8", ("CHW32",)),
    )
    assert option("outputIOFormats", "chw").outputs == (IoFormat("", ("LINEAR",)),)
    assert option("layerPrecisions", "a:fp16,'b,c':fp32,d:0:int8").precisions == (
        ("a", "HALF"),
        ("b,c", "FLOAT"),
        ("d:0", "INT8"),
    )
    assert option("layerOutputTypes", "a:fp16+fp32").output_types == (("a", ("HALF", "FLOAT")),)
    assert option("tacticSources", "-CUDNN,+CUBLAS").sources == (("CUDNN", False), ("CUBLAS", True))


@pytest.mark.parametrize(
    ("value", "budget"),
    [
        ("-2", StreamingBudget("off")),
        ("-1", StreamingBudget("auto")),
        ("50%", StreamingBudget("percent", 50)),
        ("0.5M", StreamingBudget("bytes", 2**19)),
        ("7", StreamingBudget("bytes", 7)),
    ],
)
def test_budgets(value, budget):
    assert option("weightStreamingBudget", value).streaming == budget


def test_a_name_comes_before_patterns():
    patterns = (("conv*", 1), ("*17", 2), ("conv_17", 3))
    assert matching(patterns, "conv_17") == (3, True)
    assert matching(patterns, "conv_18") == (1, False)
    assert matching(patterns, "fc_17") == (2, False)
    assert matching(patterns, "fc") == (None, False)
    assert matching((("aba*ba", 1),), "aba") == (None, False)


def test_a_dla_build(api):
    api.collect("10.16.0", "--useDLACore=1", "--allowGPUFallback", "--memPoolSize=dlaSRAM:1")
    found = built(api)
    assert found["set"] == {"default_device_type": "DLA", "DLA_core": 1}
    assert {"GPU_FALLBACK", "FP16", "PREFER_PRECISION_CONSTRAINTS"} <= set(found["flags"])
    assert "DIRECT_IO" not in found["flags"]
    assert found["pools"]["DLA_MANAGED_SRAM"] == 2**20
    api.collect("10.16.0", "--useDLACore=0", "--int8", force=True)
    assert {"DIRECT_IO", "INT8"} <= set(built(api)["flags"])
    assert "FP16" not in built(api)["flags"]


def test_a_dla_core_that_is_not_there(api):
    with pytest.raises(ToolFailedError, match="There is no DLA core 5"):
        api.collect("10.16.0", "--useDLACore=5")


def test_formats_types_and_tactics(api):
    api.collect(
        "10.16.0",
        *("--inputIOFormats=int32:chw,int64:chw+chw4", "--outputIOFormats=fp16:hwc8"),
        *("--precisionConstraints=obey", "--layerPrecisions=conv*:fp16", "--layerOutputTypes=*:fp32"),
        *("--layerDeviceTypes=*:DLA", "--tacticSources=-CUDNN,+EDGE_MASK_CONVOLUTIONS"),
        *("--hardwareCompatibilityLevel=sameComputeCapability", "--tilingOptimizationLevel=3"),
        *("--l2LimitForTiling=4096", "--preview=+runtimeActivationResize", "--stripAllWeights"),
    )
    found = built(api)
    assert found["formats"] == [["INT32", 1], ["INT64", 1 | 1 << 3], ["HALF", 1 << 2]]
    assert found["layers"] == [["HALF", {"0": "FLOAT"}]]
    assert list(found["devices"].values()) == ["DLA"]
    assert found["sources"] == 0b11011
    assert found["previews"] == {"RUNTIME_ACTIVATION_RESIZE_10_10": True}
    assert found["set"] == {
        "hardware_compatibility_level": "SAME_COMPUTE_CAPABILITY",
        "tiling_optimization_level": "FULL",
        "l2_limit_for_tiling": 4096,
    }
    assert {"OBEY_PRECISION_CONSTRAINTS", "REFIT", "STRIP_PLAN"} <= set(found["flags"])


def test_types_without_constraints_are_left_alone_as_trtexec_does(api):
    api.collect("10.16.0", "--layerPrecisions=*:fp16")
    assert built(api)["layers"] == [["FLOAT", {}]]


@pytest.mark.parametrize(
    ("version", "budget", "limit"),
    [
        ("10.0.1", "50%", 500),
        ("10.0.1", "-2", 0),
        ("10.16.0", "-2", 1000),
        ("11.4.0", "-1", 700),
    ],
)
def test_weight_streaming(api, version, budget, limit):
    shapes = ("--shapes=images:4x3x640x640",) if version == "11.4.0" else ()
    api.collect(version, "--allowWeightStreaming", f"--weightStreamingBudget={budget}", *shapes)
    assert "WEIGHT_STREAMING" in built(api)["flags"]
    assert f"device memory limit of {limit} bytes" in api.text(".timing.log")


@pytest.mark.parametrize(
    ("version", "flags", "message"),
    [
        ("8.6.1", ("--hardwareCompatibilityLevel=sameComputeCapability",), "sameComputeCapability"),
        ("10.0.1", ("--tilingOptimizationLevel=1",), "tilingOptimizationLevel"),
        ("10.16.0", ("--inputIOFormats=int32:chw,int32:chw,int32:chw",), "failed"),
    ],
)
def test_what_a_version_or_a_model_does_not_have(api, version, flags, message):
    with pytest.raises(Exception, match=message) as error:
        api.collect(version, *flags)
    assert "\n" not in str(error.value)


def test_shapes_of_a_static_model_are_refused_before_the_build(api):
    with pytest.raises(ToolFailedError, match="fixed sizes"):
        api.collect("10.16.0", "--shapes=input_ids:1x7")
    assert "Engine built" not in json.dumps(api.text(".build.log"))
