"""What people come for takes at most two steps, by pointer and by keyboard only.

A step is a click on something in view, a key, or a text with Enter behind it.
"""

from __future__ import annotations

import pytest
from page_helpers import expect_selected
from playwright.sync_api import expect

SIZE = {"width": 1280, "height": 900}
CLIPBOARD = ["clipboard-read", "clipboard-write"]


class Person:
    """Does what a person would, and counts the steps: what is out of view has to be scrolled to first."""

    def __init__(self, page):
        self.page = page
        self.steps = 0

    def click(self, place):
        expect(place).to_be_in_viewport()
        self.steps += 1
        place.click()

    def press(self, key):
        self.steps += 1
        self.page.keyboard.press(key)

    def enter(self, key, text):
        """Press a key that opens a field, type into it, and press Enter."""
        self.page.keyboard.press(key)
        self.steps += 1
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")


@pytest.fixture
def person(open_report, page_of):
    """A person in front of a report or comparison that was just opened."""

    def come(kind):
        return Person(open_report(page_of(kind), **SIZE, permissions=CLIPBOARD))

    return come


@pytest.fixture
def slowest_convolution(facts):
    convolutions = [layer for layer in facts.layers if layer.type == "Convolution"]
    return max(convolutions, key=lambda layer: layer.avg_ms)


def expect_what_it_reads(page, layer, facts):
    expect_selected(page, layer.name)
    first = page.locator("#detail").get_by_text(facts.tensors[layer.inputs[0].tensor].name).first
    expect(first).to_be_in_viewport()


def test_the_slowest_convolution_and_what_it_reads(person, slowest_convolution, facts):
    someone = person("report")
    someone.click(someone.page.locator("#chart-strip a:visible", has_text="Convolution").first)
    someone.click(someone.page.locator("#grid-scroll tr[data-item] td").nth(1))
    expect_what_it_reads(someone.page, slowest_convolution, facts)
    assert someone.steps <= 2


@pytest.mark.parametrize("text", ["type:Convolution", "convolution"])
def test_the_slowest_convolution_by_keyboard(person, slowest_convolution, facts, text):
    someone = person("report")
    someone.enter("/", text)
    someone.press("j")
    expect_what_it_reads(someone.page, slowest_convolution, facts)
    assert someone.steps <= 2


@pytest.mark.parametrize("by_keyboard", [False, True])
def test_why_int8_is_not_faster(person, by_keyboard):
    someone = person("comparison")
    if by_keyboard:
        someone.press(str(1 + sections(someone.page).index("Speedup")))
    else:
        someone.click(someone.page.locator(".rail a", has_text="Speedup"))
    expect(someone.page.locator("#speedup")).to_contain_text("than expected")
    expect(someone.page.locator("#speedup svg.chart").first).to_be_in_viewport()
    assert someone.steps <= 2


def sections(page):
    return [text.strip() for text in page.locator(".rail li").all_text_contents()]


@pytest.mark.parametrize("by_keyboard", [False, True])
def test_what_changed_of_the_row_with_the_largest_difference(person, by_keyboard):
    someone = person("comparison")
    page = someone.page
    link = page.locator(".rail a", has_text="Aligned layers")
    if by_keyboard:
        someone.press(str(1 + sections(page).index("Aligned layers")))
    else:
        someone.click(link)
    # In the table already, not cut off.
    head = page.locator("#grid-scroll th", has_text="What changed")
    expect(head).to_be_in_viewport(ratio=1)
    at = page.locator("#grid-scroll th").all_text_contents().index("What changed")
    cells = page.locator(f"#grid-scroll tr[data-item] td:nth-child({at + 1})")
    cut = cells.evaluate_all("all => all.filter((cell) => cell.scrollWidth > cell.clientWidth).length")
    assert cut == 0
    assert any(text != "–" for text in cells.all_text_contents())
    if by_keyboard:
        someone.press("j")
    else:
        someone.click(page.locator("#grid-scroll tr[data-item] td").nth(1))
    expect(page.locator("#detail")).to_contain_text("What changed")
    assert someone.steps <= 2


@pytest.mark.parametrize("by_keyboard", [False, True])
def test_a_layer_by_the_name_of_its_onnx_node(person, facts, by_keyboard):
    layer = next(each for each in facts.layers if len(each.origins) > 1)
    someone = person("report")
    if by_keyboard:
        someone.enter("/", layer.origins[-1])
    else:
        someone.click(someone.page.locator(".rail").get_by_role("button", name="Search"))
        someone.page.keyboard.type(layer.origins[-1])
        someone.click(someone.page.locator("#search-results li").first)
    expect(someone.page.locator("#detail")).to_contain_text(layer.origins[-1])
    assert someone.steps <= 2


@pytest.mark.parametrize("by_keyboard", [False, True])
def test_sharing_a_link_that_leads_to_the_layer(person, facts, by_keyboard):
    someone = person("report")
    page = someone.page
    if by_keyboard:
        someone.press("j")
        someone.press("y")
        name = facts.layers[0].name
    else:
        first = page.locator(".slowest a:visible").first
        someone.click(first)
        name = page.locator("#detail h2").inner_text()
        someone.click(page.locator("#detail").get_by_role("button", name="Copy link"))
    expect(page.locator(".toast")).to_contain_text("copied")
    assert someone.steps <= 2
    address = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator("#detail h2")).to_have_text(name)
    expect(page.locator(".node.is-selected")).to_be_in_viewport()


def test_saving_the_graph(person):
    someone = person("report")
    with someone.page.expect_download() as saved:
        someone.press("s")
    assert saved.value.suggested_filename.endswith("-graph.svg")
    assert someone.steps <= 2
    someone = person("report")
    someone.click(someone.page.locator(".rail a[href='#graph']"))
    with someone.page.expect_download() as saved:
        someone.click(someone.page.locator("#graph-save-svg"))
    assert saved.value.suggested_filename.endswith("-graph.svg")
    assert someone.steps <= 2


def test_printing_shows_all_of_the_graph(person, facts):
    page = person("report").page
    # What the browser does for its one command; the dialog itself is not the page's.
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 700, "height": 1000})
    drawing = page.locator("#graph-view .graph-svg").bounding_box()
    assert drawing["x"] >= 0
    assert drawing["x"] + drawing["width"] <= 700
    assert page.locator("#graph-view .node").count() == sum(layer.type != "NoOp" for layer in facts.layers)
    assert page.locator("#graph-view").evaluate("view => view.scrollHeight <= view.clientHeight + 1")


def test_an_exact_name_comes_before_what_mentions_it(person):
    page = person("report").page
    page.keyboard.press("/")
    page.keyboard.type("reformat")
    first = page.locator("#search-results li").first
    expect(first).to_have_text("TypeReformat")
    page.locator("#search-text").fill("type:Reformat time>")
    expect(page.locator("#search-results li", has_text="Filter")).to_have_count(0)
