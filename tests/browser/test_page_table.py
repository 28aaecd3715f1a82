"""The table of layers: sorting, filtering, choosing columns, copying."""

from __future__ import annotations

import csv
import dataclasses
import io
import re
from types import SimpleNamespace

import pytest
from page_helpers import (
    SAMPLES,
    click_row,
    column,
    expect_selected,
    rows,
    type_filter,
    wait_for_frames,
    wait_until_ready,
)
from playwright.sync_api import expect


def head(page, label):
    return page.locator("#grid-scroll thead th", has_text=re.compile(rf"^{re.escape(label)}( [↑↓])?$"))


def test_the_table_shows_what_the_package_found(page, facts):
    assert rows(page) == list(range(len(facts.layers)))
    assert column(page, "Name") == [layer.name for layer in facts.layers]
    assert column(page, "Type") == [layer.type for layer in facts.layers]
    assert page.locator("#row-count").inner_text() == "37 layers"


def test_a_click_on_a_head_sorts_and_says_so(page, facts):
    head(page, "Avg. time (ms)").locator("button").click()
    expect(head(page, "Avg. time (ms)")).to_have_attribute("aria-sort", "descending")
    timed = [
        layer.index for layer in sorted(facts.layers, key=lambda layer: -(layer.avg_ms or 0)) if layer.avg_ms
    ]
    assert rows(page)[: len(timed)] == timed
    head(page, "Avg. time (ms)").locator("button").click()
    expect(head(page, "Avg. time (ms)")).to_have_attribute("aria-sort", "ascending")
    assert page.locator("#grid-scroll th[aria-sort]").count() == 1
    assert [index for index in rows(page) if index in timed] == timed[::-1]


def test_what_was_not_measured_comes_last_in_both_directions(open_report, report_of, write_capture):
    times = {"a": 2.0, "c": 3.0, "d": 1.0}
    graph = {"Layers": [{"Name": name, "LayerType": "Shuffle"} for name in ("a", "b", "c", "d")]}
    profile = [{"count": 1}, *({"name": name, "averageMs": time} for name, time in times.items())]
    page = open_report(report_of(write_capture(graph=graph, profile=profile)))
    # The layer that the profile does not know is the second one.
    for direction, shown in (("descending", [2, 0, 3, 1]), ("ascending", [3, 0, 2, 1])):
        head(page, "Avg. time (ms)").locator("button").click()
        expect(head(page, "Avg. time (ms)")).to_have_attribute("aria-sort", direction)
        assert rows(page) == shown


def test_the_keyboard_sorts_and_keeps_its_place(page, facts):
    head(page, "Name").locator("button").focus()
    page.keyboard.press("Enter")
    expect(head(page, "Name")).to_have_attribute("aria-sort", "ascending")
    assert column(page, "Name") == sorted(layer.name for layer in facts.layers)
    page.keyboard.press("Space")
    expect(head(page, "Name")).to_have_attribute("aria-sort", "descending")
    expect(head(page, "Name").locator("button")).to_be_focused()


LAYER = "/layer1/layer1.0/conv1"


def over(value, limit):
    return value is not None and value > limit


def nothing(_):
    return False


