"""The static drawing: what it looks like, and that nothing in the data can break it."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from chart_samples import CHARTS
from chart_strategies import charts
from hypothesis import given, settings
from hypothesis import strategies as st

from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.curves import dots
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.markup import (
    INHERITED,
    Element,
    element,
    hover_text,
    in_written_order,
    words,
    write,
)
from trexreport.renderer.charts.parts import grid_line
from trexreport.renderer.charts.svg import draw_svg, to_svg

GOLDEN = Path(__file__).parent / "golden"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314 - drawn by us


def texts(svg):
    return [element.text for element in parsed(svg).iter(f"{SVG}text")]


@pytest.mark.parametrize("key", CHARTS)
@pytest.mark.parametrize("patterns", [False, True])
def test_it_looks_as_it_did(key, patterns):
    path = GOLDEN / f"{key}{'-patterns' if patterns else ''}.svg"
    # One element a line, so that a difference can be read.
    drawn = to_svg(CHARTS[key], patterns=patterns).replace("><", ">\n<") + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8"), "UPDATE_GOLDEN=1 accepts the new drawing"


@pytest.mark.parametrize("key", CHARTS)
def test_only_presentation_attributes_are_used(key):
    svg = to_svg(CHARTS[key], patterns=True)
    root = parsed(svg)
    for each in root.iter():
        assert each.tag.removeprefix(SVG) in {
            *("svg", "title", "desc", "defs", "pattern", "g", "a"),
            *("rect", "line", "path", "circle", "text"),
        }
        assert "style" not in each.attrib
        assert not any(name.startswith("on") for name in each.attrib)
        assert each.get("href", "#").startswith("#")
    assert not re.search(r"nan|inf\b|undefined|var\(", svg.lower().replace("information", ""))
    assert not re.search(r"\d\.\d{3,}[ \"]", svg)


@pytest.mark.parametrize("key", CHARTS)
def test_it_names_and_describes_itself(key):
    root = parsed(to_svg(CHARTS[key]))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title.text == CHARTS[key].title
    assert (description.text or "") == CHARTS[key].summary
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert root.get("role") == ("group" if root.findall(f".//{SVG}a") else "img")


def test_every_datum_has_its_tooltip_and_its_link():
    root = parsed(to_svg(CHARTS["columns"]))
    found = {link.get("href"): link.find(f"{SVG}title").text for link in root.iter(f"{SVG}a")}
    assert found["#layer=1"] == "conv1 + relu\nLayer 1\n0.200\u00a0ms, 51.8%"
    assert len(found) == 5


def test_a_column_of_several_parts_has_one_tooltip_and_one_link():
    links = ("#L0", "#L1", "#L2")
    parts = (
        Series("Inputs", x=(0, 1, 2), y=(8, 2, 0), labels=("a", "b", "c"), links=links),
        Series("Outputs", "neutral", x=(0, 1, 2), y=(4, None, 1), labels=("a", "b", "c"), links=links),
    )
    root = parsed(to_svg(Chart("k", "columns", "t", series=parts, x=Axis("Layer, in order"))))
    found = {link.get("href"): link for link in root.iter(f"{SVG}a")}
    titles = {href: link.find(f"{SVG}title").text for href, link in found.items()}
    assert titles == {
        "#L0": "a\nLayer 0\nInputs 8\nOutputs 4",
        "#L1": "b: Inputs\nLayer 1\n2",
        "#L2": "c\nLayer 2\nInputs 0\nOutputs 1",
    }
    assert {href: len(link.findall(f"{SVG}rect")) for href, link in found.items()} == {
        "#L0": 2,
        "#L1": 1,
        "#L2": 1,
    }


@given(st.sets(st.tuples(st.integers(0, 30), st.integers(0, 12)), max_size=80))
def test_dots_stand_where_they_should(pixels):
    x = y = 0
    found = []
    for dx, dy, length in re.findall(r"m(-?\d+) ?(-?\d+)v(\d+)", dots(pixels)):
        x, y = x + int(dx), y + int(dy)
        found += [(x, y + step) for step in range(int(length) + 1)]
        y += int(length)
    assert found == sorted(pixels)


def test_neighboring_lines_of_one_look_are_one_path():
    lines = [grid_line(0, y, 9, y) for y in (1, 2)]
    other = [grid_line(3, 0, 3, 4, axis=True), grid_line(5, 0, 6, 4, axis=True)]
    hovered = element("line", hover_text("a"), x1=0, y1=0, x2=1, y2=0)
    drawing = write_drawing(element("svg", *lines, *other, hovered, hovered))
    assert re.findall(r' d="([^"]*)"', drawing) == ["M0 1H9M0 2H9", "M3 0V4M5 0L6 4"]
    assert drawing.count("<line") == 2


def test_a_bin_without_values_is_not_drawn():
    bins = Series("a", x=(0, 1, 2, 3), y=(4, 0, 2))
    svg = to_svg(Chart("k", "histogram", "t", series=(bins,), x=Axis("Time", "ms")))
    assert svg.count("<rect") == 2
    assert "1 ms to 2 ms" not in svg


def test_an_axis_says_once_how_its_layers_are_ordered():
    for title in ("Layer (execution order)", "Layer, in order"):
        chart = Chart("k", "columns", "t", series=(Series("a", x=(7,), y=(4,)),), x=Axis(title))
        assert "Layer 7\n" in to_svg(chart)


def test_what_neighbors_share_is_stated_once():
    text = {"x": 0, "fill": "#111111", "font_size": 11}
    drawing = element(
        "svg",
        element("text", words("a"), **text),
        element("text", words("b"), **text),
        element(
            "a",
            hover_text("c"),
            element("rect", fill="#222222"),
            element("rect", fill="#222222"),
        ),
        element("rect", fill="#333333"),
    )
    assert write_drawing(drawing) == (
        '<svg><g fill="#111111" font-size="11"><text x="0">a</text><text x="0">b</text></g>'
        '<a fill="#222222"><title>c</title><rect/><rect/></a><rect fill="#333333"/></svg>'
    )


def looks(node, inherited=()):
    """Return every drawn element with all that it is drawn with, its own or of the groups around it."""
    known = dict(inherited) | {key: value for key, value in node.items() if key in INHERITED}
    own = {key: value for key, value in node.items() if key not in INHERITED}
    if node.tag.removeprefix(SVG) in ("rect", "line", "path", "circle", "text"):
        yield node.tag, tuple(sorted(own.items())), tuple(sorted(known.items()))
    for child in node:
        yield from looks(child, known.items())


STYLES = st.dictionaries(st.sampled_from(sorted(INHERITED)), st.sampled_from(["1", "2"]), max_size=3).map(
    in_written_order
)
DRAWINGS = st.recursive(
    st.builds(Element, st.sampled_from(["rect", "text"]), st.just(""), STYLES),
    lambda inner: st.builds(
        Element,
        st.sampled_from(["g", "a"]),
        st.just(""),
        STYLES,
        st.lists(inner, min_size=1, max_size=5).map(tuple),
    ),
    max_leaves=20,
)


@given(st.lists(DRAWINGS, max_size=6))
def test_sharing_attributes_changes_no_look(children):
    drawing = element("svg", *children, xmlns=SVG.strip("{}"))
    before, after = (list(looks(parsed(text))) for text in (write(drawing), write_drawing(drawing)))
    assert after == before
    assert len(write_drawing(drawing)) <= len(write(drawing)) + 7 * len(before)


def test_a_link_that_is_no_address_is_dropped():
    links = [link.get("href") for link in parsed(to_svg(CHARTS["bars"])).iter(f"{SVG}a")]
    assert links == ["#type=conv"]


def test_a_plain_drawing_has_the_marks_and_texts_but_no_links_and_no_tooltips():
    chart = prepare(CHARTS["columns"])
    whole, plain = (draw_svg(chart, 388, plain=plain) for plain in (False, True))
    assert "<a " in whole
    assert plain.count("<rect") == whole.count("<rect") > 1
    assert plain.count("<text") == whole.count("<text") > 1
    assert not re.search("<a |<title|<desc|aria-", plain)


def test_what_is_missing_is_stated():
    assert "1 value not measured." in texts(to_svg(CHARTS["columns"]))
    assert any("logarithmic" in text for text in texts(to_svg(CHARTS["points"])))
    assert texts(to_svg(CHARTS["empty"])) == ["Nothing to show: 2 values not measured."]
    assert texts(to_svg(Chart("k", "strip", "t"))) == ["Nothing to show: no data."]


@pytest.mark.parametrize("key", CHARTS)
def test_no_text_leaves_the_drawing(key):
    root = parsed(to_svg(CHARTS[key]))
    width, height = map(float, root.get("viewBox").split()[2:])
    shown = list(root.iter(f"{SVG}text"))
    assert shown
    for text in shown:
        assert -1 <= float(text.get("x")) <= width + 1
        assert 0 <= float(text.get("y")) <= height + 1


def test_bars_are_as_long_as_their_values():
    root = parsed(to_svg(CHARTS["bars"]))
    widths = [float(rect.get("width")) for rect in root.iter(f"{SVG}rect")]
    assert widths[0] / widths[1] == pytest.approx(0.711 / 0.279, rel=1e-3)


def test_stacked_bars_follow_each_other_and_add_up():
    root = parsed(to_svg(CHARTS["stacked"]))
    named = [rect for rect in root.iter(f"{SVG}rect") if rect.find(f"{SVG}title") is not None]
    rects = [rect for rect in named if "Reformat" in rect.find(f"{SVG}title").text]
    rects += [rect for rect in named if "Pooling" in rect.find(f"{SVG}title").text]
    ends = [float(rect.get("x")) + float(rect.get("width")) for rect in rects]
    assert float(rects[3].get("x")) == pytest.approx(ends[2], abs=0.11)
    total = [text for text in texts(to_svg(CHARTS["stacked"])) if text in {"21", "10", "2"}]
    assert {"21", "10", "2"} <= set(total)


def test_a_legend_is_only_where_it_is_needed():
    assert "FP16" in texts(to_svg(CHARTS["stacked"]))
    assert "Conv" in texts(to_svg(CHARTS["columns"]))
    assert "Queries" in texts(to_svg(CHARTS["histogram"]))  # the heading of the axis
    assert texts(to_svg(CHARTS["bars"])).count("Reformat") == 1


def test_bars_whose_names_do_not_show_their_colors_have_a_legend():
    roles = ("precision:FP16", "precision:INT8", "precision:FP16")
    bars = Series(x=(3.0, 2.0, 1.0), y=("a", "b", "c"), roles=roles)
    shown = texts(to_svg(Chart("k", "bars", "t", series=(bars,))))
    assert (shown.count("FP16"), shown.count("INT8")) == (1, 1)
    alike = replace(bars, roles=("precision:FP16",) * 3)
    assert "FP16" in texts(to_svg(Chart("k", "bars", "t", series=(alike,))))
    named = replace(bars, y=("FP16", "INT8", "others"), roles=(*roles[:2], "neutral"))
    assert texts(to_svg(Chart("k", "bars", "t", series=(named,)))).count("FP16") == 1


def test_a_legend_names_a_role_once_however_many_marks_have_it():
    points = Series(
        x=(1.0, 2.0, 3.0), y=(1.0, 2.0, 3.0), roles=("type:Add, Mul", "type:Add, Mul", "type:Conv")
    )
    shown = texts(to_svg(Chart("k", "points", "t", series=(points,))))
    assert [text for text in shown if "Add" in text or "Conv" in text] == ["Conv", "Add, Mul"]


def test_series_of_one_color_share_a_place_in_the_legend():
    series = tuple(
        Series(name, role, x=(1.0,), y=("a",))
        for name, role in (("one", "precision:FP16"), ("two", "precision:FP16"), ("three", "precision:INT8"))
    )
    shown = texts(to_svg(Chart("k", "bars", "t", series=series)))
    assert "one, two" in shown
    assert "three" in shown
    assert "one" not in shown


def test_a_thousand_columns_stay_visible_and_unnamed():
    count = 1309
    names = tuple(f"layer {index}" for index in range(count))
    heights = tuple(1 + index % 7 for index in range(count))
    chart = Chart("k", "columns", "t", series=(Series(x=tuple(range(count)), y=heights, labels=names),))
    root = parsed(to_svg(chart))
    rects = list(root.iter(f"{SVG}rect"))
    assert len(rects) == count
    assert min(float(rect.get("width")) for rect in rects) >= 1
    assert not any("layer" in (text or "") for text in texts(to_svg(chart)))
    tops = [float(rect.get("y")) for rect in rects]
    assert tops == sorted(tops), "short columns are painted over tall ones"


def test_a_long_name_is_shortened_in_its_middle_and_whole_in_the_tooltip():
    name = "/model/" + "block/" * 50 + "Conv_7"
    chart = Chart("k", "bars", "t", series=(Series(x=(1.0,), y=(name,)),))
    svg = to_svg(chart)
    shown = next(text for text in texts(svg) if "\u2026" in text)
    assert shown.startswith("/model/")
    assert shown.endswith("Conv_7")
    assert name in svg


def test_layers_of_one_name_have_a_row_each():
    chart = Chart("k", "bars", "t", series=(Series(x=(1.0, 2.0), y=("copy", "copy")),))
    assert texts(to_svg(chart)).count("copy") == 2


def test_many_links_are_no_tab_stops():
    links = tuple(f"#layer={index}" for index in range(40))
    chart = Chart("k", "columns", "t", series=(Series(x=tuple(range(40)), y=(1.0,) * 40, links=links),))
    assert {link.get("tabindex") for link in parsed(to_svg(chart)).iter(f"{SVG}a")} == {"-1"}


@settings(max_examples=60, deadline=None)
@given(charts(), st.booleans())
def test_nothing_in_the_data_breaks_the_drawing(chart, patterns):
    svg = to_svg(chart, patterns=patterns)
    root = parsed(svg.encode("utf-8"))
    for each in root.iter():
        for name in ("x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "d"):
            assert not re.search("nan|inf", each.get(name, ""))
        for name in ("width", "height", "r"):
            assert float(each.get(name, "0")) >= 0
    assert svg == to_svg(chart, patterns=patterns)


@pytest.mark.parametrize("width", [1, 200, 360, 1200])
@pytest.mark.parametrize("key", CHARTS)
def test_any_width_will_do(key, width):
    parsed(to_svg(CHARTS[key], width))
    parsed(to_svg(replace(CHARTS[key], height=40), width))


@pytest.mark.parametrize("count", [3, 500])
def test_steps_join_points_up_first(count):
    values = tuple(range(1, count + 1))
    series = (Series("others", "neutral", (1,), (3,)), Series("front", "accent", values, values, step=True))
    svg = to_svg(Chart("front", "points", "Front", series=series))
    # A line of its own: to each of the following points up, then across.
    lines = [
        each for each in re.findall(r' d="(M[^"]*)"', svg) if each.count("V") == each.count("H") == count - 1
    ]
    assert len(lines) == 1
    assert "H" not in lines[0].partition("V")[0]


def test_an_upright_axis_that_does_not_begin_at_zero_says_so():
    def shown(low, scale="linear"):
        line = Series("a", x=(1, 2), y=(low, 1.0))
        return texts(to_svg(Chart("k", "line", "t", series=(line,), y=Axis("Time", "ms", scale))))

    assert "Time (ms), axis not from 0" in shown(0.9)
    assert "Time (ms)" in shown(0.1)
    assert "Time (ms)" in shown(0.9, "log")
