"""Everything works by keyboard: each stop is reached, seen and left again, and nothing needs a pointer."""

from __future__ import annotations

import pytest
from page_focus import is_ring_seen, stops
from page_geometry import UNFOLD
from page_helpers import click_row, expect_selected, rows, type_filter, wait_until_ready
from playwright.sync_api import expect
from waiting import wait_until

KINDS = ("report", "blocks", "comparison", "index", "history")
SIZE = (1280, 900)
_WHAT = """function () {
  return [this.tagName ?? "#document", this.id ?? "", this.tabIndex ?? -1, Boolean(this.matches?.("td a"))];
}"""
#: What has listeners to the pointer and cannot have the focus itself, and how the keyboard does the same.
DELEGATES = {
    "TBODY": "the arrow keys select rows",
    "CANVAS#graph-map": "the graph's own pane scrolls by arrow keys",
    "svg#icicle-module-boxes": "the arrow keys go from box to box, and Enter does what a click does",
    "DIALOG": "a click beside a dialog closes it, as Escape does",
}


def unfolded(open_report, path, fragment="", **options):
    page = open_report(path, fragment, reduced_motion="reduce", **options)
    page.evaluate(UNFOLD)
    return page


def seen_stops(page):
    """The numbers of the stops that Tab goes through, among all elements, from the top on."""
    page.evaluate("window.everything = [...document.querySelectorAll('*')]")
    found = []
    while len(found) < 3000:
        page.keyboard.press("Tab")
        at = page.evaluate(
            "document.activeElement === document.body ? -1 : everything.indexOf(document.activeElement)"
        )
        if at < 0:
            return found
        found.append(at)
    raise AssertionError("the Tab key never leaves the page")


@pytest.mark.parametrize(
    "kind",
    ["index", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("report", "blocks", "comparison"))],
)
def test_tab_goes_through_the_page_once_in_its_order_and_back(open_report, page_of, kind):
    page = open_report(page_of(kind), reduced_motion="reduce")
    found = seen_stops(page)
    assert len(found) > 15
    assert found == sorted(set(found))
    page.keyboard.press("Shift+Tab")
    for at in reversed(found[-5:]):
        assert page.evaluate("everything.indexOf(document.activeElement)") == at
        page.keyboard.press("Shift+Tab")


@pytest.mark.parametrize("kind", ["report", "blocks", "comparison", "index"])
def test_whatever_listens_to_the_pointer_can_be_reached_without(open_report, page_of, kind):
    page = unfolded(open_report, page_of(kind), "" if kind == "index" else "#L3")
    client = page.context.new_cdp_session(page)
    document = client.send("Runtime.evaluate", {"expression": "document"})["result"]["objectId"]
    client.send("DOM.getDocument")
    listening = client.send(
        "DOMDebugger.getEventListeners", {"objectId": document, "depth": -1, "pierce": True}
    )
    nodes = {
        each["backendNodeId"]
        for each in listening["listeners"]
        if each["type"] in ("click", "dblclick", "mousedown", "pointerdown", "mouseover", "pointermove")
    }
    found = []
    for node in nodes:
        held = client.send("DOM.resolveNode", {"backendNodeId": node})["object"]["objectId"]
        described = client.send(
            "Runtime.callFunctionOn",
            {
                "objectId": held,
                "functionDeclaration": _WHAT,
                "returnByValue": True,
            },
        )["result"]["value"]
        found.append(described)
    assert len(found) >= 8
    for tag, name, tab_index, is_cell in found:
        known = tag in DELEGATES or f"{tag}#{name}" in DELEGATES
        # Links in cells of the live tables select their row, as the arrow keys do.
        assert tab_index >= 0 or known or is_cell, (tag, name)


def test_the_focus_is_seen_on_each_kind_of_stop(open_report, page_of):
    page = unfolded(open_report, page_of("report"), "#L3")
    # The slow tests look at each kind in each section.
    found = {kind.partition(" ")[2]: at for at, kind in enumerate(stops(page))}
    assert len(found) > 30
    assert [kind for kind, at in found.items() if not is_ring_seen(page, at, SIZE)] == []


def chosen(found, scheme):
    """Return a stop of each kind, another in each theme: they differ in place and not in style."""
    by_kind = {}
    for at, kind in enumerate(found):
        by_kind.setdefault(kind, []).append(at)
    return sorted(each[0 if scheme == "light" else -1] for each in by_kind.values())


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_focus_is_seen_on_stops_of_every_kind(open_report, page_of, kind, scheme):
    fragment = "" if kind in ("index", "history") else "#L3"
    page = unfolded(open_report, page_of(kind), fragment, color_scheme=scheme)
    found = stops(page)
    assert len(found) > 10
    assert [found[at] for at in chosen(found, scheme) if not is_ring_seen(page, at, SIZE)] == []


