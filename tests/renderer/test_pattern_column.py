"""Patterns of findings from top to bottom: within their width, in levels, an arrow beside what it passes."""

from __future__ import annotations

import re

from trexreport.renderer.finding_pattern import Arrow, Box, Pattern
from trexreport.renderer.pattern_column import draw_pattern_down

BOXES = [Box(key, name, "Convolution", "FP16") for key, name in enumerate("abc")]
CHAIN = [Arrow(0, 1, "FP16", "NHWC8"), Arrow(1, 2, "INT8", "NC/32HW32")]


def frames(svg):
    """Return left and upper edge, width and height of each box."""
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', svg)
    return [each for each in (tuple(map(float, box)) for box in found) if each[2] > 10]


def test_boxes_are_below_each_other_and_texts_have_their_size():
    svg = draw_pattern_down(Pattern(BOXES, CHAIN), "As it is")
    tops = [y for _, y, _, _ in frames(svg)]
    assert len(tops) == 3
    assert tops == sorted(set(tops))
    assert 'viewBox="0 0 316 ' in svg
    sizes = {float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)}
    assert sizes
    assert min(sizes) >= 10
    assert "NC/32HW32" in svg


def test_boxes_of_a_level_share_the_width():
    boxes = [*BOXES, Box(3, "d" * 200, "Add", "")]
    arrows = [Arrow(each, 3, "FP16", "linear") for each in range(3)]
    places = frames(draw_pattern_down(Pattern(boxes, arrows), "a"))
    lefts = sorted((x, x + width) for x, y, width, _ in places if y == places[0][1])
    assert len(lefts) == 3
    assert lefts[0][1] < lefts[1][0]
    assert lefts[1][1] < lefts[2][0]
    assert lefts[2][1] <= 316


def test_an_arrow_that_passes_a_box_goes_right_of_all_boxes():
    residual = Pattern(BOXES, [*CHAIN, Arrow(0, 2, "INT8", "NC/32HW32")])
    svg = draw_pattern_down(residual, "a residual Add")
    (long,) = (d for d in re.findall(r'd="([^"]+)"', svg) if "Q" in d)
    lane = max(float(x) for x in re.findall(r"[LQ]([\d.]+) ", long))
    assert max(x + width for x, _, width, _ in frames(svg)) < lane < 316


def test_names_are_texts_and_the_same_pattern_gives_the_same_drawing():
    pattern = Pattern([Box(0, "<b>&", "Cast", ""), Box(-2, "in", "engine input", "")], [Arrow(-2, 0, "", "")])
    svg = draw_pattern_down(pattern, "<i>")
    assert "<b>" not in svg
    assert "<i>" not in svg
    assert svg == draw_pattern_down(pattern, "<i>")
    assert draw_pattern_down(pattern, "a", with_links=False).count("<a ") == 0
    assert draw_pattern_down(pattern, "a").count("<a ") == 1
