"""In narrow windows nothing is cut, drawn over something else, or beyond the page (WCAG 2.2, 1.4.10)."""

from __future__ import annotations

import pytest
from page_geometry import UNFOLD, fragment_of, misplaced, misplaced_at
from page_helpers import SAMPLES

KINDS = ("report", "blocks", "comparison", "index", "history", "pair")
WIDTHS = (320, 360, 414, 600, 768, 960, 1024, 1280, 1920)


def opened(open_report, page_of, kind, **options):
    selected = "#L3" if kind in ("report", "blocks", "comparison") else ""
    path = page_of(kind)
    page = open_report(path, fragment_of(kind, path, selected), **options)
    page.evaluate(UNFOLD)
    return page


@pytest.mark.parametrize("kind", ["report", "comparison", "index", "pair"])
def test_a_small_telephone_shows_everything(open_report, page_of, kind):
    assert misplaced(opened(open_report, page_of, kind, width=320, height=640)) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_windows_of_any_width_show_everything(open_report, page_of, kind):
    page = opened(open_report, page_of, kind, width=WIDTHS[0])
    assert misplaced_at(page, WIDTHS) == {}


@pytest.mark.parametrize("kind", ["report", "comparison"])
def test_what_scrolls_sideways_can_be_reached_and_has_a_name(open_report, page_of, kind):
    page = opened(open_report, page_of, kind, width=320, height=640)
    found = page.evaluate(
        """() => [...document.querySelectorAll("main *")]
          .filter((each) => ["auto", "scroll"].includes(getComputedStyle(each).overflowX))
          .filter((each) => each.scrollWidth > each.clientWidth + 1)
          .map((each) => [each.tabIndex, each.closest("[aria-label], figure, section")])
          .map(([tabIndex, around]) => [tabIndex, !around.matches("section")])"""
    )
    assert found
    assert found == [[0, True]] * len(found)


def test_the_measure_finds_what_is_wrong(open_report, page_of):
    page = opened(open_report, page_of, "index", width=320, height=640)
    page.evaluate(
        """() => {
          const add = (text, style) => {
            const made = document.createElement("p");
            made.textContent = text;
            Object.assign(made.style, style);
            document.getElementById("main").append(made);
          };
          add("wide", { width: "900px", textAlign: "right" });
          add("cut off in the middle of it", { width: "50px", overflow: "hidden", whiteSpace: "nowrap" });
          add("below", {});
          add("above", { marginTop: "-30px" });
        }"""
    )
    problems = "\n".join(misplaced(page))
    for expected in ("wide in 320", "beyond the page: wide", "cut sideways: cut off", "below / above"):
        assert expected in problems, problems


def test_the_ranking_shows_whole_verdicts_on_a_phone(open_report, comparison_of):
    before, after = (SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after"))
    page = open_report(comparison_of(before, after, after)[1], width=390, height=844)
    room = page.locator("#ranking").evaluate("each => [each.offsetWidth, each.parentElement.clientWidth]")
    assert room[0] <= room[1]


def test_figures_and_what_changed_are_in_view_on_a_phone(open_report, page_of):
    page = open_report(page_of("comparison"), width=390, height=844, has_touch=True, is_mobile=True)
    table = page.locator("#figures .figures-table").first
    room = table.evaluate("each => [each.parentElement.scrollWidth, each.parentElement.clientWidth]")
    assert room[0] == room[1]
    label = table.locator("td").first.evaluate("each => getComputedStyle(each, '::before').content")
    assert label == '"Median latency"'
    rows = page.locator("#rows .is-narrow")
    assert rows.locator(".cell-bar:visible").count() == 0
    changed = rows.locator("th", has_text="What changed").evaluate(
        "each => each.getBoundingClientRect().left"
    )
    assert changed + 130 <= 390


def test_a_finger_can_tap_the_controls(open_report, page_of):
    page = open_report(page_of("index"), width=390, height=844, has_touch=True, is_mobile=True)
    sizes = page.locator("#engines :is(button, select, input)").evaluate_all(
        """all => all.filter((each) => each.checkVisibility())
          .map((each) => each.getBoundingClientRect())
          .map((box) => Math.min(box.width, box.height))"""
    )
    assert len(sizes) > 5
    assert min(sizes) >= 24
