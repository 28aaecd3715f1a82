"""Bytes and styles of pages: what browsers do not need is left out, and nothing else."""

from __future__ import annotations

import base64
import gzip
import json
import re

from jinja2 import Template

from trexreport.analyzer import analyze
from trexreport.model import Engine
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.markup import FONT_FAMILY
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.packing import in_columns
from trexreport.renderer.page import (
    environment,
    joined_styles,
    packed_json,
    page_bytes,
    source_hash,
    style_and_script,
)
from trexreport.renderer.palette import LIGHT, style_variables
from trexreport.renderer.scripts import page_script


def test_drawings_in_pages_need_no_namespace():
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{FONT_FAMILY}">{"<g/>" * 40}</svg>'
    page = page_bytes(Template("{{ drawing | safe }}", autoescape=True), drawing=drawing)
    assert page == f'<svg font-family="system-ui, sans-serif">{"<g/>" * 40}</svg>'.encode()


def test_texts_of_drawings_in_pages_have_the_colors_of_the_style_sheet():
    text, shape = f'<text class="chart-text" fill="{LIGHT.text}">a</text>', f'<rect fill="{LIGHT.text}"/>'
    drawing = f"<svg>{text * 3}{shape}</svg>"
    page = page_bytes(Template("{{ drawing | safe }}", autoescape=True), drawing=drawing)
    assert page == ("<svg>" + 3 * '<text class="chart-text">a</text>' + f"{shape}</svg>").encode()


def test_charts_in_pages_have_the_font_of_the_page():
    drawing = to_svg(Chart("none", "bars", "Nothing"))
    page = page_bytes(Template("{{ drawing | safe }}", autoescape=True), drawing=drawing).decode()
    assert "font-family" in drawing
    assert "font-family" not in page
    assert 'font-size="12"' in page


def test_texts_of_files_stay():
    name = '<svg xmlns="http://www.w3.org/2000/svg"'
    page = render_html(analyze(Engine(name, ())), (), HtmlOptions(interactive_charts=False)).decode()
    assert "&lt;svg xmlns=" in page


def test_styles_have_no_spaces_for_readers_and_keep_those_that_separate():
    style = joined_styles(("layout.css", "parts.css", "live_graph.css")).removeprefix(style_variables())
    assert [each for each in ("/*", "\n", ", ", ";}") if each in style] == []
    # Of conditions and of sums a space is a part.
    assert "@media (max-width: 60rem){" in style
    assert "calc(100vh - " in style


def test_the_script_finds_members_and_columns_in_every_other_line():
    records = [{"name": name, "type": "Conv"} for name in ("a\nb", "c", "d")]
    layers, findings = in_columns(records), [1, {"a": 2}]
    value = {"engine": "x", "layers": layers, "tensors": in_columns([]), "findings": findings}
    text = gzip.decompress(base64.b64decode(packed_json(value))).decode("ascii")
    assert json.loads(text) == json.loads(json.dumps(value))
    parts = [json.loads(line) for line in text.split("\n")[1::2]]
    assert parts == ["x", ["a\nb", "c", "d"], ["Conv"], [0, 0, 0], findings]


def test_what_is_no_object_is_packed_as_it_is():
    assert gzip.decompress(base64.b64decode(packed_json([{"a": 1}]))) == b'[{"a":1}]'
    assert gzip.decompress(base64.b64decode(packed_json({}))) == b"{}"


def test_style_of_what_only_the_script_shows_comes_with_it():
    made = style_and_script(("layout.css", "live_table.css"), "report")
    script = gzip.decompress(base64.b64decode(made["script"])).decode()
    first, _, rest = script.partition("\n")
    style = json.loads(re.fullmatch(r".*textContent: (\".*\") }\)\);", first).group(1))
    assert ".grid-scroll{" in style
    assert ".grid-scroll{" not in made["style"]
    assert source_hash(style) in made["policy"]
    assert rest == page_script("report")


def test_pixels_have_no_digits_that_say_nothing():
    drawn = environment().from_string("{{ -0.01 | pixels }} {{ 56.0 | pixels }} {{ 5.55 | pixels }}")
    assert drawn.render() == "0 56 5.5"
