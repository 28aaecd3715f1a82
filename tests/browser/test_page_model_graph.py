"""The graph of the ONNX model beside that of the engine: selection both ways, search, folding, keys."""

from __future__ import annotations

import re

import pytest
from page_axe import look, too_faint
from page_geometry import UNFOLD, misplaced
from page_helpers import (
    choose,
    details,
    expect_nothing_selected,
    expect_selected,
    scroll_to,
    wait_for_frames,
)
from playwright.sync_api import expect
from test_page_model import with_model  # noqa: F401 - a fixture

from trexreport.analyzer import analyze
from trexreport.reader import read_engine


@pytest.fixture(scope="module")
def model(with_model):  # noqa: F811
    return analyze(read_engine(with_model))


@pytest.fixture
def both(open_report, report_of, with_model):  # noqa: F811
    page = open_report(report_of(with_model), "#view=both", reduced_motion="reduce", width=1440, height=1000)
    scroll_to(page, "#graphs")
    wait_for_frames(page)
    return page


def node(page, index):
    return page.locator(f"#model-graph .node[data-layer='{index}']")


def lit(page, graph):
    found = page.locator(f"#{graph} .node.is-lit").evaluate_all(
        "all => all.map((each) => Number(each.dataset.layer))"
    )
    return sorted(found)


def is_in_view(page, place):
    return place.evaluate(
        """(place) => {
          const box = place.getBoundingClientRect();
          const view = place.closest(".graph-scroll").getBoundingClientRect();
          return box.top >= Math.max(0, view.top) && box.bottom <= Math.min(innerHeight, view.bottom);
        }"""
    )


def fused_layer(facts):
    """Return a layer of the last module that computes several nodes of which none is folded."""
    counts = [
        (index, [each for each in own if facts.onnx.nodes[each].quantization is None])
        for index, own in enumerate(facts.onnx.layer_nodes)
    ]
    return next((index, own) for index, own in reversed(counts) if len(own) > 1)


def test_a_layer_selects_its_nodes(both, model):
    index, nodes = fused_layer(model)
    both.locator(f"#engine-graph .node[data-layer='{index}']").click()
    wait_for_frames(both)
    assert lit(both, "model-graph") == nodes
    assert all(is_in_view(both, node(both, each)) for each in nodes)
    # The panel links each of them.
    links = both.locator("#detail a[href^='#node=']").evaluate_all("all => all.map((each) => each.hash)")
    assert links == [f"#node={each}" for each in model.onnx.layer_nodes[index]]


def test_a_node_selects_its_layers(both, model):
    index, nodes = fused_layer(model)
    both.locator("#model-graph-find").fill(model.onnx.nodes[nodes[0]].name)
    both.locator("#model-graph-find").press("Enter")
    facts = model.onnx.nodes[nodes[0]]
    expect_selected(both, facts.name)
    wait_for_frames(both)
    assert lit(both, "engine-graph") == [index]
    assert is_in_view(both, both.locator(f"#engine-graph .node[data-layer='{index}']"))
    expect(node(both, nodes[0])).to_have_class(re.compile("is-selected"))
    assert is_in_view(both, node(both, nodes[0]))
    found = details(both)
    assert found["Type"] == facts.op_type
    assert found["Source"] == facts.source
    assert found["Evidence"] == "layer metadata"
    panel = both.locator("#detail")
    for frame in facts.frames:
        expect(panel).to_contain_text(frame)
    # From the panel back to the layer, and with Back to the node.
    panel.locator("a[href^='#layer=']").first.click()
    expect_selected(both, model.layers[index].name)
    both.go_back()
    expect_selected(both, facts.name)
    both.keyboard.press("Escape")
    expect_nothing_selected(both)


def test_nodes_of_one_layer_have_one_outline(both, model):
    _, nodes = fused_layer(model)
    node(both, nodes[0]).scroll_into_view_if_needed()
    shades = {node(both, each).locator(".node-outline").get_attribute("stroke") for each in nodes}
    assert len(shades) == 1


def test_vanished_nodes_are_dashed_and_say_why(both, model):
    vanished = next(each for each in model.onnx.nodes if each.op_type == "BatchNormalization")
    assert vanished.state == "vanished"
    place = node(both, vanished.index)
    expect(place).to_have_class(re.compile("is-vanished"))
    assert place.locator(".node-box").evaluate("(box) => getComputedStyle(box).strokeDasharray") != "none"
    place.click()
    assert details(both)["In no layer"] == "merged into the weights of a neighbor"


def test_quantization_is_part_of_the_arrows_or_of_boxes(both, model):
    quantize = next(each for each in model.onnx.nodes if each.op_type == "QuantizeLinear")
    expect(node(both, quantize.index)).to_have_count(0)
    mark = both.locator("#model-graph .edge:has(.edge-folded)").first
    assert "INT8" in mark.locator("title").text_content()
    choose(both, "#model-folding", "nodes")
    expect(node(both, quantize.index)).to_have_count(1)
    expect(both.locator("#model-graph .edge .edge-folded")).to_have_count(0)
    choose(both, "#model-folding", "arrows")
    expect(node(both, quantize.index)).to_have_count(0)


