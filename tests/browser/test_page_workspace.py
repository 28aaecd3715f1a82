"""The graph as a workspace: full screen, saving, the minimap, the width of the panel, and the timeline."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from page_helpers import expect_selected, scroll_to, wait_for_frames
from playwright.sync_api import expect


@pytest.fixture
def graph(page):
    """The page, scrolled to its graph."""
    scroll_to(page, "#graphs")
    return page


def test_full_screen_fills_the_window_and_escape_leaves_it(graph):
    graph.locator("#graph-full").click()
    view = graph.locator("#graphs").bounding_box()
    size = graph.viewport_size
    assert (view["x"], view["y"]) == (0, 0)
    assert view["width"] == pytest.approx(size["width"], abs=2)
    assert view["height"] == pytest.approx(size["height"], abs=2)
    graph.locator(".node").first.click()
    detail = graph.locator("#detail").bounding_box()
    view = graph.locator("#graphs").bounding_box()
    assert view["x"] + view["width"] <= detail["x"] + 1
    graph.keyboard.press("Escape")
    expect(graph.locator("#detail")).to_be_hidden()
    graph.keyboard.press("Escape")
    expect(graph.locator("html")).not_to_contain_class("is-full")
    expect(graph.locator("#graph-full")).to_have_text("Full screen")


@pytest.mark.parametrize("width", [768, 1024, 1440, 1920])
def test_the_graph_is_read_without_scrolling_sideways(graph, width):
    graph.set_viewport_size({"width": width, "height": 900})
    wait_for_frames(graph)
    room, needed, drawn, stated = graph.evaluate(
        """() => {
          const view = document.getElementById('graph-view');
          const drawing = view.querySelector('svg');
          const { width } = drawing.getBoundingClientRect();
          return [view.clientWidth, view.scrollWidth, width, drawing.viewBox.baseVal.width];
        }"""
    )
    assert needed <= room
    # Names have letters of 12 pixels at scale 1.
    assert 12 * drawn / stated >= 9.6
    # No more than half of a wide window is left blank.
    assert drawn >= 0.5 * room


def test_a_link_to_a_layer_shows_its_box(open_report, page_of):
    """Above the drawing are a heading, notes, tools and the legend: it may begin below half of a window."""
    page = open_report(page_of("blocks"), "#L5", width=1280, height=700)
    assert (
        page.locator("#graph-view").bounding_box()["y"] + page.locator("#graph-view").bounding_box()["height"]
        <= 701
    )
    expect(page.locator(".node.is-selected[data-layer='5']")).to_be_in_viewport()


@pytest.mark.parametrize(("kind", "width"), [("report", 1280), ("blocks", 1440)])
def test_the_tools_keep_to_one_line_beside_the_panel(open_report, page_of, kind, width):
    page = open_report(page_of(kind), "#L5", width=width, height=900)
    scroll_to(page, "#graphs")
    bar = page.locator(".graph-bar").first
    tops = bar.evaluate("(bar) => [...bar.children].map((each) => each.getBoundingClientRect().top)")
    assert max(tops) - min(tops) < 10
    # A menu is above the drawing, which it covers.
    bar.get_by_text("More", exact=True).click()
    page.locator("#graph-copy-link").click(trial=True)
    # What is shown by a part of its words is named by all of them.
    assert page.get_by_role("button", name="Full screen", exact=True).count() >= 1


@pytest.mark.parametrize("is_full", [False, True])
def test_the_open_legend_covers_nothing_of_the_graph(graph, is_full):
    if is_full:
        graph.locator("#graph-full").click()
    graph.locator("#graph-key .marks summary").click()
    expect(graph.locator("#graph-key .marks ul")).to_be_visible()
    legend, drawing = (graph.locator(each).bounding_box() for each in ("#graph-key", "#graph-view"))
    assert legend["y"] + legend["height"] <= drawing["y"] + 1
    assert drawing["height"] > 250


def test_a_beginning_cut_to_nothing_still_shows_an_ellipsis(graph):
    parts = graph.evaluate("""() => {
        const name = document.querySelector(".slowest .cut");
        const parts = ["backbone.layer4.1.co", "nv1.weight + /layer4/layer4.1/conv1", "elu/Relu"];
        const make = (text) => Object.assign(document.createElement("span"), { textContent: text });
        name.replaceChildren(...parts.map(make));
        name.style.width = "9rem";
        return [...name.children].map((each) => each.getBoundingClientRect().width);
    }""")
    assert parts[0] >= 18
    assert parts[1] >= 40


def test_what_is_saved_shows_all_layers_without_a_style_sheet(graph, facts):
    with graph.expect_download() as download:
        graph.locator("#graph-save-svg").click()
    text = download.value.path().read_text("utf-8")
    root = ET.fromstring(text)  # noqa: S314 - drawn by this page
    assert download.value.suggested_filename.endswith("-graph.svg")
    boxes = [each for each in root.iter() if each.tag.endswith("}a")]
    assert len(boxes) == sum(layer.type != "NoOp" for layer in facts.layers)
    assert "class=" not in text
    assert "var(" not in text
    fills = {each.get("fill") for each in root.iter() if each.tag.endswith("}rect")}
    assert len(fills) > 2
    assert "Convolution" in "".join(root.itertext())


def test_the_minimap_has_the_colors_of_the_graph(graph):
    for _ in range(5):
        graph.locator("#graph-in").click()
    picture = "document.querySelector('#graph-map').toDataURL()"
    expect(graph.locator("#graph-map")).to_be_visible()
    before = graph.evaluate(picture)
    graph.locator("#graph-color").select_option("time")
    wait_for_frames(graph)
    assert graph.evaluate(picture) != before


def test_the_panel_is_resized_by_keys_and_stays_so(graph):
    graph.locator(".node").first.click()
    edge = graph.locator(".detail-edge")
    edge.focus()
    graph.keyboard.press("ArrowLeft")
    graph.keyboard.press("ArrowLeft")
    assert graph.locator("#detail").bounding_box()["width"] == pytest.approx(440, abs=1)
    expect(edge).to_have_attribute("aria-valuenow", "440")


def test_the_panel_leads_to_producers_and_consumers(graph, facts):
    graph.locator(".node[data-layer='1']").click()
    links = graph.locator("#detail .panel-end a")
    assert links.count() >= 2
    links.first.click()
    producers = {
        facts.layers[each].name
        for use in facts.layers[1].inputs
        for each in facts.tensors[use.tensor].producers
    }
    assert re.sub(r"\s+", " ", graph.locator("#detail h2").inner_text()) in producers


def test_a_click_on_the_timeline_selects_and_keys_go_on(page, facts):
    scroll_to(page, "#timeline")
    wait_for_frames(page)
    canvas = page.locator(".live-timeline canvas")
    box = canvas.bounding_box()
    canvas.click(position={"x": 108, "y": box["height"] - 12})
    first = next(layer for layer in facts.layers if layer.avg_ms)
    expect_selected(page, first.name)
    page.keyboard.press("ArrowRight")
    following = [layer.name for layer in facts.layers if layer.avg_ms]
    expect_selected(page, following[1])
