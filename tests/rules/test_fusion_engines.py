"""What the rules on fusion find on engines of every kind, generated and real."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case
from engine_findings import findings, raw_layers

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

CHAIN = ("TRX501", "warning")
BEHIND = ("TRX502", "warning")
NORM, COPY, TINY = ("TRX505", "warning"), ("TRX507", "warning"), ("TRX508", "warning")
FEW_TINY = ("TRX508", "info")
SPLIT = ("TRX504", "info")
LITTLE_BEHIND, LITTLE_NORM = ("TRX502", "info"), ("TRX505", "info")
#: What else the generated engines have: other short kernels, and products of one input that are not joined.
GENERATED = {
    "names-only-bert": [],
    "rtx3060-resnet18-fp16-trt10": [],
    "rtx3060-mobilenetv2-torchtrt": [FEW_TINY, BEHIND],
    "thor-driving-transformer-trt10": [COPY, SPLIT, BEHIND, NORM, ("TRX514", "info")],
}


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-qat", []),
        ("a100-resnet18-qat-residual", []),
        ("a100-resnet18-qat-residual-qgap", []),
        ("rtx3060-resnet18-fp16-trt10", []),
        ("rtx3060-mobilenetv2-torchtrt", [TINY, BEHIND]),
        ("rtx3090-resnet50-fp16", [COPY]),
        ("controlnet-trt8.6", [CHAIN, NORM]),
        ("orin-bev-trt8.6", []),
        ("thor-driving-transformer-trt10", [COPY, FEW_TINY, LITTLE_BEHIND, LITTLE_NORM]),
        ("torchtrt-alexnet-runonacc", []),
        ("names-only-bert", [("TRX519", "info")]),
    ],
)
def test_findings(engines_folder, engine_source, engine, codes):
    if engine_source == "generated":
        codes = GENERATED.get(engine, codes)
    assert findings(engines_folder, engine, "fusion").codes == sorted(codes)


def test_scale_and_activation_of_each_group_normalization(engines_folder, engine_source):
    found = findings(engines_folder, "controlnet-trt8.6", "fusion")
    places = found.places("TRX501")
    assert len(places) == {"real": 20, "generated": 12}[engine_source]
    for place in places:
        types = [found.analysis.layers[index].type for index in place.layers]
        assert (types[0], types[-1]) == ("Scale", "PointWise")


def test_clips_behind_the_convolutions_of_mobilenet(engines_folder, engine_source):
    places = findings(engines_folder, "rtx3060-mobilenetv2-torchtrt", "fusion").places("TRX502")
    assert (
        sum(place.evidence["Operations"] == "Max · Min · Cast" for place in places)
        == {"real": 34, "generated": 35}[engine_source]
    )


def test_residual_sums_behind_int8_convolutions_in_myelin(engines_folder):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "fusion")
    places = [place for place in found.places("TRX502") if place.evidence["After"] == "correlation INT8"]
    layers = raw_layers(engines_folder / "thor-driving-transformer-trt10")
    # One for each block of the camera's backbone: 3 + 4 + 6 + 3.
    assert len(places) == 16
    assert all("CastMulCastMulAddRelu" in layers[place.layers[0]]["Name"] for place in places)
    # Of two inputs and an output in one format, the sum inside the convolution moves one.
    time_ms = found.analysis.layers[places[0].layers[0]].avg_ms
    assert places[0].gain.high_ms == pytest.approx(time_ms * 2 / 3, rel=1e-3)


@pytest.mark.engines
def test_normalizations_whose_last_parts_share_a_kernel(real_engines):
    places = findings(real_engines, "thor-driving-transformer-trt10", "fusion").places("TRX505")
    shared = [place for place in places if place.message.startswith("4 normalizations share 5 kernels")]
    assert len(shared) == 7


def test_padding_and_transpose_of_a_converted_model(engines_folder):
    found = findings(engines_folder, "rtx3090-resnet50-fp16", "fusion")
    assert found.names("TRX507") == [["resnet50/pool1_pad/Pad"], ["resnet50/conv1_conv/Conv2D__6"]]


def test_fused_attention_of_the_transformer_is_no_finding(engines_folder, engine_source):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "fusion")
    fused = {layer.index for layer in found.analysis.layers if "_mha_" in layer.name}
    assert len(fused) == {"real": 34, "generated": 6}[engine_source]
    assert not found.places("TRX503")
    assert not fused & {layer for place in found.places("TRX504") for layer in place.layers}


def test_normalizations_in_two_kernels_are_found_with_both(generated_engines):
    found = findings(generated_engines, "thor-driving-transformer-trt10", "fusion")
    layers = raw_layers(generated_engines / "thor-driving-transformer-trt10")
    halves = ("__myl_CastMeanSubMulMean_", "__myl_AddSqrtDivMulCastMulAdd_")
    pairs = [[index, index + 1] for index, layer in enumerate(layers) if layer["Name"].startswith(halves[0])]
    assert len(pairs) == 18
    assert all(layers[second]["Name"].startswith(halves[1]) for _, second in pairs)
    assert sorted(sorted(place.layers) for place in found.places("TRX505")) == pairs


@pytest.mark.parametrize(
    ("case", "size"), [("fires-at-a-third-of-the-peak", "72"), ("fires-on-joined-heads", None)]
)
def test_the_size_of_heads_is_stated_where_a_tensor_has_an_axis_for_them(case, size, tmp_path):
    engine = json.loads((CASES / f"TRX512/{case}.json").read_text("utf-8"))
    found = lint(analyze_case(engine, tmp_path), Registry(built_in_rules())).findings
    (place,) = next(each for each in found if each.code == "TRX512").places
    assert place.evidence.get("Head size") == size
