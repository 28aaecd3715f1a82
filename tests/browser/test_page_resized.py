"""Charts while they are drawn and in a window that changes, and what does not fit into a line or a table."""

from __future__ import annotations

import io

import pytest
from page_geometry import UNFOLD, misplaced
from page_helpers import SAMPLES, wait_for_frames
from PIL import Image
from playwright.sync_api import expect

#: plotly.js, once it is unpacked, draws nothing and never ends.
_ENDLESS = """() => {
  let plotly;
  const newPlot = () => new Promise(() => { document.documentElement.dataset.begun = ""; });
  const set = (value) => { plotly = Object.assign(value, { newPlot }); };
  Object.defineProperty(window, "Plotly", { get: () => plotly, set, configurable: true });
}"""
_CUT = """() => {
  const all = [...document.querySelectorAll(".grid-scroll td.number")];
  const cells = all.filter((each) => each.checkVisibility());
  const hides = (part) => part.clientWidth && part.scrollWidth > part.clientWidth + 1;
  const isCut = (each) => [each, ...each.querySelectorAll("*")].some(hides);
  return [cells.length, cells.filter(isCut).map((each) => each.textContent)];
}"""


def test_a_drawing_stays_until_its_chart_is_drawn(open_report, live_resnet):
    page = open_report(live_resnet)
    page.evaluate(_ENDLESS)
    page.locator("#chart-by-layer").scroll_into_view_if_needed()
    page.locator("html[data-begun]").wait_for(state="attached")
    expect(page.locator("#chart-by-layer .static-chart > svg").first).to_be_visible()
    expect(page.locator("#chart-by-layer .live-chart")).to_be_hidden()


def test_charts_suit_a_window_that_becomes_narrow_and_wide_again(open_report, report_of):
    page = open_report(report_of(SAMPLES / "transformer-trt10-myelin", interactive=True))
    figures = page.locator("figure[data-chart]")
    for figure in figures.all():
        figure.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
        wait_for_frames(page)
    expect(page.locator(".live-chart:not(:has(.main-svg))")).to_have_count(0)
    live = page.locator(".is-live > .live-chart")
    count = live.count()
    assert count > 4
    page.set_viewport_size({"width": 390, "height": 844})
    wait_for_frames(page, 6)
    assert live.count() < count
    assert misplaced(page) == []
    page.set_viewport_size({"width": 1280, "height": 900})
    expect(live).to_have_count(count)


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_no_link_of_a_finding_is_broken(open_report, resnet, width):
    page = open_report(resnet, width=width)
    page.evaluate(UNFOLD)
    links = page.locator(".finding .links a:visible")
    assert links.count() > 10
    lines = links.evaluate_all(
        """all => all.map((each) =>
          Math.round(each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight)))"""
    )
    assert set(lines) == {1}


def test_a_table_that_goes_on_has_a_shade_at_its_edge(open_report, resnet):
    page = open_report(resnet, width=1024)
    table = page.locator("#grid-scroll")
    table.scroll_into_view_if_needed()

    def brightness():
        """Return the brightness that most of the pixels at the edge have, below the head."""
        picture = Image.open(io.BytesIO(table.screenshot())).convert("L")
        edge = picture.crop((picture.width - 3, 60, picture.width - 2, picture.height - 20))
        return max(edge.getcolors())[1]

    page.mouse.move(0, 0)
    assert table.evaluate("each => each.scrollWidth > each.clientWidth + 20")
    shaded = brightness()
    table.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    wait_for_frames(page)
    assert brightness() == 255
    assert shaded < 250


@pytest.fixture
def tables(page_of, comparison_of, write_capture):
    """Pages with tables, and one of engines of which one takes a three-hundredth of the time."""
    far = comparison_of(*(_times(write_capture, factor) for factor in (300, 1)))[1]
    return {"report": page_of("report"), "comparison": page_of("comparison"), "far apart": far}


def _times(write_capture, factor):
    names = [f"conv{at}" for at in range(12)]
    times = [{"name": name, "averageMs": factor * (at + 1) * 0.00303} for at, name in enumerate(names)]
    return write_capture(graph={"Layers": names}, profile=[{"count": 10}, *times])


@pytest.mark.parametrize("width", [1280, 1920])
@pytest.mark.parametrize("kind", ["report", "comparison", "far apart"])
def test_no_number_of_a_table_is_cut(open_report, tables, kind, width):
    page = open_report(tables[kind], width=width)
    page.evaluate("document.querySelector('.grid-scroll').scrollIntoView()")
    wait_for_frames(page)
    count, cut = page.evaluate(_CUT)
    assert count > 20
    assert cut == []
