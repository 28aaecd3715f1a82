"""The reports of all kinds of engines open without an error, and their layers can be selected."""

from __future__ import annotations

from page_helpers import is_wide
from playwright.sync_api import expect


def test_reports_of_every_kind_of_engine_work(open_report, report_of, engines_folder):
    folders = sorted(path for path in engines_folder.iterdir() if path.is_dir())
    assert len(folders) >= 13
    page = open_report(report_of(folders[0]), width=420)
    for at, folder in enumerate(folders):
        if at:
            open_report(report_of(folder), page=page)
        assert not is_wide(page), folder.name
        text = page.locator("main").inner_text()
        assert not [wrong for wrong in ("undefined", "NaN", "[object") if wrong in text], folder.name
        page.keyboard.press("j")
        expect(page.locator("#detail h2")).to_be_visible()
