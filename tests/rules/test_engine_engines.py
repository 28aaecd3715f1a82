"""What the rules on the engine as a whole find on real engines."""

from __future__ import annotations

import pytest
from engine_findings import findings

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

FLAGS = ("TRX905", "info")
HIDDEN = ("TRX902", "warning")
PLUGINS = ("TRX903", "info")


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", []),
        ("a100-resnet18-fp16", [FLAGS]),
        ("a100-resnet18-qat", [FLAGS]),
        ("rtx3060-resnet18-fp16-trt10", [FLAGS]),
        ("rtx3090-resnet50-fp16", [FLAGS]),
        ("controlnet-trt8.6", [HIDDEN, PLUGINS]),
        ("orin-bev-trt8.6", [HIDDEN]),
        ("names-only-bert", [("TRX901", "warning")]),
        ("rtx3060-mobilenetv2-torchtrt", []),
        ("thor-driving-transformer-trt10", [PLUGINS]),
        ("torchtrt-alexnet-runonacc", []),
    ],
)
def test_findings(shared_engines, engine, codes):
    assert findings(shared_engines, engine, "engine").codes == codes


def test_flags_that_are_gone(shared_engines):
    (place,) = findings(shared_engines, "a100-resnet18-qat", "engine").places("TRX905")
    assert list(place.evidence) == ["--fp16", "--int8"]


def test_what_the_opaque_part_of_the_detector_spans(shared_engines):
    (place,) = findings(shared_engines, "orin-bev-trt8.6", "engine").places("TRX902")
    assert place.evidence == {
        "First node": "/neck/upscale.1/Constant_1_output_0",
        "Last node": "/bev_decoder/Slice_22",
    }
    assert "46.5" in place.message


def test_instance_normalization_as_a_plugin(shared_engines):
    (place,) = findings(shared_engines, "controlnet-trt8.6", "engine").places("TRX903")
    assert len(place.layers) == 27
    assert place.evidence == {"Plugin": "InstanceNormalization_TRT"}


def test_a_profile_alone_lacks_the_layer_information_rather_than_verbosity(capture):
    folder = capture(
        profile=[{"count": 100}, {"name": "conv", "timeMs": 100, "averageMs": 1, "percentage": 100}]
    )
    outcome = analyze(read_engine(folder)).lint
    (finding,) = (each for each in outcome.findings if each.name.startswith("engine."))
    assert (finding.code, finding.severity) == ("TRX907", "warning")
    assert "--exportLayerInfo" in finding.places[0].evidence["Recommendation"]
