"""What the rules on the measurement find on real engines."""

from __future__ import annotations

import pytest
from engine_findings import findings

ONE_RUN = ("TRX804", "warning")
SUM = ("TRX808", "info")
CLOCKS = ("TRX807", "info")


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", [ONE_RUN]),
        ("a100-resnet18-fp16", [ONE_RUN, SUM]),
        ("a100-resnet18-qat", [ONE_RUN, SUM]),
        ("a100-resnet18-qat-residual", [ONE_RUN, SUM]),
        ("a100-resnet18-qat-residual-qgap", [ONE_RUN, SUM]),
        ("rtx3090-resnet50-fp16", [ONE_RUN]),
        ("rtx3060-resnet18-fp16-trt10", [SUM]),
        ("controlnet-trt8.6", [CLOCKS]),
        ("orin-bev-trt8.6", [CLOCKS]),
        ("names-only-bert", [CLOCKS]),
        ("rtx3060-mobilenetv2-torchtrt", [CLOCKS]),
        ("thor-driving-transformer-trt10", [CLOCKS, ("TRX809", "info")]),
        ("torchtrt-alexnet-runonacc", [("TRX810", "info")]),
    ],
)
def test_findings(engines_folder, engine, codes):
    assert findings(engines_folder, engine, "measurement").codes == codes


def test_streams_beside_the_main_one(engines_folder):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "measurement")
    (place,) = found.places("TRX809")
    assert place.message.startswith("Layers run on 6 streams")
    layers = [found.analysis.layers[layer] for layer in place.layers]
    assert {layer.stream for layer in layers} == {1, 2, 3, 4, 5}
    assert sum(layer.avg_ms for layer in layers) == pytest.approx(4.2066, abs=1e-3)


def test_the_difference_from_the_sum_is_that_of_the_files(engines_folder):
    (place,) = findings(engines_folder, "a100-resnet18-qat-residual", "measurement").places("TRX808")
    assert "34.0" in place.message
    assert "single iteration" in place.evidence["Why"]