def test_both_graphs_follow_the_search(both, model):
    both.locator("#model-graph-find").fill("type:MaxPool")
    expect(both.locator("#model-find-count")).to_have_text("1 found")
    both.locator("#model-graph-find").fill("/(/")
    expect(both.locator("#model-graph-find")).to_have_attribute("aria-invalid", "true")
    both.locator("#model-graph-find").fill("")
    # Without a search of its own, the nodes of the layers that the filter finds.
    both.locator("#graph-find").fill("node:/maxpool/MaxPool")
    expect(both.locator("#find-count")).to_have_text("1 found")
    expect(both.locator("#model-find-count")).to_have_text("1 found")


def test_keys_go_along_the_nodes(both, model):
    first = next(each for each in model.onnx.nodes if each.op_type == "MaxPool")
    node(both, first.index).focus()
    both.keyboard.press("ArrowUp")
    focused = both.evaluate("document.activeElement.closest('#model-graph .node').dataset.layer")
    assert model.onnx.nodes[int(focused)].op_type == "Relu"
    both.keyboard.press("Enter")
    expect_selected(both, model.onnx.nodes[int(focused)].name)
    both.keyboard.press("Backspace")
    assert both.evaluate("document.activeElement.closest('#model-graph .block-toggle') !== null")
    assert "model=" in both.evaluate("location.hash")


def test_what_is_around_the_selection_can_be_closed(both, model):
    index, nodes = fused_layer(model)
    both.locator(f"#engine-graph .node[data-layer='{index}']").click()
    wait_for_frames(both)
    assert lit(both, "model-graph") == nodes
    places = "() => [...document.querySelectorAll('.graph-scroll')].map((each) => each.scrollTop)"
    engine = both.evaluate(places)[0]
    both.locator("#model-plan-close-all").click()
    wait_for_frames(both)
    expect(both.locator("#model-graph .node")).to_have_count(0)
    assert "model=" in both.evaluate("location.hash")
    assert both.evaluate(places)[0] == engine
    # A node selected by its link, and its block closed with a key.
    both.evaluate("(node) => void (location.hash = `#view=onnx&node=${node}`)", nodes[0])
    wait_for_frames(both)
    node(both, nodes[0]).focus()
    both.keyboard.press("Backspace")
    wait_for_frames(both)
    expect(node(both, nodes[0])).to_have_count(0)
    both.locator("#view-both").click()
    expect(node(both, nodes[0])).to_have_class(re.compile("is-selected"))


def test_the_address_holds_the_view(both, open_report, report_of, with_model):  # noqa: F811
    both.get_by_role("button", name="ONNX model", exact=True).click()
    expect(both.locator("#engine-graph")).to_be_hidden()
    both.locator("#model-plan-close-all").click()
    wait_for_frames(both)
    count = both.locator("#model-graph .plan-block").count()
    assert count
    assert both.locator("#model-graph .node").count() == 0
    other = open_report(report_of(with_model), both.evaluate("location.hash"))
    expect(other.locator("#engine-graph")).to_be_hidden()
    expect(other.locator("#model-graph .plan-block")).to_have_count(count)
    both.locator("#view-engine").click()
    expect(both.locator("#engine-graph")).to_be_visible()
    assert "view=" not in both.evaluate("location.hash")


def test_on_a_tablet_the_model_begins_with_texts_that_can_be_read(open_report, report_of, with_model):  # noqa: F811
    page = open_report(report_of(with_model), "#view=onnx", reduced_motion="reduce", width=768, height=1000)
    scroll_to(page, "#graphs")
    names = page.locator("#model-graph .node text")
    names.first.wait_for()
    assert names.first.evaluate("each => each.getScreenCTM().a") == pytest.approx(0.9, abs=0.02)


def test_a_narrow_window_shows_one_graph(open_report, report_of, with_model):  # noqa: F811
    page = open_report(report_of(with_model), "#view=both", width=390, height=844)
    expect(page.locator("#engine-graph")).to_be_hidden()
    expect(page.locator("#model-graph")).to_be_visible()
    expect(page.locator("#view-both")).to_be_hidden()
    page.evaluate(UNFOLD)
    assert misplaced(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator("#view-engine").click()
    expect(page.locator("#engine-graph")).to_be_visible()


def test_both_graphs_keep_no_reader_out(open_report, report_of, with_model, axe):  # noqa: F811
    page = open_report(
        report_of(with_model),
        "#view=both",
        bypass_csp=True,
        reduced_motion="reduce",
        width=1440,
    )
    page.evaluate(axe)
    assert look(page, "#graph") == []
    # In the dark only the colors differ.
    page.emulate_media(color_scheme="dark")
    count, faint = too_faint(page, "#graph")
    assert (count > 20, faint) == (True, [])
