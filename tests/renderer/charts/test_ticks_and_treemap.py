"""Round numbers along axes, and areas that add up."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trexreport.renderer.charts.areas import (
    Box,
    cell_texts,
    segment_texts,
    segment_widths,
    split_strip,
    squarify,
)
from trexreport.renderer.charts.chart import Chart, Series
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.text import clean, fit, text_width
from trexreport.renderer.charts.ticks import linear_ticks, log_ticks, nice_domain, nice_step, percentile_ticks

ENDS = st.floats(-1e12, 1e12)


@given(st.floats(1e-9, 1e12), st.integers(1, 10))
def test_a_step_is_1_2_or_5_and_not_too_small(span, count):
    step = nice_step(span, count)
    digits = step.normalize().as_tuple()
    assert digits.digits in ((1,), (2,), (5,))
    assert float(step) * count >= span * (1 - 1e-12)


@given(ENDS, ENDS, st.integers(1, 10))
@example(0.0, 1e-8, 2)
def test_ticks_lie_inside_in_order_and_evenly(first, second, count):
    low, high = sorted((first, second))
    if high - low <= 1e-6 * max(abs(low), abs(high), 1e-3):
        return
    ticks = linear_ticks(low, high, count)
    slack = (high - low) * 1e-6
    assert len(ticks.values) <= count + 1
    assert all(low - slack <= value <= high + slack for value in ticks.values)
    gaps = [b - a for a, b in zip(ticks.values, ticks.values[1:], strict=False)]
    assert all(gap == pytest.approx(gaps[0], rel=1e-3) for gap in gaps)
    assert len(set(ticks.labels)) == len(ticks.labels)


@given(ENDS, ENDS)
def test_a_nice_domain_holds_the_data_and_ends_on_ticks(first, second):
    low, high = sorted((first, second))
    wide_low, wide_high = nice_domain(low, high)
    slack = max(abs(low), abs(high), 1.0) * 1e-6
    assert wide_low <= low + slack
    assert wide_high >= high - slack
    assert wide_high > wide_low


def test_ticks_are_written_with_as_many_decimals_as_their_step():
    assert linear_ticks(0, 1).labels == ("0.0", "0.2", "0.4", "0.6", "0.8", "1.0")
    assert linear_ticks(0, 0.3, 3).values == (0.0, 0.1, 0.2, 0.3)
    assert linear_ticks(0, 1309, 7).labels[:3] == ("0", "200", "400")
    assert linear_ticks(0, 1309, 7).labels[-1] == "1,200"


@given(st.floats(1e-30, 1e30), st.floats(1e-30, 1e30))
def test_logarithmic_ticks_lie_inside(first, second):
    low, high = sorted((first, second))
    ticks = log_ticks(low, high)
    assert all(low <= value <= high for value in ticks.values)
    assert len(ticks.values) <= 20


def test_logarithmic_ticks_are_powers_of_ten():
    assert log_ticks(0.01, 1000).labels == ("0.01", "0.1", "1", "10", "100", "1,000")
    assert log_ticks(1, 10).values == (1, 2, 5, 10)
    assert log_ticks(1e6, 1e10).labels[0] == "10⁶"


def test_an_axis_within_less_than_a_decade_has_several_ticks():
    assert log_ticks(210, 850).labels == ("400", "600", "800")
    assert log_ticks(0.51, 0.99).labels == ("0.6", "0.7", "0.8", "0.9")


def test_percentiles_are_named_and_the_minor_one_goes_first():
    assert percentile_ticks(1.5, 150).labels == ("p50", "p90", "p95", "p99")
    assert percentile_ticks(1.5, 150, 3).labels == ("p50", "p90", "p99")
    assert percentile_ticks(1.5, 1500).values == pytest.approx((2, 10, 20, 100, 1000))
    assert percentile_ticks(30, 40).labels == ()


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=60), st.floats(1, 2000), st.floats(1, 2000))
def test_areas_are_in_proportion_and_fill_the_box(values, width, height):
    values.sort(reverse=True)
    boxes = squarify(values, Box(0, 0, width, height))
    whole = width * height
    assert math.fsum(box.width * box.height for box in boxes) == pytest.approx(whole, rel=1e-6)
    for value, box in zip(values, boxes, strict=True):
        assert box.width * box.height == pytest.approx(
            whole * value / sum(values), rel=1e-3, abs=whole * 1e-9
        )
        assert -1e-6 <= box.x <= width + 1e-6
        assert box.x + box.width <= width * (1 + 1e-9) + 1e-6
        assert box.y + box.height <= height * (1 + 1e-9) + 1e-6


def test_equal_values_make_near_squares():
    ratios = [max(b.width / b.height, b.height / b.width) for b in squarify([1.0] * 12, Box(0, 0, 400, 300))]
    assert max(ratios) < 1.5


def test_nothing_to_divide_is_no_error():
    assert squarify([], Box(0, 0, 10, 10)) == []
    assert squarify([1.0], Box(0, 0, 0, 10)) == [Box(0, 0, 0.0, 0.0)]


@given(st.text(), st.floats(0, 500))
def test_a_text_fits_its_room(text, room):
    fitted = fit(clean(text), room)
    assert text_width(fitted) <= room or not fitted or fitted == clean(text)
    assert text_width(fitted) <= room or text_width(clean(text)) <= room


def test_controls_have_marks_and_lines_are_joined():
    assert clean("a\x00b\x1b\nc\ud800\ufffe\x9b\u202e") == "a␀b␛ c\ufffd\ufffd\ufffd\ufffd"


@pytest.mark.parametrize(("width", "expected"), [(120, ("1,320 others", "1")), (60, ("+1,320",)), (30, ())])
def test_what_is_added_up_is_counted_where_there_is_room(width, expected):
    chart = Chart("k", "treemap", "t", series=(Series("a", x=(1.0,), labels=("1,320 others",)),))
    (mark,) = prepare(chart).marks
    assert cell_texts(mark, Box(0.0, 0.0, width, 40.0)) == expected


def test_a_wide_segment_of_a_strip_has_its_name_shortened():
    name = "backbone.conv1.weight + QuantizeLinear + /backbone/conv1/Conv and 3 more"
    chart = Chart("k", "strip", "t", series=(Series("", x=(2.0, 8.0), labels=(name, "head")),), shares=True)

    prepared = prepare(chart)

    def written(width):
        room = segment_widths(prepared, width)[0]
        return segment_texts(prepared.marks[0], room), [each.mark for each in split_strip(prepared, width)[0]]

    (shown, amount), below = written(1000)
    assert "…" in shown
    assert text_width(shown) <= 200
    assert amount == "2, 20.0%"
    assert below == []
    (texts, (mark,)) = written(400)
    assert texts == ()
    assert mark.label == name
