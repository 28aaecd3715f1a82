"""The interactive drawing: valid for Plotly, the same data, and no markup from files."""

from __future__ import annotations

import json
import re

import pytest
from chart_samples import CHARTS
from chart_strategies import charts
from hypothesis import given, settings

from trexreport.renderer import palette
from trexreport.renderer.charts.chart import Chart, Series
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.svg import to_svg

HOSTILE = ('<a href="javascript:alert(1)">click</a>', "<b>bold</b>", "&lt;", "<br>", "%{customdata}", "$x^2$")


@pytest.mark.parametrize("key", CHARTS)
def test_plotly_takes_it(key):
    graph_objects = pytest.importorskip("plotly.graph_objects")
    made = to_plotly(CHARTS[key])
    figure = graph_objects.Figure(data=made["data"], layout=made["layout"])
    assert len(figure.data) == len(made["data"])
    assert not any("gl" in trace.type for trace in figure.data)


@pytest.mark.parametrize("key", CHARTS)
def test_it_is_plain_json(key):
    made = to_plotly(CHARTS[key])
    assert json.loads(json.dumps(made, allow_nan=False)) == made


def drawn_values(made, kind):
    across = kind in ("bars", "strip")
    key = "values" if kind == "treemap" else "x" if across else "y"
    values = []
    for trace in made["data"]:
        found = trace[key]
        if kind == "treemap":
            found = [value for value, parent in zip(found, trace["parents"], strict=True) if parent]
        values += [value for value in found if value is not None]
    return sorted(values)


@pytest.mark.parametrize("key", [key for key in CHARTS if key != "empty"])
def test_both_renderers_draw_the_same_data(key):
    chart = CHARTS[key]
    prepared = prepare(chart)
    made = to_plotly(chart)
    assert drawn_values(made, chart.kind) == sorted(mark.value for mark in prepared.marks)
    hovers = [text for trace in made["data"] for text in trace["hovertext"]]
    svg = to_svg(chart)
    for mark in prepared.marks:
        assert mark.value_text in svg
        assert any(mark.value_text in text for text in hovers)
        assert palette.color(mark.role if chart.kind != "line" else chart.series[mark.series].role) in svg
        if mark.link:
            assert any(mark.link in trace["customdata"] for trace in made["data"])


@pytest.mark.parametrize("key", CHARTS)
def test_both_have_one_height(key):
    static = float(re.search(r' height="([\d.]+)"', to_svg(CHARTS[key])).group(1))
    assert to_plotly(CHARTS[key])["layout"]["height"] == pytest.approx(static, abs=0.5)


def test_hover_shows_name_value_unit_and_share():
    hovers = [text for trace in to_plotly(CHARTS["columns"])["data"] for text in trace["hovertext"]]
    assert "conv1 + relu<br>Layer 1<br>0.200\u00a0ms, 51.8%" in hovers


@pytest.mark.parametrize(
    ("step", "number"), [(2e-4, ",.4f"), (0.05, ",.2f"), (0.1, ",.1f"), (0.5, ",.1f"), (1, ""), (500, "")]
)
def test_the_numbers_of_an_axis_have_the_decimals_of_its_step(step, number):
    axis = to_plotly(CHARTS["columns"])["layout"]["yaxis"]
    found = [
        each["value"]
        for each in axis["tickformatstops"]
        if each["dtickrange"][0] <= step <= each["dtickrange"][1]
    ]
    assert found == ([number] if number else [])


def test_the_page_decides_on_the_color_of_texts():
    layout = to_plotly(CHARTS["bars"])["layout"]
    assert "color" not in layout["font"]
    assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("kind", ["bars", "columns", "line", "points", "treemap", "strip"])
def test_names_from_files_are_text(kind, name):
    numbers, names = (3.0, 2.0), (name, name)
    series = Series(
        name,
        x=numbers,
        y=names if kind == "bars" else numbers,
        labels=names,
        links=("javascript:alert(1)", "#ok"),
    )
    made = to_plotly(Chart("k", kind, name, name, (series, series)))
    for text in strings(made):
        if "<" in text:
            assert set(re.findall("<[^>]*>", text)) <= {"<br>", "<extra>", "</extra>"}
    hovers = "".join(text for trace in made["data"] for text in trace["hovertext"])
    assert name.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") in hovers
    assert not any(text.startswith("javascript") for text in strings(made))


@settings(max_examples=40, deadline=None)
@given(charts())
def test_nothing_in_the_data_breaks_it(chart):
    made = to_plotly(chart)
    json.dumps(made, allow_nan=False).encode("utf-8")
    assert made == to_plotly(chart)


def test_steps_join_points_up_first():
    series = (Series("others", "neutral", (1,), (3,)), Series("front", "accent", (1, 2), (1, 2), step=True))
    others, front = to_plotly(Chart("front", "points", "Front", series=series))["data"]
    assert others["mode"] == "markers"
    assert (front["mode"], front["line"]["shape"]) == ("lines+markers", "vh")