#: `words` are all texts of a layer in which a plain word is looked for.
FILTERS = [
    ("maxpool", lambda each: "maxpool" in each.words),
    ("type:Reformat", lambda each: each.type == "Reformat"),
    ("type:conv,pool", lambda each: each.type in ("Convolution", "Pooling")),
    ('type:"Conv"', nothing),
    ("-type:NoOp", lambda each: each.type != "NoOp"),
    ("precision:fp32", lambda each: each.precision == "FP32"),
    ("precision:fp", nothing),
    ("out:int8", lambda each: each.output_precision == "INT8"),
    ("tactic:sm80", lambda each: "sm80" in each.tactic),
    ("name:layer1", lambda each: "layer1" in each.name),
    (f"node:{LAYER}/Conv", lambda each: any(f"{LAYER}/Conv" in one for one in each.origins)),
    ("time>0.03", lambda each: over(each.avg_ms, 0.03)),
    ("time>3%", lambda each: over(each.share_percent, 3)),
    ("time<=1%", lambda each: each.share_percent is not None and each.share_percent <= 1),
    ("moved>20M", lambda each: over(each.moved_bytes, 20e6)),
    ("weights>1M", lambda each: over(each.weights_bytes, 1e6)),
    ("macs>1G", lambda each: each.work is not None and each.work.macs > 1e9),
    ("tflops<100", lambda each: each.work is not None and (each.work.tflops or 1000) < 100),
    ("bound:memory", lambda each: each.roof is not None and each.roof.bound == "memory"),
    ("flops>1G", lambda each: over(each.flops, 1e9)),
    ("reached>50", lambda each: each.roof is not None and over(each.roof.reached_percent, 50)),
    ("headroom>0.01", lambda each: each.roof is not None and over(each.roof.headroom_ms, 0.01)),
    ("/layer[12]\\.1/", lambda each: re.search(r"layer[12]\.1", each.name) is not None),
    ("-/layer/", lambda each: "layer" not in each.name.lower()),
    ('"conv1.weight + /conv1"', lambda each: "conv1.weight + /conv1" in each.name),
    (f"{LAYER}/_input_quantizer/Quan", lambda each: f"{LAYER}/_input_quantizer/quan" in each.words),
    (
        "type:Reformat time>1% precision:fp16",
        lambda each: (each.type, each.precision) == ("Reformat", "FP16") and over(each.share_percent, 1),
    ),
    ("constructor:x", nothing),
    ("toString>1", nothing),
    ("__proto__:x", nothing),
]


@pytest.fixture(scope="module")
def filtered_page(chromium, resnet):
    """One page for all filters."""
    context = chromium.new_context()
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(resnet.as_uri())
    wait_until_ready(page)
    yield page
    context.close()
    assert errors == []


def with_words(layer, facts):
    """A layer with all its texts as one."""
    tensors = [facts.tensors[use.tensor].name for use in [*layer.inputs, *layer.outputs]]
    words = "\n".join([layer.name, layer.type, layer.tactic, *layer.origins, *tensors]).lower()
    known = {field.name: getattr(layer, field.name) for field in dataclasses.fields(layer)}
    return SimpleNamespace(**known, words=words)


@pytest.mark.parametrize(("query", "fits"), FILTERS, ids=[query for query, _ in FILTERS])
def test_a_filter_shows_exactly_what_fits(filtered_page, facts, query, fits):
    page = filtered_page
    type_filter(page, query)
    wanted = [layer.index for layer in facts.layers if fits(with_words(layer, facts))]
    expect(page.locator("#row-count")).to_have_text(
        re.compile(rf"^{len(wanted)} of 37 layers, .* of layer time(; not a filter term: .*)?$")
    )
    assert sorted(rows(page)) == wanted


def test_a_tensor_is_found_by_its_name(page, facts):
    tensor = facts.layers[5].inputs[0].tensor
    name = facts.tensors[tensor].name
    type_filter(page, f'tensor:"{name}"')
    users = [
        each.index for each in facts.layers if tensor in [use.tensor for use in [*each.inputs, *each.outputs]]
    ]
    expect(page.locator("#row-count")).to_contain_text(f"{len(users)} of 37")
    assert rows(page) == users


@pytest.mark.parametrize(
    ("query", "message"),
    [("time>", "a number is missing"), ("/(/", "not a regular expression"), ("time>1.2.3", "number")],
)
def test_what_cannot_be_understood_is_stated(page, query, message):
    type_filter(page, "type:Pooling")
    shown = rows(page)
    type_filter(page, query)
    expect(page.locator("#row-count")).to_contain_text(message)
    expect(page.locator("#filter")).to_have_attribute("aria-invalid", "true")
    assert rows(page) == shown
    head(page, "Name").locator("button").click()
    expect(page.locator("#row-count")).to_contain_text(message)
    type_filter(page, "type:Pooling")
    expect(page.locator("#filter")).not_to_have_attribute("aria-invalid", "true")
    expect(page.locator("#row-count")).to_contain_text("2 of 37")


