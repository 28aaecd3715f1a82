"""Findings: at the top, in their section, and marked in the table, the graph, the panel and the search."""

from __future__ import annotations

import dataclasses
import re

import pytest
from finding_samples import consequence, finding, gain, many
from page_helpers import SAMPLES, column, is_wide, rows, type_filter, wait_for_frames
from playwright.sync_api import expect

from trexreport.analyzer.analysis import Lint, Place
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions

HOSTILE = "</script><img src=x onerror=alert(1)>{{7*7}}\"' \x00\u202e\ud800 " + "w" * 400


@pytest.fixture(scope="module")
def write_report(facts, tmp_path_factory):
    """Return a function that writes a report with given findings."""
    folder = tmp_path_factory.mktemp("findings")

    def write(name, lint):
        analysis = dataclasses.replace(facts, lint=lint)
        path = folder / f"{name}.html"
        path.write_bytes(render_html(analysis, (), HtmlOptions(interactive_charts=False)))
        return path

    return write


@pytest.fixture(scope="module")
def three(write_report):
    """A report with a warning, information of the same rule, and an error without a bound."""
    warning = finding(
        "TRX102",
        "warning",
        places=[
            Place("It writes FP16.", [5, 6], gain(0.05), {"types": "INT8 → FP16"}),
            *(
                Place("It writes FP16.", [layer], gain(0.01), {"types": "INT8 → FP16"})
                for layer in range(8, 20)
            ),
        ],
        layers=[5, 6, *range(8, 20)],
        message="13 convolutions write float.",
        gain=gain(0.17, percent=20.0),
        time_ms=0.4,
    )
    information = finding("TRX102", "info", ([5], None), name="convolution.float-output")
    error = finding(
        "TRX900", "error", ([6], None), recommendation="Build it again with wombats.", name="engine.bad"
    )
    return write_report("three", Lint(findings=[warning, information, error], checked=9))


def fold(page, name):
    return page.locator(f"#finding-{name}")


def test_the_first_screen_shows_all_five(open_report, write_report, facts):
    page = open_report(write_report("many", many(facts)), width=1280, height=800)
    items = page.locator(".first li")
    assert items.count() == 5
    for item in items.all():
        expect(item).to_be_in_viewport(ratio=1)
        assert item.bounding_box()["height"] < 80


def test_a_link_unfolds_its_finding_again_and_again(open_report, three):
    page = open_report(three)
    link = page.locator(".first a[href='#finding-TRX102']")
    for _ in range(2):
        expect(fold(page, "TRX102")).not_to_have_attribute("open", "")
        link.click()
        expect(fold(page, "TRX102")).to_have_attribute("open", "")
        expect(fold(page, "TRX102")).to_be_in_viewport()
        fold(page, "TRX102").locator("summary").click()
        page.locator(".rail a[href='#overview']").click()
        link.scroll_into_view_if_needed()


def test_an_address_unfolds_its_finding(open_report, three):
    page = open_report(three, "#finding-TRX102-info")
    expect(fold(page, "TRX102-info")).to_have_attribute("open", "")
    expect(fold(page, "TRX102-info")).to_be_in_viewport()
    page.evaluate("location.hash = '#finding-TRX900'")
    expect(fold(page, "TRX900")).to_have_attribute("open", "")
    page.evaluate("location.hash = '#finding-%zz'")
    page.evaluate("location.hash = '#finding-nothing'")


def test_an_address_unfolds_what_explains_a_consequence(open_report, write_report):
    cause = finding("TRX302", "warning", ([4], 0.1), ([5], 0.2))
    cause = dataclasses.replace(cause, consequences=[consequence(cause, message="2 layers only quantize.")])
    page = open_report(write_report("cause", Lint(findings=[cause], checked=2)), "#finding-TRX301")
    expect(fold(page, "TRX302")).to_have_attribute("open", "")
    expect(page.locator("#finding-TRX301")).to_be_visible()
    expect(page.locator("#finding-TRX301")).to_contain_text("2 layers only quantize.")
    page.evaluate("location.hash = '#filter=finding:TRX301'")
    expect(page.locator("#layers")).to_contain_text("2 of")


