"""The page of a comparison in a browser: rows, panel, filter, graph, keys, narrow windows, no script."""

from __future__ import annotations

import json
import re
import shutil
import sys

import pytest
from page_helpers import SAMPLES, column, details, expect_nothing_selected, scroll_to, type_filter
from playwright.sync_api import expect

from trexreport.renderer.links import filter_link, term
from trexreport.wording.comparison import signed_ms

sys.path.insert(0, str(SAMPLES))

CAPTURES = [SAMPLES / f"resnet18-int8-{name}" for name in ("before", "after")]


@pytest.fixture(scope="session")
def pair(comparison_of):
    return comparison_of(*CAPTURES)


@pytest.fixture
def page(open_report, pair):
    return open_report(pair[1])


def slower(profile):
    """Return the profile with one layer that takes ten times as long."""
    rows = json.loads(profile)
    row = max((each for each in rows if "averageMs" in each), key=lambda each: each["averageMs"])
    for key in ("timeMs", "averageMs", "medianMs"):
        row[key] *= 10
    return json.dumps(rows).encode()


@pytest.fixture(scope="session")
def large_pair(comparison_of, tmp_path_factory):
    """Two decoders large enough for their graph to open as blocks; the second one is slower in one layer."""
    from generator.large import llm_like

    folders = []
    for name in ("one", "two"):
        folder = tmp_path_factory.mktemp(name)
        for file, content in llm_like(400).items():
            (folder / file).write_bytes(
                slower(content) if name == "two" and ".profile.json" in file else content
            )
        folders.append(folder)
    return comparison_of(*folders)


def test_the_table_has_every_row_with_the_package_figures(page, pair):
    comparison, _ = pair
    expect(page.locator("#row-count")).to_contain_text(f"{len(comparison.rows)} rows")
    expect(page.locator("#static-rows")).to_be_hidden()
    shown = column(page, "Status")
    assert shown == [row.sides[1].status for row in comparison.rows][: len(shown)]
    named = column(page, "Layers")
    labels = [
        row.label + (f" and {row.more_layers} more" if row.more_layers else "") for row in comparison.rows
    ]
    assert named == labels[: len(named)]


FILTERS = {
    "status:faster": lambda row: row.sides[1].status == "faster",
    'change:"precision changed"': lambda row: "precision changed" in row.sides[1].changes,
    'cause:"reformats removed"': lambda row: "reformats removed" in row.sides[1].causes,
    "diff<-0.001": lambda row: (row.sides[1].difference_ms or 0.0) < -0.001,
    '-status:"within noise"': lambda row: row.sides[1].status != "within noise",
    "layer3": lambda row: "layer3" in str(row).lower(),
}


def test_a_filter_shows_exactly_what_fits(page, pair):
    comparison, _ = pair
    for query, fits in FILTERS.items():
        type_filter(page, query)
        expected = sum(fits(row) for row in comparison.rows)
        assert 0 < expected < len(comparison.rows), query
        expect(page.locator("#row-count")).to_contain_text(f"{expected} of {len(comparison.rows)} rows")
        address = page.evaluate("decodeURIComponent(location.hash)")
        assert f"filter={query.split(':')[0].split('<')[0]}" in address


def test_a_wrong_filter_says_what_is_wrong(page):
    type_filter(page, "diff>much")
    expect(page.locator("#row-count")).to_contain_text("a number is missing")
    expect(page.locator("#filter")).to_have_attribute("aria-invalid", "true")


def test_names_of_either_engine_are_found(page, pair):
    comparison, _ = pair
    row = next(each for each in comparison.rows if each.sides[0].members and each.sides[1].members)
    for side in row.sides:
        type_filter(page, f'name:"{side.members[0].name}"')
        expect(page.locator(f"#grid-scroll tr[data-item='{comparison.rows.index(row)}']")).to_be_visible()


