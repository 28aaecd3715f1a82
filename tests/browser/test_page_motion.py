"""With reduced motion nothing moves; without it the page scrolls smoothly, and nothing blinks."""

from __future__ import annotations

import pytest
from page_helpers import click_row, wait_for_frames

#: Notes every move of the page's scrolled place, and how many pictures it took.
_COUNT_STEPS = """(selector) => new Promise((done) => {
  const places = new Set([scrollY]);
  document.querySelector(selector).click();
  let still = 0;
  const look = () => {
    still = places.has(scrollY) ? still + 1 : 0;
    places.add(scrollY);
    if (still > 20) done([places.size - 1, document.getAnimations().length]);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})"""


@pytest.mark.parametrize("kind", ["report", "blocks", "comparison"])
def test_a_user_who_prefers_reduced_motion_sees_none(open_report, page_of, kind):
    page = open_report(page_of(kind), reduced_motion="reduce")
    steps, animations = page.evaluate(_COUNT_STEPS, ".rail a[href='#provenance']")
    # What is laid out when it comes near may move the place once more.
    assert 1 <= steps <= 2
    assert animations == 0
    click_row(page, 5)
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].filter((each) => {
          const style = getComputedStyle(each);
          const moves = style.animationName !== "none" || style.transitionDuration !== "0s";
          return moves || style.scrollBehavior === "smooth";
        }).length"""
    )
    assert moving == 0


def test_the_graph_goes_to_a_layer_at_once(open_report, page_of):
    # A narrow window shows some of the graph.
    page = open_report(page_of("report"), reduced_motion="reduce", width=600)
    page.locator("#graph").evaluate("element => element.scrollIntoView()")
    view = page.locator("#graph-view")
    before = view.evaluate("element => element.scrollTop")
    after = page.evaluate(
        """() => {
          location.hash = "#L30";
          return new Promise((done) => addEventListener("hashchange", () => requestAnimationFrame(() =>
            done(document.getElementById("graph-view").scrollTop)), { once: true }));
        }"""
    )
    assert after > before + 100
    wait_for_frames(page, 30)
    assert view.evaluate("element => element.scrollTop") == after


def test_without_that_wish_the_page_scrolls_smoothly(open_report, page_of):
    page = open_report(page_of("report"), reduced_motion="no-preference")
    steps, _ = page.evaluate(_COUNT_STEPS, ".rail a[href='#provenance']")
    assert steps > 1
