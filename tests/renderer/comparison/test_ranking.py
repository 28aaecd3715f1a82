"""The ranking of all engines, and reasons that are stated once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison.sections import rank_engines
from trexreport.renderer.comparison.verdicts import common_reasons, verdict_views, without_reasons

SAMPLES = Path(__file__).parents[3] / "samples"


def compared(*names):
    engines = [read_engine(SAMPLES / name) for name in names]
    return compare(engines, analyses=[analyze(engine) for engine in engines])


@pytest.fixture(scope="module")
def three():
    names = ("resnet18-int8-before", "resnet18-int8-after", "resnet18-int8-before")
    return compared(*names)


def test_all_engines_are_ranked_the_baseline_among_them(three):
    ranked = rank_engines(three)
    times = [row.time_ms for row in ranked.engines]
    assert times == sorted(times)
    assert len(times) == 3
    assert ranked.engines[0].name == three.engines[1].name
    assert ranked.engines[0].number == 1
    assert ranked.engines[0].kind == "faster"
    assert ranked.engines[0].change.startswith("\u2212")
    assert max(row.length for row in ranked.engines) == 100
    assert [row.verdict for row in ranked.engines if not row.number] == ["baseline"]


def test_two_engines_need_no_ranking(three):
    names = ("resnet18-int8-before", "resnet18-int8-after")
    two = compared(*names)
    assert rank_engines(two) is None
    assert common_reasons(verdict_views(two)) == []


def test_a_reason_of_all_verdicts_is_stated_once(three):
    views = [
        replace(view, reasons=[f"own {n}", "one run", f"other {n}"])
        for n, view in enumerate(verdict_views(three))
    ]
    assert common_reasons(views) == ["one run"]
    assert [without_reasons(view, ["one run"]).reasons for view in views] == [
        ["own 0", "other 0"],
        ["own 1", "other 1"],
    ]


def test_the_own_reason_of_a_verdict_stays(three):
    (view, *_) = verdict_views(three)
    same = replace(view, reasons=["same", "same"])
    assert without_reasons(same, ["same"]).reasons == ["same"]
