"""Every report opens without an error, describes its sections, and fits its window."""

from __future__ import annotations

import re

import pytest
from page_helpers import SAMPLE_NAMES, SAMPLES, expect_selected, is_wide, scroll_to
from playwright.sync_api import expect

SECTIONS = [
    "overview", "findings", "graph", "latency", "layers", "precision", "memory",
    "roofline", "reformats", "timing", "build", "notes", "provenance",
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLE_NAMES)
def test_every_section_is_there_and_begins_with_what_it_shows(open_report, report_of, sample):
    page = open_report(report_of(SAMPLES / sample))
    ids = page.locator("main > section").evaluate_all("all => all.map((section) => section.id)")
    assert ids == SECTIONS
    for section in SECTIONS[1:]:
        assert page.locator(f"#{section} h2").count() == 1
        if section != "build":
            assert len(page.locator(f"#{section} .lead").inner_text()) > 10, section
    text = page.locator("main").inner_text()
    for wrong in ("undefined", "NaN", "null", "[object", "None", "Infinity"):
        assert wrong not in text, wrong
    links = page.locator(".rail a").evaluate_all("all => all.map((link) => link.hash.slice(1))")
    assert links == SECTIONS


#: The texts of live charts that are not whole within them.
CUT = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap((plot) => {
  const edge = plot.getBoundingClientRect();
  const texts = [...plot.querySelectorAll("text")].filter((each) => each.textContent.trim());
  const shown = texts.filter((each) => each.checkVisibility({ opacityProperty: true }));
  const isCut = ({ left, right }) => left < edge.left - 1 || right > edge.right + 1;
  return shown.filter((each) => isCut(each.getBoundingClientRect())).map((each) => each.textContent);
})"""


@pytest.mark.parametrize(
    "sample",
    [pytest.param(name, marks=pytest.mark.slow if at else []) for at, name in enumerate(SAMPLE_NAMES)],
)
def test_every_chart_becomes_interactive_when_scrolled_to(open_report, report_of, sample):
    page = open_report(report_of(SAMPLES / sample, interactive=True))
    assert page.evaluate("typeof window.Plotly") == "undefined"
    figures = page.locator("figure[data-chart]")
    assert figures.count() > 8
    for figure in figures.all():
        figure.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
        expect(figure.locator(".js-plotly-plot .main-svg").first).to_be_visible()
        expect(figure.locator(".static-chart")).to_be_hidden()
    assert page.evaluate(CUT) == []


def test_a_chart_stays_a_drawing_where_its_names_leave_no_room_for_bars(open_report, live_resnet):
    page = open_report(live_resnet, width=360)
    for name, is_live in (("by-layer", True), ("by-tactic", False)):
        scroll_to(page, f"#chart-{name}")
        drawn = ".js-plotly-plot .main-svg" if is_live else ".narrow-chart svg"
        expect(page.locator(f"#chart-{name} {drawn}").first).to_be_visible()
    # By now the second would be live, as the first is.
    expect(page.locator("#chart-by-tactic .live-chart")).to_have_count(0)


def test_a_click_on_a_bar_selects_its_layer(open_report, live_resnet, facts):
    page = open_report(live_resnet)
    scroll_to(page, "#chart-by-layer")
    bars = page.locator("#chart-by-layer .js-plotly-plot")
    expect(bars).to_be_visible()
    # The chart's own event says which bar was clicked.
    bars.evaluate(
        "plot => plot.on('plotly_click', (event) => (plot.dataset.link = event.points[0].customdata))"
    )
    point = page.locator("#chart-by-layer .barlayer .point").nth(3)
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(bars).to_have_attribute("data-link", re.compile("^#L"))
    index = int(bars.get_attribute("data-link").removeprefix("#L"))
    expect_selected(page, facts.layers[index].name)
    assert page.evaluate("location.hash").startswith("#layer=")


def test_interactive_charts_follow_the_theme(open_report, live_resnet):
    page = open_report(live_resnet)
    scroll_to(page, "#chart-by-layer")
    tick = page.locator("#chart-by-layer .js-plotly-plot .xtick text").first
    expect(tick).to_be_visible()
    color = "element => getComputedStyle(element).fill"
    light = tick.evaluate(color)
    page.keyboard.press("t")
    page.keyboard.press("t")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(tick).not_to_have_css("fill", light)


def test_the_static_report_has_drawings_and_no_plotly(open_report, resnet):
    page = open_report(resnet)
    assert page.locator("#trexreport-plotly").count() == 0
    assert page.locator("figure.chart svg").count() > 8
    scroll_to(page, "#chart-by-layer")
    page.locator("#chart-by-layer svg a rect").nth(1).click()
    expect(page.locator("#detail h2")).to_be_visible()
    assert page.locator(".js-plotly-plot").count() == 0


def test_a_click_on_a_part_of_the_time_filters_the_table(open_report, resnet):
    page = open_report(resnet)
    link = page.locator("#chart-strip svg a[href^='#filter=']:visible").nth(1)
    link.click()
    expect(page.locator("#row-count")).to_contain_text(" of 37 layers")
    expect(page.locator("#layers")).to_be_in_viewport()
    # Once more, from elsewhere: the address is the same already.
    scroll_to(page, "#overview")
    link.click()
    expect(page.locator("#layers")).to_be_in_viewport()


@pytest.mark.parametrize(
    ("width", "interactive"),
    [
        *((360, False), (961, False), (1280, False), (360, True)),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in ((420, False), (700, False), (961, True))),
    ],
)
def test_nothing_is_wider_than_the_window(open_report, report_of, width, interactive):
    path = report_of(SAMPLES / "transformer-trt10-myelin", interactive=interactive)
    page = open_report(path, width=width, height=800)
    assert not is_wide(page)
    if interactive:
        for figure in page.locator("figure[data-chart]").all():
            figure.evaluate("element => element.scrollIntoView({ behavior: 'instant' })")
            # In a narrow window some stay drawings.
            expect(
                figure.locator(
                    ".main-svg:visible, .static-chart > svg:visible, .narrow-chart > svg:visible"
                ).first
            ).to_be_visible()
        expect(page.locator("figure[data-chart].is-live:not(:has(.main-svg))")).to_have_count(0)
        assert page.locator("figure.is-live").count() > 4
    page.locator("#grid-scroll tr[data-item] a").nth(2).click()
    expect(page.locator("#detail")).to_be_visible()
    assert not is_wide(page)
    for dialog in ("#open-search", "#open-help"):
        page.locator(dialog).click()
        assert not is_wide(page)
        page.keyboard.press("Escape")


def test_dark_follows_the_system_and_the_theme_can_be_chosen(open_report, resnet):
    page = open_report(resnet, color_scheme="dark")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    button = page.locator("#toggle-theme")
    button.click()
    expect(button).to_have_text("Theme: light")
    light = page.evaluate(ground)
    assert light == "rgb(255, 255, 255)" != dark
    page.reload()
    expect(button).to_have_text("Theme: light")
    assert page.evaluate(ground) == light
    page.emulate_media(color_scheme="light")
    button.click()
    assert page.evaluate(ground) == dark
    button.click()
    expect(button).to_have_text("Theme: system")
    assert page.evaluate(ground) == light


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.slow)])
def test_print_has_the_whole_table_and_no_controls(open_report, live_resnet, scheme):
    page = open_report(live_resnet, color_scheme=scheme)
    scroll_to(page, "#chart-by-layer")
    expect(page.locator("#chart-by-layer .main-svg").first).to_be_visible()
    page.locator("#grid-scroll tr[data-item] a").first.click()
    page.emulate_media(media="print", color_scheme=scheme)
    for hidden in (
        ".rail",
        "#detail",
        "#filter",
        "#grid-scroll",
        "#facets",
        "#row-count",
        ".switch label:not(:has(:checked))",
        "#graph-fit",
        "#chart-by-layer .live-chart",
    ):
        expect(page.locator(hidden).first).to_be_hidden()
    assert page.locator("#static-layers tbody tr:visible").count() == 37
    expect(page.locator("#chart-by-layer .static-chart")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--text')") == "#000000"
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--page')") == "#ffffff"


def test_what_is_folded_is_printed(open_report, report_of):
    page = open_report(report_of(SAMPLES / "detector-trt11"))
    folded = page.locator("main details:not([open])").count()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("main details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("main details:not([open])").count() == folded


def test_nothing_is_wider_than_the_paper(open_report, page_of):
    """A browser would shrink the texts of all pages until the widest drawing has room: A4 has 180 mm."""
    for kind in ("report", "comparison"):
        page = open_report(page_of(kind), width=680, height=1000)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.documentElement.scrollWidth") == 680, kind
        # Of two drawings of the same one is printed.
        assert page.locator(".narrow-chart:visible").count() == 0, kind


def test_without_a_script_everything_can_be_read(open_report, live_resnet, facts):
    page = open_report(live_resnet, java_script_enabled=False)
    assert page.locator("main > section").count() == len(SECTIONS)
    assert page.locator("#static-layers tbody tr:visible").count() == len(facts.layers)
    for hidden in ("#filter", "#open-search", "#toggle-theme", "#graph-fit", "#detail"):
        expect(page.locator(hidden)).to_be_hidden()
    charts = page.locator("figure.chart").all()
    assert len(charts) == 19
    for chart in charts:
        assert chart.locator("svg:visible").count() >= 1
    expect(page.locator(".graph-svg")).to_be_visible()
    names = page.locator(".graph-svg .node title").all_text_contents()
    assert any(facts.layers[0].name in name for name in names)
    assert "oading" not in page.locator("body").inner_text()


def test_the_rail_marks_the_section_being_read(page):
    for section in ("memory", "build"):
        scroll_to(page, f"#{section}")
        expect(page.locator(".rail a[aria-current]")).to_have_attribute("href", f"#{section}")
    page.locator(".rail a[href='#layers']").click()
    expect(page.locator("#layers")).to_be_in_viewport()


def test_a_browser_that_is_too_old_says_so_and_shows_the_rest(chromium, resnet):
    context = chromium.new_context()
    context.add_init_script("delete window.DecompressionStream")
    page = context.new_page()
    page.goto(resnet.as_uri())
    expect(page.locator("#overview .notice").first).to_contain_text("can’t run the interactive parts")
    expect(page.locator("#static-layers")).to_be_visible()
    expect(page.locator("#filter")).to_be_hidden()
    context.close()


def test_a_report_works_inside_a_notebook(chromium, resnet):
    context = chromium.new_context()
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content("<p>notebook</p>")
    page.evaluate(
        """(html) => {
          const frame = document.createElement("iframe");
          frame.setAttribute("sandbox", "allow-scripts allow-same-origin");
          Object.assign(frame, { width: "1200", height: "800", srcdoc: html });
          document.body.append(frame);
        }""",
        resnet.read_text("utf-8"),
    )
    frame = page.frame_locator("iframe")
    frame.locator("html[data-ready]").wait_for(state="attached")
    frame.locator("#grid-scroll tr[data-item='3'] td").first.click()
    expect(frame.locator("#detail h2")).to_be_visible()
    frame.locator("#grid-scroll tr[data-item='5'] a").click()
    expect(frame.locator("#detail h2")).to_contain_text("layer1.0.conv1")
    assert errors == []
    context.close()


def test_the_roofline_of_another_gpu_is_a_what_if(open_report, page_of):
    page = open_report(page_of("report"))
    figure = page.locator("#chart-what-if")
    expect(figure).to_be_hidden()
    page.locator("#what-if").select_option("L4")
    expect(page.locator("#chart-roofline")).to_be_hidden()
    expect(figure.locator("figcaption")).to_have_text("What if: roofline of L4")
    expect(figure.get_by_role("status")).to_contain_text("no prediction")
    assert page.url.endswith("#gpu=L4")
    outside = figure.locator("svg").evaluate(
        """drawing => [...drawing.querySelectorAll('a > circle, a > path, text')].filter((each) => {
          const [part, all] = [each, drawing].map((it) => it.getBoundingClientRect());
          const aside = part.left < all.left || part.right > all.right;
          return aside || part.top < all.top || part.bottom > all.bottom;
        }).length"""
    )
    assert figure.locator("a > :is(circle, path)").count() > 10
    # Precisions differ in their shapes too.
    assert figure.locator("a > circle").count() > 0
    assert figure.locator("a > path").count() > 0
    assert outside == 0
    page.locator("#what-if").select_option("")
    expect(page.locator("#chart-roofline")).to_be_visible()
    expect(figure).to_be_hidden()
