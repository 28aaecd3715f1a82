"""The sentence about the roofline says at which clocks the peaks are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.api import analyze, load
from trexreport.wording.latency import latency_sentence
from trexreport.wording.roofline import bounds_sentence, roofline_sentence

SAMPLE = Path(__file__).parents[2] / "samples/resnet18-int8-before"


@pytest.mark.parametrize(
    ("clocks", "expected"),
    [
        ({}, "at the peaks of A100 80GB PCIe;"),
        # Rounded.
        ({"Application Memory Clock Rate": "1.5 GHz"}, "at the peaks of A100 80GB PCIe;"),
        (
            {"Application Memory Clock Rate": "0.756 GHz"},
            "at the peaks of A100 80GB PCIe at 50.0% of its memory clock, as the capture states;",
        ),
        (
            {"Application Compute Clock Rate": "0.705 GHz", "Application Memory Clock Rate": "0.756 GHz"},
            "at the peaks of A100 80GB PCIe at 50.0% of its clock and 50.0% of its memory clock, as",
        ),
    ],
)
def test_lower_clocks_are_stated(tmp_path, clocks, expected):
    for file in SAMPLE.iterdir():
        document = json.loads(file.read_text())
        if file.name.endswith("metadata.json"):
            document["device_information"] |= clocks
        (tmp_path / file.name).write_text(json.dumps(document))
    assert expected in roofline_sentence(analyze(load(tmp_path), with_blocks=False))


def test_the_summary_says_what_bounds_the_layers_and_how_near_the_slowest_is():
    analysis = analyze(load(SAMPLE), with_blocks=False)
    layers_ms = analysis.latency.layer_sum_ms
    assert re.fullmatch(
        r"By the roofline compute-bound layers take [\d.]+% of the time, memory-bound [\d.]+%, "
        r"latency-bound or inefficient [\d.]+%\.",
        bounds_sentence(analysis.roofline, layers_ms),
    )
    # A part of the time is known, and too little of it.
    assert " ms whose roofline is known, " in bounds_sentence(analysis.roofline, 1.5 * layers_ms).replace(
        "\u00a0", " "
    )
    assert bounds_sentence(analysis.roofline, 3 * layers_ms) == ""
    assert re.search(r" takes [\d.]+%, at [\d.]+% of its roofline\.$", latency_sentence(analysis))
    # Above it, as in a cache, it says nothing of what is left.
    above = [
        replace(each, roof=replace(each.roof, reached_percent=130.0)) if each.roof else each
        for each in analysis.layers
    ]
    assert re.search(r" takes [\d.]+%\.$", latency_sentence(replace(analysis, layers=above)))
