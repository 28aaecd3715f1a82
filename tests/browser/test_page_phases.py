"""A page of several phases: an overview, and the report of each as a tab."""

from __future__ import annotations

import re

import pytest
from page_helpers import SAMPLES
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def page_of_phases(tmp_path_factory):
    from trexreport.model import Phase
    from trexreport.pipeline.phase_reports import make_phases_report
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.pipeline.settings import Settings
    from trexreport.reader import read_engine
    from trexreport.renderer.html_options import HtmlOptions

    engine = read_engine(SAMPLES / "resnet18-int8-before")
    phases = [Phase("prefill", engine, 1), Phase("decode & <b>", engine, 128)]
    page = ReportFormat("html", HtmlOptions(interactive_charts=False))
    path = tmp_path_factory.mktemp("phases") / "set.html"
    path.write_bytes(make_phases_report("set", phases, Settings(), page)[1].data)
    return path


def test_a_tab_is_the_report_of_its_phase(chromium, page_of_phases):
    # A tab loads the file again, which pages of one report never do.
    page = chromium.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text))
    page.goto(page_of_phases.as_uri())
    expect(page.locator("#overview")).to_contain_text("2 phases take")
    page.locator("#phase-tabs").get_by_text("decode & <b>").click()
    expect(page.locator("#layer-grid")).to_be_visible()
    expect(page.locator("#phase-tabs [aria-current]")).to_have_text("decode & <b>")
    page.locator("#filter").fill("type:pooling")
    expect(page).to_have_url(re.compile(r"\?phase=decode.*#filter=type"))
    address = page.url
    page.reload()
    expect(page.locator("#filter")).to_have_value("type:pooling")
    assert page.url == address
    page.locator("#phase-tabs").get_by_text("Overview").click()
    expect(page.locator("#overview")).to_contain_text("2 phases take")
    page.locator("#phase-1 .first a").first.click()
    expect(page).to_have_url(re.compile(r"\?phase=decode.*#finding-TRX302"))
    expect(page.locator("#finding-TRX302")).to_be_in_viewport()
    assert errors == []
    page.close()
