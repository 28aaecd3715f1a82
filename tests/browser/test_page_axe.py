"""axe-core finds nothing on the pages that would keep a reader out, in either theme, selected or not."""

from __future__ import annotations

import pytest
from page_axe import IN_DRAWINGS, look
from page_geometry import UNFOLD
from page_helpers import SAMPLE_NAMES, SAMPLES, scroll_to, type_filter

SCHEMES = ("light", "dark")
KINDS = ("report", "blocks", "comparison", "index", "history")


@pytest.fixture
def open_with_axe(open_report, axe):
    """Return a function that opens a page with axe-core in it."""

    def open_page(path, fragment="", **options):
        # The page's policy would keep axe-core out too.
        page = open_report(path, fragment, bypass_csp=True, reduced_motion="reduce", **options)
        page.evaluate(axe)
        return page

    return open_page


@pytest.fixture
def violations(open_with_axe):
    """Return a function that opens a page, does something with it, and returns what axe-core finds."""

    def find(path, fragment="", do=None, without=(), *, contrast=False, **options):
        page = open_with_axe(path, fragment, **options)
        if do:
            do(page)
        return look(page, without=without, contrast=contrast)

    return find


def unfold(page):
    page.evaluate(UNFOLD)


def test_the_engine_that_looks_is_not_an_old_one(axe):
    version = axe.split("axe v", 1)[1].split()[0]
    assert tuple(int(part) for part in version.split(".")[:2]) >= (4, 12)


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        pytest.param(name, scheme, marks=[] if at == number else pytest.mark.slow)
        for at, name in enumerate(SAMPLE_NAMES)
        for number, scheme in enumerate(SCHEMES)
    ],
)
def test_a_report_is_accessible(violations, report_of, name, scheme):
    contrast = (name, scheme) == (SAMPLE_NAMES[0], SCHEMES[0])
    path = report_of(SAMPLES / name)
    assert violations(path, do=unfold, color_scheme=scheme, contrast=contrast) == []


def test_a_selected_layer_is_accessible_and_a_button_without_a_name_is_noticed(open_with_axe, resnet):
    page = open_with_axe(resnet, "#L3", color_scheme="light")
    assert look(page, "#detail", contrast=True) == []
    page.emulate_media(color_scheme="dark")
    assert look(page, "#detail", contrast=True) == []
    page.evaluate("document.querySelector('#detail').append(document.createElement('button'))")
    assert [each.split(":")[0] for each in look(page, "#detail")] == ["button-name"]


def test_a_narrow_report_is_accessible(violations, resnet):
    # Links of the panel that are out of its view look like links to skip something.
    assert violations(resnet, "#L3", width=360, without=["skip-link"]) == []


def test_a_faint_text_is_noticed_by_either_measure(open_with_axe, resnet):
    page = open_with_axe(resnet)
    page.evaluate("document.querySelector('#graph .lead').style.color = '#c0c8d0'")
    assert [each.split(":")[0] for each in look(page, "#graph .lead", contrast=True)] == ["color-contrast"]
    assert [each.split(":")[0] for each in look(page, "#graph .lead")] == ["P lead"]


def test_live_charts_are_accessible(violations, live_resnet):
    def wait(page):
        scroll_to(page, "figure[data-chart]")
        page.locator(".is-live .main-svg").first.wait_for(state="attached")

    assert violations(live_resnet, do=wait) == []


@pytest.mark.parametrize("kind", ["blocks", "index", "history"])
def test_other_pages_are_accessible(violations, page_of, kind):
    assert violations(page_of(kind), do=unfold, without=IN_DRAWINGS if kind == "blocks" else []) == []


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_comparison_is_accessible(violations, page_of, scheme):
    assert violations(page_of("comparison"), "#R0", color_scheme=scheme, contrast=scheme == "dark") == []


def open_columns(page):
    page.locator("#columns-button").click()


def mistype(page):
    type_filter(page, "type:( /[/")


def search(page):
    page.locator("#open-search").click()
    page.locator("#search-text").fill("conv")


def ask_for_keys(page):
    page.locator("#open-help").click()


def find(page):
    page.locator("#graph-find").fill("1")
    page.locator("#find-next").click()


def test_everything_that_opens_is_accessible(open_with_axe, resnet):
    page = open_with_axe(resnet)
    found = {}
    for do in (ask_for_keys, search):
        do(page)
        found[do.__name__] = look(page, "dialog[open]", contrast=True)
        page.keyboard.press("Escape")
        page.locator("dialog[open]").wait_for(state="detached")
    for do, within in ((open_columns, "#layers"), (mistype, "#layers"), (find, "#graph")):
        do(page)
        found[do.__name__] = look(page, within)
    assert {name: each for name, each in found.items() if each} == {}


#: What changes a page, and the button whose part of it shows more, after which axe-core looks at that part.
STATES = {
    "report": ([find, mistype], [open_columns, search, ask_for_keys]),
    "blocks": ([find, mistype], [open_columns]),
    "comparison": ([find, mistype], [open_columns, ask_for_keys]),
    "index": ([mistype], [open_columns, ask_for_keys]),
    "history": ([], [ask_for_keys]),
}
PARTS = {open_columns: "section:has(#columns-button)", search: "dialog[open]", ask_for_keys: "dialog[open]"}
#: Both themes with both widths; each state of a page is in two of them, which differ in both.
WIDTHS = {"unfolded": {"light": 1280, "dark": 320}, "used": {"light": 320, "dark": 1280}}


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("state", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_any_page_in_any_state_is_accessible(open_with_axe, page_of, kind, state, scheme):
    width = WIDTHS[state][scheme]
    without = (["skip-link"] if width == 320 else []) + (IN_DRAWINGS if kind == "blocks" else [])
    page = open_with_axe(page_of(kind), width=width, color_scheme=scheme)
    changes, openings = STATES[kind] if state == "used" else ([unfold], [])
    for do in changes:
        do(page)
    found = {"body": look(page, without=without, contrast=state == "unfolded")}
    for do in openings:
        do(page)
        found[do.__name__] = look(page, PARTS[do], without, contrast=True)
        page.keyboard.press("Escape")
    assert {name: each for name, each in found.items() if each} == {}
