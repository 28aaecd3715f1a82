"""Colors can be read and distinguished, or are not needed: contrast, forced colors, color blindness."""

from __future__ import annotations

import itertools

import pytest
from color_vision import VISIONS, difference
from page_axe import too_faint
from page_focus import is_ring_seen, stops
from page_geometry import UNFOLD
from page_helpers import click_row

KINDS = ("report", "blocks", "comparison", "index", "history")
#: CIEDE2000: 1 is about a just noticeable difference; areas this far apart can be distinguished side by side.
FAR_APART = 5.0
QUICK = [("report", "light"), ("comparison", "dark")]
REST = [each for each in itertools.product(KINDS, ("light", "dark")) if each not in QUICK]


def opened(open_report, page_of, kind, **options):
    fragment = "" if kind in ("index", "history") else "#L3"
    page = open_report(page_of(kind), fragment, reduced_motion="reduce", **options)
    page.evaluate(UNFOLD)
    return page


@pytest.mark.parametrize(
    ("kind", "scheme"),
    [
        *QUICK,
        *(pytest.param(*each, marks=pytest.mark.slow) for each in REST),
    ],
)
def test_every_text_can_be_read(open_report, page_of, kind, scheme):
    page = opened(open_report, page_of, kind, color_scheme=scheme)
    count, problems = too_faint(page)
    assert count > 60
    assert problems == []


def test_a_faint_text_is_noticed(open_report, page_of):
    page = opened(open_report, page_of, "report")
    page.evaluate("document.documentElement.style.setProperty('--muted', '#8a929b')")
    _, problems = too_faint(page)
    assert any("chart-text-muted" in each for each in problems)
    assert any("lead" in each for each in problems)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_where_the_system_gives_the_colors_everything_can_be_read(open_report, page_of, scheme):
    page = opened(open_report, page_of, "report", color_scheme=scheme, forced_colors="active")
    # The page's own choice of a theme must not go against the system's.
    page.evaluate(
        "theme => (document.documentElement.dataset.theme = theme)", "light" if scheme == "dark" else "dark"
    )
    count, problems = too_faint(page)
    assert count > 1000
    assert problems == []


def test_the_bar_of_savings_does_not_look_full_in_forced_colors(open_report, page_of):
    """Its ground has no color, so that only what is saved is filled."""
    page = opened(open_report, page_of, "report", forced_colors="active")
    bar = page.locator("#findings .gain-bar").first
    assert bar.evaluate("each => getComputedStyle(each).backgroundColor") == "rgba(0, 0, 0, 0)"


def test_the_selected_row_is_visible_in_forced_colors(open_report, page_of):
    page = opened(open_report, page_of, "report", forced_colors="active")
    click_row(page, 5)
    ground = "cell => getComputedStyle(cell).backgroundColor"
    selected = page.locator("tr[aria-selected=true] td").first.evaluate(ground)
    other = page.locator("tr[aria-selected=false] td").first.evaluate(ground)
    assert selected != other
    assert page.locator("tr[aria-selected] .cell-bar").first.evaluate(ground) not in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )


@pytest.mark.slow
def test_the_focus_is_seen_in_forced_colors(open_report, page_of):
    page = opened(open_report, page_of, "report", forced_colors="active")
    click_row(page, 5)
    found = {kind: at for at, kind in enumerate(stops(page))}
    assert len(found) > 30
    assert [kind for kind, at in found.items() if not is_ring_seen(page, at, (1280, 900))] == []


@pytest.mark.parametrize("kind", ["report", "blocks", "comparison"])
def test_colors_of_a_legend_are_distinguishable_in_any_color_vision(open_report, page_of, kind):
    page = open_report(page_of(kind))
    compared = 0
    for coloring in page.locator("#graph-color option").evaluate_all("all => all.map((each) => each.value)"):
        page.locator("#graph-color").select_option(coloring)
        shades = page.locator("#graph-legend rect").evaluate_all(
            "all => all.map((each) => getComputedStyle(each).fill)"
        )
        for one, other in itertools.combinations(dict.fromkeys(shades), 2):
            compared += 1
            for vision in VISIONS:
                assert difference(one, other, vision) >= FAR_APART, (coloring, one, other, vision)
    assert compared >= 5


def test_the_graph_says_in_words_what_its_colors_show(open_report, page_of):
    page = open_report(page_of("report"))
    box = page.locator(".node[data-layer='2']")
    assert box.locator(".node-kind").text_content() == "Pooling"
    assert "FP16" in box.locator("title").text_content()
    assert "FP16" in page.locator(".edge title").nth(3).text_content()


def test_points_of_the_roofline_differ_in_shape(open_report, page_of):
    page = open_report(page_of("report"))
    drawing = page.locator("#chart-roofline svg").first
    assert {"FP16", "INT8"} <= set(drawing.locator("text").all_text_contents())
    # FP16 has circles, INT8 triangles: one of each in the legend.
    assert drawing.locator("circle").count() > drawing.locator("a circle").count() > 0
    assert drawing.locator("path[d$='Z']").count() > drawing.locator("a path").count() > 0


def test_the_parts_of_charts_have_names_beside_their_colors(open_report, page_of):
    page = open_report(page_of("report"))
    for key, names in (
        ("strip", ["Convolution", "Reformat", "Pooling"]),
        ("by-precision", ["INT8", "FP16", "FP32"]),
    ):
        texts = page.locator(f"#chart-{key} svg").first.locator("text").all_text_contents()
        assert [name for name in names if not any(name in text for text in texts)] == [], key
