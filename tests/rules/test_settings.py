"""What a configuration says of the rules, and every way of saying it wrong."""

from __future__ import annotations

import datetime as dt
import re

import pytest

from trexreport.analyzer.rules import Suppression, Threshold, rule
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.analyzer.rules.settings import check_selectors, find_rule, parse_settings
from trexreport.errors import UsageError


def make(code, name, *thresholds):
    def check(_, **__):
        return ()

    check.__doc__ = (
        "A title.\n\nCost:\n    c\nRecommendation:\n    a\nFalse alarm:\n    f\nEst. savings:\n    b\n"
    )
    return rule(code, name, "warning", many="{count}", thresholds=thresholds)(check)


RULES = (
    make("TRX201", "reformat.share", Threshold("share_percent", 5.0, 0, 100, "Share.")),
    make("TRX202", "reformat.chain"),
    make("TRX301", "quantization.residual"),
)


#: What a rule and a threshold that have new names were called, each with the new one.
FORMER_RULES = [(each.former_name, each.name, each.code) for each in built_in_rules() if each.former_name]
FORMER_THRESHOLDS = [
    (each.code, threshold.former_name, threshold.key)
    for each in built_in_rules()
    for threshold in each.thresholds
    if threshold.former_name
]


def parse(**mapping):
    return parse_settings(mapping, "x.toml: lint.", RULES)


def test_nothing_stated_changes_nothing():
    settings = parse()
    assert settings == type(settings)()
    assert all(settings.wants(each) for each in RULES)


def test_everything_can_be_stated():
    settings = parse(
        **{
            "select": ["TRX2", "quantization.residual"],
            "ignore": ["reformat.chain"],
            "fail-on": "warning",
            "severity": {"TRX201": "error", "quantization.residual": "info"},
            "thresholds": {"TRX201": {"share-percent": 7}},
            "suppress": [
                {"rule": "TRX2", "reason": "known"},
                {
                    "rule": "quantization",
                    "layers": "/head/*",
                    "reason": "accuracy",
                    "until": dt.date(2030, 1, 2),
                },
            ],
        }
    )
    assert [each.code for each in RULES if settings.wants(each)] == ["TRX201", "TRX301"]
    assert settings.fail_on == "warning"
    assert settings.severities == {"TRX201": "error", "TRX301": "info"}
    assert settings.thresholds == {"TRX201": {"share_percent": 7}}
    assert settings.suppressions == (
        Suppression("TRX2", "known", position="x.toml: lint.suppress 1"),
        Suppression("quantization", "accuracy", "/head/*", dt.date(2030, 1, 2), "x.toml: lint.suppress 2"),
    )


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        ({"fail_on": "error"}, "fail_on is not a known key. Did you mean fail-on?"),
        ({"color": 1}, "color is not a known key. Known: select, ignore, fail-on,"),
        ({"select": "TRX2"}, 'select must be a list of texts, not "TRX2".'),
        ({"select": ["TRX2", 7]}, "select must be a list of texts; entry 2 is 7."),
        ({"select": []}, "select is empty. Leave it out to run all rules."),
        ({"select": ["TRX9"]}, 'select: there is no rule "TRX9". Did you mean TRX'),
        ({"ignore": ["trx201"]}, 'ignore: there is no rule "trx201". Did you mean TRX201?'),
        ({"ignore": [""]}, 'ignore: there is no rule "".'),
        ({"fail-on": "fatal"}, 'fail-on must be error, warning, info or never, not "fatal".'),
        ({"fail-on": []}, "fail-on must be error, warning, info or never, not an empty list."),
        ({"severity": {"TRX2": "error"}}, 'severity: there is no rule "TRX2". It selects TRX201, TRX202'),
        ({"severity": {"TRX201": "off"}}, 'severity.TRX201 must be error, warning or info, not "off".'),
        (
            {"severity": {"TRX201": "error", "reformat.share": "info"}},
            'severity."reformat.share" is TRX201 again.',
        ),
        ({"severity": {"TRX201": {"x": 1}}}, "severity.TRX201 must be error, warning or info, not a table."),
        ({"thresholds": {"TRX202": {"x": 1}}}, "thresholds.TRX202 has no thresholds."),
        ({"thresholds": {"TRX201": 3}}, "thresholds.TRX201 must be a table, not 3."),
        (
            {"thresholds": {"TRX201": {"share": 3}}},
            "thresholds.TRX201.share is not a known key. Did you mean share-percent?",
        ),
        (
            {"thresholds": {"TRX201": {"share-percent": 101}}},
            "thresholds.TRX201.share-percent must be 0 to 100, not 101.",
        ),
        (
            {"thresholds": {"TRX201": {"share-percent": 10**5000}}},
            "thresholds.TRX201.share-percent must be 0 to 100, not that.",
        ),
        (
            {"thresholds": {"TRX201": {"share-percent": float("nan")}}},
            "thresholds.TRX201.share-percent must be a number, not nan.",
        ),
        (
            {"thresholds": {"TRX201": {"share-percent": float("inf")}}},
            "thresholds.TRX201.share-percent must be 0 to 100, not inf.",
        ),
        (
            {"thresholds": {"TRX201": {"share-percent": True}}},
            "thresholds.TRX201.share-percent must be a number, not true.",
        ),
        ({"suppress": {"rule": "TRX201"}}, "suppress must be a list of tables, each under [[…suppress]],"),
        ({"suppress": [{"reason": "r"}]}, "suppress 1: rule is missing."),
        ({"suppress": [{"rule": "TRX201"}]}, "suppress 1: reason is missing. State why"),
        ({"suppress": [{"rule": "TRX201", "reason": ""}]}, "suppress 1: reason must be a text that is not"),
        ({"suppress": [{"rule": "TRX8", "reason": "r"}]}, 'suppress 1: rule: there is no rule "TRX8".'),
        (
            {"suppress": [{"rule": "TRX201", "reason": "r", "layer": "x"}]},
            "suppress 1: layer is not a known key. Did you mean layers?",
        ),
        (
            {"suppress": [{"rule": "TRX201", "reason": "r", "layers": ""}]},
            "suppress 1: layers must be a text that is not empty",
        ),
        (
            {"suppress": [{"rule": "TRX201", "reason": "r", "until": "2030-01-01"}]},
            'suppress 1: until must be a date without quotes, such as 2030-12-31, not "2030-01-01".',
        ),
        (
            {"suppress": [{"rule": "TRX201", "reason": "r", "until": dt.datetime(2030, 1, 1)}]},  # noqa: DTZ001
            "suppress 1: until must be a date without quotes",
        ),
    ],
)
def test_a_mistake_is_one_line_that_names_the_key(mapping, expected):
    with pytest.raises(UsageError, match=re.escape(f"x.toml: lint.{expected}")) as caught:
        parse(**mapping)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(("former", "name", "code"), FORMER_RULES)
