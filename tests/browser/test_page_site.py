"""A site in a real browser: from files and from a web server, by mouse and by keyboard, small and large."""

from __future__ import annotations

import functools
import re
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from page_axe import look
from page_helpers import column, is_wide, rows, scroll_to, type_filter, wait_until_ready
from playwright.sync_api import expect
from site_captures import build, site_of, write_capture, write_history

from trexreport.site.pages import render_pages

LARGE = 5000
EVIL = "<img src=x onerror=alert(1)>\u202e'\""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small site: a model that became slower, another one, one that failed, one of a hostile name."""
    top = tmp_path_factory.mktemp("site")
    write_history(top / "captures" / "runs", [1.0, 1.0, 1.0, 1.2, 1.2])
    write_capture(
        top / "captures" / "other",
        name="other",
        model="other.onnx",
        gpu="NVIDIA H100",
        ms=1.6,
        precision="INT8",
    )
    write_capture(top / "captures" / "evil", name="evil", model=EVIL, gpu=EVIL, precision=EVIL)
    write_capture(top / "captures" / "broken", name="broken")
    (top / "captures" / "broken" / "broken.engine.graph.json").write_text("{")
    build(top / "captures", top / "site")
    return top / "site"


@pytest.fixture(scope="module")
def server(folder):
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder))) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()


@pytest.fixture
def open_site(take_page, folder):
    """Return a function that opens a page of the site; at the end nothing may have been wrong with any."""

    def open_page(name="index.html", base=None, **options):
        base = base or folder.as_uri()
        page = take_page(lambda url: url.startswith(base), **options)
        page.goto(f"{base}/{name}")
        if options.get("java_script_enabled", True):
            wait_until_ready(page)
        return page

    return open_page


def ready(page):
    page.locator("html[data-ready]").wait_for(state="attached")


def tick(page, text):
    page.locator("#grid-scroll tr[data-item]", has_text=text).locator("input").click()


def test_the_index_says_what_became_slower(open_site):
    page = open_site()
    expect(page.locator("h1")).to_have_text("7 engines")
    expect(page.locator(".steps li")).to_have_count(1)
    expect(page.locator(".steps .change")).to_contain_text("+20")
    expect(page.locator("#row-count")).to_have_text("7 engines")
    expect(page.locator("#failures")).to_contain_text("captures/broken/broken.engine")
    assert column(page, "Date")[:5] == [f"2024-05-{day:02}" for day in (5, 4, 3, 2, 1)]
    assert column(page, "Change")[1].startswith("slower +")
    # No capture says with which TensorRT it was made.
    expect(page.locator("#grid-scroll thead")).not_to_contain_text("TensorRT")


@pytest.mark.parametrize("kind", ["file", "http"])
def test_pages_lead_to_each_other_and_back(open_site, server, kind):
    page = open_site(base=server if kind == "http" else None)
    page.locator(".steps a", has_text="History").click()
    ready(page)
    expect(page.locator("h1")).to_have_text("net.onnx")
    expect(page.locator("tr.is-step")).to_have_count(1)
    page.locator("tr.is-step a", has_text="Compare").click()
    ready(page)
    expect(page.locator(".verdict-word").first).to_contain_text("slower")
    page.get_by_role("link", name="All engines").click()
    ready(page)
    page.locator("#grid-scroll a", has_text="other").first.click()
    ready(page)
    expect(page.locator("h1")).to_have_text("other")
    page.get_by_role("link", name="All engines").click()
    ready(page)
    expect(page.locator("h1")).to_have_text("7 engines")


def test_engines_with_the_same_long_name_are_distinguished(chromium, tmp_path):
    write_history(tmp_path / "captures", [1.0, 1.0, 1.0], name="bert-large-uncased-squad-sequence-length-384")
    build(tmp_path / "captures", tmp_path / "site")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "site" / "index.html").as_uri())
    ready(page)
    hints = page.locator("#grid-scroll .named > span")
    assert hints.all_inner_texts() == ["run-3", "run-2", "run-1"]
    cut = hints.evaluate_all(
        """all => all.map((hint) =>
          hint.getBoundingClientRect().right > hint.closest('td').getBoundingClientRect().right)"""
    )
    assert cut == [False] * 3
    page.close()


def test_engines_are_filtered_and_the_address_says_how(open_site):
    page = open_site()
    for text, count in [
        ("precision:int8", "1 of 7 engines"),
        ("latency<1.15", "4 of 7 engines"),
        ("date>20240503", "2 of 7 engines"),
        ("date:2024-05-01", "1 of 7 engines"),
        ("mark:slower", "1 of 7 engines"),
        ("change>5%", "1 of 7 engines"),
        ("-gpu:l4 -gpu:img", "1 of 7 engines"),
        ("runs/run-2", "1 of 7 engines"),
        ("/^oth/", "1 of 7 engines"),
        ("errors>100", "0 of 7 engines"),
        ("notes>0", "0 of 7 engines"),
    ]:
        type_filter(page, text)
        expect(page.locator("#row-count")).to_have_text(count)
    type_filter(page, "gpu:h100")
    assert "filter=gpu%3Ah100" in page.evaluate("location.hash")
    page.reload()
    ready(page)
    expect(page.locator("#row-count")).to_have_text("1 of 7 engines")


def test_chips_and_filter_are_in_step(open_site):
    page = open_site()
    chip = page.locator("#facets .chip")
    chip.filter(has_text="NVIDIA H100").first.click()
    expect(page.locator("#filter")).to_have_value('gpu:"NVIDIA H100"')
    expect(page.locator("#row-count")).to_have_text("1 of 7 engines")
    expect(page.locator("#facets .chip[aria-pressed='true']")).to_have_count(1)
    page.locator("#facets [aria-label='Model'] button").first.click()
    assert page.locator("#filter").input_value().startswith('gpu:"NVIDIA H100" model:"')
    page.go_back()
    expect(page.locator("#filter")).to_have_value('gpu:"NVIDIA H100"')
    type_filter(page, "")
    expect(page.locator("#facets .chip[aria-pressed='true']")).to_have_count(0)


def test_a_chosen_baseline_shows_how_engines_differ_from_it(open_site):
    page = open_site()
    expect(page.locator("#grid-scroll th", has_text="vs. baseline")).to_have_count(0)
    page.locator("#grid-scroll tr[data-item] input").first.click()
    texts = column(page, "vs. baseline")
    assert texts[0].startswith("0")
    assert any(text.startswith(("+", "\N{MINUS SIGN}")) for text in texts)
    assert "ticked=" in page.url
    page.locator("#grid-scroll tr[data-item] input").first.click()
    expect(page.locator("#grid-scroll th", has_text="vs. baseline")).to_have_count(0)


def test_how_times_change_is_in_view_on_a_laptop(open_site):
    page = open_site()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.locator("#grid-scroll").scroll_into_view_if_needed()
    room = page.locator("#grid-scroll").bounding_box()
    for name in ("Change", "Trend"):
        head = page.locator("#grid-scroll thead th", has_text=name).bounding_box()
        assert head["x"] + head["width"] <= room["x"] + room["width"], name


def cut_texts(cells):
    """Return what is cut in cells, as HTML."""
    return cells.evaluate_all(
        """all => all.flatMap((cell) => [cell, ...cell.querySelectorAll("*")])
          .filter((each) => each.scrollWidth > each.clientWidth)
          .filter((each) => getComputedStyle(each).overflow !== "visible")
          .map((each) => each.outerHTML)"""
    )


def test_allowed_precisions_are_whole_on_a_laptop(open_site, tmp_path):
    write_history(tmp_path / "captures", [1.0, 1.2], precision="FP32+FP16+INT8")
    build(tmp_path / "captures", tmp_path / "site")
    page = open_site(base=(tmp_path / "site").as_uri(), width=1280, height=800)
    cells = page.locator("#grid-scroll td", has_text="FP32+")
    assert cells.all_inner_texts() == ["FP32+FP16+INT8"] * 2
    assert cut_texts(cells) == []


def test_columns_sort(open_site):
    page = open_site()
    button = page.locator("#grid-scroll thead button", has_text=re.compile("^Latency"))
    button.click()
    times = [float(text) for text in column(page, "Latency (ms)")]
    assert times == sorted(times, reverse=True)
    button.click()
    times = [float(text) for text in column(page, "Latency (ms)")]
    assert times == sorted(times)


def test_the_address_holds_order_ticks_and_the_selected_engine(open_site):
    page = open_site()
    page.locator("#grid-scroll thead button", has_text=re.compile("^Latency")).click()
    order = column(page, "Latency (ms)")
    tick(page, "2024-05-02")
    tick(page, "2024-05-04")
    page.locator("#grid-scroll tr[data-item]", has_text="2024-05-03").locator("td").nth(3).click()
    address = page.evaluate("location.href")
    assert all(part in address for part in ("sort=-latency", "ticked=net-", "row=net-"))

    def is_as_before():
        expect(page.locator("#ticked")).to_contain_text(re.compile("2024-05-02 Candidate: net .*2024-05-04"))
        expect(page.locator("#grid-scroll input:checked")).to_have_count(2)
        expect(page.locator("#grid-scroll tr[aria-selected='true']")).to_contain_text("2024-05-03")
        expect(page.locator("#grid-scroll th[aria-sort='descending']")).to_contain_text("Latency")
        assert column(page, "Latency (ms)") == order

    is_as_before()
    page.reload()
    ready(page)
    is_as_before()
    page.locator("#compare-link").click()
    ready(page)
    page.go_back()
    ready(page)
    is_as_before()
    for _ in range(3):
        page.go_back()
    expect(page.locator("#grid-scroll input:checked")).to_have_count(0)
    expect(page.locator("#grid-scroll th[aria-sort]")).to_have_count(0)


def test_an_address_of_something_missing_gives_a_message(open_site):
    page = open_site("index.html#row=gone-0123456789&sort=-nothing&ticked=gone~__proto__~constructor")
    expect(page.locator(".toast, [role=status]", has_text="no row gone")).to_be_visible()
    expect(page.locator("#ticked")).to_be_empty()
    expect(page.locator("#row-count")).to_have_text("7 engines")
    page = open_site("index.html#R2")
    expect(page.locator("#grid-scroll tr[aria-selected='true']")).to_have_attribute("data-item", "2")


def test_two_that_are_ticked_are_held_side_by_side(open_site):
    page = open_site()
    tick(page, "other")
    expect(page.locator("#ticked")).to_contain_text("Select another engine")
    tick(page, "2024-05-01")
    page.locator("#compare-link").click()
    ready(page)
    expect(page.locator("#figures-table")).to_contain_text("Median GPU compute time")
    row = page.locator("#figures-table tr", has_text="Median GPU compute time").locator("td")
    texts = row.all_text_contents()
    # The first one that was selected is the baseline.
    assert [round(float(text.split("\u00a0")[0]), 1) for text in texts[:2]] == [1.6, 1.0]
    assert texts[2].startswith("\u221237")
    expect(page.locator("#sides")).to_contain_text("Different test conditions: model, GPU")
    expect(page.locator("#types-table")).to_contain_text("Convolution")
    expect(page.locator("#conditions-table tr.is-other").first).to_contain_text("GPU")
    page.keyboard.press("s")
    expect(row.nth(0)).to_have_text(re.compile(r"^1\.00"))
    assert "b=other" in page.evaluate("location.hash")
    page.get_by_role("link", name="All engines").click()
    ready(page)


def test_a_pair_with_a_page_of_its_own_leads_there(open_site):
    page = open_site()
    tick(page, "2024-05-03")
    tick(page, "2024-05-04")
    expect(page.locator("#ticked")).to_contain_text(
        re.compile("Baseline:.*2024-05-03.*Candidate:.*2024-05-04")
    )
    page.locator("#compare-link").click()
    ready(page)
    assert "/compare/" in page.url
    expect(page.locator(".verdict-word").first).to_contain_text("slower")


def test_of_three_ticks_the_first_goes(open_site):
    page = open_site()
    for text in ("2024-05-01", "2024-05-02", "2024-05-03"):
        tick(page, text)
    expect(page.locator("#grid-scroll input:checked")).to_have_count(2)
    page.get_by_role("button", name="Clear").click()
    expect(page.locator("#grid-scroll input:checked")).to_have_count(0)
    expect(page.locator("#ticked")).to_be_empty()


def test_all_can_be_done_by_keyboard(open_site):
    page = open_site()
    page.keyboard.press("j")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(page.locator("#grid-scroll input:checked")).to_have_count(2)
    page.keyboard.press("c")
    ready(page)
    expect(page.locator("#sides")).to_contain_text("net")
    page.go_back()
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/engines/"))
    page.go_back()
    ready(page)
    page.keyboard.press("/")
    expect(page.locator("#filter")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#help")).to_contain_text("Compare the two selected engines")
    page.keyboard.press("Escape")


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_every_page_fits(open_site, folder, width, scheme):
    history = next((folder / "history").iterdir()).name
    both = "&".join(
        f"{side}={path.stem}"
        for side, path in zip("ab", sorted((folder / "engines").iterdir()), strict=False)
    )
    for name in ("index.html", f"history/{history}", f"compare.html#{both}", "compare.html"):
        page = open_site(name, width=width, color_scheme=scheme)
        assert not is_wide(page), name


def found_by_axe(page, axe, do=None):
    if do:
        do(page)
    page.evaluate(axe)
    return look(page)


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_on_pages_of_many_engines(open_site, folder, axe, scheme):
    options = {"color_scheme": scheme, "bypass_csp": True, "reduced_motion": "reduce"}
    history = next((folder / "history").iterdir()).name
    engines = sorted(path.stem for path in (folder / "engines").iterdir())
    for name in (
        "index.html",
        f"index.html#row={engines[0]}&ticked={engines[0]}~{engines[1]}&sort=-latency&filter=net",
        f"history/{history}",
        f"compare.html#a={engines[0]}&b={engines[-1]}",
        "compare.html",
    ):
        page = open_site(name, **options)
        assert found_by_axe(page, axe) == [], name


def test_axe_finds_nothing_where_something_is_open_or_the_window_is_narrow(open_site, axe):
    options = {"bypass_csp": True, "reduced_motion": "reduce"}
    page = open_site(**options)
    assert found_by_axe(page, axe, lambda page: page.locator("#open-help").click()) == []
    page.keyboard.press("Escape")
    assert found_by_axe(page, axe, lambda page: page.locator("#columns-button").click()) == []
    page = open_site(width=360, **options)
    assert found_by_axe(page, axe) == []


def test_a_page_of_one_window_is_read_from_its_first_section(open_site, folder):
    page = open_site(f"history/{next((folder / 'history').iterdir()).name}", height=3000)
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    expect(page.locator(".rail a[aria-current]")).to_have_attribute("href", "#overview")


def test_an_engine_that_is_not_in_the_site_gives_a_message(open_site):
    page = open_site("compare.html#a=gone-0123456789&b=%E0%A4%A", height=120)
    expect(page.locator("#sides")).to_contain_text("not in the site")
    expect(page.locator("#figures")).to_be_hidden()
    page.evaluate("scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })")
    assert page.evaluate("scrollY") > 4
    # What is hidden behind the end of the page is not what is read.
    expect(page.locator(".rail a[aria-current]")).to_have_attribute("href", "#overview")


def test_without_script_there_is_a_table_of_links(open_site, folder):
    page = open_site(java_script_enabled=False)
    links = page.locator("#static-engines tbody a")
    expect(links).to_have_count(7)
    assert all(
        (folder / link).is_file()
        for link in links.evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    )
    expect(page.locator("#engine-grid")).to_be_hidden()
    page.goto((folder / "compare.html").as_uri())
    expect(page.locator(".without-script")).to_contain_text("needs JavaScript")


def test_hostile_names_are_texts(open_site):
    page = open_site()
    type_filter(page, "name:evil")
    expect(page.locator("#row-count")).to_have_text("1 of 7 engines")
    assert "<img" in column(page, "Model")[0]
    assert page.locator("img").count() == 0


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    folder = tmp_path_factory.mktemp("large")
    for name, page in render_pages(site_of(LARGE), ["captures"], ""):
        if "/" not in name:
            (folder / name).write_bytes(page)
    return folder


def test_an_index_of_5000_engines_has_few_rows_in_the_page(open_site, large):
    page = open_site(base=large.as_uri())
    expect(page.locator("#row-count")).to_have_text("5,000 engines")
    scroll_to(page, "#engines")
    assert len(rows(page)) < 120
    page.locator("#grid-scroll").evaluate("element => element.scrollTo(0, 28 * 4000)")
    expect(page.locator("#grid-scroll tr[data-item='4000']")).to_be_attached()
    shown = rows(page)
    assert len(shown) < 120
    type_filter(page, "gpu:3 precision:int8 latency<1.5")
    expect(page.locator("#row-count")).to_have_text(re.compile(r"^\d+ of 5,000 engines$"))
    assert (large / "index.html").stat().st_size < 1_000_000
    assert page.locator("#static-engines tbody tr").count() == 300


def test_a_gpu_is_named_whole_on_a_phone(open_site, tmp_path):
    for at, gpu in enumerate(("NVIDIA H100 80GB HBM3", "NVIDIA A100-SXM4-80GB")):
        write_capture(tmp_path / "captures" / f"run-{at}", gpu=gpu, seed=at)
    build(tmp_path / "captures", tmp_path / "site")
    page = open_site(base=(tmp_path / "site").as_uri(), width=390, height=844)
    cells = page.locator("#grid-scroll td", has_text=re.compile("^(H100 80GB HBM3|A100-SXM4-80GB)$"))
    assert cells.count() == 2
    assert cut_texts(cells) == []
