"""What the rules on the measurement find on engines of every kind, generated and real."""

from __future__ import annotations

import json
import statistics

import pytest
from engine_findings import findings, raw_layers, raw_times

from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

ONE_RUN = ("TRX804", "warning")
#: The medians of generated engines are those of even iterations.
SLOW_ITERATIONS = ("TRX814", "warning")


@pytest.mark.parametrize(
    ("engine", "codes"),
    [
        ("a100-resnet18-fp32", [ONE_RUN]),
        ("a100-resnet18-fp16", [ONE_RUN]),
        ("a100-resnet18-qat", [ONE_RUN]),
        ("a100-resnet18-qat-residual", [ONE_RUN]),
        ("a100-resnet18-qat-residual-qgap", [ONE_RUN]),
        ("rtx3090-resnet50-fp16", [ONE_RUN]),
        ("rtx3060-resnet18-fp16-trt10", []),
        ("controlnet-trt8.6", [SLOW_ITERATIONS]),
        ("orin-bev-trt8.6", []),
        ("names-only-bert", []),
        ("rtx3060-mobilenetv2-torchtrt", []),
        ("thor-driving-transformer-trt10", [("TRX809", "info")]),
        ("torchtrt-alexnet-runonacc", [("TRX810", "info")]),
    ],
)
def test_findings(engines_folder, engine_source, engine, codes):
    expected = [code for code in codes if engine_source == "real" or code != SLOW_ITERATIONS]
    assert findings(engines_folder, engine, "measurement").codes == expected


def test_streams_beside_the_main_one(engines_folder):
    found = findings(engines_folder, "thor-driving-transformer-trt10", "measurement")
    (place,) = found.places("TRX809")
    folder = engines_folder / "thor-driving-transformer-trt10"
    times = raw_times(folder)
    # Names that occur twice have their time twice in the profile, which a dictionary does not.
    beside = [layer for layer in raw_layers(folder) if layer["StreamId"] and times[layer["Name"]]]
    streams = {layer["StreamId"] for layer in beside}
    assert place.message.startswith(f"Layers run on {len(streams) + 1} streams")
    layers = [found.analysis.layers[layer] for layer in place.layers]
    assert {layer.stream for layer in layers} == streams
    assert sum(layer.avg_ms for layer in layers) == pytest.approx(
        sum(times[layer["Name"]] for layer in beside)
    )


def test_the_difference_from_the_sum_is_that_of_the_files(engines_folder):
    analysis = findings(engines_folder, "a100-resnet18-qat-residual", "measurement").analysis
    # A third more is not a finding by itself.
    rules = Registry(tuple(rule for rule in built_in_rules() if rule.code == "TRX808"))
    lower = LintSettings(thresholds={"TRX808": {"above_percent": 10.0}})
    (place,) = lint(analysis, rules, lower).findings[0].places
    times = raw_times(engines_folder / "a100-resnet18-qat-residual")
    (path,) = (engines_folder / "a100-resnet18-qat-residual").glob("*.timing.json")
    compute_ms = statistics.median(query["computeMs"] for query in json.loads(path.read_text("utf-8")))
    assert f"{100 * (sum(times.values()) / compute_ms - 1):.1f}" in place.message
    assert "single iteration" in place.evidence["Why"]
