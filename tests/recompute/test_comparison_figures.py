"""Sums of comparisons of unlike engines, of names that occur twice, and of samples: plain sums again."""

from __future__ import annotations

import json
import math
from collections import Counter

import pytest
from engines_here import folder_of
from raw_engine import RawEngine
from shown_page import Page

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.json_document import render_json

close = pytest.approx
UNLIKE = (
    ("a100-resnet18-fp16", "rtx3060-resnet18-fp16-trt10"),
    ("rtx3060-mobilenetv2-torchtrt", "controlnet-trt8.6"),
    ("orin-bev-trt8.6", "thor-driving-transformer-trt10"),
)
PAIRS = [
    ("resnet18-int8-before", "resnet18-int8-after"),
    ("resnet18-int8-after", "detector-trt11"),
    *(tuple(f"generated/{name}" for name in pair) for pair in UNLIKE),
    *(
        pytest.param(
            tuple(f"real/{name}" for name in pair),
            marks=[pytest.mark.engines, *([pytest.mark.slow] if pair[1].startswith("thor") else [])],
        )
        for pair in UNLIKE
    ),
]


@pytest.fixture(params=PAIRS, scope="module")
def compared(request):
    """The raw files of two engines, their comparison as JSON and as page."""
    folders = [folder_of(name, request) for name in request.param]
    engines = [read_engine(folder) for folder in folders]
    analyses = [analyze(engine) for engine in engines]
    comparison = compare(engines, analyses=analyses)
    page = Page(render_comparison_html(comparison, analyses))
    return [RawEngine(folder) for folder in folders], json.loads(render_json(comparison)), page


def test_figures_of_each_engine(compared):
    raw, document, _ = compared
    assert raw
    for files, engine in zip(raw, document["engines"], strict=True):
        figures = engine["figures"]
        assert figures["layer_sum_ms"] == close(files.sum_ms())
        assert figures["layers"] == sum(not layer.structural for layer in files.layers)
        assert figures["reformats"] == sum(layer.is_reformat() for layer in files.layers)
        assert figures["peak_live_bytes"] == max(files.live_bytes())


def test_the_steps_from_one_sum_to_the_other(compared):
    raw, document, _ = compared
    difference = raw[1].sum_ms() - raw[0].sum_ms()
    waterfalls = document["engines"][1]["waterfalls"]
    assert {each["by"] for each in waterfalls} >= {"type"}
    for waterfall in waterfalls:
        assert waterfall["difference_ms"] == close(difference)
        steps = waterfall["steps"]
        assert math.fsum(step["difference_ms"] for step in steps) == close(difference)
        assert math.fsum(step["baseline_ms"] for step in steps) == close(raw[0].sum_ms())
        assert math.fsum(step["candidate_ms"] for step in steps) == close(raw[1].sum_ms())
        if waterfall["by"] == "type":
            groups = [files.groups(lambda layer: layer.type) for files in raw]
            for step in steps:
                times = [of_engine.get(step["name"], (0, 0))[1] or 0 for of_engine in groups]
                assert [step["baseline_ms"], step["candidate_ms"]] == close(times, abs=1e-9)


def test_rows_hold_every_layer_once(compared):
    raw, document, _ = compared
    for index, files in enumerate(raw):
        sides = [row["sides"][index] for row in document["rows"]]
        members = Counter(member["name"] for side in sides for member in side["members"])
        named = Counter(layer.name for layer in files.layers)
        assert not members - named
        # Only what does nothing at all may be in no row.
        left_out = named - members
        assert all(layer.structural and not layer.time for layer in files.layers if left_out[layer.name])
        assert math.fsum(side["time_ms"] or 0 for side in sides) == close(files.sum_ms())
    differences = math.fsum(row["sides"][1]["difference_ms"] or 0 for row in document["rows"])
    assert differences == close(raw[1].sum_ms() - raw[0].sum_ms(), abs=1e-9)


def test_the_page_has_the_same_sums(compared):
    raw, _, page = compared
    assert [engine["sum"] for engine in page.data["engines"]] == close([files.sum_ms() for files in raw])
    for files, packed in zip(raw, page.data["sides"], strict=True):
        times = next(
            [values[number] for number in at[0]] if at else values
            for key, values, *at in packed["columns"]
            if key == "ms"
        )
        assert math.fsum(time or 0 for time in times) == close(files.sum_ms())