def test_a_row_shows_the_layers_of_both_engines_and_lights_them_in_the_graph(page, pair):
    comparison, _ = pair
    row = comparison.rows[0]
    page.locator("#grid-scroll tr[data-item='0'] a").click()
    panel = page.locator("#detail")
    for side in row.sides:
        for member in side.members:
            expect(panel).to_contain_text(member.name)
    shown = details(page)
    assert shown["Status"] == row.sides[1].status
    assert shown["What changed"] == ", ".join(row.sides[1].changes)
    first = next(member.index for member in row.sides[1].members if not member.is_helper)
    expect(page.locator(f".node[data-layer='{first}']")).to_have_class(re.compile("is-selected"))
    page.keyboard.press("Escape")
    expect_nothing_selected(page)


def test_the_address_restores_the_selection(open_report, pair):
    comparison, path = pair
    page = open_report(path, "#R3")
    expect(page.locator("#grid-scroll tr[data-item='3']")).to_have_attribute("aria-selected", "true")
    kept = page.evaluate("location.hash")
    again = open_report(path, kept)
    expect(again.locator("#detail h2")).to_have_text(page.locator("#detail h2").inner_text())
    assert comparison.rows[3].label in again.locator("#detail h2").inner_text()


def test_a_row_that_the_candidate_lacks_can_be_selected(open_report, comparison_of):
    comparison, path = comparison_of(*CAPTURES[::-1])
    missing = [at for at, row in enumerate(comparison.rows) if not row.sides[1].members]
    if not missing:
        missing = [at for at, row in enumerate(comparison.rows) if row.sides[1].status]
    page = open_report(path, f"#R{missing[0]}")
    expect(page.locator("#detail h2")).to_contain_text(comparison.rows[missing[0]].label)
    page.keyboard.press("j")
    expect(page.locator("#grid-scroll tr[aria-selected='true']")).to_have_count(1)


def test_a_click_in_the_graph_selects_the_row(page, pair):
    comparison, _ = pair
    layer = comparison.rows[0].sides[1].members[0].index
    scroll_to(page, "#graph-view")
    page.evaluate(f"location.hash = '#L{layer}'")
    row = comparison.row_of[1][layer]
    expect(page.locator(f"#grid-scroll tr[data-item='{row}']")).to_have_attribute("aria-selected", "true")


def test_a_step_of_a_waterfall_filters_the_rows(page):
    page.locator("#breakdown .wide-only a").first.click()
    expect(page.locator("#filter")).to_have_value(re.compile('^cause:"'))
    expect(page.locator("#row-count")).to_contain_text(" of ")
    expect(page.locator("#row-count")).not_to_contain_text(re.compile("^0 of"))


def test_the_contributions_of_rows_add_up_to_each_step(page, pair):
    comparison, _ = pair
    fields = {"cause": "cause", "type": "type", "output precision": "out", "block": "block"}
    steps = {
        filter_link(term(fields[waterfall.by], step.name)): (waterfall.by, step.difference_ms)
        for waterfall in comparison.engines[1].waterfalls
        for step in waterfall.steps
    }
    links = page.locator("#breakdown .wide-only a").evaluate_all(
        "all => all.map((link) => link.getAttribute('href'))"
    )
    assert links
    assert {steps[link][0] for link in links} == set(fields)
    for link in links:
        page.evaluate("link => { location.hash = link; }", link)
        expect(page.locator("#row-count")).to_contain_text(f": {signed_ms(steps[link][1])}")
        expect(page.locator("#grid-scroll thead")).to_contain_text("Contribution (ms)")
    type_filter(page, "")
    expect(page.locator("#grid-scroll thead")).not_to_contain_text("Contribution")


def test_the_graph_is_colored_by_change_and_by_what_changed(page, pair):
    comparison, _ = pair
    assert page.locator("#graph-color").input_value() == "change"
    legend = page.locator("#graph-legend").inner_text()
    marks = {row.sides[1].status for row in comparison.rows if row.sides[1].members}
    assert {"faster", "slower"} <= marks
    assert [mark for mark in marks if mark not in legend] == []
    layer = comparison.rows[0].sides[1].members[0].index
    mark = page.locator(f".node[data-layer='{layer}'] .node-mark")
    assert (
        mark.get_attribute("fill")
        == {"faster": "#2b72d9", "slower": "#b87200"}[comparison.rows[0].sides[1].status]
    )
    page.locator("#graph-color").select_option("structure")
    expect(page.locator("#graph-legend")).to_contain_text("no structural change")


