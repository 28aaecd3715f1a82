"""The graph: selecting, lighting, zooming, dragging, coloring, filtering, and walking it by keys."""

from __future__ import annotations

import pytest
from page_helpers import expect_nothing_selected, expect_selected, scroll_to, turn_wheel, type_filter
from playwright.sync_api import expect


@pytest.fixture
def graph(page):
    """The page, scrolled to its graph."""
    scroll_to(page, "#graph-view")
    return page


def width(page):
    return page.locator(".graph-svg").bounding_box()["width"]


def enlarge(page):
    """Zoom in until the drawing is larger than its view, and go to its beginning."""
    for _ in range(5):
        page.locator("#graph-in").click()
    scroll_to(page, "#graph-view")
    page.locator("#graph-view").evaluate("element => element.scrollTo(0, 0)")


def node(page, index):
    return page.locator(f".node[data-layer='{index}']")


def test_a_click_selects_the_layer_everywhere(graph, facts):
    node(graph, 1).click()
    expect_selected(graph, facts.layers[1].name)
    expect(node(graph, 1)).to_contain_class("is-selected")
    expect(graph.locator("#grid-scroll tr[data-item='1']")).to_have_attribute("aria-selected", "true")
    uses = [*facts.layers[1].inputs, *facts.layers[1].outputs]
    assert len(uses) == 2
    for use in uses:
        lines = graph.locator(f".graph-svg [data-tensor='{use.tensor}']")
        classes = lines.evaluate_all("all => all.map((each) => each.getAttribute('class'))")
        assert classes
        assert [name for name in classes if "is-lit" not in name] == []
    graph.keyboard.press("Escape")
    expect_nothing_selected(graph)
    assert graph.locator(".graph-svg .is-lit, .graph-svg .is-selected").count() == 0


def test_a_click_on_a_tensor_lights_its_ends(graph, facts):
    tensor = facts.layers[1].outputs[0].tensor
    # An edge is as thin as its line: click on its path, not on the middle of its box.
    graph.locator(f".edge[data-tensor='{tensor}'] path").first.dispatch_event("click", {"bubbles": True})
    expect_selected(graph, facts.tensors[tensor].name)
    lit = graph.locator(".node.is-lit").evaluate_all("all => all.map((each) => Number(each.dataset.layer))")
    assert set(facts.tensors[tensor].producers) <= set(lit)
    assert set(lit) <= {*facts.tensors[tensor].producers, *facts.tensors[tensor].consumers}
    expect(graph.locator(f".edge[data-tensor='{tensor}']").first).to_contain_class("is-lit")


def test_an_input_of_the_engine_can_be_clicked(graph):
    graph.locator(".port", has_text="input").first.click()
    expect_selected(graph, "input")


def test_a_layer_selected_elsewhere_comes_into_view(graph, facts):
    graph.emulate_media(reduced_motion="reduce")
    enlarge(graph)
    last = max(layer.index for layer in facts.layers if layer.type == "Convolution")
    expect(node(graph, last)).not_to_be_in_viewport()
    graph.evaluate(f"location.hash = '#L{last}'")
    expect(node(graph, last)).to_be_in_viewport()


def test_the_panel_of_a_narrow_window_covers_nothing_selected(open_report, resnet):
    page = open_report(resnet, width=420, reduced_motion="reduce")
    for view, item in (
        ("#graph-view", ".node[data-layer='3']"),
        ("#grid-scroll", "#grid-scroll tr[data-item='3']"),
    ):
        scroll_to(page, view)
        page.evaluate("location.hash = '#L3'")
        expect(page.locator("#detail")).to_be_visible()
        shown = page.locator(item).bounding_box()
        assert shown["y"] + shown["height"] <= page.locator("#detail").bounding_box()["y"]
        page.keyboard.press("Escape")


def test_buttons_zoom_and_fit(graph):
    start = width(graph)
    graph.locator("#graph-in").click()
    assert width(graph) == pytest.approx(start * 1.25, rel=0.01)
    graph.locator("#graph-out").click()
    graph.locator("#graph-out").click()
    assert width(graph) == pytest.approx(start * 0.8, rel=0.01)
    graph.locator("#graph-fit").click()
    view = graph.locator("#graph-view").bounding_box()
    drawing = graph.locator(".graph-svg").bounding_box()
    assert drawing["width"] <= view["width"]
    assert drawing["height"] <= view["height"]


