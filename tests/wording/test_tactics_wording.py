"""Sentences about timed tactics."""

from __future__ import annotations

import dataclasses
from unittest.mock import Mock

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.tactics import FormatsFacts, LayerTactics, TacticFacts, Tactics
from trexreport.model import Engine
from trexreport.wording.sections import section_sentences
from trexreport.wording.tactics import (
    combination_text,
    dropped_text,
    outcome_text,
    precisions_text,
    seconds_text,
    timing_text,
)

NBSP = "\u00a0"

FORMATS = FormatsFacts(
    ("FP16 NHWC8", "FP16 NHWC8"), ("FP32",), "FP16", "chosen", 0.2, None, (), 3, {}, 0, None
)
LAYER = LayerTactics(
    "a", 0, False, 0.2, "k", "FP16", 0.202, 1.0, {"FP32": 0.4, "FP16": 0.2}, 3, 0, 1.5, 50.0, (FORMATS,)
)


def sentence(tactics):
    analysis = analyze(Engine("e", ()))
    return section_sentences(dataclasses.replace(analysis, tactics=tactics)).get("tactics")


def test_without_a_log_there_is_no_sentence():
    assert sentence(None) is None


def test_times_and_close_choices_are_stated():
    operation = dataclasses.replace(LAYER, operation=True, margin_percent=30.0)
    found = Tactics((LAYER, operation), 6, 4, 3.0, 1.5)
    assert sentence(found) == (
        "The builder timed 6 tactics for 1 layer and 1 operation in Myelin regions, "
        "which took 1.50 s of 3.00 s; "
        "the timing cache answered 4 times; 1 of 2 choices is within 2% of the second fastest."
    )


def test_what_is_unknown_is_left_out():
    unknown = dataclasses.replace(LAYER, margin_percent=None, profiling_s=None)
    assert sentence(Tactics((unknown,), 3)) == "The builder timed 3 tactics for 1 layer."


def test_times_from_stamps_of_whole_seconds_have_no_decimals():
    assert "took about 4 s" in sentence(Tactics((LAYER,), 3, 0, None, 4.0, from_stamps=True))
    assert "took 4.00 s" in sentence(Tactics((LAYER,), 3, 0, None, 4.0))
    stamped = dataclasses.replace(LAYER, profiling_s=12.0, build_percent=24.2)
    assert timing_text(stamped, from_stamps=True) == f"about 12{NBSP}s, 24.2% of the build"
    exact = dataclasses.replace(stamped, build_percent=None)
    assert timing_text(exact, from_stamps=False) == f"12.0{NBSP}s"
    unknown = dataclasses.replace(LAYER, profiling_s=None)
    assert (timing_text(unknown, from_stamps=True), seconds_text(None, from_stamps=True)) == ("", "–")


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "chosen"),
        ({"outcome": "slower", "difference_percent": 24.2}, "slower by 24.2%"),
        ({"outcome": "faster", "difference_percent": -50.0}, "faster by 50.0%, not chosen"),
        ({"outcome": "not timed", "dropped": {"no-tactic": 2, "workspace": 1}},
         "not timed: no tactic for these formats (2), workspace too small"),
        ({"outcome": "not known"}, "not known whether chosen"),
    ],
)  # fmt: skip
def test_outcomes(changes, text):
    assert outcome_text(dataclasses.replace(FORMATS, **changes)) == text


def test_what_other_implementations_lack_is_stated_as_theirs():
    timed = (TacticFacts("0x1", 0.2, "k", "Cask", chosen=True),)
    some = dataclasses.replace(FORMATS, tactics=timed, dropped={"no-tactic": 2})
    assert dropped_text(some) == "no tactic of other implementations (2)"
    assert dropped_text(FORMATS) == ""


def test_formats_and_precisions():
    assert combination_text(FORMATS) == "2 × FP16 NHWC8 → FP32"
    assert combination_text(dataclasses.replace(FORMATS, inputs=())) == "none → FP32"
    assert precisions_text(LAYER) == "FP16 0.200, FP32 0.400"


def test_without_a_profile_the_slowest_are_named():
    layers = [Mock(index=at, type=kind) for at, (kind, _) in enumerate(SLOW)]
    for layer in layers:
        layer.name = f"l{layer.index}"
    analysis = dataclasses.replace(
        analyze(Engine("e", ())),
        layers=layers,
        tactics=Tactics((LAYER,), timed=9, layer_ms=[ms for _, ms in SLOW], whole_ms=10.0),
    )
    text = section_sentences(analysis)["tactics"].replace(NBSP, " ")
    assert text.endswith(
        "Without a profile, the times of the chosen tactics show where the time goes: of 10.0 ms Convolution "
        "60.0%, Shuffle 35.0% and Resize 4.00%; the slowest layers are l1 50.0%, l2 35.0% and l0 10.0%."
    )


SLOW = [("Convolution", 1.0), ("Convolution", 5.0), ("Shuffle", 3.5), ("Resize", 0.4), ("Pool", 0.1)]