def test_the_keyboard_reaches_and_unfolds_findings(open_report, three):
    page = open_report(three)
    page.locator("#findings .anchor").focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('details')?.id") == "finding-TRX102"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(fold(page, "TRX102").locator("table a").first).to_be_visible()


def test_the_rest_of_its_places_is_in_the_table(open_report, three, facts):
    page = open_report(three, "#finding-TRX102")
    fold(page, "TRX102").get_by_text("5 more places").click()
    expect(page.locator("#layers")).to_be_in_viewport()
    # A link to some layers shows the slowest first.
    times = [facts.layers[each].avg_ms for each in rows(page)]
    assert times == sorted(times, reverse=True)
    assert sorted(rows(page)) == [5, 6, *range(8, 20)]


def test_the_filter_knows_findings(open_report, three):
    page = open_report(three)
    for query, expected in {
        'finding:"TRX102"': [5, 6, *range(8, 20)],
        'finding:"TRX102-info"': [5],
        "finding:error": [6],
        "finding:engine.": [6],
        "finding:TRX9,nothing": [6],
        "finding:* index<8": [5, 6],
        "-finding:* index<8": [0, 1, 2, 3, 4, 7],
    }.items():
        type_filter(page, query)
        assert rows(page) == expected, query


def test_the_table_has_codes_and_marks(open_report, three, facts):
    page = open_report(three)
    shown = column(page, "Findings")
    assert [text.split() for text in shown[4:8]] == [["–"], ["float", "output", "+1"], ["bad", "+1"], ["–"]]
    expect(page.locator("#grid-scroll tr[data-item='6']")).to_have_class("has-error")
    page.locator("#grid-scroll tr[data-item='6'] a", has_text="bad").click()
    expect(fold(page, "TRX900")).to_have_attribute("open", "")
    page.locator("#grid-scroll thead button", has_text="Findings").click()
    first = [row for row in rows(page) if facts.layers[row].index in (5, 6)]
    assert first == [5, 6]
    assert rows(page)[-1] not in {5, 6, *range(8, 20)}


def test_without_findings_there_is_no_column_and_no_button(open_report, write_report):
    page = open_report(write_report("none", Lint(checked=3)))
    assert page.locator("#grid-scroll thead", has_text="Findings").count() == 0
    assert page.locator("#graph-by-findings").count() == 0
    expect(page.locator("#overview")).to_contain_text("No findings. Nothing worth changing was found")


def test_the_graph_marks_layers_and_colors_by_findings(open_report, three):
    page = open_report(three)
    node = page.locator(".node[data-layer='6']")
    expect(node).to_have_class(re.compile(r"\bhas-error\b"))
    expect(node.locator(".flag")).to_have_count(1)
    assert "error TRX900: Something is wrong" in node.locator("title").text_content()
    expect(page.locator(".node[data-layer='7'] .flag")).to_have_count(0)
    shade = "element => getComputedStyle(element).fill"
    by_type = node.locator(".node-mark").evaluate(shade)
    page.locator("#graph-color").select_option("findings")
    expect(page.locator("#graph-legend")).to_contain_text("error")
    assert node.locator(".node-mark").evaluate(shade) == "rgb(179, 38, 30)"
    page.locator("#graph-color").select_option("type")
    assert node.locator(".node-mark").evaluate(shade) == by_type
    expect(page.locator("#graph-legend")).not_to_contain_text("error")


def test_a_finding_leads_to_its_layers_in_the_graph(open_report, three):
    page = open_report(three, "#finding-TRX102")
    fold(page, "TRX102").locator(".in-graph").click()
    expect(page.locator("#graph")).to_be_in_viewport()
    expect(page.locator(".graph-svg")).to_have_class(re.compile("is-filtered"))
    lit = page.locator(".node.is-match").evaluate_all("all => all.map((node) => Number(node.dataset.layer))")
    assert sorted(lit) == [5, 6, *range(8, 20)]


