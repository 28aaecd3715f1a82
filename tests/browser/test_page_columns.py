"""Columns of tables are in the windows that they are read in, and names in them keep what differs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from page_helpers import SAMPLES, wait_for_frames
from playwright.sync_api import expect

GEOMETRY = Path(__file__).with_name("phone_geometry.js").read_text("utf-8")
LAPTOP = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def of_five(comparison_of):
    """The page of five engines."""
    before, after = (SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after"))
    return comparison_of(before, after, before, after, after)[1]


def in_view(page, heads):
    """Which of the heads of the table are in the view of it as a whole, with texts that are not cut."""
    return page.locator("#grid-scroll thead th").evaluate_all(
        """(all, heads) => {
          const right = document.querySelector("#grid-scroll").getBoundingClientRect().right;
          const shown = all.filter((each) => each.getBoundingClientRect().right <= right + 1);
          const texts = shown.map((each) => each.querySelector("button > span"));
          return texts.filter((each) => each.scrollHeight <= each.clientHeight + 1)
            .map((each) => each.textContent).filter((text) => heads.some((head) => text.endsWith(head)));
        }""",
        heads,
    )


def test_five_engines_have_their_times_in_view_on_a_laptop(open_report, of_five):
    page = open_report(of_five, "#rows", **LAPTOP)
    assert len(in_view(page, ["(ms)"])) == 6
    assert in_view(page, ["What changed"]) == ["What changed"]


def test_another_baseline_is_not_that_of_the_verdicts(open_report, of_five):
    page = open_report(of_five, **LAPTOP)
    head = page.locator("#ranking thead th").last
    expect(head).to_have_text("Verdict")
    first = page.locator("#baseline option").first.inner_text()
    page.locator("#baseline").select_option(index=2)
    expect(head).to_have_text(f"Verdict against {first}")
    page.locator("#baseline").select_option(index=0)
    expect(head).to_have_text("Verdict")


def test_the_date_of_a_run_is_in_view_on_a_laptop(open_report, page_of):
    page = open_report(page_of("index"), **LAPTOP)
    assert in_view(page, ["Date", "Latency (ms)", "Change"]) == ["Date", "Latency (ms)", "Change"]
    dates = page.locator("#grid-scroll tbody tr[data-item] td:nth-child(3)")
    assert dates.evaluate_all("all => all.filter((each) => each.scrollWidth > each.clientWidth).length") == 0
    expect(dates.first).to_have_text("2024-05-05")


def test_what_stays_in_view_has_an_edge_once_it_covers_columns(open_report, resnet):
    page = open_report(resnet, "#layers", **LAPTOP)
    edge = page.locator("#grid-scroll tbody tr[data-item] td.is-edge").first
    width = "each => getComputedStyle(each).borderRightWidth"
    assert edge.evaluate(width) == "0px"
    page.locator("#grid-scroll").evaluate("each => (each.scrollLeft = 90)")
    wait_for_frames(page)
    assert edge.evaluate(width) == "1px"


def test_names_beside_a_reformat_are_lines_that_keep_their_ends(open_report, resnet):
    for width in (1440, 768, 390):
        page = open_report(resnet, "#reformats", width=width, height=900)
        names = page.locator("#reformats td.names a.cut")
        found = names.evaluate_all(
            """all => all.map((each) => {
              const end = each.lastElementChild;
              return [each.getClientRects().length, each.clientHeight < 30, end.clientWidth > 60];
            })"""
        )
        assert len(found) > 5
        assert all(each == [1, True, True] for each in found), width


def test_hashes_of_a_comparison_have_two_equal_lines_at_most(open_report, of_five):
    lines = """all => all.map((each) => {
      const range = document.createRange();
      return [...each.childNodes].filter((node) => node.data).flatMap((node) => {
        range.selectNodeContents(node);
        return range.getClientRects().length;
      });
    })"""
    for width in (1920, 1440, 768, 390):
        page = open_report(of_five, "#provenance", width=width, height=900)
        found = page.locator("#provenance .hash").evaluate_all(lines)
        assert found
        assert all(each == [1, 1] for each in found), width


def test_graphs_side_by_side_begin_at_one_height(open_report, page_of):
    page = open_report(page_of("comparison"), "#view=both", width=1440, height=900, reduced_motion="reduce")
    expect(page.locator("#baseline-graph .node").first).to_be_visible()
    tops = [
        page.locator(f"#{each}").evaluate("each => each.getBoundingClientRect().top")
        for each in ("graph-view", "baseline-graph-view")
    ]
    assert tops[0] == pytest.approx(tops[1], abs=1)


def test_a_large_engine_has_as_many_columns_as_a_tablet_can_show(open_report, page_of):
    page = open_report(page_of("blocks"), "#graph", width=768, height=1024)
    view = page.locator("#graph-view")
    room = view.evaluate("each => [each.scrollWidth, each.clientWidth]")
    assert room[0] <= 1.2 * room[1]


def test_texts_of_wide_drawings_can_be_read_beside_the_panel(open_report, resnet):
    page = open_report(resnet, "#L3", **LAPTOP)
    expect(page.locator("#detail")).to_be_visible()
    sizes = page.locator("figure.chart.is-wide .static-chart > svg text").evaluate_all(
        """all => all.filter((each) => each.checkVisibility())
          .filter((each) => !each.closest(".chart-icicle, .chart-timeline"))
          .map((each) => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a)"""
    )
    assert len(sizes) > 20
    assert min(sizes) > 8.5
    assert page.evaluate(GEOMETRY)["over"] == []


SIDEWAYS = "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"


def test_kernels_have_all_of_their_columns_in_view_on_a_laptop(open_report, report_of, tmp_path):
    shutil.copytree(SAMPLES / "resnet18-int8-before", tmp_path, dirs_exist_ok=True)
    shutil.copy(SAMPLES / "kernels" / "resnet18-int8-before.kernels.json", tmp_path)
    page = open_report(report_of(tmp_path), **LAPTOP)
    tables = page.locator("#kernels .scroll:has(table.kernels)")
    assert tables.count() == 2
    page.locator("#kernels details").evaluate("each => (each.open = true)")
    assert tables.evaluate_all(SIDEWAYS) == 0
    # A name ends a line at a joint, not within a word.
    assert page.locator("#kernels td.kernel wbr").count() > 100


def test_precisions_of_five_engines_are_in_view_on_a_large_screen(open_report, of_five):
    page = open_report(of_five, width=1920, height=1080)
    tables = page.locator("#precision .scroll")
    assert tables.count() >= 1
    assert tables.evaluate_all(SIDEWAYS) == 0
