"""Captures with several problems of known sizes: the largest comes first, with and without an estimate.

Each joins cases of several rules, in the order in which an expert would write about them.
"""

from __future__ import annotations

import copy
import json
import math

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

PLAIN = "Row major linear FP16 format | 1x64x56x56"


def _problem(path, percent, tag):
    """Return the layers and bindings of a case, so that those it reports take some ms."""
    case = copy.deepcopy(json.loads((CASES / f"{path}.json").read_text(encoding="utf-8")))
    reported = {name for place in case["expect"] for name in place["layers"]}
    layers = [each if isinstance(each, dict) else {"Name": each} for each in case["layers"]]
    factor = percent / math.fsum(each["ms"] for each in layers if each["Name"] in reported)
    for layer in layers:
        layer["ms"] = layer.get("ms", 0.0) * factor
        for side in {"Inputs", "Outputs"} & layer.keys():
            layer[side] = [tag + each for each in layer[side]]
    return layers, [tag + each for each in case.get("bindings", [])]


def _capture(problems):
    """Return a case of 100 ms, or more where the problems come with long other layers."""
    layers, bindings = [], []
    for number, (path, percent) in enumerate(problems):
        found, tensors = _problem(path, percent, f"p{number}_")
        layers += found
        bindings += tensors
    rest_ms = (100.0 - math.fsum(each["ms"] for each in layers)) / 8
    by_name = not any("LayerType" in each for each in layers)
    for number in range(8 if rest_ms > 0 else 0):
        kind = {"LayerType": "Pooling", "ParameterType": "Pooling"}
        ends = {"Inputs": [f"in{number} | {PLAIN}"], "Outputs": [f"out{number} | {PLAIN}"]}
        layers.append({"Name": f"rest{number}", "ms": rest_ms} | ({} if by_name else kind | ends))
    return {"layers": layers, "bindings": bindings}


CONVERSIONS = "TRX205/fires-at-the-end"
SLOW_CONVOLUTION = "TRX101/fires-without-known-peaks"
SOFTMAX = "TRX509/fires-alone"
PLUGIN = "TRX903/fires-crop-and-resize-by-name"
FUSED_ATTENTION = "TRX512/fires-in-decoding"
ATTENTION = "TRX503/fires-classic"
GELU = "TRX506/fires-pytorch"
NORM = "TRX505/fires-by-node-names"
CACHE = "TRX507/fires-cache"
TABLES = "TRX511/fires-on-tables"
SECTION = "TRX303/fires-between-two-layouts"
REGION = "TRX902/fires-by-name"
FIRST_CONVOLUTION = "TRX104/warning-where-slow"
DOMINANT_BY_NAME = "TRX914/fires-by-name"
GELU_BY_NAME = "TRX506/fires-by-name"
ATTENTION_BY_NAME = "TRX503/fires-by-name"
IMAGE = "TRX522/fires-focus"
BLOCKS = "TRX518/fires"


@pytest.mark.parametrize(
    ("problems", "iterations"),
    [
        # Of causes without an estimate the share of the time decides.
        ([(SOFTMAX, 10), (PLUGIN, 4)], 100),
        ([(SOFTMAX, 10), (PLUGIN, 4)], 1),
        ([(SOFTMAX, 12), (PLUGIN, 9), (CACHE, 2.8)], 100),
        ([(PLUGIN, 12), (SOFTMAX, 4)], 100),
        ([(CONVERSIONS, 25), (SOFTMAX, 8), (PLUGIN, 4)], 1),
        ([(SLOW_CONVOLUTION, 30), (PLUGIN, 8)], 100),
        ([(BLOCKS, 30), (PLUGIN, 4)], 100),
        # A problem that takes much comes before small savings.
        ([(SLOW_CONVOLUTION, 25), (CONVERSIONS, 6)], 100),
        ([(SLOW_CONVOLUTION, 25), (GELU, 6), (SOFTMAX, 6)], 100),
        ([(FIRST_CONVOLUTION, 25), (NORM, 4)], 100),
        ([(SOFTMAX, 20), (NORM, 5), (CACHE, 3)], 100),
        ([(REGION, 60), (CACHE, 4)], 100),
        ([(SLOW_CONVOLUTION, 20), (TABLES, 5), (SOFTMAX, 4)], 100),
        # Large savings come before what takes as much and is not estimated.
        ([(ATTENTION, 30), (SLOW_CONVOLUTION, 15)], 100),
        ([(SECTION, 20), (PLUGIN, 12), (CACHE, 3)], 100),
        ([(IMAGE, 14), (SOFTMAX, 12), (CACHE, 3)], 100),
        # What a fused kernel computes as fast as it can is not worth what is wrong elsewhere.
        ([(ATTENTION, 9), (FUSED_ATTENTION, 45)], 100),
        ([(CACHE, 5), (FUSED_ATTENTION, 40)], 100),
        ([(SOFTMAX, 8), (FUSED_ATTENTION, 40)], 100),
        ([(FUSED_ATTENTION, 60), (SOFTMAX, 4)], 100),
        # Where only names are known nothing else says why a layer takes long.
        ([(DOMINANT_BY_NAME, 33), (GELU_BY_NAME, 5)], 100),
        ([(ATTENTION_BY_NAME, 38), (DOMINANT_BY_NAME, 33)], 100),
    ],
)
def test_the_largest_cause_comes_first(problems, iterations, tmp_path):
    case = {**_capture(problems), "iterations": iterations}
    expected = [path[:6] for path, _ in problems]
    findings = lint(analyze_case(case, tmp_path), Registry(built_in_rules())).findings
    found = [each.code for each in findings if each.about == "engine"]
    assert [each for each in found if each in expected] == expected