def test_finding_lights_the_layers_of_the_rows_found(page, pair):
    comparison, _ = pair
    type_filter(page, "status:faster")
    layers = [
        member.index
        for row in comparison.rows
        if row.sides[1].status == "faster"
        for member in row.sides[1].members
    ]
    expect(page.locator("#find-count")).to_contain_text(f"{len(layers)} found")


def test_another_candidate_can_be_compared_with_the_baseline(open_report, comparison_of):
    comparison, path = comparison_of(*CAPTURES, CAPTURES[0])
    page = open_report(path)
    shown = column(page, "Status")
    assert shown == [row.sides[1].status for row in comparison.rows][: len(shown)]
    page.locator("#candidate").select_option("2")
    shown = column(page, "Status")
    assert shown == [row.sides[2].status for row in comparison.rows][: len(shown)]
    assert page.url.endswith("#candidate=3")


def test_the_address_keeps_baseline_and_candidate(open_report, comparison_of):
    _, path = comparison_of(*CAPTURES, CAPTURES[0])
    page = open_report(path)
    page.locator("#baseline").select_option("1")
    expect(page.locator("#ranking tr.is-baseline")).to_have_attribute("data-engine", "1")
    assert page.url.endswith("#baseline=2&candidate=1")
    again = open_report(path, "#baseline=2&candidate=3")
    expect(again.locator("#ranking tr.is-baseline")).to_have_attribute("data-engine", "1")
    expect(again.locator("#candidate")).to_have_value("2")
    again.locator("#candidate").select_option("0")
    again.go_back()
    expect(again.locator("#candidate")).to_have_value("2")


def test_a_large_engine_opens_as_blocks_that_say_how_they_differ(open_report, large_pair):
    comparison, path = large_pair
    page = open_report(path)
    changed = [row for row in comparison.rows if row.sides[1].difference_ms]
    assert changed
    page.evaluate("location.hash = '#R0'")
    expect(page.locator("#detail h2")).to_contain_text(changed[0].label)
    page.locator("#plan-close-all").click()
    notes = page.locator(".plan-block .node-kind[text-anchor='end']").all_text_contents()
    assert any(note.startswith("+") for note in notes)
    assert "0\N{NO-BREAK SPACE}ms" in notes


