"""Texts over drawings: those alone that need a layout, where the drawing has them, and escaped."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from graph_plans import analysis_of, chain

from trexreport.renderer.pdf.graph_pages import graph_pages
from trexreport.renderer.pdf.text_overlay import is_complex, lift_texts
from trexreport.renderer.pdf.writer import Drawings

HEBREW, ARABIC, ACCENT = "שכבת 12", "طبقة 7", "e\u0301"


def drawing(*texts):
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100" width="100" font-size="10">'
        f'<g transform="translate(20 30)" fill="#123456">{"".join(texts)}</g></svg>'
    )


def style_of(box):
    return dict(rule.split(": ") for rule in re.search('style="([^"]*)"', box)[1].split("; "))


@pytest.mark.parametrize("text", ["conv", "Größe → é", "卷积层", "🧠", "layers – 7"])
def test_what_needs_no_layout_stays_in_the_drawing(text):
    svg = drawing(f'<text x="1" y="2">{text}</text>')
    assert not is_complex(text)
    assert lift_texts(svg) == (svg, "")


@pytest.mark.parametrize("text", [HEBREW, ARABIC, ACCENT, "क्षेत्र"])
def test_what_needs_a_layout_leaves_the_drawing(text):
    svg, boxes = lift_texts(drawing(f'<text x="1" y="2">{text}</text><text x="3" y="4">conv</text>'))
    root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    assert [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")] == [None, "conv"]
    assert f">{text}</p>" in boxes
    assert boxes.count("<p") == 1


def test_a_box_is_where_the_drawing_has_the_text():
    _, box = lift_texts(drawing(f'<text x="40" y="50">{HEBREW}</text>'))
    rules = style_of(box)
    # Half as large as drawn: (20 + 40) / 2, and the foot at (30 + 50) / 2.
    assert rules["left"] == "30.0px"
    assert rules["font-size"] == "5.00px"
    assert float(rules["top"].removesuffix("px")) == pytest.approx(40 - 0.85 * 5, abs=0.1)
    assert rules["color"] == "#123456"
    _, larger = lift_texts(drawing(f'<text x="40" y="50">{HEBREW}</text>'), 400.0)
    assert style_of(larger)["left"] == "120.0px"


@pytest.mark.parametrize(("anchor", "align", "part"), [("end", "right", 1.0), ("middle", "center", 0.5)])
def test_a_box_ends_or_is_centered_where_the_text_is(anchor, align, part):
    _, box = lift_texts(drawing(f'<text x="40" y="50" text-anchor="{anchor}">{HEBREW}</text>'))
    rules = {key: value.removesuffix("px") for key, value in style_of(box).items()}
    assert rules["text-align"] == align
    assert float(rules["left"]) + part * float(rules["width"]) == pytest.approx(30.0)


def test_a_turned_text_stays():
    svg, boxes = lift_texts(drawing(f'<text x="1" y="2" transform="rotate(-90)">{HEBREW}</text>'))
    assert HEBREW in svg
    assert not boxes


def test_names_over_the_graph_are_escaped_and_nothing_else_is_laid_over():
    drawings = Drawings()
    pages = graph_pages(analysis_of(chain([f"</p><script>{HEBREW}", "conv"])), drawings)
    (shown,) = pages["sheet_drawings"]
    assert shown.startswith('<div class="text-overlay"><img src="drawing:')
    assert "<script" not in shown.split("alt=")[0]
    boxes = re.findall(r"<p style=[^>]*>([^<]*)</p>", shown)
    assert [each for each in boxes if "שכבת" in each] == ["&lt;/p&gt;&lt;script&gt;שכבת 12"]
    assert "text-overlay" not in graph_pages(analysis_of(chain(["conv"])), Drawings())["sheet_drawings"][0]
