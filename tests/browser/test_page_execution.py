"""The section on execution providers of a page: filtered, searched, and linked with the ONNX model."""

from __future__ import annotations

from front_ends import ort_profile
from playwright.sync_api import expect


def test_executed_nodes_are_filtered_and_searched(open_report, report_of, tmp_path):
    (tmp_path / "profile.json").write_bytes(ort_profile())
    page = open_report(report_of(tmp_path / "profile.json"))
    expect(page.locator("#execution-count")).to_have_text("5 rows")
    page.fill("#execution-filter", "nms cpu")
    expect(page.locator("#execution-count")).to_have_text("1 of 5 rows")
    expect(page.locator(".executed > tbody > tr:visible")).to_contain_text("/nms/NonMaxSuppression")
    page.keyboard.press("Escape")
    page.locator("#open-search").click()
    page.fill("#search-text", "/resize/Resize")
    expect(page.locator("#search-results")).to_contain_text("Executed node")
