"""The ONNX model on the page: filter terms, columns, narrow windows, and what keeps no reader out."""

from __future__ import annotations

import shutil

import pytest
from page_axe import look, too_faint
from page_geometry import UNFOLD, misplaced
from page_helpers import SAMPLES, click_row, rows, type_filter
from playwright.sync_api import expect

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

SAMPLE = "resnet18-int8-before"


@pytest.fixture(scope="module")
def with_model(tmp_path_factory):
    """A capture with its model beside it."""
    folder = tmp_path_factory.mktemp("model")
    for path in (SAMPLES / SAMPLE).iterdir():
        shutil.copy(path, folder)
    shutil.copy(SAMPLES / "models" / f"{SAMPLE}.onnx", folder)
    return folder


def layers_with(model, holds):
    """Return the layers that compute a node for which something holds."""
    return [
        index
        for index, nodes in enumerate(model.layer_nodes)
        if any(holds(model.nodes[node]) for node in nodes)
    ]


def test_the_terms_of_the_model_filter_layers(open_report, report_of, with_model):
    page = open_report(report_of(with_model))
    model = analyze(read_engine(with_model)).onnx
    for term, holds in {
        "module:layer2/layer2.1": lambda node: "/".join(node.module).startswith("layer2/layer2.1"),
        "source:resnet.py:67": lambda node: node.source.endswith(":67"),
        "node:downsample.0/Conv": lambda node: "downsample.0/Conv" in node.name,
        'source:"models/resnet.py:121"': lambda node: node.source == "models/resnet.py:121",
        "module:maxpool": lambda node: "maxpool" in node.module,
    }.items():
        expected = layers_with(model, holds)
        type_filter(page, term)
        assert rows(page), term
        assert sorted(rows(page)) == expected, term
    type_filter(page, "source:nothing.py")
    assert rows(page) == []
    type_filter(page, "node:/maxpool/MaxPool")
    click_row(page, rows(page)[0])
    panel = page.locator("#detail")
    expect(panel).to_contain_text("models/resnet.py:115")
    expect(panel.get_by_role("heading", name="Modules")).to_be_visible()


def test_the_section_keeps_no_reader_out(open_report, report_of, with_model, axe):
    page = open_report(report_of(with_model), bypass_csp=True, reduced_motion="reduce", width=1440)
    page.evaluate(axe)
    page.locator("#node-grid").scroll_into_view_if_needed()
    expect(page.locator("#node-grid tbody tr[data-item]").first).to_be_visible()
    expect(page.locator("#icicle-module .icicle-layer").first).to_be_attached()
    assert look(page, "#model") == []
    assert look(page, "#latency") == []
    # In the dark only the colors differ.
    page.emulate_media(color_scheme="dark")
    count, faint = too_faint(page, "#model")
    assert (count > 20, faint) == (True, [])
    count, faint = too_faint(page, "#latency")
    assert (count > 20, faint) == (True, [])
    page.locator("#icicle-source").scroll_into_view_if_needed()
    expect(page.locator("#icicle-source .icicle-layer").first).to_be_attached()
    landmarks = page.locator("nav").evaluate_all("all => all.map((each) => each.ariaLabel)")
    assert len(landmarks) == len(set(landmarks)) == 3


def test_a_telephone_shows_the_section(open_report, report_of, with_model):
    page = open_report(report_of(with_model), width=390, height=844)
    page.evaluate(UNFOLD)
    assert misplaced(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 390


def test_icicles_are_enlarged_and_linked(open_report, report_of, with_model):
    page = open_report(report_of(with_model))
    figure = page.locator("#icicle-module")
    figure.scroll_into_view_if_needed()
    box = figure.locator("g[data-box]")
    box.filter(has_text="layer1 19.8%").click()
    expect(figure.locator(".icicle-trail")).to_contain_text("layer1")
    assert page.evaluate("location.hash") == "#module=layer1"
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#module=layer1%2Flayer1.1"
    figure.locator("g.icicle-layer").first.click()
    expect(page.locator("#detail")).to_contain_text("layer1.1")
    assert page.evaluate("location.hash").startswith("#layer=")
    expect(figure.locator(".icicle-chosen")).to_have_count(1)
    # The same layer in the other one, also where the layer is inside of an enlarged part.
    expect(page.locator("#icicle-source .icicle-chosen")).to_have_count(1)
    page.go_back()
    page.go_back()
    page.go_back()
    expect(figure.locator(".icicle-trail button")).to_have_count(0)
    shades = "els => els.map(e => e.firstChild.getAttribute('fill'))"
    before = figure.locator("g.icicle-layer").evaluate_all(shades)
    figure.locator("select").select_option("precision")
    assert figure.locator("g.icicle-layer").evaluate_all(shades) != before
    widths = figure.locator("svg.chart-icicle g[data-box] > rect:first-child").evaluate_all(
        "els => els.filter(e => e.getAttribute('y') === '26').map(e => Number(e.getAttribute('width')) + 1)"
    )
    assert sum(widths) == pytest.approx(figure.locator(".live-icicle").evaluate("e => e.clientWidth"), abs=5)


def test_all_nodes_are_in_a_table(open_report, report_of, with_model):
    page = open_report(report_of(with_model))
    model = analyze(read_engine(with_model)).onnx
    page.locator("#node-grid").scroll_into_view_if_needed()
    expect(page.locator("#node-row-count")).to_have_text(f"{len(model.nodes)} nodes")
    expect(page.locator("#static-nodes")).to_be_hidden()
    first = page.locator("#node-grid tbody tr[data-item]").first
    assert first.locator("td").first.inner_text() == "/conv1/Conv"
    page.locator("#node-filter").fill("type:Conv source:resnet.py:61")
    wanted = [each for each in model.nodes if each.op_type == "Conv" and each.source.endswith(":61")]
    expect(page.locator("#node-row-count")).to_have_text(f"{len(wanted)} of {len(model.nodes)} nodes")
    assert "nodes=type%3AConv" in page.evaluate("location.hash")
    page.locator("#node-grid tbody tr[data-item] a").first.click()
    assert "#node=" in page.evaluate("location.hash")
    expect(page.locator("#node-grid tbody tr[aria-selected='true']")).to_have_count(1)
    expect(page.locator("#detail")).to_contain_text("models/resnet.py:61")
