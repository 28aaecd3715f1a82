"""With text at 200% or the page zoomed to 200%, nothing is lost (WCAG 2.2, 1.4.4)."""

from __future__ import annotations

import pytest
from page_geometry import UNFOLD, fragment_of, misplaced, misplaced_at
from page_helpers import click_row, rows, wait_for_frames

KINDS = ("report", "blocks", "comparison", "index", "history", "pair")
WIDTHS = (360, 768, 1280, 1920)
#: What a reader sets in the browser; 16 is usual.
LARGE_LETTERS = "--blink-settings=defaultFontSize=32,defaultFixedFontSize=26"


@pytest.fixture(scope="module")
def chromium(start_browser):
    """A browser whose reader wants letters of twice the size."""
    browser = start_browser(LARGE_LETTERS)
    yield browser
    browser.close()


def unfolded(open_report, path, **options):
    page = open_report(path, **options)
    page.evaluate(UNFOLD)
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    return page


@pytest.mark.parametrize("kind", ["report", "index"])
def test_large_letters_show_everything(open_report, page_of, kind):
    assert misplaced(unfolded(open_report, page_of(kind))) == []


@pytest.mark.slow
@pytest.mark.parametrize("fragment", ["", "#L3"])
@pytest.mark.parametrize("kind", KINDS)
def test_large_letters_show_everything_everywhere(open_report, page_of, kind, fragment):
    path = page_of(kind)
    page = unfolded(open_report, path, fragment=fragment_of(kind, path, fragment), width=WIDTHS[0])
    assert misplaced_at(page, WIDTHS) == {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_page_twice_as_large_shows_everything(open_report, page_of, kind):
    # Zoom halves the window and doubles each pixel of it; the letters are large on top of that.
    path = page_of(kind)
    zoomed = {"width": 640, "height": 450, "device_scale_factor": 2}
    page = unfolded(open_report, path, fragment=fragment_of(kind, path, ""), **zoomed)
    assert misplaced(page) == []


def test_the_table_of_large_letters_scrolls_to_the_right_rows(open_report, page_of):
    page = open_report(page_of("blocks"))
    page.locator("#grid-scroll").evaluate("element => element.scrollTo(0, 56 * 200)")
    wait_for_frames(page)
    shown = rows(page)
    assert shown[0] <= 200 <= shown[-1]
    click_row(page, 200)
    assert page.locator("tr[aria-selected=true]").get_attribute("data-item") == "200"
    height = page.locator("tr[data-item='200']").evaluate("row => row.getBoundingClientRect().height")
    assert height == 56