def test_a_link_with_a_slow_pattern_does_not_stop_the_page(page):
    for pattern in (r"(\w+\.?)+:", "(.*)*:", r"\a" * 40, "(a|.)+:" + " " * 40):
        page.evaluate("query => { location.hash = `#filter=${encodeURIComponent(query)}` }", f"/{pattern}/")
        expect(page.locator("#filter")).to_have_value(f"/{pattern}/")
        expect(page.locator("#row-count")).to_contain_text(re.compile("of 37|not supported"))


def test_the_help_names_every_term(page):
    page.keyboard.press("?")
    text = page.locator("#help").inner_text()
    for term in (
        "type:",
        "precision:",
        "out:",
        "tactic:",
        "name:",
        "node:",
        "tensor:",
        "stream:",
        "time>1%",
        "moved>1M",
        "weights>1M",
        "macs>1G",
        "tflops<10",
        "bound:",
        "flops>1G",
        "reached<50",
        "headroom>0.01",
        "-type:NoOp",
        "/conv[0-9]+/",
    ):
        assert term in text, term


def test_a_selected_layer_that_is_filtered_out_gives_a_message(page):
    click_row(page, 3)
    type_filter(page, "type:Pooling")
    expect(page.locator("#row-count")).to_contain_text("the selected layer is not among them")
    expect(page.locator("#detail")).to_be_visible()
    type_filter(page, "")
    expect(page.locator("#row-count")).to_have_text("37 layers")


def test_columns_are_chosen(page, facts):
    button = page.locator("#columns-button")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    page.locator("#columns").get_by_label("Output precision", exact=True).check()
    page.locator("#columns").get_by_label("Tactic").uncheck()
    assert column(page, "Output precision") == [layer.output_precision or "–" for layer in facts.layers]
    assert head(page, "Tactic").count() == 0
    page.keyboard.press("Escape")
    expect(page.locator("#columns")).to_be_hidden()
    expect(button).to_be_focused()


