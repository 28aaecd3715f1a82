"""On a phone and on a tablet no table is scrolled sideways, and texts of charts can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from page_axe import IN_DRAWINGS, look
from page_geometry import UNFOLD, fragment_of
from page_helpers import SAMPLES
from test_page_hostile import capture, hostile

GEOMETRY = Path(__file__).with_name("phone_geometry.js").read_text("utf-8")
WIDTHS = (390, 768)
#: The quick ones, then those of the slow tests.
KINDS = ("report", "comparison", "history")
MORE_KINDS = (
    *("blocks", "index", "pair", "kernels", "counters", "detector", "log", "names"),
    *("accuracy", "compared-accuracy", "phases", "hostile"),
)


@pytest.fixture(scope="module")
def made(page_of, report_of, comparison_of, write_capture, tmp_path_factory):
    """Return a function that writes a page of a kind and returns its path."""

    def make(kind):
        if kind == "detector":
            return report_of(SAMPLES / "detector-trt11")
        if kind in BESIDE:
            return _with_a_file(tmp_path_factory.mktemp(kind) / "report.html", kind)
        if kind == "compared-accuracy":
            return comparison_of(SAMPLES / "accuracy/resnet18-fp16", SAMPLES / "resnet18-int8-after")[1]
        if kind == "phases":
            return _of_phases(tmp_path_factory.mktemp(kind) / "phases.html")
        if kind == "hostile":
            return report_of(write_capture(**capture(hostile)))
        if kind == "names":
            names = [f"/model/backbone/layer{at}/conv1/_input_quantizer/QuantizeLinear" for at in range(40)]
            times = [{"name": name, "averageMs": 0.1 * at + 0.1} for at, name in enumerate(names)]
            return report_of(write_capture(graph={"Layers": names}, profile=[{"count": 10}, *times]))
        if kind == "log":
            log = tmp_path_factory.mktemp(kind) / "trtexec.log"
            log.write_text("[I] TensorRT version: 8.6.1\n[I] Latency: min = 1 ms, max = 3 ms, mean = 2 ms\n")
            return report_of(log)
        return page_of(kind)

    return make


#: Kinds of reports with a file beside the capture, and its folder.
BESIDE = {"kernels": "kernels", "counters": "kernels", "accuracy": "accuracy"}


def _with_a_file(path, kind):
    from trexreport.analyzer import analyze
    from trexreport.reader import read_engine
    from trexreport.renderer.html import render_html
    from trexreport.renderer.html_options import HtmlOptions

    name = "resnet18-int8-before"
    engine = read_engine(SAMPLES / name, SAMPLES / BESIDE[kind] / f"{name}.{kind}.json")
    path.write_bytes(render_html(analyze(engine), (), HtmlOptions(interactive_charts=False)))
    return path


def _of_phases(path):
    from trexreport.model import Phase
    from trexreport.pipeline.phase_reports import make_phases_report
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.pipeline.settings import Settings
    from trexreport.reader import read_engine
    from trexreport.renderer.html_options import HtmlOptions

    phases = [
        Phase("detect", read_engine(SAMPLES / "detector-trt11"), None),
        Phase("classify", read_engine(SAMPLES / "resnet18-int8-after"), 8),
    ]
    page = ReportFormat("html", HtmlOptions(interactive_charts=False))
    path.write_bytes(make_phases_report("both", phases, Settings(), page)[1].data)
    return path


def problems(page):
    """Return what is wrong with the page that is open; a page may have no charts."""
    found = page.evaluate(GEOMETRY)
    assert not found["wide"]
    return found["scrolled"] + found["small"] + found["over"] + found["broken"] + found["squeezed"]


@pytest.mark.parametrize(
    "kind", [*KINDS, *(pytest.param(each, marks=pytest.mark.slow) for each in MORE_KINDS)]
)
def test_everything_is_in_view_and_can_be_read(open_report, made, axe, kind):
    path = made(kind)
    page = open_report(
        path, fragment_of(kind, path, ""), width=WIDTHS[0], bypass_csp=True, reduced_motion="reduce"
    )
    found = {}
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        if width == WIDTHS[0]:
            page.evaluate(UNFOLD)
            page.evaluate(axe)
            found["axe"] = look(page, without=["skip-link", *IN_DRAWINGS])
        found[width] = problems(page)
    assert {key: each for key, each in found.items() if each} == {}


def test_without_a_script_rows_are_cards_below_their_headings(open_report, made):
    page = open_report(made("report"), width=390, java_script_enabled=False)
    layers = page.locator("#static-layers")
    assert layers.evaluate("each => each.scrollWidth - each.clientWidth") <= 1
    head, row = (layers.locator(f"{part} tr").first.evaluate(PLACES) for part in ("thead", "tbody"))
    assert len(head) == len(row) > 5
    assert head == row


#: The left edges of what is in a row.
PLACES = "row => [...row.cells].map((each) => Math.round(each.getBoundingClientRect().left))"


def test_the_measure_finds_what_is_wrong(open_report, made):
    page = open_report(made("report"), width=390)
    assert problems(page) == []
    page.evaluate(
        """() => {
          const text = document.querySelector("#chart-by-type .narrow-chart text");
          const copy = text.cloneNode(true);
          text.after(copy);
          copy.style.fontSize = "9px";
          const table = document.querySelector("#latency .scroll > table");
          table.style.width = "900px";
          const head = document.querySelector("#notes td");
          head.style.cssText = "display: block; width: 3em; overflow-wrap: anywhere";
          head.textContent = "degraded";
        }"""
    )
    assert len(problems(page)) == 4


def test_the_measure_finds_a_name_in_a_column_of_few_letters(open_report, made):
    page = open_report(made("report"), width=768)
    assert problems(page) == []
    page.locator("#notes td").nth(1).evaluate(
        """(each) => {
          each.style.cssText = "display: block; min-width: 0 !important; overflow-wrap: anywhere";
          each.style.width = "3.5em";
          each.textContent = "sm80_xmma_fprop_implicit_gemm_interleaved_i8i8";
        }"""
    )
    assert [each.partition(":")[0] for each in problems(page)] == ["notes"]


def test_wide_charts_have_a_narrow_drawing_whose_values_can_be_copied(open_report, made):
    page = open_report(made("report"), width=390)
    chart = page.locator("#chart-by-layer")
    assert chart.locator(".static-chart").is_hidden()
    drawn = chart.locator(".narrow-chart svg")
    assert drawn.is_visible()
    name = drawn.get_attribute("aria-labelledby").split()[0]
    assert page.locator(f"#{name}").text_content() == "Time per layer"
    page.set_viewport_size({"width": 1280, "height": 900})
    assert chart.locator(".static-chart").is_visible()
    assert drawn.is_hidden()


def test_a_finding_is_drawn_from_top_to_bottom(open_report, made):
    page = open_report(made("report"), width=390)
    page.evaluate(UNFOLD)
    drawn = page.locator(".pattern.has-narrow").first
    assert drawn.locator(".scroll").is_hidden()
    both = drawn.locator(".narrow-chart > svg")
    assert both.count() == 2
    titles = [each.locator("title").first.text_content() for each in both.all()]
    assert titles == ["As it is", "As recommended"]
    page.set_viewport_size({"width": 1280, "height": 900})
    assert drawn.locator(".scroll").is_visible()
    assert drawn.locator(".narrow-chart").is_hidden()


def test_rows_of_the_layers_are_cards_of_one_height(open_report, made):
    page = open_report(made("report"), width=390)
    rows = page.locator("#grid-scroll tbody tr:not(.spacer)")
    heights = set(rows.evaluate_all("all => all.map((each) => each.getBoundingClientRect().height)"))
    assert len(heights) == 1
    assert heights.pop() > 40
    cells = rows.first.locator("td").evaluate_all(
        "all => all.map((each) => [each.offsetLeft, each.offsetTop])"
    )
    heads = page.locator("#grid-scroll thead th").evaluate_all("all => all.map((each) => each.offsetLeft)")
    assert len(cells) > 5
    assert [left for left, _ in cells] == heads
    assert len({top for _, top in cells}) > 2
    assert page.locator("#grid-scroll table").evaluate("each => each.offsetWidth") <= 390


def test_one_finger_scrolls_the_page_past_the_graph_and_two_zoom_it(open_report, made):
    page = open_report(made("report"), width=390, height=844, has_touch=True, is_mobile=True)
    view = page.locator("#graph-view")
    assert view.evaluate("each => getComputedStyle(each).overflowY") == "hidden"
    assert page.locator(".if-touch").first.is_visible()
    assert page.locator(".if-mouse").first.is_hidden()
    view.scroll_into_view_if_needed()
    before = page.locator("#graph-view svg").evaluate("each => each.clientWidth")
    view.evaluate(
        """(view) => {
          const at = (x) => new Touch({ identifier: x, target: view, clientX: x, clientY: 300 });
          const fire = (name, ...xs) => view.dispatchEvent(
            new TouchEvent(name, { touches: xs.map(at), cancelable: true, bubbles: true }));
          fire("touchstart", 150, 200);
          fire("touchmove", 125, 225);
          fire("touchend");
        }"""
    )
    after = page.locator("#graph-view svg").evaluate("each => each.clientWidth")
    assert after == pytest.approx(2 * before, rel=0.02)
    page.locator("#graph-full").click()
    assert view.evaluate("each => getComputedStyle(each).overflowY") == "auto"


def test_what_if_shows_all_layers_on_a_phone(open_report, made):
    page = open_report(made("report"), width=390)
    page.locator("#what-if").select_option("L4")
    points = page.locator("#chart-what-if a > :is(circle, path)")
    edges = points.evaluate_all("all => all.map((each) => each.getBoundingClientRect().right)")
    assert len(edges) > 10
    assert max(edges) < 390
    assert page.locator("#chart-what-if svg").evaluate("each => each.viewBox.baseVal.width") == 480
    assert problems(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    assert page.locator("#chart-what-if svg").evaluate("each => each.viewBox.baseVal.width") == 1040


def test_a_dialog_can_be_closed_and_a_layer_be_found_by_touch(open_report, made):
    page = open_report(made("report"), width=390, height=844, has_touch=True, is_mobile=True)
    page.locator("#open-glossary").tap()
    close = page.locator("#close-glossary")
    assert close.evaluate("each => each.getBoundingClientRect().bottom") < 844
    close.tap()
    assert page.locator("#glossary").is_hidden()
    assert page.locator("#graph-find").evaluate("each => each.clientWidth") > 200


def test_on_a_phone_wide_charts_stay_drawings(open_report, made):
    page = open_report(made("live"), width=390, height=844, has_touch=True, is_mobile=True)
    page.locator("#chart-by-layer").scroll_into_view_if_needed()
    page.locator("#chart-distribution").scroll_into_view_if_needed()
    page.locator("#chart-distribution.is-live .main-svg").first.wait_for()
    assert page.locator("#chart-by-layer.is-live").count() == 0
    # A finger that scrolls the page is not caught in a chart.
    assert (
        page.locator("#chart-distribution .js-plotly-plot, #chart-distribution .live-chart").first.evaluate(
            "each => each.layout.dragmode"
        )
        is False
    )


def test_what_is_always_shown_to_a_finger_covers_nothing(open_report, made):
    page = open_report(made("report"), width=390, height=844, has_touch=True, is_mobile=True)
    found = page.evaluate(
        """() => [...document.querySelectorAll("figure:has(> .share)")].flatMap((figure) => {
          const button = figure.querySelector(":scope > .share > button").getBoundingClientRect();
          return [...figure.querySelectorAll("svg.chart text, .switch label")].flatMap((each) => {
            const box = each.getBoundingClientRect();
            const across = Math.min(box.right, button.right) - Math.max(box.left, button.left);
            const down = Math.min(box.bottom, button.bottom) - Math.max(box.top, button.top);
            return box.width && across > 2 && down > 4 ? [`${figure.id}: ${each.textContent}`] : [];
          });
        })"""
    )
    assert page.locator("figure > .share > button").count() > 5
    assert found == []


@pytest.mark.parametrize("width", [390, 768, 1000])
def test_the_breakdown_fills_its_column_with_letters_of_full_size(open_report, made, width):
    page = open_report(made("report"), width=width)
    drawn = page.locator("#chart-strip svg:visible")
    assert drawn.count() == 1
    column = page.locator("#chart-strip").bounding_box()["width"]
    assert drawn.bounding_box()["width"] == pytest.approx(column, abs=1)
    scale = drawn.evaluate("each => each.getScreenCTM().a")
    assert 11 * scale >= 10.9
