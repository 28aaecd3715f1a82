"""What the rules on memory find on real engines."""

from __future__ import annotations

import pytest
from engine_findings import findings


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-qat", [("TRX601", "info")]),
        ("a100-resnet18-qat-residual-qgap", []),
        ("rtx3060-resnet18-fp16-trt10", [("TRX601", "info")]),
        ("rtx3090-resnet50-fp16", []),
        ("thor-driving-transformer-trt10", [("TRX603", "info")]),
        ("controlnet-trt8.6", []),
    ],
)
def test_findings(shared_engines, engine, codes):
    assert findings(shared_engines, engine, "memory").codes == codes


def test_the_transpose_of_the_input_is_left_to_the_rule_on_copies(shared_engines):
    transpose = findings(shared_engines, "rtx3090-resnet50-fp16", "memory").analysis.layers[0]
    # 32 x 3 x 224 x 224 in FP32, read and written, at 936 GB/s
    least_ms = 2 * 32 * 3 * 224 * 224 * 4 / 936e9 * 1e3
    assert transpose.roof.headroom_ms == pytest.approx(0.08704 - least_ms, rel=1e-3)
    copies = findings(shared_engines, "rtx3090-resnet50-fp16", "fusion").places("TRX507")
    assert [transpose.index] in [place.layers for place in copies]


def test_float_sums_make_the_quantized_network_bound_by_memory(shared_engines):
    before = findings(shared_engines, "a100-resnet18-qat", "memory").places("TRX601")
    assert len(before[0].layers) == 21
    assert before[0].message.startswith("21 memory-bound layers take 65.2% of layer time")


def test_one_lowered_map_takes_most_of_the_memory(shared_engines):
    found = findings(shared_engines, "thor-driving-transformer-trt10", "memory")
    (place,) = found.places("TRX603")
    assert place.evidence["Tensor"] == "FP16 1×6144×22080"
    assert place.message.startswith("A tensor takes 84.6% (259")


def test_transposing_kernels_use_a_tenth_of_the_bandwidth_if_the_gpu_is_named(shared_engines):
    found = findings(shared_engines, "thor-driving-transformer-trt10", "memory", gpu="Jetson Thor T5000")
    assert found.codes == [("TRX601", "info"), ("TRX603", "info"), ("TRX604", "warning")]
    names = [name for (name,) in found.names("TRX604")]
    assert names == ["__myl_MulMinMaxRounCast_myl2_14", "__myl_ReshTranReshAddResh_myl8_788"]
    assert all(place.gain_ms > 0.3 for place in found.places("TRX604"))
