"""The graphs of a comparison side by side: they scroll, zoom and select together."""

from __future__ import annotations

import pytest
from page_helpers import turn_wheel, wait_for_frames
from playwright.sync_api import expect
from waiting import wait_until

SIZE = {"width": 1440, "height": 900}


@pytest.fixture
def sides(open_report, page_of):
    page = open_report(page_of("comparison"), "#view=both", reduced_motion="reduce", **SIZE)
    expect(page.locator("#baseline-graph .node").first).to_be_visible()
    page.locator("#engine-graph .plan").evaluate("each => each.scrollIntoView({ behavior: 'instant' })")
    return page


def tops(page):
    """How far both graphs are scrolled."""
    return page.evaluate(
        "['graph-view', 'baseline-graph-view'].map((id) => document.getElementById(id).scrollTop)"
    )


def middle(page, selector):
    return page.locator(selector).first.evaluate(
        "each => (box => box.top + box.height / 2)(each.getBoundingClientRect())"
    )


def test_one_graph_is_shown_until_both_are_asked_for(open_report, page_of):
    page = open_report(page_of("comparison"), reduced_motion="reduce", **SIZE)
    expect(page.locator("#baseline-graph")).to_be_hidden()
    assert page.locator("#baseline-graph .node").count() == 0
    page.locator("#view-both").click()
    expect(page.locator("#baseline-graph .node").first).to_be_visible()
    assert page.url.endswith("#view=both")
    page.locator("#view-both").click()
    expect(page.locator("#baseline-graph")).to_be_hidden()


def test_they_scroll_and_zoom_together(sides):
    sides.locator("#graph-view").hover()
    turn_wheel(sides, 400)
    wait_until(lambda: min(tops(sides)) > 100)
    before = tops(sides)
    sides.locator("#baseline-graph-view").hover()
    turn_wheel(sides, 300)
    wait_until(lambda: tops(sides)[0] > before[0] + 50)
    sides.locator("#graph-in").click()
    wait_for_frames(sides)
    widths = sides.evaluate(
        """['graph-view', 'baseline-graph-view'].map((id) => {
          const box = document.querySelector(`#${id} .node .node-box`);
          return box.getBoundingClientRect().width;
        })"""
    )
    assert widths[0] == pytest.approx(widths[1], abs=0.5)


def test_a_layer_of_either_selects_its_row_in_both(sides):
    node = sides.locator("#baseline-graph .node[data-layer='3']")
    node.click()
    expect(sides.locator("#baseline-graph .node.is-selected")).to_have_count(1)
    expect(sides.locator("#engine-graph .node.is-selected")).to_have_count(1)
    expect(sides.locator("#detail")).to_contain_text("(baseline)")
    wait_for_frames(sides, 10)
    places = [middle(sides, f"#{side} .node.is-selected") for side in ("engine-graph", "baseline-graph")]
    # A row may have several layers: the first ones are a box apart at most.
    assert places[0] == pytest.approx(places[1], abs=150)
    assert sides.locator("#baseline-graph .node-outline").count() > 0


def test_the_filter_marks_both(sides):
    sides.evaluate("location.hash = '#filter=change:tactic&view=both'")
    expect(sides.locator("#engine-graph .node.is-match").first).to_be_attached()
    expect(sides.locator("#baseline-graph .node.is-match").first).to_be_attached()


def test_a_narrow_window_has_one(open_report, page_of):
    page = open_report(page_of("comparison"), "#view=both", width=700, height=900)
    expect(page.locator("#baseline-graph")).to_be_hidden()
    expect(page.locator("#view-both")).to_be_hidden()
