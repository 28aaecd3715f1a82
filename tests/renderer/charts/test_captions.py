"""Names of points cover nothing: no point, no line, no label and no other name."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from trexreport.renderer.charts.axes import scales
from trexreport.renderer.charts.captions import place_captions, radius_of
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series, Slope
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.frame import frame_of
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.charts.text import TICK_SIZE, text_width

NAME = "a convolution with a name"


def points(xs, ys, captions, **more):
    series = Series("Layers", x=tuple(xs), y=tuple(ys), captions=tuple(captions), radii=(6.0,) * len(xs))
    axes = {"x": Axis("Intensity", "", "log"), "y": Axis("Performance", "", "log")}
    return Chart("roofline", "points", "Roofline", "Points.", (series,), **axes, height=380, **more)


def boxes(chart, width=1040):
    """Return the boxes of the names, and those of the points."""
    prepared = prepare(chart)
    across, up = scales(prepared, frame_of(prepared, width))
    names, marks = [], []
    for each in place_captions(prepared, across, up):
        x, y = across(each.mark.position) + each.x, up(each.mark.value) + each.y
        half = text_width(each.mark.caption, TICK_SIZE) / 2
        names.append((x - half, y - TICK_SIZE / 2, x + half, y + TICK_SIZE / 2))
    for mark in prepared.marks:
        x, y, radius = across(mark.position), up(mark.value), radius_of(prepared, mark)
        marks.append((x - radius, y - radius, x + radius, y + radius))
    return names, marks


def meet(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("width", [504, 1040])
def test_names_in_a_crowd_cover_no_point_and_no_name(width):
    xs = [10 * 1.3**at for at in range(16)]
    ys = [100 + 7 * (at % 4) for at in range(16)]
    names, marks = boxes(points(xs, ys, [NAME if at % 4 == 0 else "" for at in range(16)]), width)
    assert len(names) >= 2
    assert [pair for pair in combinations(names, 2) if meet(*pair)] == []
    assert [(name, mark) for name in names for mark in marks if meet(name, mark)] == []


def test_a_name_keeps_within_the_chart_and_off_the_roof():
    roof = ReferenceLine(110.0, "FP16: 110", begin=110.0)
    chart = points(
        [1, 90, 1000],
        [1, 90, 100],
        [NAME, NAME, NAME],
        reference_lines=(roof,),
        slopes=(Slope(1.0, "Memory"),),
    )
    names, _ = boxes(chart)
    assert len(names) == 3
    prepared = prepare(chart)
    frame = frame_of(prepared, 1040)
    _, up = scales(prepared, frame)
    roof_y = up(110.0)
    for left, top, right, bottom in names:
        assert frame.left <= left <= right <= frame.end
        assert frame.top <= top <= bottom <= frame.foot
        assert not top < roof_y < bottom


def test_a_name_without_room_is_left_out():
    grid = [(10 ** (x / 20), 10 ** (y / 20)) for x in range(40) for y in range(40)]
    crowd = points(
        [x for x, _ in grid], [y for _, y in grid], [NAME if at == 820 else "" for at in range(1600)]
    )
    assert boxes(crowd)[0] == []


def test_both_drawings_have_the_names_and_the_lines_that_lead_to_them():
    chart = points([10, 10.5, 9.5], [100, 101, 99], [NAME, "", "other"])
    assert to_svg(chart, 1040).count(f">{NAME}<") == 1
    notes = {each["text"]: each for each in to_plotly(chart, 1040)["layout"]["annotations"]}
    assert {NAME, "other"} <= set(notes)
    alone = replace(chart, series=(replace(chart.series[0], captions=("", "", "")),))
    assert NAME not in to_svg(alone, 1040)
