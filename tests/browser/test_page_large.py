"""A plan of 10,000 layers: few rows are in the page, and they are the right ones."""

from __future__ import annotations

import re

import pytest
from page_helpers import (
    column,
    expect_selected,
    rows,
    scroll_to,
    type_filter,
    wait_for_frames,
    wait_until_ready,
)
from playwright.sync_api import expect

LAYERS = 10_000


@pytest.fixture(scope="module")
def large(chromium, report_of, tmp_path_factory):
    """The page of the large plan; every test leaves it as it was."""
    from generator.large import llm_like

    folder = tmp_path_factory.mktemp("large")
    for name, content in llm_like(LAYERS).items():
        (folder / name).write_bytes(content)
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(60_000)
    page = context.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(report_of(folder).as_uri())
    wait_until_ready(page)
    yield page
    context.close()
    assert problems == []


@pytest.fixture(autouse=True)
def left_clean(large):
    yield
    large.locator("#filter").fill("")
    large.locator("#filter").blur()
    large.locator("#grid-scroll").evaluate("element => element.scrollTo(0, 0)")
    expect(large.locator("#row-count")).to_have_text("10,000 layers")


def scroll_rows(page, top):
    page.locator("#grid-scroll").evaluate("(element, top) => element.scrollTo(0, top)", top)
    wait_for_frames(page)


def test_scrolling_shows_the_right_rows(large):
    for top in (0, 28 * 5000, 28 * 6_345, 28 * LAYERS):
        scroll_rows(large, top)
        shown = rows(large)
        assert len(shown) < 120
        assert shown == list(range(shown[0], shown[0] + len(shown)))
        first = min(top // 28, LAYERS - 20)
        assert first in shown
        row = large.locator(f"#grid-scroll tr[data-item='{first}']")
        assert row.get_attribute("aria-rowindex") == str(first + 2)
    assert shown[-1] == LAYERS - 1
    assert large.locator("#grid-scroll table").get_attribute("aria-rowcount") == str(LAYERS + 1)


def test_scrolling_a_little_keeps_rows_and_adds_the_right_ones(large):
    scroll_rows(large, 28 * 300)
    large.evaluate("document.querySelector(`#grid-scroll tr[data-item='310']`).dataset.kept = 'yes'")
    for top in (28 * 305, 28 * 309, 28 * 301, 28 * 293):
        scroll_rows(large, top)
        shown = rows(large)
        assert shown == list(range(top // 28 - 12, shown[-1] + 1))
        indices = large.locator("#grid-scroll tr[data-item]").evaluate_all(
            "rows => rows.map((row) => Number(row.getAttribute('aria-rowindex')))"
        )
        assert indices == [row + 2 for row in shown]
        height = large.locator("#grid-scroll").evaluate("element => element.scrollHeight")
        head = large.locator("#grid-scroll thead").bounding_box()["height"]
        assert abs(height - head - 28 * LAYERS) < 30
        heights = large.locator("#grid-scroll tr[data-item]").evaluate_all(
            "rows => rows.map((row) => row.offsetHeight)"
        )
        assert set(heights) == {28}
    assert large.locator("#grid-scroll tr[data-kept]").count() == 1


def test_sorting_orders_all_of_them(large):
    button = large.locator("#grid-scroll thead button", has_text=re.compile(r"^Avg\. time \(ms\)"))
    button.click()
    scroll_rows(large, 0)
    times = [float(text) for text in column(large, "Avg. time (ms)")]
    assert times == sorted(times, reverse=True)
    largest = times[0]
    button.click()
    scroll_rows(large, 28 * LAYERS)
    assert len(rows(large)) < 120
    measured = [float(text) for text in column(large, "Avg. time (ms)") if text != "–"]
    assert measured == sorted(measured)
    assert not measured or measured[-1] <= largest
    large.locator("#grid-scroll thead button", has_text=re.compile("^#")).click()


def test_filtering_finds_the_few(large):
    type_filter(large, "index>=9990")
    expect(large.locator("#row-count")).to_contain_text("10 of 10,000 layers")
    assert rows(large) == list(range(9_990, LAYERS))
    scroll_rows(large, 0)
    type_filter(large, "-index>=9990")
    expect(large.locator("#row-count")).to_contain_text("9,990 of 10,000 layers")
    assert len(rows(large)) < 120


def test_a_layer_far_away_is_found_selected_and_shown(large):
    large.keyboard.press("Control+k")
    large.locator("#search-text").fill("layers.500")
    expect(large.locator("#search-count")).to_contain_text("found")
    assert large.locator("#search-results li").count() <= 60
    large.keyboard.press("Escape")
    large.evaluate("location.hash = '#L7500'")
    expect(large.locator("#grid-scroll tr[data-item='7500']")).to_have_attribute("aria-selected", "true")
    name = large.locator("#grid-scroll tr[data-item='7500'] a.name").text_content()
    expect_selected(large, name)
    large.keyboard.press("j")
    expect(large.locator("#grid-scroll tr[data-item='7501']")).to_have_attribute("aria-selected", "true")
    assert len(rows(large)) < 120
    large.keyboard.press("Escape")


def test_the_chosen_result_of_the_search_is_in_view(large):
    large.keyboard.press("Control+k")
    large.locator("#search-text").fill("layers.1")
    for _ in range(40):
        large.keyboard.press("ArrowDown")
    expect(large.locator("#result-40")).to_have_attribute("aria-selected", "true")
    expect(large.locator("#result-40")).to_be_in_viewport()
    large.locator("#search-text").fill("layers.2")
    expect(large.locator("#result-0")).to_be_in_viewport()
    large.keyboard.press("Escape")


def test_long_tables_are_laid_out_when_they_come_near(large):
    is_laid_out = "cell => cell.checkVisibility({ contentVisibilityAuto: true })"
    cell = large.locator("#build .long td").first
    large.evaluate("scrollTo(0, 0)")
    wait_for_frames(large)
    assert not cell.evaluate(is_laid_out)
    scroll_to(large, "#build")
    wait_for_frames(large)
    assert cell.evaluate(is_laid_out)


def test_the_graph_opens_as_blocks_and_draws_only_what_is_in_view(large):
    blocks = large.locator(".plan-block")
    expect(blocks.first).to_be_visible()
    assert large.locator(".plan-svg *").count() < 3000
    before = blocks.count()
    large.locator("#plan-open-all").click()
    expect(large.locator(".plan-svg .node").first).to_be_visible()
    assert large.locator(".plan-svg *").count() < 8000
    large.locator("#plan-close-all").click()
    expect(large.locator(".plan-svg .node")).to_have_count(0)
    assert large.locator(".plan-block").count() <= before


def test_a_layer_that_is_selected_is_shown_inside_of_its_block(large):
    scroll_to(large, "#graph-view")
    large.evaluate("location.hash = '#L3002'")
    expect(large.locator(".node.is-selected")).to_have_attribute("data-layer", "3002")
    expect(large.locator(".node.is-selected")).to_be_in_viewport()
    large.keyboard.press("Escape")


def test_a_block_opens_by_keyboard_and_the_address_says_so(large):
    large.locator("#plan-close-all").click()
    assert "graph=1" in large.evaluate("location.hash")
    block = large.locator(".plan-block").first
    number = block.get_attribute("data-block")
    block.focus()
    large.keyboard.press("Enter")
    expect(large.locator(f".plan-head[data-block='{number}']")).to_be_focused()
