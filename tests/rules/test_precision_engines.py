"""What the rules on precisions find on real engines."""

from __future__ import annotations

import pytest
from engine_findings import findings


@pytest.mark.engines
@pytest.mark.parametrize(
    ("engine", "names"),
    [
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-qat", [["MaxPool_12"]]),
        ("a100-resnet18-qat-residual", [["GlobalAveragePool_294"]]),
        ("a100-resnet18-qat-residual-qgap", []),
        ("controlnet-trt8.6", []),
        ("names-only-bert", []),
        ("orin-bev-trt8.6", []),
        ("rtx3060-mobilenetv2-torchtrt", []),
        ("rtx3060-resnet18-fp16-trt10", []),
        ("rtx3090-resnet50-fp16", []),
        ("thor-driving-transformer-trt10", []),
        ("torchtrt-alexnet-runonacc", []),
    ],
)
def test_only_poolings_among_quantised_layers_are_in_fp32(shared_engines, engine, names):
    found = findings(shared_engines, engine, "precision")
    assert found.names("TRX401") == names
    assert {code for code, _ in found.codes} <= {"TRX401"}


@pytest.mark.engines
def test_the_pooling_behind_the_first_layer(shared_engines):
    (place,) = findings(shared_engines, "a100-resnet18-qat", "precision").places("TRX401")
    assert "though the builder may use FP16" in place.message
    assert place.gain_ms == pytest.approx(0.0952 / 2, rel=1e-2)
