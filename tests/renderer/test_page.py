"""Bytes and styles of pages: what browsers do not need is left out, and nothing else."""

from __future__ import annotations

from jinja2 import Template

from trexreport.analyzer import analyze
from trexreport.model import Engine
from trexreport.renderer.charts.markup import FONT_FAMILY
from trexreport.renderer.html import HtmlOptions, render_html
from trexreport.renderer.page import joined_styles, page_bytes
from trexreport.renderer.palette import style_variables


def test_drawings_in_pages_need_no_namespace():
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="{FONT_FAMILY}"></svg>'
    page = page_bytes(Template("{{ drawing | safe }}", autoescape=True), drawing=drawing)
    assert page == b'<svg font-family="system-ui"></svg>'


def test_texts_of_files_stay():
    name = '<svg xmlns="http://www.w3.org/2000/svg"'
    page = render_html(analyze(Engine(name, ())), (), HtmlOptions(interactive_charts=False)).decode()
    assert "&lt;svg xmlns=" in page


def test_styles_have_no_spaces_for_readers_and_keep_those_that_separate():
    style = joined_styles(("layout.css", "parts.css", "graph.css")).removeprefix(style_variables())
    assert [each for each in ("/*", "\n", ", ", ";}") if each in style] == []
    # Of sums a space is a part.
    assert "@media (max-width:60rem){" in style
    assert "calc(100vh - " in style


def test_styles_are_written_without_zeros_and_spaces_that_mean_nothing(monkeypatch):
    rule = "  a > b:not(:hover, .c) {\n    margin: 0.5rem 10.5px -0.25em 0 1.05em;\n  }"
    css = f"@media (max-width: 40rem) {{\n{rule}\n}}\n"
    monkeypatch.setattr("trexreport.renderer.page.resource_text", lambda *_: css)
    assert joined_styles(["parts.css"]).endswith(
        "@media (max-width:40rem){a>b:not(:hover,.c){margin:.5rem 10.5px -.25em 0 1.05em}}"
    )