def test_nothing_is_wider_than_a_narrow_window(open_report, pair):
    page = open_report(pair[1], width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    widths = [svg.bounding_box()["width"] for svg in page.locator("#breakdown .narrow-only svg").all()]
    assert len(widths) == 4
    assert max(widths) <= 360


def test_the_page_can_be_read_without_script(open_report, pair):
    comparison, path = pair
    page = open_report(path, java_script_enabled=False)
    expect(page.locator(".verdict-word").first).to_contain_text("faster")
    expect(page.locator("#static-rows tbody tr")).to_have_count(min(60, len(comparison.rows)))
    expect(page.locator("#row-grid")).to_be_hidden()
    expect(page.locator("#graph-view svg")).to_be_visible()


def test_keys_open_help_filter_and_step(page):
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#help")).to_contain_text("status:slower")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(page.locator("#grid-scroll tr[aria-selected='true']")).to_have_count(1)


def test_engines_without_layers_have_a_page_that_works(open_report, comparison_of, tmp_path):
    """Both inputs have only query times, so there is no table of layers."""
    for name, level in (("one", 1.0), ("two", 2.0)):
        (tmp_path / name).mkdir()
        queries = [{"latencyMs": level + at / 1000, "computeMs": level + at / 1000} for at in range(40)]
        (tmp_path / name / "x.timing.json").write_text(json.dumps(queries), "utf-8")
    _, path = comparison_of(tmp_path / "one", tmp_path / "two")
    page = open_report(path)
    expect(page.locator(".verdict-word")).to_contain_text("slower")
    expect(page.locator("#rows")).to_contain_text("nothing can be aligned")
    expect(page.locator("#overview .notice")).to_have_count(0)
    page.keyboard.press("/")
    page.keyboard.press("j")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()


@pytest.mark.parametrize(
    ("names", "headings"),
    [
        (
            ("a-long-name-of-a-model-fp16", "a-long-name-of-a-model-fp32"),
            ["…fp16 (ms)", "…fp32 (ms)"],
        ),
        (
            ("resnet-a100-of-today-fp16", "resnet-l4-of-today-fp16"),
            ["…a100-…-fp16 (ms)", "…l4-of…-fp16 (ms)"],
        ),
        (
            ("a-long-name-of-one-and-long", "a-long-name-of-one-more-and-long"),
            ["…and-long (ms)", "…more-…-long (ms)"],
        ),
    ],
)
def test_columns_of_engines_with_long_names_have_distinct_headings(
    open_report, comparison_of, tmp_path, names, headings
):
    for name in names:
        shutil.copytree(CAPTURES[0], tmp_path / name)
        for file in (tmp_path / name).iterdir():
            file.rename(file.with_name(file.name.replace("resnet18-int8-before", name)))
    _, path = comparison_of(*[tmp_path / name for name in names])
    page = open_report(path)
    heads = [head for head in page.locator("#grid-scroll thead th").all() if "…" in head.inner_text()]
    assert [head.inner_text() for head in heads] == headings
    for head in heads:
        assert head.locator("button").evaluate("each => each.scrollWidth - each.clientWidth") <= 0


@pytest.fixture(scope="session")
def eight(comparison_of, tmp_path_factory):
    """The page of eight engines with long names, each a little faster than the one before."""
    folder = tmp_path_factory.mktemp("eight")
    names = [
        f"detector-of-today-built-with-int8-and-fp16-for-a-server-without-display-{at}" for at in range(8)
    ]
    for at, name in enumerate(names):
        (folder / name).mkdir()
        for file in CAPTURES[0].iterdir():
            if ".timing." in file.name or ".profile.metadata." in file.name:
                continue
            document = json.loads(file.read_text("utf-8"))
            if file.name.endswith(".profile.json"):
                for row in document[1:]:
                    row.update({key: row[key] * (1 - at / 20) for key in ("timeMs", "averageMs", "medianMs")})
            target = folder / name / file.name.replace(CAPTURES[0].name, name)
            target.write_text(json.dumps(document), encoding="utf-8")
    return comparison_of(*[folder / name for name in names])[1]


def test_eight_engines_with_long_names_fit_a_phone(open_report, eight):
    page = open_report(eight, width=390, height=844)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_differences_of_eight_engines_are_whole_and_tools_in_one_line(open_report, eight):
    page = open_report(eight, width=1280)
    cells = page.locator("#grid-scroll tbody td:has(.cell-bar)")
    assert "\N{MINUS SIGN}0.00" in cells.first.inner_text()
    assert cells.evaluate_all("all => all.filter((each) => each.scrollWidth > each.clientWidth).length") == 0
    tops = page.locator("#row-grid .bar > *").evaluate_all(
        "all => all.map((each) => each.getBoundingClientRect().bottom)"
    )
    assert max(tops) - min(tops) < 16


def test_eight_engines_on_paper_have_names_in_words(open_report, eight):
    page = open_report(eight, width=700)
    page.emulate_media(media="print")
    table = page.locator("#static-rows table")
    assert table.locator("td.name").first.evaluate("each => each.clientWidth") > 100
    assert table.locator("thead th", has_text="What changed").evaluate("each => each.clientWidth") > 40


@pytest.mark.parametrize("scripted", [True, False])
def test_where_beside_a_verdict_opens_where_that_engine_differs(open_report, comparison_of, scripted):
    comparison, path = comparison_of(*CAPTURES, SAMPLES / "detector-trt11")
    page = open_report(path, java_script_enabled=scripted)
    second = page.locator("#breakdown details").nth(1)
    expect(second).not_to_have_attribute("open", "")
    page.locator(".verdict").nth(1).get_by_role("link", name="Breakdown").click()
    expect(second).to_have_attribute("open", "")
    expect(second.locator("summary")).to_have_text(comparison.engines[2].name)
    expect(second.locator("figure").first).to_be_in_viewport()
