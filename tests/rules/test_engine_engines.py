"""What the rules on the engine as a whole find on engines of every kind, generated and real."""

from __future__ import annotations

import re

import pytest
from engine_findings import findings, raw_layers, raw_times

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

HIDDEN = ("TRX902", "warning")
PLUGINS = ("TRX903", "info")
#: Nothing reads what the last layer before a region writes in generated engines.
TORN = ("TRX907", "warning")


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", [("TRX914", "info")]),
        ("a100-resnet18-fp16", []),
        ("a100-resnet18-qat", []),
        ("rtx3060-resnet18-fp16-trt10", []),
        ("rtx3090-resnet50-fp16", []),
        ("controlnet-trt8.6", [HIDDEN, (PLUGINS[0], "warning")]),
        ("orin-bev-trt8.6", [HIDDEN]),
        ("names-only-bert", [("TRX901", "warning"), ("TRX902", "info"), ("TRX914", "info")]),
        ("rtx3060-mobilenetv2-torchtrt", []),
        ("thor-driving-transformer-trt10", [PLUGINS]),
        ("torchtrt-alexnet-runonacc", []),
    ],
)
def test_findings(engines_folder, engine_source, engine, codes):
    if (engine_source, engine) == ("generated", "thor-driving-transformer-trt10"):
        codes = [TORN]  # its plugin takes too little time
    if (engine_source, engine) == ("generated", "orin-bev-trt8.6"):
        codes = [HIDDEN, TORN]
    if (engine_source, engine) == ("generated", "a100-resnet18-fp32"):
        codes = [("TRX914", "warning")]  # its first convolution takes more of the time
    if (engine_source, engine) == ("generated", "names-only-bert"):
        # Its Myelin region takes more of the time, and so do its many matrix multiplications.
        codes = [("TRX901", "warning"), HIDDEN, ("TRX916", "info")]
    assert findings(engines_folder, engine, "engine").codes == codes


def test_what_the_opaque_part_of_the_detector_spans(engines_folder):
    (place,) = findings(engines_folder, "orin-bev-trt8.6", "engine").places("TRX902")
    times = raw_times(engines_folder / "orin-bev-trt8.6")
    slowest = max(times, key=times.get)
    first, last = re.fullmatch(r"\{ForeignNode\[(.*)\.\.\.(.*)\]\}", slowest).groups()
    assert place.evidence == {"First node": first, "Last node": last}
    assert f"{100 * times[slowest] / sum(times.values()):.1f}" in place.message


def test_instance_normalization_as_a_plugin(engines_folder):
    (place,) = findings(engines_folder, "controlnet-trt8.6", "engine").places("TRX903")
    layers = raw_layers(engines_folder / "controlnet-trt8.6")
    normalizations = [
        index for index, layer in enumerate(layers) if layer["Name"].endswith("/InstanceNormalization")
    ]
    assert len(normalizations) >= 18
    assert sorted(place.layers) == normalizations
    assert place.evidence["Plugin"] == "InstanceNormalization_TRT"


def test_a_profile_alone_lacks_the_layer_information_rather_than_verbosity(capture):
    folder = capture(
        profile=[{"count": 100}, {"name": "conv", "timeMs": 100, "averageMs": 1, "percentage": 100}]
    )
    outcome = analyze(read_engine(folder)).lint
    (finding,) = (each for each in outcome.findings if each.name.startswith("engine."))
    assert (finding.code, finding.severity) == ("TRX907", "info")
    assert "--exportLayerInfo" in finding.places[0].evidence["Recommendation"]
