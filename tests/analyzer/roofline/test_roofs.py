"""Rooflines of convolutions, computed by hand from shapes and datasheets, and properties of all layers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import GpuChoice, analyze
from trexreport.model import Setup, Source
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture
from trexreport.wording.roofline import roofline_obstacle_sentence
from trexreport.wording.sections import section_sentence

A100 = {"Selected Device": "NVIDIA A100 80GB PCIe"}

# Peaks of the datasheets, in operations and bytes a second.
A100_INT8, A100_MEMORY = 624e12, 1935e9
RTX3090_FP16, RTX3090_FP16_IN_FP16, RTX3090_MEMORY = 71.2e12, 142.3e12, 936e9
# The laptop's: 30 SMs, 1.425 GHz, 1024 operations of FP16 added in FP16 by each SM in each clock.
LAPTOP_FP16_IN_FP16, LAPTOP_MEMORY = 30 * 1.425e9 * 1024, 336e9

# Beginning of the name, then (operations, peak, bytes, bandwidth), each as N K P Q, C R S, and bytes of the
# elements that are read and written: inputs + outputs + weights + bias.
QAT = [
    (
        "conv1.weight",  # three channels of INT8 are padded to four; the output is FP32
        (2 * 32 * 64 * 112 * 112 * 3 * 7 * 7, A100_INT8),
        (32 * 4 * 224 * 224 + 32 * 64 * 112 * 112 * 4 + 64 * 3 * 7 * 7 + 64 * 4, A100_MEMORY),
    ),
    (
        "layer1.0.conv1.weight",
        (2 * 32 * 64 * 56 * 56 * 64 * 3 * 3, A100_INT8),
        (32 * 64 * 56 * 56 + 32 * 64 * 56 * 56 + 64 * 64 * 3 * 3 + 64 * 4, A100_MEMORY),
    ),
    (
        "layer1.0.conv2.weight",  # with a residual of FP16, and an output of FP16
        (2 * 32 * 64 * 56 * 56 * 64 * 3 * 3, A100_INT8),
        (32 * 64 * 56 * 56 * (1 + 2 + 2) + 64 * 64 * 3 * 3 + 64 * 4, A100_MEMORY),
    ),
    (
        "layer2.0.downsample.0.weight",  # of every second row and column only one element is read
        (2 * 32 * 128 * 28 * 28 * 64 * 1 * 1, A100_INT8),
        (32 * 64 * 28 * 28 + 32 * 128 * 28 * 28 * (2 + 2) + 128 * 64 + 128 * 4, A100_MEMORY),
    ),
    (
        "fc.weight",
        (2 * 32 * 1000 * 512, A100_INT8),
        (32 * 512 + 32 * 1000 * 4 + 512 * 1000 + 1000 * 4, A100_MEMORY),
    ),
]
RESNET50 = [
    (
        "Conv__435",  # the kernel's name says that it adds in FP32
        (2 * 32 * 64 * 112 * 112 * 3 * 7 * 7, RTX3090_FP16),
        (2 * (32 * 4 * 224 * 224 + 32 * 64 * 112 * 112 + 64 * 3 * 7 * 7 + 64), RTX3090_MEMORY),
    ),
    (
        "resnet50/conv2_block1_1_conv/Conv2D",
        (2 * 32 * 64 * 56 * 56 * 64 * 1 * 1, RTX3090_FP16_IN_FP16),
        (2 * (2 * 32 * 64 * 56 * 56 + 64 * 64 + 64), RTX3090_MEMORY),
    ),
    (
        "resnet50/conv2_block1_2_conv/Conv2D",
        (2 * 32 * 64 * 56 * 56 * 64 * 3 * 3, RTX3090_FP16_IN_FP16),
        (2 * (2 * 32 * 64 * 56 * 56 + 64 * 64 * 3 * 3 + 64), RTX3090_MEMORY),
    ),
    (
        "resnet50/conv3_block1_0_conv/Conv2D",
        (2 * 32 * 512 * 28 * 28 * 256 * 1 * 1, RTX3090_FP16_IN_FP16),
        (2 * (32 * 256 * 28 * 28 + 2 * 32 * 512 * 28 * 28 + 512 * 256 + 512), RTX3090_MEMORY),
    ),
    (
        "resnet50/conv3_block3_3_conv/Conv2D",
        (2 * 32 * 512 * 28 * 28 * 128 * 1 * 1, RTX3090_FP16_IN_FP16),
        (2 * (32 * 128 * 28 * 28 + 2 * 32 * 512 * 28 * 28 + 512 * 128 + 512), RTX3090_MEMORY),
    ),
]
RESNET18 = [
    (
        "/conv1/Conv",
        (2 * 64 * 112 * 112 * 3 * 7 * 7, LAPTOP_FP16_IN_FP16),
        (2 * (4 * 224 * 224 + 64 * 112 * 112 + 64 * 3 * 7 * 7 + 64), LAPTOP_MEMORY),
    ),
    (
        "/layer1/layer1.0/conv1/Conv",
        (2 * 64 * 56 * 56 * 64 * 3 * 3, LAPTOP_FP16_IN_FP16),
        (2 * (2 * 64 * 56 * 56 + 64 * 64 * 3 * 3 + 64), LAPTOP_MEMORY),
    ),
    (
        "/layer2/layer2.0/conv1/Conv",
        (2 * 128 * 28 * 28 * 64 * 3 * 3, LAPTOP_FP16_IN_FP16),
        (2 * (64 * 56 * 56 + 128 * 28 * 28 + 128 * 64 * 3 * 3 + 128), LAPTOP_MEMORY),
    ),
    (
        "/layer2/layer2.0/downsample",
        (2 * 128 * 28 * 28 * 64 * 1 * 1, LAPTOP_FP16_IN_FP16),
        (2 * (64 * 28 * 28 + 2 * 128 * 28 * 28 + 128 * 64 + 128), LAPTOP_MEMORY),
    ),
    (
        "/layer3/layer3.1/conv2/Conv",
        (2 * 256 * 14 * 14 * 256 * 3 * 3, LAPTOP_FP16_IN_FP16),
        (2 * (3 * 256 * 14 * 14 + 256 * 256 * 3 * 3 + 256), LAPTOP_MEMORY),
    ),
]


@pytest.mark.parametrize(
    ("engine", "expected"),
    [
        ("a100-resnet18-qat", QAT),
        ("rtx3090-resnet50-fp16", RESNET50),
        ("rtx3060-resnet18-fp16-trt10", RESNET18),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_roofs_of_convolutions_by_hand(engines_folder, engine, expected):
    layers = analyze(read_engine(engines_folder / engine)).layers
    assert len(expected) >= 5
    for name, (flops, peak), (moved, bandwidth) in expected:
        (layer,) = [each for each in layers if each.name.startswith(name) and each.type == "Convolution"]
        roof_ms = 1e3 * max(flops / peak, moved / bandwidth)
        assert layer.flops == flops, name
        assert layer.roof.peak_tflops == pytest.approx(peak / 1e12), name
        assert layer.roof.intensity == pytest.approx(flops / moved), name
        assert layer.roof.roof == ("compute" if flops / peak > moved / bandwidth else "memory"), name
        assert layer.roof.roof_ms == pytest.approx(roof_ms), name
        assert layer.roof.reached_percent == pytest.approx(100 * roof_ms / layer.avg_ms), name
        assert layer.roof.headroom_ms == pytest.approx(layer.avg_ms - roof_ms), name


def capture(layers, times=()):
    """Analyze layers; `times` are in milliseconds, in their order."""
    sources = [Source("graph", "g", json.dumps({"Layers": layers, "Bindings": []}).encode())]
    if times:
        rows = [
            {"name": layer["Name"], "averageMs": time, "timeMs": time, "medianMs": time, "percentage": 0}
            for layer, time in zip(layers, times, strict=False)
        ]
        sources.append(Source("profile", "p", json.dumps([{"count": 1}, *rows]).encode()))
    return assemble(Capture("e", tuple(sources)))


def tensor(name, extents, form="Row major linear FP16 format"):
    return {"Name": name, "Dimensions": list(extents), "Format/Datatype": form}


def convolution(name="conv", *, form="Row major linear FP16 format", tactic="", extents=(1, 64, 56, 56)):
    return {
        "Name": name,
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Inputs": [tensor(f"input of {name}", extents, form)],
        "Outputs": [tensor(f"output of {name}", extents, form)],
        "Kernel": [3, 3],
        "Groups": 1,
        "TacticName": tactic,
    }


def held(engine, name="A100 80GB PCIe", **choice):
    return analyze(engine, gpu=GpuChoice(name, **choice))


FP32 = "Row major linear FP32"
SGEMM = "ampere_scudnn_128x64_relu_xregs_large_nn_v1"
PEAKS = [
    # type, kernel, GPU, peak in 10^12 operations a second
    ("Row major linear FP16 format", "", "A100 80GB PCIe", 312),
    ("Row major linear FP16 format", "", "GeForce RTX 3090", 142.3),
    ("Row major linear FP16 format", "ampere_fp16_s16816cudnn_fp16_128x64", "GeForce RTX 3090", 71.2),
    ("Row major linear FP16 format", "ampere_h16816cudnn_128x128", "GeForce RTX 3090", 142.3),
    (FP32, "", "A100 80GB PCIe", 156),
    (FP32, SGEMM, "A100 80GB PCIe", 156),
    (FP32, "", "T4", 8.1),
    ("Row major Int8 format", "ampere_fp32_icudnn_int8x4_128x64_relu", "A100 80GB PCIe", 624),
    ("Row major Int8 format", "", "V100 SXM2", 62.8),
]


@pytest.mark.parametrize(("form", "tactic", "gpu", "peak"), PEAKS)
def test_which_peak(form, tactic, gpu, peak):
    (layer,) = held(capture([convolution(form=form, tactic=tactic)]), gpu).layers
    assert layer.roof.peak_tflops == pytest.approx(peak)


def test_without_tf32_single_precision_has_the_rate_of_the_cuda_cores():
    engine = capture([convolution(form=FP32, tactic=SGEMM)])
    forbidden = replace(engine, setup=Setup(device=A100, commands=("trtexec --noTF32",)))
    allowed = replace(engine, setup=Setup(device=A100))
    peaks = [analyze(each).layers[0].roof.peak_tflops for each in (forbidden, allowed)]
    assert peaks == [19.5, 156]


def test_a_type_that_the_gpu_has_no_peak_for_has_no_roof():
    (layer,) = held(capture([convolution(form="Row major linear BF16 format")]), "T4").layers
    assert layer.flops
    assert layer.roof is None


def test_what_may_hide_a_product_has_no_roof_unless_it_can_be_counted():
    layers = [
        {"Name": name, "LayerType": kind, "Inputs": [tensor("x", [1, 64])], "Outputs": [tensor("y", [1, 64])]}
        for name, kind in (("a", "Myelin"), ("b", "PluginV3"), ("c", "correlation"), ("d", "Resize"))
    ]
    analysis = held(capture(layers, [1.0] * 4))
    assert [layer.roof and layer.roof.roof for layer in analysis.layers] == [None, None, None, "memory"]
    assert [(group.name, group.count) for group in analysis.roofline.by_type] == [("Resize", 1)]
    assert (analysis.roofline.total.count, analysis.roofline.total.left_out) == (1, 3)


@pytest.mark.parametrize(
    ("name", "has_roof"), [("__myl_ReshMulEtc_myl0_1", False), ("__myl_ReshMulSum_myl0_1", True)]
)
def test_a_kernel_whose_name_does_not_show_all_may_hide_a_product(name, has_roof):
    tensors = {"Inputs": [tensor("x", [1, 64])], "Outputs": [tensor("y", [1, 64])]}
    (layer,) = held(capture([{"Name": name, "LayerType": "kgen", **tensors}], [1.0])).layers
    assert (layer.roof is not None) == has_roof


def test_what_just_fits_the_cache_fits_it():
    """The A100 has 40 MiB of L2; of FP16 half of them are read and half are written."""
    for extra, fits in ((0, True), (8, False)):
        shape = [1, 10 * 2**20 + extra]
        pool = {
            "Name": "a",
            "LayerType": "Pooling",
            "Inputs": [tensor("x", shape)],
            "Outputs": [tensor("y", shape)],
        }
        (layer,) = held(capture([pool])).layers
        assert layer.moved_bytes == 40 * 2**20 + 4 * extra
        assert layer.roof.fits_l2 == fits


def test_no_ops_without_a_time_are_not_missed():
    no_op = {**convolution("no-op"), "LayerType": "NoOp", "ParameterType": "NoOp"}
    analysis = held(capture([convolution(), no_op], [1.0, 0.0]))
    assert (analysis.roofline.total.count, analysis.roofline.total.left_out) == (1, 0)


def test_nothing_is_divided_by_zero():
    layers = [convolution("no time"), convolution("zero time"), convolution("fast", extents=(1, 8, 4, 4))]
    analysis = held(capture(layers[1:] + layers[:1], [0.0, 2e-7]))
    zero, fast, none = (layer.roof for layer in analysis.layers)
    # A convolution takes time: 0 is unknown.
    assert (zero.reached_percent, zero.headroom_ms, zero.bound) == (None, None, None)
    assert fast.reached_percent > 100
    assert fast.headroom_ms == 0.0
    assert fast.fits_l2
    assert (none.reached_percent, none.headroom_ms, none.bound) == (None, None, None)


def test_what_gathers_needs_no_more_than_it_writes():
    table = {
        "Name": "embedding",
        "LayerType": "Gather",
        "Inputs": [tensor("table", [50000, 1024]), tensor("ids", [1, 8], "Row major Int32 format")],
        "Outputs": [tensor("y", [1, 8, 1024])],
    }
    (layer,) = held(capture([table])).layers
    assert layer.roof.roof_ms == pytest.approx(2 * 8 * 1024 * 2 / A100_MEMORY * 1e3)


def test_without_a_gpu_the_reason_says_what_to_do():
    analysis = analyze(capture([convolution()], [1.0]))
    assert analysis.roofline.gpu is None
    assert analysis.roofline.total is None
    sentence = roofline_obstacle_sentence(analysis.roofline.obstacle)
    assert "--gpu" in sentence
    assert section_sentence(analysis, "roofline") == sentence
    assert analysis.layers[0].roof is None
    assert analysis.layers[0].flops == 2 * 64 * 56 * 56 * 64 * 9


def test_without_times_there_are_roofs_but_no_sums():
    analysis = held(capture([convolution()]))
    assert analysis.layers[0].roof.roof_ms > 0
    assert analysis.roofline.total is None
    assert "--exportProfile" in roofline_obstacle_sentence(analysis.roofline.obstacle)


def test_times_of_unknown_extents_ask_for_neither_a_profile_nor_details():
    analysis = held(capture([convolution(extents=(-1, 64, 56, 56))], [1.0]))
    assert analysis.roofline.total is None
    sentence = roofline_obstacle_sentence(analysis.roofline.obstacle)
    assert "unknown extents (-1)" in sentence
    assert "--exportProfile" not in sentence


def test_sums():
    layers = [convolution("a"), convolution("b", extents=(4, 64, 56, 56)), {**convolution("c"), "Kernel": []}]
    analysis = held(capture(layers, [0.5, 0.25, 0.125]))
    roofline, (first, second, _) = analysis.roofline, [layer.roof for layer in analysis.layers]
    (group,) = roofline.by_type
    assert (group.count, group.left_out, group.time_ms) == (2, 1, 0.75)
    assert group.headroom_ms == pytest.approx(0.75 - first.roof_ms - second.roof_ms)
    assert roofline.total.roof_ms == pytest.approx(first.roof_ms + second.roof_ms)
    # A layer faster than its roof leaves the others what they have above theirs.
    times = [first.roof_ms / 2, 0.25, 0.125]
    total = held(capture(layers, times)).roofline.total
    assert total.roof_ms == pytest.approx(first.roof_ms / 2 + second.roof_ms)
    assert total.time_ms - total.headroom_ms == pytest.approx(total.roof_ms)


EXTENTS = st.lists(st.integers(-1, 300), max_size=5)
TYPES = st.sampled_from(["Convolution", "Pooling", "gemm", "kgen", "NoOp", "Gather", "Myelin", "SoftMax", ""])
FORMS = st.sampled_from(["Row major linear FP16 format", FP32, "Row major Int8 format", "No such format"])
TACTICS = st.sampled_from(["", SGEMM, "__myl_AddMul_0x1", "__myl_MulSum_0x1", "_gemm_mha_v2_0x1", "fmha_v2"])
LAYERS = st.lists(
    st.builds(
        lambda kind, form, tactic, ends, kernel: {
            "LayerType": kind,
            "TacticName": tactic,
            "Kernel": kernel,
            "WindowSize": kernel,
            "Stride": [2, 2],
            "Inputs": [tensor("x", ends[0], form), tensor("z", ends[2], form)],
            "Outputs": [tensor("y", ends[1], form)],
        },
        TYPES,
        FORMS,
        TACTICS,
        st.tuples(EXTENTS, EXTENTS, EXTENTS),
        st.lists(st.integers(1, 5), max_size=3),
    ),
    min_size=1,
    max_size=6,
)


@given(
    LAYERS,
    st.lists(st.floats(0, 1e6), max_size=6),
    st.sampled_from(["A100 80GB PCIe", "T4", "GeForce RTX 4090"]),
)
def test_what_holds_for_all_layers(layers, times, gpu):
    for number, layer in enumerate(layers):
        layer["Name"] = f"layer {number}"
    analysis = held(capture(layers, times), gpu)
    for layer in analysis.layers:
        assert layer.flops is None or layer.flops >= 0
        roof = layer.roof
        if layer.moved_bytes is None:
            assert roof is None
        if roof is None:
            continue
        assert roof.roof in ("compute", "memory")
        assert roof.roof_ms > 0
        assert (roof.headroom_ms is None) == (layer.avg_ms is None or layer.excess == "impossible")
        assert (roof.bound is None) == (roof.reached_percent is None)
        if roof.bound == "memory":
            assert (roof.roof, roof.reached_percent >= 33) == ("memory", True)
        assert roof.headroom_ms is None or 0 <= roof.headroom_ms <= layer.avg_ms
        assert roof.peak_tflops is not None or roof.roof == "memory"
        assert (roof.intensity is None) == (layer.flops is None)
    total = analysis.roofline.total
    if total is not None:
        assert total.headroom_ms == pytest.approx(
            sum(group.headroom_ms for group in analysis.roofline.by_type)
        )
        assert total.headroom_ms <= total.time_ms * (1 + 1e-9)
        assert total.compute_bound_ms + total.memory_bound_ms + total.latency_bound_ms == pytest.approx(
            total.time_ms
        )
