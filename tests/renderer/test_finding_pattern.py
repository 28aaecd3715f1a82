"""The pattern of a finding: its own layers, and what its recommendation makes of them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from finding_samples import finding

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.findings import Lint
from trexreport.reader import read_engine
from trexreport.renderer.finding_drawings import draw_pattern
from trexreport.renderer.finding_overlaps import overlapping_findings
from trexreport.renderer.finding_pattern import REMEDIES, Arrow, Box, Pattern, finding_pattern

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def facts():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


def kinds(pattern):
    return [box.kind for box in pattern.boxes if not box.outside]


def found(facts, code):
    return next(each for each in facts.lint.findings if each.code == code)


def test_a_mixed_add_becomes_quantized_and_needs_no_reformat(facts):
    before, after = finding_pattern(facts, found(facts, "TRX302"))
    assert "Reformat" in kinds(before)
    assert "Reformat" not in kinds(after)
    assert {box.precision for box in after.boxes} == {"INT8"}
    assert {arrow.data_type for arrow in after.arrows} == {"INT8"}
    keys = {box.key for box in after.boxes}
    assert {end for arrow in after.arrows for end in (arrow.source, arrow.target)} <= keys


def test_a_reformat_of_an_input_is_gone(facts):
    before, after = finding_pattern(facts, found(facts, "TRX206"))
    assert before.boxes[0].kind == "engine input"
    assert kinds(before) == ["Reformat"]
    assert kinds(after) == []
    (arrow,) = after.arrows
    assert (arrow.source, arrow.data_type, arrow.changed) == (before.boxes[0].key, "INT8", True)


def test_layers_that_fuse_are_one(facts):
    chain = replace(finding("TRX501", "warning", ([1, 2, 3], 0.1)), layers=[1, 2, 3])
    before, after = finding_pattern(facts, chain)
    assert len(kinds(before)) == 3
    (fused,) = (box for box in after.boxes if not box.outside)
    assert fused.title == "3 layers as one"
    assert fused.changed


def test_findings_that_change_no_boxes_have_no_drawing(facts):
    assert finding_pattern(facts, finding("TRX601", "warning", ([1], 0.1))) is None
    assert finding_pattern(facts, finding("TRX201", "warning", ([], None))) is None
    assert finding_pattern(facts, finding("TRX201", "warning", ([1], 0.1))) is None


def test_every_remedy_is_of_a_rule():
    from trexreport.analyzer.rules.registry import built_in_rules

    assert set(REMEDIES) <= {rule.code for rule in built_in_rules()}


def test_a_pattern_of_many_layers_is_small_and_the_same_again(facts):
    many = finding("TRX507", "warning", (list(range(len(facts.layers))), 0.1))
    before, after = finding_pattern(facts, many)
    assert len(before.boxes) <= 7
    assert draw_pattern(before, "a") == draw_pattern(before, "a")
    assert draw_pattern(after, "<b>&").count("&lt;b&gt;&amp;") == 1


def test_findings_on_the_same_time_are_marked(facts):
    one = finding("TRX101", "warning", ([1, 2], 0.1))
    two = finding("TRX102", "warning", ([2], 0.1))
    three = finding("TRX103", "warning", ([8], 0.1))
    marked = replace(facts, lint=Lint(findings=[one, two, three], checked=3))
    overlaps = overlapping_findings(marked)
    times = [facts.layers[index].avg_ms for index in (1, 2)]
    assert overlaps[id(one)] == [(two, pytest.approx(100 * times[1] / sum(times)))]
    assert overlaps[id(two)] == [(one, pytest.approx(100))]
    assert id(three) not in overlaps


def test_an_arrow_that_passes_a_box_goes_below_it():
    boxes = [Box(key, name, "Convolution", "FP16") for key, name in enumerate("abc")]
    direct = [Arrow(0, 1, "FP16", "NHWC8"), Arrow(1, 2, "FP16", "NHWC8")]
    plain = draw_pattern(Pattern(boxes, direct), "a chain")
    residual = draw_pattern(Pattern(boxes, [*direct, Arrow(0, 2, "INT8", "NC/32HW32")]), "a residual Add")
    height, before = (float(re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', svg)[1]) for svg in (residual, plain))
    assert height > before
    (long,) = (d for d in re.findall(r'd="([^"]+)"', residual) if "Q" in d)
    lowest = max(float(y) for y in re.findall(r"L[\d.]+ ([\d.]+)", long))
    # The boxes of the only row end at 39.
    assert 39 < lowest < height
