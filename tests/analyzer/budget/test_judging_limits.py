"""Both sides of every limit: a value that equals its limit passes, and an unknown value never does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.analysis.budget import LEVELS, LimitTitle, MetricReason
from trexreport.analyzer.budget.limits import Limit, MetricValue, Subject, judge

values = st.floats(0, 1e12) | st.integers(0, 10**12)
bounds = st.sampled_from(["max", "min"])
levels = st.sampled_from(LEVELS)
SUBJECT = Subject("layers", "engine", LimitTitle("engine", "layers"), "")
UNKNOWN = MetricReason("no-size")
REMARK = MetricReason("most-of-layers", 3)


@given(values, bounds, levels, levels)
def test_a_limit_that_equals_the_value_holds(value, bound, level, unknown):
    found = judge(Limit("layers", value, level, unknown), MetricValue(value), SUBJECT._replace(bound=bound))
    assert found.state == ("off" if level == "off" else "held")
    assert found.severity == ""


@given(st.floats(1e-3, 1e9), bounds, st.sampled_from(["warn", "error"]))
def test_the_next_number_beyond_the_limit_breaks_it(value, bound, level):
    beyond = math.nextafter(value, math.inf if bound == "max" else -math.inf)
    within = math.nextafter(value, -math.inf if bound == "max" else math.inf)
    limit = Limit("layers", value, level)
    subject = SUBJECT._replace(bound=bound)
    assert judge(limit, MetricValue(beyond), subject).state == "broken"
    assert judge(limit, MetricValue(beyond), subject).severity == level
    assert judge(limit, MetricValue(within), subject).state == "held"


@given(values, bounds, st.sampled_from(["warn", "error"]), levels)
def test_what_is_not_known_does_not_hold(value, bound, level, unknown):
    limit = Limit("layers", value, level, unknown)
    found = judge(limit, MetricValue(None, [UNKNOWN]), SUBJECT._replace(bound=bound))
    assert (found.state, found.value, found.reason) == ("unknown", None, (UNKNOWN,))
    assert found.severity == ("" if unknown == "off" else unknown)


@given(values, values)
def test_a_part_of_a_value_can_break_a_limit_and_never_hold_it(value, limit):
    found = judge(Limit("layers", limit), MetricValue(value, [UNKNOWN]), SUBJECT)
    assert found.state == ("broken" if value > limit else "unknown")
    assert found.at_least


@pytest.mark.parametrize(
    "known", [MetricValue(None, [UNKNOWN]), MetricValue(99), MetricValue(1, [UNKNOWN], [REMARK], ["a"])]
)
def test_a_limit_that_is_off_says_nothing(known):
    found = judge(Limit("layers", 1, "off"), known, SUBJECT)
    assert (found.state, found.severity, found.reason, found.layers) == ("off", "", (), [])


def test_layers_are_named_only_where_something_is_wrong():
    known = MetricValue(3, remarks=[REMARK], layers=["a", "b"])
    assert judge(Limit("layers", 3), known, SUBJECT).layers == []
    broken = judge(Limit("layers", 2), known, SUBJECT)
    assert (broken.layers, broken.reason) == (["a", "b"], (REMARK,))
    part = MetricValue(3, [UNKNOWN], [REMARK])
    assert judge(Limit("layers", 2), part, SUBJECT).reason == (UNKNOWN, REMARK)
