"""What the rules on shapes find on engines of every kind, generated and real."""

from __future__ import annotations

import pytest
from engine_findings import findings


@pytest.mark.parametrize(
    "engine",
    [
        "a100-resnet18-fp16",
        "a100-resnet18-qat",
        "rtx3090-resnet50-fp16",
        "controlnet-trt8.6",
        "orin-bev-trt8.6",
        "names-only-bert",
        "thor-driving-transformer-trt10",
        "torchtrt-alexnet-runonacc",
        "rtx3060-mobilenetv2-torchtrt",
    ],
)
def test_nothing_is_wrong(engines_folder, engine):
    # The generated Thor encodes points of five numbers; K = 5 is not aligned, but the bytes take the time.
    assert findings(engines_folder, engine, "shapes").codes == []


def test_batch_1_leaves_a_laptop_half_idle(engines_folder):
    found = findings(engines_folder, "rtx3060-resnet18-fp16-trt10", "shapes")
    assert found.codes == [("TRX703", "info")]
    (place,) = found.places("TRX703")
    assert place.evidence["SMs"] == "30"
    (names,) = found.names("TRX703")
    # layer1 has 49 tiles of 64 x 64 (56 x 56 rows, 64 columns), layer2 to layer4 have 26, 16 and 8
    assert len(names) == 15
    assert not any("/layer1/" in name for name in names)
