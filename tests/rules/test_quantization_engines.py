"""What the rules on quantization find on whole engines: above all the story of the five ResNet18 engines."""

from __future__ import annotations

import pytest
from engine_findings import findings, raw_layers

QDQ, INPUT = ("TRX301", "warning"), ("TRX301", "info")
RESIDUAL, SECTION = ("TRX302", "warning"), ("TRX303", "warning")
SMALL_SECTION = ("TRX303", "info")
FLOAT, CHANGES = ("TRX304", "warning"), ("TRX305", "info")


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-qat", [RESIDUAL, QDQ, INPUT, SECTION, SMALL_SECTION, CHANGES]),
        ("a100-resnet18-qat-residual", [QDQ, SECTION, CHANGES]),
        ("a100-resnet18-qat-residual-qgap", []),
        ("rtx3060-resnet18-fp16-trt10", []),
        ("rtx3060-mobilenetv2-torchtrt", []),
        ("rtx3090-resnet50-fp16", []),
        ("controlnet-trt8.6", []),
        ("orin-bev-trt8.6", [SMALL_SECTION, CHANGES]),
        ("thor-driving-transformer-trt10", [FLOAT, INPUT]),
        ("torchtrt-alexnet-runonacc", []),
        ("names-only-bert", [QDQ, ("TRX301", "info")]),
    ],
)
def test_findings(engines_folder, engine, codes, engine_source):
    if engine_source == "generated" and engine.startswith("thor"):
        # The kernel at its input takes too little of the time.
        codes = [FLOAT, ("TRX307", "warning")]
    if engine_source == "generated" and engine.startswith("names"):
        codes = [QDQ]  # It has no node at its ends.
    assert findings(engines_folder, engine, "quantization").codes == sorted(codes)


def test_residual_sums_lead_to_all_convolutions_with_float_outputs(engines_folder):
    found = findings(engines_folder, "a100-resnet18-qat", "quantization")
    places = found.places("TRX302")
    sums = [names[0] for names in found.names("TRX302")]
    assert len(sums) == 8
    assert all(" + Add_" in name for name in sums)
    convolutions = {
        index
        for place in places
        for index in place.layers
        if found.analysis.layers[index].type == "Convolution"
    }
    # The classifier's float output is the network's own.
    assert convolutions == {
        layer.index
        for layer in found.analysis.layers
        if layer.type == "Convolution" and layer.output_precision != "INT8" and "fc.weight" not in layer.name
    }
    assert len(convolutions) == 12


def test_the_residual_sums_promise_what_the_walkthrough_gained(engines_folder, engine_source):
    before = findings(engines_folder, "a100-resnet18-qat", "quantization")
    after = findings(engines_folder, "a100-resnet18-qat-residual", "quantization")
    (finding,) = (each for each in before.outcome.findings if each.code == "TRX302")
    gained_ms = before.analysis.latency.layer_sum_ms - after.analysis.latency.layer_sum_ms
    measured_ms = {"real": 0.3645, "generated": 0.3658}[engine_source]
    assert gained_ms == pytest.approx(measured_ms, abs=1e-4)
    # The GPU compute time of the generated engines is not that of their layers.
    part = gpu_ms(before) / before.analysis.latency.layer_sum_ms
    saved_ms = gpu_ms(before) - gpu_ms(after) if engine_source == "real" else part * gained_ms
    assert finding.gain.low_ms < saved_ms < finding.gain.high_ms < 1.5 * saved_ms


def gpu_ms(found):
    return found.analysis.latency.gpu_compute.median_ms


def test_section_around_the_global_average_pool(engines_folder, engine_source):
    found = findings(engines_folder, "a100-resnet18-qat-residual", "quantization")
    (names,) = found.names("TRX303")
    quantizers = [
        layer["Name"]
        for layer in raw_layers(engines_folder / "a100-resnet18-qat-residual")
        if layer["Name"].startswith(("GlobalAveragePool", "QuantizeLinear", "DequantizeLinear"))
    ]
    # The first quantizer is that of the network's input.
    _, dequantizer, pooling, quantizer = quantizers
    assert names[:2] == [pooling, quantizer]
    # The last block's sum is float for it alone.
    assert names[2].startswith("layer4.1.conv2.weight")
    assert names[3:] == [dequantizer]
    after = findings(engines_folder, "a100-resnet18-qat-residual-qgap", "quantization")
    gained_ms = found.analysis.latency.layer_sum_ms - after.analysis.latency.layer_sum_ms
    (place,) = found.places("TRX303")
    assert gained_ms == pytest.approx({"real": 0.0584, "generated": 0.0455}[engine_source], abs=1e-4)
    # The generated engines differ by noise elsewhere, too.
    gained_ms = gpu_ms(found) - gpu_ms(after)
    assert place.gain.low_ms < gained_ms < 1.1 * place.gain.high_ms < 1.5 * gained_ms


def test_section_of_a_plugin(engines_folder):
    found = findings(engines_folder, "orin-bev-trt8.6", "quantization")
    (place,) = found.places("TRX303")
    assert found.analysis.layers[place.layers[0]].name.startswith("PillarScatterPlugin")
    assert place.evidence["Conversions"] == "2"


def test_float_part_of_a_partly_quantized_transformer(engines_folder, engine_source):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "quantization")
    (place,) = found.places("TRX304")
    assert len(place.layers) == {"real": 641, "generated": 70}[engine_source]
    assert {found.analysis.layers[index].precision for index in place.layers} <= {"FP16", "FP32"}