@pytest.mark.parametrize("width", [360, 420, 1280])
def test_the_menu_of_columns_is_in_the_window(open_report, resnet, width):
    page = open_report(resnet, width=width)
    page.locator("#columns-button").click()
    box = page.locator("#columns").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def clipboard(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_csv_is_copied_as_shown(open_report, resnet, facts):
    page = open_report(resnet, permissions=["clipboard-read", "clipboard-write"])
    type_filter(page, "type:Reformat")
    page.locator("#copy-csv").click()
    expect(page.locator(".toast")).to_have_text("12 rows copied")
    table = list(csv.reader(io.StringIO(clipboard(page))))
    heads = "# Name Avg. time (ms) Time (%) Findings Type Precision Data moved Tactic"
    assert " ".join(table[0]) == heads
    wanted = [layer for layer in facts.layers if layer.type == "Reformat"]
    assert [row[1] for row in table[1:]] == [layer.name for layer in wanted]
    assert [float(row[2]) for row in table[1:]] == pytest.approx([layer.avg_ms for layer in wanted])


def test_markdown_is_copied_as_shown(open_report, resnet, facts):
    page = open_report(resnet, permissions=["clipboard-read", "clipboard-write"])
    type_filter(page, "type:Pooling")
    page.locator("#copy-markdown").click()
    expect(page.locator(".toast")).to_have_text("2 rows copied")
    lines = clipboard(page).splitlines()
    assert len(lines) == 4
    assert lines[1].startswith("| --: | --- | --: |")
    assert "/maxpool/MaxPool" in lines[2]
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_no_name_becomes_a_formula_or_markup(open_report, report_of, write_capture):
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", 'a"b,c', "a|b", "<b>&amp;`x`", "line\nbreak"]
    layers = [{"Name": name, "LayerType": "NoOp", "Inputs": [], "Outputs": []} for name in names]
    path = report_of(write_capture(graph={"Layers": layers, "Bindings": []}))
    page = open_report(path, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-csv").click()
    expect(page.locator(".toast")).to_have_text("9 rows copied")
    cells = [row[1] for row in csv.reader(io.StringIO(clipboard(page), newline=""))][1:]
    assert cells == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "'\tx", *names[5:]]
    page.evaluate("document.querySelector('.toast').replaceChildren()")
    page.locator("#copy-markdown").click()
    expect(page.locator(".toast")).to_have_text("9 rows copied")
    lines = clipboard(page).split("\n")
    assert len(lines) == 2 + len(names)
    assert r"\<b\>\&amp;\`x\`" in lines[9]
    assert r"a\|b" in lines[8]


def test_arrow_keys_go_from_row_to_row(page, facts):
    page.locator("#grid-scroll").focus()
    for key, index in (("ArrowDown", 0), ("ArrowDown", 1), ("ArrowUp", 0), ("End", 36), ("Home", 0)):
        page.keyboard.press(key)
        expect_selected(page, facts.layers[index].name)
        expect(page.locator(f"#grid-scroll tr[data-item='{index}']")).to_have_attribute(
            "aria-selected", "true"
        )
        expect(page.locator("#grid-scroll")).to_be_focused()


def test_the_table_is_one_stop_of_the_tab_key(page):
    page.locator("#grid-scroll").focus()
    for _ in range(9):  # the heads
        page.keyboard.press("Tab")
    inside = page.evaluate("document.activeElement.closest('#grid-scroll') !== null")
    assert inside
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#grid-scroll')") is None


def test_a_click_on_a_row_moves_nothing_under_the_pointer(page):
    row = page.locator("#grid-scroll tr[data-item='8']")
    row.scroll_into_view_if_needed()
    wait_for_frames(page, 30)
    before = row.bounding_box()["y"]
    row.locator("td").nth(2).click()
    expect(page.locator("#detail")).to_be_visible()
    assert row.bounding_box()["y"] == pytest.approx(before, abs=1.5)
    page.keyboard.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    assert row.bounding_box()["y"] == pytest.approx(before, abs=1.5)


def test_the_panel_says_how_far_the_roof_is(page, facts):
    layer = next(each for each in facts.layers if each.roof and each.work)
    page.goto(f"{page.url.partition('#')[0]}#L{layer.index}")
    panel = page.locator("#detail")
    expect(panel).to_contain_text(f"Bound by{layer.roof.bound}")
    expect(panel).to_contain_text("624 TOP/s of INT8")
    row = panel.locator("tr", has_text="Headroom")
    assert float(row.inner_text().split()[1]) == pytest.approx(layer.roof.headroom_ms, rel=0.01)


def test_a_chip_shows_the_count_beside_the_longest_text(page):
    chip = page.locator("button.chip").first
    cut = chip.evaluate(
        """each => {
          each.firstChild.data = "NVIDIA GeForce\u2026 Laptop GPU m";
          return each.scrollWidth - each.clientWidth;
        }"""
    )
    assert cut <= 0


@pytest.fixture
def transformer(report_of):
    return report_of(SAMPLES / "transformer-trt10-myelin")


def test_a_table_of_the_page_is_sorted_by_its_headings(open_report, transformer):
    page = open_report(transformer)
    table = page.locator("#layers-alike ~ .scroll table").first
    names = table.locator("tbody td.name")
    by_time = names.all_text_contents()
    table.locator("th button", has_text=re.compile("^Layers alike$")).click()
    expect(table.locator("th[aria-sort]")).to_have_text("Layers alike")
    assert names.all_text_contents() == sorted(by_time)
    table.locator("th button", has_text="Time (ms)").press("Enter")
    assert names.all_text_contents() == by_time
    table.locator("th button", has_text="Time (ms)").press("Enter")
    expect(table.locator("th", has_text="Time (ms)")).to_have_attribute("aria-sort", "ascending")
    assert names.first.text_content() == by_time[-1]


def test_a_group_of_layers_alike_shows_its_layers(open_report, transformer):
    page = open_report(transformer)
    row = page.locator("#layers-alike ~ .scroll table").first.locator("tbody tr").first
    count = row.locator("td.number").first.text_content()
    row.locator("a").first.click()
    expect(page.locator("#row-count")).to_contain_text(f"{count} of ")
