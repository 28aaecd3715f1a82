"""Charts of engines of few layers: no number is between two layers, and one layer has no curve."""

from __future__ import annotations

import re

import pytest
from graph_plans import analysis_of, chain

from trexreport.renderer.charts.catalog.latency import cumulative
from trexreport.renderer.charts.chart import Axis, Chart, Series
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.svg import to_svg


def columns(positions, unit=""):
    series = Series("t", x=positions, y=[1.0] * len(positions))
    return Chart("x", "columns", "t", "s", (series,), x=Axis("Place", unit), y=Axis("Time", "ms"))


def numbers(svg):
    """Return the numbers at the foot of a drawing."""
    texts = [(float(y), text) for y, text in re.findall(r'<text[^>]* y="([\d.]+)"[^>]*>([^<]+)</text>', svg)]
    foot = max(y for y, text in texts if text != "Place")
    return [text for y, text in texts if y == foot]


@pytest.mark.parametrize(("count", "shown"), [(1, ["0"]), (3, ["0", "1", "2"])])
def test_numbers_of_few_layers_are_whole(count, shown):
    chart = columns(list(range(count)))
    assert numbers(to_svg(chart)) == shown
    axis = to_plotly(chart)["layout"]["xaxis"]
    assert (axis["tick0"], axis["dtick"]) == (0, 1)


@pytest.mark.parametrize("chart", [columns(list(range(30))), columns([0.5, 1.5]), columns([1, 2], "ms")])
def test_other_axes_have_the_numbers_that_fit(chart):
    assert "dtick" not in to_plotly(chart)["layout"]["xaxis"]


@pytest.mark.parametrize("count", [1, 2])
def test_one_layer_has_no_curve(count):
    chart = cumulative(analysis_of(chain([f"conv{at}" for at in range(count)])))
    assert (chart is None) == (count == 1)
