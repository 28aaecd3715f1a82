"""Selection, links, history, keys, the detail panel and the search."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from page_helpers import (
    click_row,
    details,
    expect_nothing_selected,
    expect_selected,
    rows,
    scroll_to,
    type_filter,
)
from playwright.sync_api import expect


def link_to(layer):
    return f"#layer={quote(layer.key, safe='')}"


def test_a_permanent_link_opens_with_its_layer_selected(open_report, resnet, facts):
    layer = facts.layers[19]
    page = open_report(resnet, link_to(layer))
    expect_selected(page, layer.name)
    expect(page.locator("#grid-scroll tr[data-item='19']")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".node[data-layer='19']")).to_have_class(re.compile(r"\bis-selected\b"))
    assert page.locator("main a[aria-current='location']").count() > 0


def test_a_link_by_position_becomes_a_permanent_one(open_report, resnet, facts):
    page = open_report(resnet, "#L7")
    expect_selected(page, facts.layers[7].name)
    assert page.evaluate("decodeURIComponent(location.hash)") == f"#layer={facts.layers[7].key}"


def test_a_link_with_a_filter_restores_both(open_report, resnet, facts):
    page = open_report(resnet, f"{link_to(facts.layers[2])}&filter=type%3APooling")
    expect_selected(page, facts.layers[2].name)
    assert page.locator("#filter").input_value() == "type:Pooling"
    assert len(rows(page)) == 2


@pytest.mark.parametrize(
    "fragment",
    [
        "#layer=no%20such%20layer",
        "#tensor=99999",
        "#tensor=",
        "#tensor=__proto__",
        "#layer=%E0%A4%A",
        "#L9999",
        "#layer=",
    ],
)
def test_a_link_to_what_is_not_there_selects_nothing(open_report, resnet, fragment):
    page = open_report(resnet, fragment)
    expect_nothing_selected(page)
    expect(page.locator(".toast")).to_contain_text("This report has no ")
    click_row(page, 0)
    expect(page.locator("#detail")).to_be_visible()


def test_an_unknown_link_changes_nothing_that_is_shown(page, facts):
    type_filter(page, "type:Pooling")
    click_row(page, 2)
    page.evaluate("location.hash = '#layer=nothing'")
    expect(page.locator(".toast")).to_have_text("This report has no layer nothing")
    expect_selected(page, facts.layers[2].name)
    assert len(rows(page)) == 2


def test_back_and_forward_restore_what_was_selected(page, facts):
    click_row(page, 1)
    click_row(page, 4)
    page.locator(".rail a[href='#memory']").click()
    page.locator("#detail").get_by_label("Close").click()
    expect_nothing_selected(page)
    page.go_back()
    expect_selected(page, facts.layers[4].name)
    page.go_back()
    expect_selected(page, facts.layers[4].name)
    page.go_back()
    expect_selected(page, facts.layers[1].name)
    page.go_back()
    expect_nothing_selected(page)
    page.go_forward()
    expect_selected(page, facts.layers[1].name)
    page.go_forward()
    expect_selected(page, facts.layers[4].name)


def test_back_to_the_address_of_a_section_lets_go(open_report, resnet, facts):
    page = open_report(resnet, "#layers")
    click_row(page, 1)
    expect_selected(page, facts.layers[1].name)
    page.go_back()
    expect_nothing_selected(page)
    assert page.evaluate("location.hash") == "#layers"


def test_steps_and_letters_do_not_fill_the_history(page, facts):
    before = page.evaluate("history.length")
    for _ in range(6):
        page.keyboard.press("j")
    expect_selected(page, facts.layers[5].name)
    page.locator("#filter").press_sequentially("type:Pool", delay=90)
    expect(page.locator("#row-count")).to_contain_text("2 of 37")
    assert page.evaluate("history.length") == before + 2
    page.go_back()
    expect(page.locator("#row-count")).to_have_text("37 layers")
    expect_selected(page, facts.layers[5].name)
    page.go_back()
    expect_nothing_selected(page)


def test_selecting_what_is_selected_adds_no_history(page):
    click_row(page, 3)
    before = page.evaluate("history.length")
    click_row(page, 3)
    click_row(page, 3)
    assert page.evaluate("history.length") == before


def test_escape_lets_go_of_one_thing_at_a_time(page, facts):
    type_filter(page, "type:Convolution")
    click_row(page, 1)
    page.locator("#filter").focus()
    page.keyboard.press("Escape")
    expect(page.locator("#row-count")).to_have_text("37 layers")
    expect_selected(page, facts.layers[1].name)
    page.keyboard.press("Escape")
    expect(page.locator("#filter")).not_to_be_focused()
    expect_selected(page, facts.layers[1].name)
    page.keyboard.press("Escape")
    expect_nothing_selected(page)


def test_keys(page, facts):
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect_selected(page, facts.layers[1].name)
    page.keyboard.press("k")
    expect_selected(page, facts.layers[0].name)
    page.keyboard.press("f")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.type("jkt?/")
    assert page.locator("#filter").input_value() == "jkt?/"
    page.keyboard.press("Control+k")
    expect(page.locator("#search")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("/")
    expect(page.locator("#help")).to_be_hidden()
    expect(page.locator("#search-text")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator("#toggle-theme")).to_have_text("Theme: light")


def test_keys_count_at_once_when_a_dialog_closes(page):
    page.keyboard.press("/")
    page.evaluate(
        """() => {
            document.getElementById("search").close();
            const key = new KeyboardEvent("keydown", { key: "t", bubbles: true });
            document.getElementById("search-text").dispatchEvent(key);
        }"""
    )
    expect(page.locator("#toggle-theme")).to_have_text("Theme: light")


def test_dialogs_give_the_focus_back(page):
    for opener, close in (("#open-help", "Escape"), ("#open-search", "Escape")):
        page.locator(opener).focus()
        page.keyboard.press("Enter")
        page.keyboard.press(close)
        expect(page.locator(opener)).to_be_focused()


def test_the_help_begins_at_its_top(open_report, resnet):
    page = open_report(resnet, width=420, height=700)
    page.keyboard.press("?")
    expect(page.locator("#help h2").first).to_be_in_viewport()
    page.locator("#close-help").click()
    expect(page.locator("#help")).to_be_hidden()


def test_the_panel_gives_the_focus_back(page):
    node = page.locator(".node[data-layer='2']")
    node.focus()
    page.keyboard.press("Enter")
    close = page.locator("#detail").get_by_label("Close")
    close.focus()
    page.keyboard.press("Enter")
    expect_nothing_selected(page)
    expect(node).to_be_focused()
    assert (
        node.evaluate("element => getComputedStyle(element.querySelector('.node-box')).strokeWidth") == "2px"
    )


def test_the_panel_keeps_the_focus_when_its_content_changes(page, facts):
    click_row(page, 5)
    link = page.locator("#detail a[href^='#tensor=']").first
    link.focus()
    page.keyboard.press("Enter")
    expect_selected(page, facts.tensors[facts.layers[5].inputs[0].tensor].name)
    expect(page.locator("#detail h2")).to_be_focused()


def test_a_screen_reader_hears_what_is_selected(page, facts):
    click_row(page, 2)
    expect(page.locator("p[role='status'].skip")).to_have_text(f"Selected: {facts.layers[2].name}")


def test_a_layer_in_detail(page, facts):
    from trexreport.visible import visible

    layer = facts.layers[5]
    click_row(page, 5)
    expect_selected(page, layer.name)
    pairs = details(page)
    assert pairs["Type"] == f"{layer.type} ({layer.subtype})"
    assert pairs["Position"] == "6 of 37"
    assert pairs["Tactic"] == layer.tactic
    assert pairs["Precision"].startswith(layer.precision)
    assert "%" in pairs["Avg. time"]
    text = page.locator("#detail").inner_text()
    assert len(layer.origins) == 3
    for name in layer.origins:
        assert name in text
    assert len(layer.inputs) == len(layer.outputs) == 1
    for use in [*layer.inputs, *layer.outputs]:
        assert facts.tensors[use.tensor].name in text
        assert "×".join(map(str, use.dimensions)) in text
        assert use.format in text
    attributes = {
        key: visible(str(value))
        for key, value in layer.attributes.items()
        if isinstance(value, (str, int)) and not isinstance(value, bool)
    }
    assert len(attributes) > 5
    assert {key: pairs[key] for key in attributes} == attributes


def test_the_name_is_copied_whole(open_report, resnet, facts):
    page = open_report(resnet, permissions=["clipboard-read", "clipboard-write"])
    click_row(page, 1)
    page.locator("#detail").get_by_text("Copy", exact=True).click()
    expect(page.locator(".toast")).to_have_text("Name copied")
    assert page.evaluate("navigator.clipboard.readText()") == facts.layers[1].name


def test_generated_kernels_are_decoded(open_report, report_of):
    from page_helpers import SAMPLES

    page = open_report(report_of(SAMPLES / "transformer-trt10-myelin"))
    names = page.locator("#grid-scroll tr[data-item] a").all_text_contents()
    index = next(number for number, name in enumerate(names) if name.startswith("__myl_"))
    click_row(page, index)
    assert details(page)["Operators"]


SEARCHES = [
    ("MaxPool", "Layer", "/maxpool/MaxPool"),
    (
        "weight_quantizer conv1 layer4.0",
        "ONNX node",
        "/layer4/layer4.0/conv1/_weight_quantizer/QuantizeLinear",
    ),
    ("sm50_xmma_pooling", "Tactic", "sm50_xmma_pooling"),
    ("global memory", "Setting", "Global Memory"),
    ("provenance", "Section", "Provenance"),
    ("overview", "Section", "Overview"),
    ("pooling", "Type", "Pooling"),
]


def test_the_search_finds_everything_and_goes_there(page):
    for search in SEARCHES:
        find_and_go(page, *search)
        type_filter(page, "")
        page.locator("#grid-scroll").focus()
        page.keyboard.press("Escape")
        expect_nothing_selected(page)
        page.evaluate("scrollTo(0, 0)")


def find_and_go(page, words, what, text):
    """Search for words, go through the results by keys to the one of a kind and text, and follow it."""
    page.keyboard.press("/")
    page.locator("#search-text").fill(words)
    hit = (
        page.locator("#search-results li", has=page.locator(".what", has_text=what))
        .filter(has_text=text)
        .first
    )
    expect(hit).to_be_visible()
    at = page.locator("#search-results li").evaluate_all(
        "(all, id) => all.findIndex((item) => item.id === id)", hit.get_attribute("id")
    )
    for _ in range(at):
        page.keyboard.press("ArrowDown")
    expect(hit).to_have_attribute("aria-selected", "true")
    expect(page.locator("#search-text")).to_have_attribute("aria-activedescendant", hit.get_attribute("id"))
    page.keyboard.press("Enter")
    expect(page.locator("#search")).to_be_hidden()
    if what in ("Layer", "ONNX node"):
        expect(page.locator("#detail")).to_contain_text(text)
    elif what in ("Tactic", "Type"):
        expect(page.locator("#row-count")).to_contain_text(" of 37 layers")
        assert rows(page)
    elif what == "Setting":
        expect(page.locator("#build tr", has_text=text).first).to_be_in_viewport()
    else:
        expect(page.locator(f"#{text.lower()} h1, #{text.lower()} h2").first).to_be_in_viewport()


def test_a_tensor_is_found_and_shown_in_the_graph(page, facts):
    name = facts.tensors[facts.layers[30].inputs[0].tensor].name
    page.keyboard.press("/")
    page.locator("#search-text").fill(name)
    page.locator("#search-results li", has=page.locator(".what", has_text="Tensor")).first.click()
    expect_selected(page, name)
    scroll_to(page, "#graph-view")
    expect(page.locator(".node.is-lit").first).to_be_in_viewport()


def test_nothing_found_is_stated(page):
    page.keyboard.press("/")
    page.locator("#search-text").fill("no such thing anywhere")
    expect(page.locator("#search-count")).to_have_text("No results")
    page.keyboard.press("Enter")
    expect(page.locator("#search")).to_be_visible()


def test_opening_a_page_saves_no_choice(page):
    assert page.evaluate("localStorage.length") == 0
