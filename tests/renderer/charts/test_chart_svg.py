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

from trexreport.renderer.charts.chart import Chart, Series
from trexreport.renderer.charts.svg import to_svg

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
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in {
            *("svg", "title", "desc", "defs", "pattern", "g", "a"),
            *("rect", "line", "path", "circle", "text"),
        }
        assert "style" not in element.attrib
        assert not any(name.startswith("on") for name in element.attrib)
        assert element.get("href", "#").startswith("#")
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
    assert found["#layer=1"] == "conv1 + relu\nLayer, in execution order 1\n0.200\u00a0ms, 51.8\u00a0%"
    assert len(found) == 5


def test_a_link_that_is_no_address_is_dropped():
    links = [link.get("href") for link in parsed(to_svg(CHARTS["bars"])).iter(f"{SVG}a")]
    assert links == ["#type=conv"]


def test_what_is_missing_is_said():
    assert "1 value not measured." in texts(to_svg(CHARTS["columns"]))
    assert any("logarithmic" in text for text in texts(to_svg(CHARTS["points"])))
    assert texts(to_svg(CHARTS["empty"])) == ["Nothing to show: 2 values not measured."]
    assert texts(to_svg(Chart("k", "strip", "t"))) == ["Nothing to show: there are no data."]


@pytest.mark.parametrize("key", CHARTS)
def test_no_text_leaves_the_drawing(key):
    root = parsed(to_svg(CHARTS[key]))
    width, height = map(float, root.get("viewBox").split()[2:])
    for text in root.iter(f"{SVG}text"):
        assert -1 <= float(text.get("x")) <= width + 1
        assert 0 <= float(text.get("y")) <= height + 1


def test_bars_are_as_long_as_their_values():
    root = parsed(to_svg(CHARTS["bars"]))
    widths = [float(rect.get("width")) for rect in root.iter(f"{SVG}rect")]
    assert widths[0] / widths[1] == pytest.approx(0.711 / 0.279, rel=1e-3)


def test_stacked_bars_follow_each_other_and_add_up():
    root = parsed(to_svg(CHARTS["stacked"]))
    groups = [group for group in root.iter(f"{SVG}g") if group.find(f"{SVG}rect") is not None]
    rects = [group.find(f"{SVG}rect") for group in groups if "Reformat" in group.find(f"{SVG}title").text]
    rects += [group.find(f"{SVG}rect") for group in groups if "Pooling" in group.find(f"{SVG}title").text]
    ends = [float(rect.get("x")) + float(rect.get("width")) for rect in rects]
    assert float(rects[3].get("x")) == pytest.approx(ends[2], abs=0.02)
    total = [text for text in texts(to_svg(CHARTS["stacked"])) if text in {"21", "10", "2"}]
    assert {"21", "10", "2"} <= set(total)


def test_a_legend_stands_only_where_it_is_needed():
    assert "FP16" in texts(to_svg(CHARTS["stacked"]))
    assert "Conv" in texts(to_svg(CHARTS["columns"]))
    assert "Queries" in texts(to_svg(CHARTS["histogram"]))  # the heading of the axis
    assert texts(to_svg(CHARTS["bars"])).count("Reformat") == 1


def test_a_thousand_columns_stay_visible_and_unnamed():
    count = 1309
    names = tuple(f"layer {index}" for index in range(count))
    chart = Chart(
        "k", "columns", "t", series=(Series(x=names, y=tuple(1 + index % 7 for index in range(count))),)
    )
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


@settings(max_examples=150, deadline=None)
@given(charts(), st.booleans())
def test_nothing_in_the_data_breaks_the_drawing(chart, patterns):
    svg = to_svg(chart, patterns=patterns)
    root = parsed(svg.encode("utf-8"))
    for element in root.iter():
        for name in ("x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy", "d"):
            assert not re.search("nan|inf", element.get(name, ""))
        for name in ("width", "height", "r"):
            assert float(element.get(name, "0")) >= 0
    assert svg == to_svg(chart, patterns=patterns)


@pytest.mark.parametrize("width", [1, 200, 360, 1200])
@pytest.mark.parametrize("key", CHARTS)
def test_any_width_will_do(key, width):
    parsed(to_svg(CHARTS[key], width))
    parsed(to_svg(replace(CHARTS[key], height=40), width))
