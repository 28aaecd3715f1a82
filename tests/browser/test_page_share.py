"""Parts of a page can be copied, saved and linked, and a link leads to its part."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from trexreport.renderer.palette import LIGHT

PERMISSIONS = ["clipboard-read", "clipboard-write"]


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_a_chart_is_copied_and_saved(open_report, page_of):
    page = open_report(page_of("report"), "#chart-by-type", permissions=PERMISSIONS)
    chart = page.locator("#chart-by-type")
    expect(chart).to_be_in_viewport()
    chart.get_by_role("button", name="Share").focus()
    page.keyboard.press("Enter")
    chart.get_by_role("button", name="Copy CSV").click()
    expect(page.locator(".toast")).to_have_text("Values copied")
    assert clipboard(page).splitlines()[1].startswith("Convolution,")
    chart.get_by_role("button", name="Share").focus()
    page.keyboard.press("Enter")
    with page.expect_download() as saved:
        chart.get_by_role("button", name="Save SVG").click()
    assert saved.value.suggested_filename == "Time-by-layer-type.svg"
    drawing = saved.value.path().read_text("utf-8")
    assert "Convolution" in drawing
    # The page's style sheet, which gives texts their colors, is not in the file.
    for name, color in (("chart-text", LIGHT.text), ("chart-text-muted", LIGHT.muted)):
        assert re.search(f'class="{name}"[^>]* fill="{color}"', drawing), name
    assert not re.search(r'class="chart-text(-muted)?"(?![^>]* fill=)', drawing)


def test_a_finding_is_copied_as_an_issue(open_report, page_of):
    page = open_report(page_of("report"), "#finding-TRX302", permissions=PERMISSIONS)
    finding = page.locator("#finding-TRX302")
    expect(finding.locator("figure.pattern svg")).to_have_count(2)
    finding.get_by_role("button", name="Copy as issue").click()
    expect(page.locator(".toast")).to_have_text("issue copied")
    assert clipboard(page).startswith("### 8 residual Adds")
    assert "file:" not in clipboard(page)


def test_a_link_to_a_layer_goes_to_the_graph_and_terms_open_the_glossary(open_report, page_of):
    page = open_report(page_of("report"), "#L3")
    expect(page.locator("#graph")).to_be_in_viewport()
    page.locator("#detail .term", has_text="Reformat").click()
    expect(page.locator("#glossary dt.is-current")).to_have_text("Reformat")
    expect(page.locator("#glossary dt.is-current")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("#detail .term", has_text="NC/32HW32").first.click()
    expect(page.locator("#glossary dt.is-current")).to_have_text("NC/32HW32")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    expect(page.locator("#glossary")).to_be_visible()
