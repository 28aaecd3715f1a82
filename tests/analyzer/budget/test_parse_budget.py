"""What [budget] may contain, and the error messages for everything else."""

from __future__ import annotations

import pytest
from budget_engines import budget_of
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.budget import Limit, parse_budget
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.analyzer.budget.regression import REGRESSION_METRICS
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.errors import UsageError


def test_a_number_is_a_limit_that_fails_and_a_figure_that_is_not_known_warns():
    assert budget_of("latency-ms = 12").engine == (Limit("latency-ms", 12, "error", "warn"),)


def test_a_table_has_levels_of_its_own():
    (limit,) = budget_of('latency-ms = { max = 12, level = "warn", unknown = "error" }').engine
    assert (limit.value, limit.level, limit.unknown) == (12, "warn", "error")


def test_levels_are_inherited_from_the_table_around():
    budget = budget_of(
        '[budget]\nlevel = "warn"\nunknown = "error"\nlayers = 3\n'
        '[budget.regression]\nlevel = "off"\ntime-percent = 2\n'
        '[budget.findings]\nunknown = "off"\nerror = 0\nTRX302 = { max = 1, level = "error" }\n'
        '[[budget.part]]\nlayers = "a*"\nlevel = "error"\ntime-ms = 1\n'
    )
    assert [(each.key, each.level, each.unknown) for each in budget.limits] == [
        ("layers", "warn", "error"),
        ("error", "warn", "off"),
        ("TRX302", "error", "off"),
        ("time-percent", "off", "error"),
        ("time-ms", "error", "error"),
    ]


def test_outcomes_do_not_depend_on_the_order_in_the_file():
    budget = budget_of(
        "[budget]\nlayers = 1\nlatency-ms = 1\n[budget.findings]\nTRX1 = 0\ninfo = 1\nerror = 0"
    )
    assert [each.key for each in budget.limits] == ["latency-ms", "layers", "error", "info", "TRX1"]


@pytest.mark.parametrize("key", FIGURES)
def test_every_figure_can_be_limited(key):
    bound = FIGURES[key].bound
    (limit,) = budget_of(f"{key} = {{ {bound} = 5 }}").engine
    assert (limit.key, limit.value) == (key, 5)


@pytest.mark.parametrize("key", REGRESSION_METRICS)
def test_every_growth_can_be_limited(key):
    (limit,) = budget_of(f"[budget.regression]\n{key} = 0").regression
    assert limit == Limit(key, 0)


@pytest.mark.parametrize("choice", ['layers = "a"', 'block = "a"'])
@pytest.mark.parametrize("key", PART_FIGURES)
def test_every_figure_of_a_part_can_be_limited(choice, key):
    (part,) = budget_of(f"[[budget.part]]\n{choice}\n{key} = 5").parts
    assert (part.pattern, part.is_block, part.each) == ("a", choice.startswith("block"), False)
    assert [each.key for each in part.limits] == [key]


def test_a_part_is_called_by_its_pattern_unless_it_has_a_name():
    budget = budget_of(
        '[[budget.part]]\nblock = "a"\ncount = 1\n[[budget.part]]\nlayers = "b"\nname = "The head"\ncount = 1'
    )
    assert [part.title for part in budget.parts] == ["block a", "The head"]


