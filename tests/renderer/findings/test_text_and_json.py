"""Text for terminals, and our own JSON with its schema."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from finding_samples import gain
from hypothesis import given
from lint_runs import empty_run, finding, hostile_texts, make_run, rule_facts

from trexreport.analyzer.analysis import Place
from trexreport.renderer.console import print_indented
from trexreport.renderer.findings.document import render_text
from trexreport.renderer.findings.json import render_findings_json
from trexreport.renderer.findings.run import sum_up

DOCS = Path(__file__).parents[3] / "docs"


@given(text=hostile_texts, name=hostile_texts)
def test_text_has_nothing_that_a_terminal_obeys(text, name):
    shown = render_text(make_run(text, name), verbose=True).decode()
    assert "TRX101" in shown
    assert all(character.isprintable() or character == "\n" for character in shown)
    assert all(len(line) <= 120 for line in shown.split("\n") if line.isascii())


def test_text_says_severity_code_gain_places_and_advice():
    text = render_text(make_run("It is.", "layer")).decode()
    lines = [line.rstrip() for line in text.splitlines()]
    start = lines.index("error TRX101 family1.trx101")
    assert lines[start + 1 : start + 8] == [
        "  It is. Savings: est. 15–30% (0.13–0.25 ms).",
        "  Estimate from published speedups of 1.5–2.0× (It is.).",
        "    at most 0.125 ms  layer and 1 more",
        "    layer",
        "  Fixing it also resolves:",
        "    TRX601: It is (0.250 ms).",
        "  Recommendation: It is.",
    ]
    found = next(line for line in lines if line.startswith("Found "))
    assert found.startswith(
        "Found 1 error, 1 warning and 1 info. 4 rules ran, 1 skipped, 1 broken, 2 places suppressed. "
    )
    assert lines[lines.index("Broken rules") + 1].strip().startswith("TRX501 ")
    assert "Skipped rules" not in lines


def test_findings_of_one_rule_that_advise_different_things_show_both():
    run = make_run()
    rule = rule_facts("TRX907")
    places = [Place("It is.", [], None)]
    findings = [
        replace(finding(rule, "info", places), recommendation=text) for text in ("Run A.", "Run B.", "Run A.")
    ]
    lint = replace(run.analysis.lint, findings=findings)
    text = render_text(replace(run, analysis=replace(run.analysis, lint=lint))).decode()
    assert (text.count("Recommendation: Run A."), text.count("Recommendation: Run B.")) == (1, 1)


@pytest.mark.parametrize(
    ("of_engine", "of_run", "order"),
    [
        ("warning", "error", ["Measurement", "TRX801", "Engine", "TRX101"]),
        ("error", "error", ["TRX101", "Measurement", "TRX801"]),
        ("info", "warning", ["TRX101", "Measurement", "TRX801"]),
    ],
)
def test_an_error_of_the_measurement_comes_before_what_is_less(of_engine, of_run, order):
    run = make_run()
    places = [Place("It is.", [], None)]
    findings = [
        finding(rule_facts("TRX101"), of_engine, places, about="engine"),
        finding(rule_facts("TRX801"), of_run, places, about="measurement", gain=None),
    ]
    lint = replace(run.analysis.lint, findings=findings)
    text = render_text(replace(run, analysis=replace(run.analysis, lint=lint))).decode()
    assert re.findall(r"^(?:\w+ (?=TRX))?(Measurement|Engine|TRX\d+)", text, re.MULTILINE) == order


def test_verbose_text_has_all_places_and_what_could_not_run():
    run = make_run(name="layer")
    for number in range(5):
        run.analysis.layers[number].name = f"layer {number}"
    places = [Place("It is.", [number], gain(0.1)) for number in range(5)]
    lint = run.analysis.lint
    findings = [finding(rule_facts("TRX101"), "error", places), *lint.findings[1:]]
    run = replace(run, analysis=replace(run.analysis, lint=replace(lint, findings=findings)))
    brief, full = (render_text(run, verbose=each).decode() for each in (False, True))
    assert [f"layer {number}" in brief for number in range(5)] == [True] * 3 + [False] * 2
    assert [f"layer {number}" in full for number in range(5)] == [True] * 5
    assert "2 more places are not shown; --verbose lists all." in brief
    assert "Skipped rules\n    TRX401" in full
    assert "Suppressed\n    TRX301" in full


@pytest.mark.parametrize(
    ("layers", "listed"),
    [([0], ["    layer 0"]), ([0, 1], ["    2 layers", "      layer 0", "      layer 1"])],
)
def test_the_only_place_of_a_finding_does_not_repeat_its_sentence(layers, listed):
    run = make_run(name="layer")
    for number in range(5):
        run.analysis.layers[number].name = f"layer {number}"
    only = finding(rule_facts("TRX101"), "error", [Place("It is.", layers, gain(0.1))])
    only = replace(only, message="It is.", gain=gain(0.1))
    run = replace(run, analysis=replace(run.analysis, lint=replace(run.analysis.lint, findings=[only])))
    brief, full = (render_text(run, verbose=each).decode() for each in (False, True))
    savings = "est. 0.10 ms"
    assert (brief.count(savings), full.count(savings)) == (1, 1)
    lines = full.splitlines()
    start = lines.index(listed[0])
    assert lines[start : start + len(listed)] == listed


def test_a_long_name_is_cut_in_its_middle_to_the_width():
    text = render_text(make_run("It is.", "a" * 100 + "b" * 100)).decode()
    (line,) = [line for line in text.splitlines() if line.startswith("    at most 0.125 ms")]
    assert len(line) <= 120
    assert "a…b" in line


@pytest.mark.parametrize("width", range(20, 40))
def test_no_line_ends_between_a_number_and_its_unit(width):
    from rich.console import Console

    console = Console(file=io.StringIO(), width=width, no_color=True)
    print_indented(console, "It takes 0.0614 ms, 5.61% of the time. Est. savings: 12 KiB, 8 of them.")
    lines = console.file.getvalue().splitlines()
    assert not any(re.search(r"[0-9]$", line) for line in lines)
    assert all(len(line) <= width for line in lines)
    assert "0.0614 ms" in console.file.getvalue()


@given(text=hostile_texts, name=hostile_texts)
def test_json_gives_everything_back(text, name):
    document = json.loads(render_findings_json(make_run(text, name)))
    place = document["findings"][0]["places"][0]
    assert [layer["name"] for layer in place["layers"]] == [name, name]
    assert place["message"] == document["suppressed"][0]["reason"] == document["remarks"][0] == text
    assert place["evidence"] == {text: text}


def test_json_says_whether_the_run_failed():
    for fail_on, failed in (("error", True), ("never", False)):
        document = json.loads(render_findings_json(make_run(fail_on=fail_on)))
        assert (document["fail_on"], document["failed"]) == (fail_on, failed)
    assert json.loads(render_findings_json(empty_run()))["failed"] is False


@pytest.mark.parametrize("make", [make_run, empty_run])
def test_json_is_as_its_schema_says(make):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((DOCS / "lint.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(render_findings_json(make()))
    assert [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)] == []


def test_nothing_found_is_summed_up():
    assert sum_up(empty_run()) == "No findings. 0 rules ran."


def test_places_without_layers_are_listed_where_the_summary_counts_them():
    run = make_run("Text", "layer")
    places = [Place("trtexec failed.", [], None, {}, "aa"), Place("One file is empty.", [], None, {}, "bb")]
    found = finding(rule_facts("TRX907"), "warning", places, "2 input warnings.", gain=None)
    lint = replace(run.analysis.lint, findings=[found])
    lines = render_text(replace(run, analysis=replace(run.analysis, lint=lint))).decode().splitlines()
    start = [line.strip() for line in lines].index("2 input warnings.")
    assert [line.strip() for line in lines[start + 1 : start + 3]] == [
        "trtexec failed.",
        "One file is empty.",
    ]
