"""A report from which detail was left out to fit a size."""

from __future__ import annotations

from page_helpers import SAMPLES, click_row
from playwright.sync_api import expect


def test_what_was_left_out_is_explained(open_report, tmp_path):
    from trexreport.analyzer import analyze
    from trexreport.reader import read_engine
    from trexreport.renderer.html import render_html
    from trexreport.renderer.html_options import HtmlOptions

    engine = read_engine(SAMPLES / "resnet18-int8-before")
    options = HtmlOptions(interactive_charts=False, embed_inputs=False, raw_attributes=False)
    path = tmp_path / "small.html"
    path.write_bytes(render_html(analyze(engine), engine.sources, options))
    page = open_report(path)
    click_row(page, 2)
    expect(page.locator("#detail")).to_contain_text("This report does not contain the attributes")
    page.keyboard.press("/")
    page.locator("#search-text").fill("conv1")
    expect(page.locator("#search-count")).not_to_be_empty()
    assert "gives them back" not in page.locator("#provenance").inner_text()
