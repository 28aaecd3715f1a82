"""In windows as wide as a desk's screen the width is used, and all legends have one order of classes."""

from __future__ import annotations

import pytest
from page_geometry import UNFOLD, misplaced
from page_helpers import SAMPLES

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer.palette import legend_place

#: The room of the sections, and what of it each takes: texts, tables and drawings, not what is around them.
USED = """() => {
  const main = document.querySelector("main");
  const style = getComputedStyle(main);
  const left = main.getBoundingClientRect().left + parseFloat(style.paddingLeft);
  const room = main.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  const parts = "p, li, td, th, svg, canvas, button, .scroll, .grid-scroll, .graph-scroll";
  return [...main.querySelectorAll("section")].map((section) => {
    const drawn = [...section.querySelectorAll(parts)].filter((each) => each.checkVisibility());
    const ends = drawn.map((each) => each.getBoundingClientRect().right);
    return [section.id, Math.max(0, ...ends) - left, room, Boolean(section.querySelector("table, figure"))];
  });
}"""
#: The names in each legend that is drawn, of charts with and without script and of graphs.
LEGENDS = """() => [
  ...[...document.querySelectorAll(".legend")].map((legend) =>
    [...legend.children].map((each) => each.textContent)),
  ...[...document.querySelectorAll("svg.chart")].map((chart) =>
    [...chart.querySelectorAll("text[font-size='11'], g[font-size='11'] > text")]
      .filter((text) => text.previousElementSibling?.matches("rect[width='10'], path"))
      .map((text) => text.textContent)),
].filter((names) => names.length > 1)"""
#: Headings of numbers with those of texts to their right, and the pixels between the two.
GAPS = """() => [...document.querySelectorAll(":not(.grid-scroll) > table thead .number + th:not(.number)")]
  .filter((head) => head.checkVisibility() && head.textContent && head.previousElementSibling.textContent)
  .map((head) => {
    const [before, after] = [head.previousElementSibling, head].map((each) => {
      const range = document.createRange();
      range.selectNodeContents(each);
      return range.getBoundingClientRect();
    });
    return [`${head.previousElementSibling.textContent} | ${head.textContent}`, after.left - before.right];
  })"""
CLASSES = {
    "type": {"Convolution", "Reformat", "Pooling"},
    "precision": {"FP32", "FP16", "INT8"},
    "bound": {"compute-bound", "memory-bound", "latency-bound"},
}


@pytest.mark.parametrize("kind", ["report", "comparison", "history"])
def test_sections_take_the_width(open_report, page_of, kind):
    page = open_report(page_of(kind), width=1920)
    found = [each for each in page.evaluate(USED) if each[3]]
    assert len(found) >= (1 if kind == "history" else 6)
    narrow = [(name, used / room) for name, used, room, _ in found if used < 0.95 * room]
    assert narrow == []
    assert max(used / room for _, used, room, _ in found) < 1.01


@pytest.mark.parametrize("kind", ["report", "comparison"])
def test_nothing_overlaps_in_a_wide_window(open_report, page_of, kind):
    page = open_report(page_of(kind), width=1920)
    page.evaluate(UNFOLD)
    assert misplaced(page) == []


@pytest.mark.parametrize("kind", ["report", "comparison", "history"])
@pytest.mark.parametrize("width", [1280, 1920])
def test_texts_keep_a_distance_from_the_numbers_before_them(open_report, page_of, kind, width):
    page = open_report(page_of(kind), width=width)
    page.evaluate(UNFOLD)
    gaps = page.evaluate(GAPS)
    assert gaps
    assert {heads: gap for heads, gap in gaps if gap < 16} == {}


def test_legends_have_one_order_of_classes(open_report, page_of):
    found = []
    for kind in ("report", "comparison"):
        page = open_report(page_of(kind), width=1920)
        for names in page.evaluate(LEGENDS):
            for of, known in CLASSES.items():
                shown = [name.removesuffix(" tensors").strip() for name in names]
                classes = [name.removesuffix("-bound") for name in shown if name in known]
                if len(classes) > 1:
                    found.append((classes, sorted(classes, key=lambda name: legend_place(f"{of}:{name}"))))
    assert len(found) >= 8
    assert [drawn for drawn, expected in found if drawn != expected] == []


def test_a_drawing_too_wide_to_be_read_begins_at_its_slowest_layer(open_report, report_of):
    capture = SAMPLES / "transformer-trt10-myelin"
    layers = analyze(read_engine(capture)).layers
    slowest = max(layers, key=lambda layer: layer.avg_ms or 0.0)
    page = open_report(report_of(capture), width=1280)
    scale, is_wide, inside = page.evaluate(
        """(layer) => {
          const view = document.querySelector("#graph .graph-scroll");
          const node = view.querySelector(`.node[data-layer="${layer}"]`);
          const [box, edge] = [node.getBoundingClientRect(), view.getBoundingClientRect()];
          const across = box.left > edge.left && box.right < edge.right;
          const isInside = across && box.top > edge.top && box.bottom < edge.bottom;
          return [node.getScreenCTM().a, view.scrollWidth > 1.5 * view.clientWidth, isInside];
        }""",
        slowest.index,
    )
    assert is_wide
    assert scale >= 0.9
    assert inside


@pytest.mark.parametrize("kind", ["report", "blocks"])
def test_the_first_screen_of_a_laptop_holds_the_whole_overview(open_report, page_of, kind):
    page = open_report(page_of(kind), width=1440, height=900)
    bottom = page.locator("#overview").evaluate("each => each.getBoundingClientRect().bottom")
    assert bottom <= 900
