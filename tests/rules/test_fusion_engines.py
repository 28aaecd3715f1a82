"""What the rules on fusion find on real engines."""

from __future__ import annotations

import pytest
from engine_findings import findings

CHAIN = ("TRX501", "warning")
BEHIND, BROADCAST = ("TRX502", "warning"), ("TRX502", "info")
NORM, COPY, TINY = ("TRX505", "warning"), ("TRX507", "warning"), ("TRX508", "warning")


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
        ("controlnet-trt8.6", [CHAIN, BROADCAST, BEHIND]),
        ("orin-bev-trt8.6", []),
        ("thor-driving-transformer-trt10", [COPY, TINY, BEHIND, NORM]),
        ("torchtrt-alexnet-runonacc", []),
        ("names-only-bert", []),
    ],
)
def test_findings(shared_engines, engine, codes):
    assert findings(shared_engines, engine, "fusion").codes == sorted(codes)


def test_scale_and_activation_of_each_group_normalization(shared_engines):
    found = findings(shared_engines, "controlnet-trt8.6", "fusion")
    places = found.places("TRX501")
    assert len(places) == 20
    for place in places:
        types = [found.analysis.layers[index].type for index in place.layers]
        assert (types[0], types[-1]) == ("Scale", "PointWise")


def test_embeddings_of_the_time_step_are_information(shared_engines):
    found = findings(shared_engines, "controlnet-trt8.6", "fusion")
    (finding,) = (each for each in found.outcome.findings if (each.code, each.severity) == BROADCAST)
    assert len(finding.places) == 10
    assert {found.analysis.layers[place.layers[0]].type for place in finding.places} == {"ElementWise"}


def test_clips_behind_the_convolutions_of_mobilenet(shared_engines):
    places = findings(shared_engines, "rtx3060-mobilenetv2-torchtrt", "fusion").places("TRX502")
    assert sum(place.evidence["Operations"] == "Max · Min · Cast" for place in places) == 34


def test_residual_sums_behind_int8_convolutions_in_myelin(shared_engines):
    places = findings(shared_engines, "thor-driving-transformer-trt10", "fusion").places("TRX502")
    assert sum(place.evidence["After"] == "correlation INT8" for place in places) == 16
    assert places[0].gain_ms == pytest.approx(0.2075 * 2 / 3, rel=1e-3)


def test_normalizations_whose_last_parts_share_a_kernel(shared_engines):
    places = findings(shared_engines, "thor-driving-transformer-trt10", "fusion").places("TRX505")
    shared = [place for place in places if place.message.startswith("4 normalizations share 5 kernels")]
    assert len(shared) == 7


def test_padding_and_transpose_of_a_converted_model(shared_engines):
    found = findings(shared_engines, "rtx3090-resnet50-fp16", "fusion")
    assert found.names("TRX507") == [["resnet50/pool1_pad/Pad"], ["resnet50/conv1_conv/Conv2D__6"]]


def test_fused_attention_of_the_transformer_is_no_finding(shared_engines):
    found = findings(shared_engines, "thor-driving-transformer-trt10", "fusion")
    assert sum("_mha_" in layer.name for layer in found.analysis.layers) == 34
    assert not found.places("TRX503")
    assert not found.places("TRX504")
