"""The result of a budget check in every format: golden files, valid schemas, and names that stay names."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from budget_checks import check_of, hostile, hostile_texts, limit, ordinary
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console

from trexreport.analyzer.analysis.budget import LimitTitle, MetricReason
from trexreport.cli.output_options import FINDING_ENDINGS
from trexreport.output import is_own
from trexreport.renderer.budget import BUDGET_FORMATS, print_budget
from trexreport.renderer.budget.document import render_budget_markdown
from trexreport.renderer.budget.wording import (
    amount,
    in_order,
    limit_text,
    margin,
    sentence,
    state_text,
    sum_up,
)

GOLDEN = Path(__file__).parent / "golden"
ROOT = Path(__file__).parents[3]
ENDINGS = {**{kind: ending for ending, kind in reversed(FINDING_ENDINGS.items())}, "github": "log"}
PARSER = MarkdownIt("commonmark").enable("table")


@pytest.mark.parametrize("kind", BUDGET_FORMATS)
def test_each_format_is_as_it_was_accepted(kind):
    shown = BUDGET_FORMATS[kind](check_of(ordinary(), remarks=["unused-baseline"])).decode()
    shown = "\n".join(line.rstrip() for line in shown.splitlines()) + "\n"
    path = GOLDEN / f"check.{ENDINGS[kind]}"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(shown, "utf-8")
    assert shown == path.read_text("utf-8"), "UPDATE_GOLDEN=1 accepts the new form"


@pytest.mark.parametrize("kind", BUDGET_FORMATS)
def test_each_format_says_whose_it_is(kind, tmp_path):
    (tmp_path / "out").write_bytes(BUDGET_FORMATS[kind](check_of(ordinary())))
    assert is_own(tmp_path / "out")


def test_what_fails_is_listed_first():
    severities = [each.severity for each in in_order(check_of(ordinary()).outcomes)]
    assert severities == sorted(severities, key=["error", "warn", ""].index)


def test_the_summary_states_whether_the_check_passed():
    assert sum_up(check_of(ordinary())) == (
        "Budget check failed: 2 of 11 limits met, 4 failed, 1 failed (warning only), 3 unknown, 1 off."
    )
    assert sum_up(check_of([limit("a", 1, "held")])) == "Budget check passed: 1 of 1 limit met."
    broken = check_of([limit("a", 13, "broken", "error")])
    assert sum_up(broken) == "Budget check failed: 0 of 1 limit met, 1 failed."
    warned = check_of([limit("a", 13, "broken", "warn"), limit("b", 1, "held")])
    assert sum_up(warned) == "Budget check passed: 1 of 2 limits met, 1 failed (warning only)."


@given(st.floats(1e-3, 1e6), st.floats(1e-3, 1e6))
def test_a_value_is_written_on_its_side_of_the_limit(value, bound):
    state = "broken" if value > bound else "held"
    outcome = limit("latency-ms", value, state, limit=bound)
    texts = (amount(outcome), limit_text(outcome).removeprefix("≤ "))
    shown, limited = (float(each.removesuffix(" ms").replace(",", "")) for each in texts)
    assert limited == bound
    assert (shown > limited) == (value > bound)
    assert (shown < limited) == (value < bound)


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (12, "≤ 12 ms"),
        (12.5, "≤ 12.5 ms"),
        (0.3, "≤ 0.3 ms"),
        (1500, "≤ 1,500 ms"),
        (1e-7, "≤ 0.0000001 ms"),
        (12.0, "≤ 12.0 ms"),
    ],
)
def test_a_limit_is_written_as_it_was(number, written):
    assert limit_text(limit("latency-ms", 1, "held", limit=number)) == written


def test_how_far_it_is_to_the_limit():
    assert margin(limit("latency-ms", 9, "held")) == "25.0% left"
    assert margin(limit("latency-ms", 15, "broken", "error")) == "25.0% over"
    assert margin(limit("q", 9, "broken", "error", bound="min")) == "25.0% short"
    assert margin(limit("q", 15, "held", bound="min")) == "25.0% left"
    assert margin(limit("latency-ms", 12, "held")) == "at the limit"
    assert margin(limit("latency-ms", 12, "held", limit=0)) == ""
    assert margin(limit("latency-ms", None, "unknown")) == ""
    assert margin(limit("part.1.regression-percent", 9, "held", group="part")) == ""
    assert margin(limit("regression.time-percent", 9, "held", group="regression")) == ""
    assert margin(limit("findings.regression", 9, "held", group="findings")) == "25.0% left"


def test_a_sentence_has_the_figure_the_limit_and_the_reason():
    sentences = [sentence(each) for each in ordinary()]
    assert sentences[1] == "p99 latency: 12.0004 ms (limit: ≤ 12 ms)."
    assert sentences[2] == "Throughput: 950 qps (limit: ≥ 1,000 qps)."
    assert sentences[3].startswith(
        "Engine size: unknown (limit: ≤ 25.5 MiB). No file states it; the log of the build"
    )
    assert (
        sentences[4] == "Weights: ≥ 11.2 MiB (limit: ≤ 12 MiB). 3 parts of the weights are of unknown size."
    )
    assert sentences[8] == "Time against the baseline: +2.36% (limit: ≤ 2%)."


@given(hostile_texts)
def test_text_has_nothing_that_a_terminal_obeys(text):
    shown = BUDGET_FORMATS["text"](hostile(text)).decode()
    assert shown
    assert all(character.isprintable() or character == "\n" for character in shown)


@pytest.mark.parametrize("width", [20, 60, 80, 110, 120])
def test_no_figure_is_cut_whatever_the_width(width):
    file = io.StringIO()
    print_budget(check_of(ordinary()), Console(file=file, width=width, highlight=False, markup=False))
    shown = " ".join(file.getvalue().split())
    for outcome in ordinary():
        for text in (amount(outcome), limit_text(outcome), margin(outcome), state_text(outcome)):
            assert " ".join(text.split()) in shown
    assert ("Figure Value Limit Margin Result" in shown) is (width >= 80)


@given(hostile_texts)
def test_no_name_becomes_a_command_of_github(text):
    first, *lines = BUDGET_FORMATS["github"](hostile(text)).decode().removesuffix("\n").split("\n")
    assert first.startswith("Generated by trexreport")
    assert len(lines) == 8
    assert all(re.fullmatch(r"::(error|warning) title=[^:,\r\n]*::[^\r\n]*", line) for line in lines)


@given(hostile_texts)
def test_no_name_becomes_markup(text):
    source = render_budget_markdown(hostile(text)).decode()
    parsed = PARSER.parse(source)
    assert [each.content for each in parsed if each.type == "html_block"] == [source.splitlines()[0] + "\n"]
    children = {child.type for token in parsed for child in token.children or ()}
    assert children <= {"text", "text_special", "code_inline", "strong_open", "strong_close"}
    kinds = [token.type for token in parsed]
    assert (kinds.count("tr_open"), kinds.count("td_open"), kinds.count("heading_open")) == (
        12,
        55,
        3,
    )


@pytest.mark.parametrize("most", [0, 200, 600, 1500, 65_536])
def test_markdown_keeps_to_its_size_and_says_what_it_leaves_out(most):
    outcomes = [
        limit(f"k{n}", 99, "broken", "error", reason=[MetricReason("found-by", names=["Why. " * 20])])
        for n in range(300)
    ]
    outcomes += [limit("worst", 1, "held")]
    data = render_budget_markdown(check_of(outcomes), most)
    shown = data.decode().count("| **failed** |")
    assert len(data) <= most or shown == 0
    assert shown < 301
    left = re.search(
        rf"^(\d+) {'more ' if shown else ''}limits are not shown\.$", data.decode(), re.MULTILINE
    )
    assert (int(left[1]) if left else 0) == 301 - shown - data.decode().count("| met |")


def test_markdown_fits_a_comment_on_github():
    title = LimitTitle("part", "time-ms", part="t" * 500)
    outcomes = [
        limit(f"k{n}", 99, "broken", "error", title=title, layers=["n" * 900] * 9) for n in range(999)
    ]
    assert len(render_budget_markdown(check_of(outcomes))) <= 65_536


@given(hostile_texts)
def test_junit_is_valid_whatever_the_names_are(text):
    xmlschema = pytest.importorskip("xmlschema")
    schema = xmlschema.XMLSchema(ROOT / "tests" / "renderer" / "findings" / "junit.xsd")
    root = ET.fromstring(BUDGET_FORMATS["junit"](hostile(text)))  # noqa: S314 - our own output
    schema.validate(root)
    assert (root.get("tests"), root.get("failures")) == ("11", "5")


def test_junit_fails_what_fails_and_skips_what_is_not_known():
    root = ET.fromstring(BUDGET_FORMATS["junit"](check_of(ordinary())))  # noqa: S314 - our own output
    found = {case.get("classname"): [child.tag for child in case] for case in root.iter("testcase")}
    assert found == {
        "latency-ms": ["system-out"],
        "latency-p99-ms": ["failure"],
        "throughput-qps": ["system-out"],
        "engine-size-mib": ["skipped"],
        "weights-mib": ["failure"],
        "layers": ["system-out"],
        "reformats": ["skipped"],
        "findings.TRX302": ["failure"],
        "regression.time-percent": ["failure"],
        "regression.layers": ["skipped"],
        "part.1.share-percent": ["failure"],
    }


@given(hostile_texts)
def test_sarif_is_valid_whatever_the_names_are(text):
    errors = pytest.importorskip("sarif_kit.validate").validation_errors
    document = json.loads(BUDGET_FORMATS["sarif"](hostile(text)))
    assert errors(document) == []
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == 11
    assert all(rules[each["ruleIndex"]] == each["ruleId"] for each in run["results"])
    assert [each["level"] for each in run["results"]] == ["error"] * 5 + ["warning"] * 2


def test_an_alert_stays_the_same_from_build_to_build():
    first, second = (
        json.loads(BUDGET_FORMATS["sarif"](check_of([limit("layers", value, "broken", "error")])))
        for value in (13, 14)
    )
    prints = [
        document["runs"][0]["results"][0]["partialFingerprints"]["primaryLocationLineHash"]
        for document in (first, second)
    ]
    assert prints[0] == prints[1]


def schema_errors(data):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((ROOT / "docs" / "check.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(json.loads(data))]


@given(hostile_texts)
def test_json_is_as_its_schema_says_and_gives_every_text_back(text):
    data = BUDGET_FORMATS["json"](hostile(text))
    assert schema_errors(data) == []
    assert {each["title"] for each in json.loads(data)["outcomes"]} == {f"{text}: time"}


def test_the_schema_would_say_no():
    wrong = dataclasses.replace(ordinary()[0], state="passed")
    assert schema_errors(BUDGET_FORMATS["json"](check_of([wrong])))


def test_a_check_without_a_baseline_is_valid_too():
    check = dataclasses.replace(check_of(ordinary()), baseline=None)
    assert schema_errors(BUDGET_FORMATS["json"](check)) == []
    assert "Baseline: old engine" not in BUDGET_FORMATS["text"](check).decode()
    assert "Baseline: old engine" in BUDGET_FORMATS["text"](check_of(ordinary())).decode()
