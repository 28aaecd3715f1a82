"""Outcomes of rules to be written in every format: an ordinary one and one whose every text is hostile."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import Finding, Lint, Place, RuleFacts, UncheckedRule
from trexreport.analyzer.analysis.findings import Consequence, SuppressedPlace, ThresholdFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.rules.registry import Registry
from trexreport.reader import read_engine
from trexreport.renderer.findings import LintRun

SAMPLE = Path(__file__).parents[3] / "samples" / "resnet18-int8-before"

NASTY = (
    "<script>alert(1)</script>",
    "]]>",
    "<!--",
    "-->",
    "&lt;&#x41;",
    "```",
    "``",
    "|",
    "\\",
    "[a](javascript:b)",
    "![a](b)",
    "<https://example.org>",
    "https://example.org",
    "www.example.org",
    "@none",
    "\r\n",
    "\n::error::owned",
    "%0A",
    "%",
    ":",
    ",",
    "{0}",
    "{ForeignNode[a...b]}",
    "\x1b]0;owned\x07",
    "\x00",
    "\x9b2J",
    "\u2028",
    "\u202e",
    "\ud800",
    "\uffff",
    "\t",
    "# ",
    "1. ",
    "- ",
    "**",
    "__",
    "$x$",
    "n" * 500,
)
hostile_texts = st.lists(st.one_of(st.sampled_from(NASTY), st.text(max_size=4)), max_size=6).map("".join)

ANALYSIS = analyze(read_engine(SAMPLE), registry=Registry(()))


def rule_facts(code: str, severity: str = "warning", text: str = "Text", **changes) -> RuleFacts:
    facts = RuleFacts(
        code=code,
        name=f"family{code[3]}.{code.lower()}",
        family=f"family{code[3]}",
        severity=severity,
        title=text,
        cost=text,
        recommendation=text,
        false_alarm=text,
        savings=text,
        needs=(text,),
        thresholds=(ThresholdFacts("share-percent", 5.0, 0, 100, text),),
    )
    return dataclasses.replace(facts, **changes)


def finding(rule: RuleFacts, severity: str, places: list[Place], text: str = "It is.", **changes) -> Finding:
    found = Finding(
        code=rule.code,
        name=rule.name,
        severity=severity,
        title=rule.title,
        message=text,
        section="layers",
        places=places,
        layers=sorted({layer for place in places for layer in place.layers}),
        time_ms=0.5,
        gain=Gain(
            "estimate", 0.125, 0.25, (GainBasis("published", 1.5, 2.0, source=rule.savings),), (), 14.75, 29.5
        ),
        savings=rule.savings,
        cost=rule.cost,
        recommendation=rule.recommendation,
        false_alarm=rule.false_alarm,
    )
    return dataclasses.replace(found, **changes)


def make_run(text: str = "Text", name: str | None = None, fail_on: str = "error") -> LintRun:
    """Return a run with an error, a warning, an info, two kept quiet, a skipped and a broken rule.

    Args:
        text: The text wherever a rule or a user may write one.
        name: Of every layer; the sample's own if not given.
    """
    rules = [rule_facts(f"TRX{number}01", text=text) for number in range(1, 7)]
    places = [
        Place(text, [3, 4], Gain("bound", 0.0, 0.125), {text: text}, "aa"),
        Place(text, [5], None, {}, "bb"),
    ]
    explained = Consequence(
        rules[5].code,
        rules[5].name,
        "warning",
        text,
        text,
        [Place(text, [6, 7], None, {}, "gg"), Place(text, [8], None, {}, "hh")],
        [6, 7, 8],
        0.25,
        [0, 1],
    )
    lint = Lint(
        findings=[
            finding(rules[0], "error", places, text, consequences=[explained]),
            finding(rules[1], "warning", [Place(text, [], None, {}, "cc")], text, gain=None),
            finding(rules[2], "info", [Place(text, [6, 6], Gain("bound", 0.0, 0.0), {}, "dd")], text),
        ],
        suppressed=[
            SuppressedPlace(rules[2].code, "info", Place(text, [7], None, {}, "ee"), text),
            SuppressedPlace(rules[2].code, "warning", Place(text, [], None, {}, "ff"), text),
        ],
        unchecked=[
            UncheckedRule(rules[3].code, rules[3].name, "skipped", text),
            UncheckedRule(rules[4].code, rules[4].name, "broken", text),
        ],
        remarks=[text],
        checked=4,
    )
    layers = ANALYSIS.layers
    if name is not None:
        layers = [dataclasses.replace(each, name=name, key=f"{name}#{each.index}") for each in layers]
    identity = dataclasses.replace(ANALYSIS.identity, name=text, gpu=text)
    sources = [dataclasses.replace(source, name=text) for source in ANALYSIS.sources]
    analysis = dataclasses.replace(ANALYSIS, lint=lint, layers=layers, identity=identity, sources=sources)
    return LintRun(analysis, rules, fail_on)


def empty_run() -> LintRun:
    """Return a run without rules, findings, layers or files."""
    analysis = dataclasses.replace(ANALYSIS, lint=Lint(), layers=[], sources=[])
    return LintRun(analysis, [], "error")