def test_a_ring_that_cannot_be_seen_is_noticed(open_report, page_of):
    page = unfolded(open_report, page_of("history"))
    found = stops(page)
    page.evaluate("document.getElementById('toggle-theme').style.outline = 'none'")
    at = page.evaluate("stops.indexOf(document.getElementById('toggle-theme'))")
    assert found
    assert not is_ring_seen(page, at, SIZE)


def test_the_first_stop_leads_past_the_rail(open_report, page_of):
    page = open_report(page_of("report"))
    page.keyboard.press("Tab")
    expect(page.locator(".skip:focus")).to_have_text("Skip to the report")
    expect(page.locator(".skip:focus")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('main'))")


def test_from_a_row_into_its_panel_and_back(open_report, page_of, facts):
    page = open_report(page_of("report"))
    page.locator("#grid-scroll").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect_selected(page, facts.layers[1].name)
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#detail").get_by_role("button", name="Copy", exact=True)).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#grid-scroll")).to_be_focused()
    page.keyboard.press("p")
    expect(page.locator("#detail h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()


def test_from_a_box_of_the_graph_into_its_panel(open_report, page_of, facts):
    page = open_report(page_of("report"))
    page.locator(".node[data-layer='2']").focus()
    page.keyboard.press("Enter")
    expect_selected(page, facts.layers[2].name)
    expect(page.locator(".node[data-layer='2']")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#detail h2")).to_be_focused()


@pytest.mark.parametrize("kind", ["report", "blocks"])
def test_the_graph_is_moved_and_zoomed_by_keys(open_report, page_of, kind):
    page = open_report(page_of(kind), reduced_motion="reduce")
    view = page.locator("#graph-view")
    width = "document.querySelector('.graph-svg').getBoundingClientRect().width"
    view.focus()
    before = page.evaluate(width)
    page.keyboard.press("+")
    nearer = page.evaluate(width)
    assert nearer == pytest.approx(before * 1.25, rel=0.01)
    page.keyboard.press("-")
    assert page.evaluate(width) == pytest.approx(before, rel=0.01)
    # Larger than the view, which shows all of a small graph.
    for _ in range(6):
        page.keyboard.press("+")
    page.keyboard.press("PageDown")
    wait_until(lambda: view.evaluate("view => view.scrollTop > 50"))
    page.keyboard.press("0")
    assert page.evaluate(
        "(it => it.scrollHeight <= it.clientHeight + 1)(document.getElementById('graph-view'))"
    )
    # With Ctrl the browser zooms the page: that stays its own.
    page.keyboard.press("Control+-")
    assert page.evaluate(width) > 0


def test_keyboard_shortcuts_can_be_turned_off_permanently(open_report, page_of):
    page = open_report(page_of("report"))
    page.keyboard.press("?")
    page.get_by_label("Use single-key shortcuts").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    for key in ("j", "t", "f", "p", "/", "?"):
        page.keyboard.press(key)
    expect(page.locator("#detail")).to_be_hidden()
    expect(page.locator("#toggle-theme")).to_have_text("Theme: system")
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("#filter")).not_to_be_focused()
    page.keyboard.press("Control+k")
    expect(page.locator("#search")).to_be_visible()
    page.keyboard.press("Escape")
    page.reload()
    wait_until_ready(page)
    page.keyboard.press("j")
    expect(page.locator("#detail")).to_be_hidden()


def test_columns_are_chosen_by_keys(open_report, page_of):
    page = open_report(page_of("report"))
    button = page.locator("#columns-button")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("#grid-scroll thead th").first).to_have_text("Name")
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_filters_and_what_was_done_are_stated(open_report, page_of):
    page = open_report(page_of("report"))
    stated = page.get_by_role("status")
    type_filter(page, "type:Pooling")
    expect(stated.filter(has_text="2 of 37 layers")).to_have_count(1)
    expect(stated.filter(has_text="2 found")).to_have_count(1)
    page.locator("#copy-csv").focus()
    page.keyboard.press("Enter")
    expect(stated.filter(has_text="2 rows copied")).to_have_count(1)
    expect(page.locator("#copy-csv")).to_be_focused()
    assert rows(page)


def test_without_the_right_to_the_clipboard_the_focus_stays(open_report, page_of):
    page = open_report(page_of("report"))
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
    page.locator("#copy-markdown").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_have_text("37 rows copied")
    expect(page.locator("#copy-markdown")).to_be_focused()


def test_live_charts_say_what_they_show(open_report, page_of):
    page = open_report(page_of("live"))
    figure = page.locator("figure[data-chart]").first
    figure.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
    page.locator(".is-live .main-svg").first.wait_for(state="attached")
    name = page.locator(".live-chart").first.get_attribute("aria-label")
    assert name.startswith("Time per layer. ")
    assert page.locator(".live-chart").first.get_attribute("role") == "img"
    click_row(page, 1)
