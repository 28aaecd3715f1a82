"""Layers that are faster than their GPU: unusual with a reason, or impossible."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from trexreport.analyzer import GpuChoice, analyze
from trexreport.analyzer.operations import count_operations
from trexreport.analyzer.rules.registry import Registry
from trexreport.model import Source
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture

# The engines whose files state operations or sizes, and a GPU that fits those that name none.
GPUS = {
    "controlnet-trt8.6": "A100 80GB PCIe",
    "orin-bev-trt8.6": "Jetson AGX Orin 64GB",
    "thor-driving-transformer-trt10": "Jetson Thor T5000",
    "rtx3060-mobilenetv2-torchtrt": "GeForce RTX 3060 Laptop",
}
MEASURED = [
    *GPUS,
    "a100-resnet18-fp32",
    "a100-resnet18-fp16",
    "a100-resnet18-qat",
    "a100-resnet18-qat-residual",
    "a100-resnet18-qat-residual-qgap",
    "rtx3060-resnet18-fp16-trt10",
    "rtx3090-resnet50-fp16",
]
IMMA = "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_tensor16x8x32"


def excesses(engine, gpu=None):
    choice = GpuChoice(gpu) if gpu else None
    return [
        layer.excess for layer in analyze(engine, gpu=choice, registry=Registry(()), with_blocks=False).layers
    ]


def divided(engine, divisor):
    """Return the engine with all times of its layers divided."""
    layers = [
        replace(layer, time=layer.time and replace(layer.time, avg_ms=layer.time.avg_ms / divisor))
        for layer in engine.layers
    ]
    return replace(engine, layers=layers)


@pytest.mark.parametrize("name", MEASURED)
def test_no_real_layer_is_impossible_and_a_thousandth_of_its_time_is(engines_folder, name):
    engine, gpu = read_engine(engines_folder / name), GPUS.get(name)
    assert "impossible" not in excesses(engine, gpu)
    assert "impossible" not in excesses(engine)
    assert "impossible" in excesses(divided(engine, 1000), gpu)


def convolution(*, tactic=IMMA, form="Row major Int8 format", extent=256, time_ms=1.0, **attributes):
    """Return a capture of one convolution of 3 x 3 from 256 to 256 channels."""

    def tensor(name):
        return {"Name": name, "Dimensions": [8, 256, extent, extent], "Format/Datatype": form}

    layer = {
        "Name": "conv",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Inputs": [tensor("x")],
        "Outputs": [tensor("y")],
        "Kernel": [3, 3],
        "Groups": 1,
        "Stride": [1, 1],
        "Dilation": [1, 1],
        "PrePadding": [1, 1],
        "PostPadding": [1, 1],
        "PaddingMode": "kEXPLICIT_ROUND_DOWN",
        "Weights": {"Type": "Half" if tactic == WINOGRAD else "Int8", "Count": 256 * 256 * 9},
        "TacticName": tactic,
        **attributes,
    }
    row = {"name": "conv", "averageMs": time_ms, "timeMs": time_ms, "medianMs": time_ms, "percentage": 100}
    documents = {"graph": {"Layers": [layer], "Bindings": []}, "profile": [{"count": 1}, row]}
    sources = (Source(role, role, json.dumps(document).encode()) for role, document in documents.items())
    return assemble(Capture("e", tuple(sources)))


FLOPS = 2 * 8 * 256 * 256 * 256 * 256 * 9
UNNAMED, HALF = "0x0123456789abcdef", "Row major linear FP16 format"
WINOGRAD = "sm86_xmma_winograd_fprop_f16f16_f16f16_f16_nhwckrsc_nhwc_tilesize2x2"
SPARSE = IMMA.replace("fprop", "fprop_sparse_conv")
LIMITS = [
    # the kernel, type, GPU, its dense peak in 10^12 a second, and how far above it is possible
    (IMMA, "Row major Int8 format", "A100 80GB PCIe", 624, 1.5),
    (SPARSE, "Row major Int8 format", "A100 80GB PCIe", 624, 1.5 * 2),
    (UNNAMED, "Row major Int8 format", "A100 80GB PCIe", 624, 1.5 * 2 * 4),
    (UNNAMED, HALF, "A100 80GB PCIe", 624, 1.5 * 2 * 4),  # it may multiply in INT8
    (WINOGRAD, HALF, "GeForce RTX 3090", 142.3, 1.5 * 4),
    (UNNAMED, HALF, "T4", 130, 1.5 * 4),  # no sparsity before Ampere
    (UNNAMED, HALF, "V100 SXM2", 125, 1.5 * 4),
]


@pytest.mark.parametrize(("tactic", "form", "gpu", "peak", "factor"), LIMITS)
def test_the_limit_of_operations(tactic, form, gpu, peak, factor):
    limit_ms = FLOPS / (peak * factor * 1e12) * 1e3
    assert excesses(convolution(tactic=tactic, form=form, time_ms=limit_ms * 1.01), gpu) == ["above-peak"]
    assert excesses(convolution(tactic=tactic, form=form, time_ms=limit_ms * 0.99), gpu) == ["impossible"]
    assert excesses(convolution(tactic=tactic, form=form, time_ms=limit_ms * 100), gpu) == [None]


def test_a_stated_clock_below_the_boost_clock_lowers_no_limit():
    """The clock of an application setting is one that the GPU may exceed."""
    device = {"Selected Device": "NVIDIA A100 80GB PCIe", "SMs": "108"}
    engine = convolution(time_ms=FLOPS / (624 * 1.5 * 1e12) * 1e3 * 1.01)
    for clock in ("1.41 GHz", "0.71 GHz"):
        setup = replace(engine.setup, device={**device, "Application Compute Clock Rate": clock})
        assert excesses(replace(engine, setup=setup)) == ["above-peak"]


def test_without_a_gpu_only_what_no_gpu_does_is_impossible():
    assert excesses(convolution(time_ms=1e-3)) == ["impossible"]
    assert excesses(convolution(time_ms=0.1)) == [None]


def moving(kind, time_ms, **more):
    """Return a capture of a layer that reads and writes 64 MiB each."""
    ends = [{"Name": name, "Dimensions": [32, 2**20], "Format/Datatype": HALF} for name in "xy"]
    layer = {"Name": "a", "LayerType": kind, "Inputs": ends[:1], "Outputs": ends[1:], **more}
    row = {"name": "a", "averageMs": time_ms, "timeMs": time_ms, "medianMs": time_ms, "percentage": 100}
    documents = {"graph": {"Layers": [layer], "Bindings": []}, "profile": [{"count": 1}, row]}
    sources = (Source(role, role, json.dumps(document).encode()) for role, document in documents.items())
    return assemble(Capture("e", tuple(sources)))


def test_bytes_above_the_memory_bandwidth_are_unusual_and_beyond_all_caches_impossible():
    """128 MiB at 1,935 GB/s take 0.069 ms; the L1 caches of an A100 move 19.5 TB/s."""
    gpu, most = "A100 80GB PCIe", 2**27 / 19.5e12 * 1e3 / 1.5
    assert excesses(moving("SoftMax", 0.1), gpu) == [None]
    assert excesses(moving("SoftMax", 0.06), gpu) == ["above-bandwidth"]
    assert excesses(moving("SoftMax", most * 1.01), gpu) == ["above-bandwidth"]
    assert excesses(moving("SoftMax", most * 0.99), gpu) == ["impossible"]
    # A layer that may only rename its memory moves nothing.
    assert excesses(moving("Shuffle", most / 100), gpu) == ["above-bandwidth"]


@pytest.mark.parametrize("time_ms", [0.0, None])
def test_without_a_time_nothing_is_too_fast(time_ms):
    engine = convolution()
    time = None if time_ms is None else replace(engine.layers[0].time, avg_ms=time_ms)
    layers = [replace(engine.layers[0], time=time)]
    assert excesses(replace(engine, layers=layers), "A100 80GB PCIe") == [None]


#: Changed attributes of a convolution, and whether its other figures agree with them.
CONVOLUTIONS = [
    ({}, True),
    ({"Kernel": [70, 70]}, False),
    ({"Kernel": [70, 70], "Weights": {}}, False),
    ({"Kernel": [1, 1]}, False),
    ({"Groups": 2}, False),
    ({"Weights": {"Type": "Int8", "Count": 5}}, False),
    ({"Stride": [2, 2]}, False),
    ({"PrePadding": [9, 9]}, True),  # another padding makes the output, and the weights are the kernel's
    ({"Dilation": [3, 3]}, True),
    ({"Dilation": [3, 3], "Weights": {"Type": "Int8", "Count": 5}}, False),
    ({"PrePadding": [0, 0], "PaddingMode": "kEXPLICIT_ROUND_UP"}, True),  # one less is rounding
    ({"Stride": [2, 2], "PaddingMode": "kSAME_UPPER"}, True),  # the mode sets the padding
    ({"PrePadding": "unknown", "Stride": [2, 2]}, True),
    ({"Weights": {}}, True),
]


@pytest.mark.parametrize(("attributes", "agrees"), CONVOLUTIONS, ids=str)
def test_operations_that_the_layer_contradicts_are_unknown(attributes, agrees):
    (layer,) = convolution(**attributes).layers
    assert (count_operations(layer) is not None) == agrees


def test_real_layers_have_operations(engines_folder):
    counted = 0
    for name in [*MEASURED, "torchtrt-alexnet-runonacc"]:
        for layer in read_engine(engines_folder / name).layers:
            counted += count_operations(layer) is not None
    assert counted > 300