def test_the_panel_lists_the_layers_findings(open_report, three, facts):
    page = open_report(three, "#L6")
    items = page.locator("#detail h3:text-is('Findings') + div p")
    expect(items).to_have_count(2)
    stated = items.first.inner_text()
    assert re.fullmatch(
        r"TRX102 It writes FP16\. Savings: est\. 0\.050\u00a0ms for 2 layers together\. "
        rf"First layer: {re.escape(facts.layers[5].name)}\.",
        stated,
    )
    items.last.locator("a").click()
    expect(fold(page, "TRX900")).to_have_attribute("open", "")
    page.locator("#grid-scroll tr[data-item='7'] td").first.click()
    expect(page.locator("#detail h3:text-is('Findings')")).to_have_count(0)


def test_the_search_finds_codes_and_texts(open_report, three):
    page = open_report(three)
    for words in ("trx900", "wombats", "engine.bad"):
        page.keyboard.press("/")
        page.locator("#search-text").fill(words)
        expect(page.locator("#search-results li").first).to_contain_text("Finding")
        page.keyboard.press("Enter")
        # A key that arrives while the dialog closes would not open it again.
        expect(page.locator("#search-text")).to_be_hidden()
        expect(fold(page, "TRX900")).to_have_attribute("open", "")
        fold(page, "TRX900").evaluate("element => (element.open = false)")


def test_without_a_script_everything_is_there(open_report, three):
    page = open_report(three, java_script_enabled=False)
    page.locator(".first a[href='#finding-TRX102']").click()
    fold(page, "TRX102").locator("summary").click()
    expect(fold(page, "TRX102")).to_contain_text("Fix it.")
    expect(fold(page, "TRX102").locator(".in-graph")).to_be_hidden()
    expect(page.locator("#L6 a[href='#finding-TRX900']")).to_be_visible()


def test_hostile_and_long_texts_are_harmless(open_report, write_report, facts):
    path = write_report("hostile", many(facts, places=20, text=HOSTILE))
    widths = (360, 420, 961, 1280)
    page = open_report(path, width=widths[0], height=800)
    page.locator("main details").evaluate_all("all => all.forEach((each) => (each.open = true))")
    assert page.locator("img").count() == 0
    wide = widths_that_are_too_narrow(page, widths)
    page.locator("#grid-scroll tr[data-item] a.name").first.click()
    expect(page.locator("#detail")).to_contain_text("{{7*7}}")
    assert wide + widths_that_are_too_narrow(page, widths) == []


def widths_that_are_too_narrow(page, widths):
    """Return those widths of the window in which the page scrolls sideways."""
    found = []
    for width in widths:
        page.set_viewport_size({"width": width, "height": 800})
        wait_for_frames(page)
        found += [width] if is_wide(page) else []
    return found


def test_signs_can_be_read(open_report, write_report, facts):
    page = open_report(write_report("signs", many(facts)))
    contrast = """(element) => {
      const light = (text) => {
        const [red, green, blue] = text.match(/\\d+/g).map((each) => each / 255)
          .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const [ink, paper] = [getComputedStyle(element).color, getComputedStyle(document.body).backgroundColor];
      const [low, high] = [light(ink), light(paper)].sort((left, right) => left - right);
      return (high + 0.05) / (low + 0.05);
    }"""
    grounds = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        for severity in ("error", "warning", "info"):
            mark = page.locator(f"#findings .mark-{severity}").first
            assert mark.evaluate(contrast) >= 4.5
            assert mark.inner_text() == severity
            sign = mark.evaluate("element => getComputedStyle(element, '::before').content")
            assert sign.strip('" /') in "■▲●"
    assert len(grounds) == 2


def test_the_main_finding_of_the_sample_is_at_the_top(open_report, report_of):
    page = open_report(report_of(SAMPLES / "resnet18-int8-before"))
    expect(page.locator(".first")).to_contain_text("Savings")
    expect(page.locator(".first li").first).to_be_in_viewport()