def test_the_wheel_zooms_only_with_control(graph):
    box = graph.locator("#graph-view").bounding_box()
    graph.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    start = width(graph)
    turn_wheel(graph, 50)
    assert width(graph) == start
    graph.keyboard.down("Control")
    turn_wheel(graph, -100)
    graph.keyboard.up("Control")
    assert width(graph) > start


def test_dragging_moves_and_selects_nothing(graph, facts):
    enlarge(graph)
    view = graph.locator("#graph-view")
    box = node(graph, 1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    graph.mouse.move(x, y)
    graph.mouse.down()
    graph.mouse.move(x, y - 30)
    graph.mouse.move(x, y - 60)
    expect(view).to_contain_class("is-dragging")
    graph.mouse.up()
    assert view.evaluate("element => element.scrollTop") == pytest.approx(60, abs=2)
    expect(view).not_to_contain_class("is-dragging")
    expect_nothing_selected(graph)
    graph.mouse.move(x, y + 40)
    assert view.evaluate("element => element.scrollTop") == pytest.approx(60, abs=2)
    node(graph, 2).click()
    expect_selected(graph, facts.layers[2].name)


def test_colors_by_precision(graph, facts):
    mark = node(graph, 1).locator(".node-mark")
    by_type = mark.get_attribute("fill")
    graph.locator("#graph-color").select_option("precision")
    expect(graph.locator("#graph-legend")).to_contain_text("INT8")
    assert mark.get_attribute("fill") != by_type
    marks = {node(graph, i).locator(".node-mark").get_attribute("fill") for i in (1, 5, 6)}
    assert {facts.layers[i].precision for i in (1, 5, 6)} == {"INT8"}
    assert len(marks) == 1
    graph.locator("#graph-color").select_option("type")
    assert mark.get_attribute("fill") == by_type
    expect(graph.locator("#graph-legend")).to_contain_text("Convolution")


def test_the_legend_of_times_goes_from_slow_to_fast(graph):
    graph.locator("#graph-color").select_option("time")
    legend = graph.locator("#graph-legend span")
    expect(legend.first).to_contain_text("≥5% of time")
    order = ["≥5% of time", "2–5%", "1–2%", "0.5–1%", "<0.5%", "not measured"]
    texts = [text.strip() for text in legend.all_inner_texts()]
    assert len(texts) > 2
    assert texts == [text for text in order if text in texts]


def test_the_filter_dims_the_others(graph, facts):
    type_filter(graph, "type:Pooling")
    bright = graph.locator(".node.is-match").evaluate_all(
        "all => all.map((each) => Number(each.dataset.layer))"
    )
    assert bright == [layer.index for layer in facts.layers if layer.type == "Pooling"]
    assert node(graph, 1).evaluate("element => getComputedStyle(element).opacity") == "0.25"
    type_filter(graph, "")
    assert node(graph, 1).evaluate("element => getComputedStyle(element).opacity") == "1"


def test_arrow_keys_follow_the_data(graph, facts):
    expect(graph.locator(".node[tabindex='0']")).to_have_count(1)
    graph.locator("#graph-view").focus()
    graph.keyboard.press("Tab")
    at = int(graph.locator(".node:focus").get_attribute("data-layer"))
    graph.keyboard.press("ArrowDown")
    below = int(graph.locator(".node:focus").get_attribute("data-layer"))
    assert below in facts.tensors[facts.layers[at].outputs[0].tensor].consumers
    graph.keyboard.press("ArrowUp")
    expect(node(graph, at)).to_be_focused()
    graph.keyboard.press("ArrowRight")
    expect(node(graph, at)).not_to_be_focused()
    graph.keyboard.press("ArrowLeft")
    expect(node(graph, at)).to_be_focused()
    graph.keyboard.press("Enter")
    expect_selected(graph, facts.layers[at].name)
    expect(graph.locator(".node[tabindex='0']")).to_have_count(1)


def test_a_node_says_what_it_is(graph, facts):
    expect(graph.get_by_role("link", name=facts.layers[2].name).first).to_be_attached()
    title = node(graph, 2).locator("title").text_content()
    assert "Pooling" in title
    assert "%" in title


def test_a_stub_leads_to_the_other_end_of_its_tensor(open_report, report_of, tmp_path):
    from generator.large import llm_like

    for name, content in llm_like(200).items():
        (tmp_path / name).write_bytes(content)
    page = open_report(report_of(tmp_path), reduced_motion="reduce")
    enlarge(page)
    stub = page.locator(".port-stub[data-jump]").last
    goal = node(page, stub.get_attribute("data-jump"))
    expect(goal).not_to_be_in_viewport()
    stub.click()
    expect(goal).to_be_in_viewport()
