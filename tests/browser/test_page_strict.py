"""A server that allows neither scripts nor styles, as Jenkins by default, leaves pages that can be read."""

from __future__ import annotations

import pytest
from page_helpers import SAMPLES
from playwright.sync_api import expect
from site_captures import build, write_history

#: Source: Jenkins, DirectoryBrowserSupport.DEFAULT_CSP_VALUE.
JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"
ADDRESS = "http://jenkins.test/job/net/artifact/"
#: What is drawn must say itself how: without a style sheet shapes without a size fill the window, and those
#: without a color are black. The ink of a pattern may be black on purpose.
SHAPES = """() => {
  const shown = (element) => element.checkVisibility();
  const outermost = [...document.querySelectorAll("svg")].filter(shown);
  const unsized = outermost.filter((each) => !each.hasAttribute("width") || !each.hasAttribute("height"));
  const shapes = outermost.flatMap((each) => [
    ...each.querySelectorAll(":is(rect, path, circle, polygon):not(pattern *)"),
  ]);
  const black = shapes.filter((each) => {
    const { fill, stroke } = getComputedStyle(each), { width, height } = each.getBBox();
    return stroke === "rgb(0, 0, 0)" || (fill === "rgb(0, 0, 0)" && width && height);
  });
  return [...unsized, ...black].map((each) => each.outerHTML.slice(0, 120));
}"""
#: The overview's choices need no script: style sheets show what they select.
CONTROLS = """() => [...document.querySelectorAll(
    "button, input:not([name=breakdown], [name=slowest]), select, textarea, dialog")]
  .filter((each) => each.checkVisibility()).map((each) => each.outerHTML)"""


@pytest.fixture
def open_strictly(chromium):
    """Return a function that opens a page as a server with a strict header hands it out."""
    contexts = []

    def open_page(folder, name, *, width=1280, header=JENKINS):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)

        def answer(route):
            path = folder / route.request.url.removeprefix(ADDRESS).split("#")[0]
            route.fulfill(path=path, headers={"Content-Security-Policy": header, "Content-Type": "text/html"})

        context.route("**/*", answer)
        page = context.new_page()
        page.goto(ADDRESS + name)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, resnet, comparison_of):
    """A report, a comparison and the pages of a site, in one folder."""
    folder = tmp_path_factory.mktemp("artifact")
    (folder / "report.html").write_bytes(resnet.read_bytes())
    _, path = comparison_of(SAMPLES / "resnet18-int8-before", SAMPLES / "resnet18-int8-after")
    (folder / "comparison.html").write_bytes(path.read_bytes())
    captures = write_history(tmp_path_factory.mktemp("captures"), [1.0, 1.0, 1.0, 1.3, 1.3])
    build(captures, folder / "site")
    for kind in ("history", "compare", "engines"):
        first = min((folder / "site" / kind).glob("*.html"))
        first.rename(first.with_name("first.html"))
    return folder


NAMES = [
    "report.html",
    "comparison.html",
    *(
        f"site/{name}.html"
        for name in ("index", "compare", "history/first", "engines/first", "compare/first")
    ),
]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_drawn_says_itself_how_and_nothing_waits_for_a_script(open_strictly, pages, name):
    page = open_strictly(pages, name)
    assert page.locator("html").get_attribute("data-ready") is None
    assert page.locator("body").evaluate("body => getComputedStyle(body).margin") == "8px"
    page.locator("details").evaluate_all("all => all.forEach((each) => each.setAttribute('open', ''))")
    assert page.evaluate(SHAPES) == []
    assert page.evaluate(CONTROLS) == []
    assert page.locator(".narrow-only:visible").count() == 0
    expect(page.locator("h1")).to_be_visible()


def test_a_report_can_be_read(open_strictly, pages, facts):
    page = open_strictly(pages, "report.html")
    assert page.locator("#overview .facts li").first.inner_text() == facts.identity.gpu
    expect(page.locator("#overview .figures")).to_contain_text("0.798 ms")
    expect(page.locator("#chart-strip svg text").first).to_be_visible()
    finding = page.locator("#findings details").first
    finding.locator(":scope > summary").click()
    expect(finding.locator("dl")).to_be_visible()
    rows = page.locator("#static-layers tbody tr")
    assert rows.count() == len(facts.layers)
    finding.locator("td a").first.click()
    assert page.evaluate("document.querySelector(location.hash).getBoundingClientRect().top") < 900
    boxes = page.locator("#graph-view .node")
    assert boxes.count() > 30
    expect(boxes.first.locator("text").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_texts_at_arrows_are_within_the_drawing(open_strictly, pages):
    page = open_strictly(pages, "report.html")
    beyond = page.locator("#graph-view .edge-texts text").evaluate_all(
        """all => all.filter((each) => {
            const text = each.getBoundingClientRect(), sheet = each.ownerSVGElement.getBoundingClientRect();
            return text.left < sheet.left || text.right > sheet.right;
        }).map((each) => each.textContent)"""
    )
    assert beyond == []


def test_a_comparison_can_be_read(open_strictly, pages):
    page = open_strictly(pages, "comparison.html")
    expect(page.locator(".verdict").first).to_contain_text("faster")
    expect(page.locator("#breakdown svg").first).to_be_visible()
    assert page.locator("#static-rows tbody tr").count() > 10
    # The colors of the boxes are those of the legend: of what became of the layers, not of their types.
    legend = page.locator("#graph-legend rect").evaluate_all(
        "all => all.map((each) => each.getAttribute('fill'))"
    )
    marks = page.locator("#graph-view .node-mark").evaluate_all(
        "all => all.map((each) => each.getAttribute('fill'))"
    )
    assert set(marks) == set(legend)
    expect(page.locator("#graph-legend")).to_contain_text("faster")
    assert page.evaluate("document.documentElement.scrollWidth") == 1280


def test_a_site_can_be_read_and_walked(open_strictly, pages):
    page = open_strictly(pages, "site/index.html")
    assert page.locator("#static-engines tbody tr").count() == 5
    expect(page.locator("#overview")).to_contain_text("Regressions")
    page.goto(ADDRESS + "site/history/first.html")
    expect(page.locator("main svg").first).to_be_visible()
    assert page.locator("tr[id^='run-']").count() == 5
    page.goto(ADDRESS + "site/compare.html")
    expect(page.locator("#overview .without-script")).to_be_visible()


def test_a_policy_that_lets_styles_in_alone_shows_the_styled_page(open_strictly, pages):
    styled = "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"
    for width in (360, 1280):
        page = open_strictly(pages, "report.html", header=styled, width=width)
        assert page.locator("html").get_attribute("data-ready") is None
        assert page.evaluate(CONTROLS) == []
        assert page.locator("#overview .narrow-only:visible").count() == (width == 360)
        assert page.locator("#overview .wide-only:visible").count() == (width == 1280)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