def test_what_is_needed_is_known_beforehand():
    plain = budget_of("latency-ms = 1")
    assert (plain.needs_blocks, plain.needs_baseline) == (False, False)
    block = budget_of('[[budget.part]]\nblock = "a"\nregression-percent = 1')
    assert (block.needs_blocks, block.needs_baseline) == (True, True)
    assert budget_of("[budget.regression]\nlayers = 1").needs_baseline
    assert not budget_of('[budget.regression]\nlayers = { max = 1, level = "off" }').needs_baseline


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("latncy-ms = 1", "latncy-ms is not a known key. Did you mean latency-ms?"),
        ('latency-ms = "12 ms"', 'latency-ms must be a number, not "12 ms".'),
        ("latency-ms = true", "latency-ms must be a number, not true."),
        ("latency-ms = nan", "latency-ms must be a number, not nan."),
        ("latency-ms = -1", "latency-ms must be 0 to 1e+12, not -1."),
        ("latency-ms = []", "latency-ms must be a number, not an empty list."),
        ("reformat-share-percent = 101", "reformat-share-percent must be 0 to 100, not 101."),
        ("latency-ms = { min = 1 }", "latency-ms.min is not a known key. Known: max, level, unknown."),
        (
            "throughput-qps = { max = 1 }",
            "throughput-qps.max is not a known key. Known: min, level, unknown.",
        ),
        (
            'latency-ms = { level = "warn" }',
            "latency-ms.max is missing. It is the number that latency-ms is to be at most.",
        ),
        (
            "throughput-qps = {}",
            "throughput-qps.min is missing. It is the number that throughput-qps is to be at least.",
        ),
        ('level = "fatal"', 'level must be off, warn or error, not "fatal".'),
        ('layers = { max = 1, unknown = "no" }', 'layers.unknown must be off, warn or error, not "no".'),
        ('level = "warn"', "budget has no limit. Give one, such as latency-p99-ms = 12."),
        (
            "[budget.findings]\nerorr = 0",
            'findings: there is no severity and no rule "erorr". Did you mean error?',
        ),
        ("[budget.places]\nTRX3022 = 0", 'places: there is no rule "TRX3022". Did you mean TRX302?'),
        (
            '[budget.findings]\nerror = { max = 0, severity = "info" }',
            "findings.error.severity is not a known key. Known: max, level, unknown.",
        ),
        (
            '[budget.findings]\nTRX302 = { max = 0, severity = "bad" }',
            'findings.TRX302.severity must be error, warning or info, not "bad".',
        ),
        ("[budget.regression]\nslower = 2", "regression.slower is not a known key."),
        ("[budget.regression]\ntime-percent = 1001", "regression.time-percent must be 0 to 1000, not 1001."),
        ("[[budget.part]]\ntime-ms = 3", "part 1 needs either layers or block."),
        ('[[budget.part]]\nlayers = "a"\nblock = "b"', "part 1 needs either layers or block."),
        ('[[budget.part]]\nlayers = "a"', "part 1 has no limit. Known: time-ms,"),
        ('[[budget.part]]\nlayers = " "\ntime-ms = 1', "part 1: layers must be a text that is not empty"),
        (
            '[[budget.part]]\nlayers = "a"\neach = 1\ntime-ms = 1',
            "part 1: each must be true or false, not 1.",
        ),
        ('[[budget.part]]\nblock = "a"\ntime = 1', "part 1: time is not a known key. Did you mean time-ms?"),
        ("findings = 3", "findings must be a table, not 3."),
        ("part = 3", "part must be a list of tables, each under [[…part]], not 3."),
    ],
)
def test_a_mistake_gives_one_line_with_file_and_key(text, message):
    with pytest.raises(UsageError) as caught:
        budget_of(text)
    message_shown = str(caught.value)
    assert "\n" not in message_shown
    assert message_shown.startswith("trexreport.toml: budget")
    assert message.removeprefix("budget") in message_shown


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_keys = st.sampled_from(
    ["latency-ms", "layers", "findings", "places", "regression", "part", "level", "unknown", "max", "x"]
)


@given(st.dictionaries(_keys, _values, max_size=4))
def test_nothing_but_a_budget_or_one_line_comes_of_any_table(mapping):
    message_shown = ""
    try:
        limits = parse_budget(mapping, "x: budget.", built_in_rules()).limits
    except UsageError as error:
        limits, message_shown = (), str(error)
    assert message_shown.isprintable()
    assert bool(limits) is not bool(message_shown)
