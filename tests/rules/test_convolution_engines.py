"""What the rules on convolutions find on engines of every kind, generated and real."""

from __future__ import annotations

import pytest
from engine_findings import findings

from trexreport.analyzer.kernels import read_kernel


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp16", [("TRX104", "info")]),
        ("a100-resnet18-fp32", [("TRX101", "warning")]),
        ("a100-resnet18-qat", [("TRX101", "warning"), ("TRX102", "warning")]),
        ("a100-resnet18-qat-residual", [("TRX102", "warning")]),
        ("a100-resnet18-qat-residual-qgap", []),
        ("controlnet-trt8.6", []),
        ("names-only-bert", []),
        ("orin-bev-trt8.6", [("TRX101", "info")]),
        ("rtx3060-mobilenetv2-torchtrt", [("TRX105", "info")]),
        ("rtx3060-resnet18-fp16-trt10", [("TRX104", "info")]),
        ("rtx3090-resnet50-fp16", []),
        ("thor-driving-transformer-trt10", []),
        ("torchtrt-alexnet-runonacc", []),
    ],
)
def test_findings(engines_folder, engine_source, engine, codes):
    if engine_source == "generated" and engine.startswith("rtx3") and codes == [("TRX104", "info")]:
        codes = []  # its first convolution takes less time
    assert findings(engines_folder, engine, "convolution").codes == codes


def test_no_layer_on_tensor_cores_is_reported(engines_folder):
    """TREx reports 24 cuDNN kernels of the FP16 engines as running on CUDA cores."""
    checked = set()
    for folder in sorted(path for path in engines_folder.iterdir() if path.is_dir()):
        found = findings(engines_folder, folder.name, "convolution")
        for place in found.places("TRX101"):
            checked.add(folder.name)
            tactic = found.analysis.layers[place.layers[0]].tactic
            assert read_kernel(tactic).tensor_cores is False, tactic
    assert len(checked) >= 3


def test_int8_of_the_first_layer_is_on_cuda_cores(engines_folder):
    found = findings(engines_folder, "a100-resnet18-qat", "convolution")
    (place,) = found.places("TRX101")
    assert place.layers == [1]
    assert "3 channels, of which Tensor Cores take 16" in place.message
    assert 0 < place.gain.high_ms < found.analysis.layers[1].avg_ms


def test_the_walkthrough_has_twelve_float_outputs_inside(engines_folder):
    found = findings(engines_folder, "a100-resnet18-qat", "convolution")
    (warning,) = (each for each in found.outcome.findings if each.code == "TRX102")
    assert len(warning.places) == 12
    # The classifier writes an output of the network, and takes too little time for a finding.
    assert not [names for names in found.names("TRX102") if names[0].startswith("fc.weight")]
    # Each gain comes from the convolution and the conversions behind it.
    conversions = {layer for place in warning.places for layer in place.layers[1:]}
    assert {found.analysis.layers[layer].type for layer in conversions} == {"Reformat"}
    assert len(conversions) == 7


def test_depthwise_convolutions_of_a_mobilenet(engines_folder, engine_source):
    found = findings(engines_folder, "rtx3060-mobilenetv2-torchtrt", "convolution")
    layers = [found.analysis.layers[place.layers[0]] for place in found.places("TRX105")]
    # Of the real engine 14 are about as short as a launch, and the three longer ones follow them.
    assert len(layers) == {"real": 14, "generated": 17}[engine_source]
    assert all("depthwise" in layer.tactic for layer in layers)
