"""What the rules on memory find on engines of every kind, generated and real."""

from __future__ import annotations

import pytest
from engine_findings import findings, raw_times

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.memory.trx603_large_activation import large_activation
from trexreport.analyzer.rules.memory.trx604_low_bandwidth import low_bandwidth


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-qat", []),
        ("a100-resnet18-qat-residual-qgap", []),
        ("rtx3060-resnet18-fp16-trt10", [("TRX605", "info")]),
        ("rtx3090-resnet50-fp16", []),
        ("thor-driving-transformer-trt10", []),
        ("controlnet-trt8.6", []),
    ],
)
def test_findings(engines_folder, engine, codes):
    assert findings(engines_folder, engine, "memory").codes == codes


def test_the_transpose_of_the_input_is_left_to_the_rule_on_copies(engines_folder):
    transpose = findings(engines_folder, "rtx3090-resnet50-fp16", "memory").analysis.layers[0]
    times = raw_times(engines_folder / "rtx3090-resnet50-fp16")
    # 32 x 3 x 224 x 224 in FP32, read and written, at 936 GB/s
    least_ms = 2 * 32 * 3 * 224 * 224 * 4 / 936e9 * 1e3
    assert transpose.roof.headroom_ms == pytest.approx(times[transpose.name] - least_ms, rel=1e-3)
    copies = findings(engines_folder, "rtx3090-resnet50-fp16", "fusion").places("TRX507")
    assert [transpose.index] in [place.layers for place in copies]


def test_a_small_network_at_batch_1_is_latency_bound(engines_folder):
    """Of its 24 kernels on a laptop's GPU none takes 30 µs, and a launch takes 6 µs."""
    name = "rtx3060-resnet18-fp16-trt10"
    (place,) = findings(engines_folder, name, "memory").places("TRX605")
    times = list(raw_times(engines_folder / name).values())
    share = sum(times[layer] for layer in place.layers) / sum(times)
    assert place.message.startswith(
        f"{len(place.layers)} latency-bound layers take {100 * share:.1f}% of layer time"
    )


def test_one_lowered_map_takes_most_of_the_memory(engines_folder):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "memory")
    limits = {"share_percent": 33, "memory_percent": 10}
    (hit,) = large_activation.check(Context(found.analysis), peak_mib=256, **limits)
    assert hit.evidence["Tensor"] == "FP16 1×6144×22080"
    assert "% (259\u00a0MiB) of the peak activation memory" in hit.message


@pytest.mark.engines
def test_transposing_kernels_use_a_tenth_of_the_bandwidth_if_the_gpu_is_named(real_engines):
    found = findings(real_engines, "thor-driving-transformer-trt10", "memory", gpu="Jetson Thor T5000")
    assert found.codes == [("TRX604", "info")]
    names = [name for (name,) in found.names("TRX604")]
    assert names == ["__myl_MulMinMaxRounCast_myl2_14", "__myl_ReshTranReshAddResh_myl8_788"]
    assert all(place.gain.high_ms > 0.1 for place in found.places("TRX604"))


def test_slower_kernels_are_found_if_the_gpu_is_named(generated_engines):
    name = "thor-driving-transformer-trt10"
    assert not findings(generated_engines, name, "memory").places("TRX604")
    found = findings(generated_engines, name, "memory", gpu="Jetson Thor T5000")
    assert found.codes == [("TRX601", "info")]  # its pointwise layers
    context = Context(found.analysis)
    hits = list(low_bandwidth.check(context, reached_percent=50, share_percent=1, roof_us=20))
    assert hits
    times = list(raw_times(generated_engines / name).values())
    for hit in hits:
        (layer,) = hit.layers
        # The module's LPDDR5X moves 273 GB/s.
        assert layer.roof.roof_ms == pytest.approx(roof_bytes(layer) / 273e9 * 1e3)
        assert 0 <= hit.gain.low_ms <= hit.gain.high_ms <= times[layer.index] - layer.roof.roof_ms


def roof_bytes(layer):
    return layer.flops / layer.roof.intensity if layer.flops else layer.input_bytes + layer.output_bytes