@pytest.mark.parametrize(
    "mapping",
    [
        lambda word: {"select": [word]},
        lambda word: {"ignore": [word]},
        lambda word: {"severity": {word: "info"}},
        lambda word: {"thresholds": {word: {}}},
        lambda word: {"suppress": [{"rule": word, "reason": "r"}]},
    ],
    ids=["select", "ignore", "severity", "thresholds", "suppress"],
)
def test_a_former_name_of_a_rule_is_an_error_that_names_the_new_one(former, name, code, mapping):
    with pytest.raises(UsageError) as caught:
        parse_settings(mapping(former), "x.toml: lint.", built_in_rules())
    assert str(caught.value).endswith(f'no rule "{former}". It is now called {name} ({code}).')
    parse_settings(mapping(name), "x.toml: lint.", built_in_rules())


def test_a_former_name_in_an_option_is_an_error_too():
    rules = built_in_rules()
    expected = re.escape("It is now called quantization.float-section (TRX303).")
    with pytest.raises(UsageError, match=f"--select: .*{expected}"):
        check_selectors(["quantization.float-island"], "--select", rules)
    with pytest.raises(UsageError, match=expected):
        find_rule("quantization.float-island", "", rules)


def test_no_former_name_is_in_use():
    rules = built_in_rules()
    assert len(FORMER_RULES) == 9
    assert {former for former, _, _ in FORMER_RULES}.isdisjoint(each.name for each in rules)


@pytest.mark.parametrize(("code", "former", "key"), FORMER_THRESHOLDS)
def test_a_former_name_of_a_threshold_is_an_error_that_names_the_new_one(code, former, key):
    with pytest.raises(UsageError) as caught:
        parse_settings({"thresholds": {code: {former: 2}}}, "x.toml: lint.", built_in_rules())
    assert f"thresholds.{code}.{former} has a new name. It is now called {key}." in str(caught.value)
    settings = parse_settings({"thresholds": {code: {key: 2}}}, "x.toml: lint.", built_in_rules())
    assert settings.thresholds == {code: {key.replace("-", "_"): 2}}


def test_every_renamed_threshold_has_its_former_name():
    assert sorted(FORMER_THRESHOLDS) == [
        ("TRX104", "dear-percent", "warning-percent"),
        ("TRX205", "least-count", "min-count"),
        ("TRX303", "most-layers", "max-layers"),
        ("TRX305", "least-count", "min-count"),
        ("TRX508", "longest-us", "max-us"),
        ("TRX902", "most-percent", "warning-percent"),
    ]
