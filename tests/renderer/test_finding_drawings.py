"""Which findings have drawings, and how wide they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.renderer import finding_drawings
from trexreport.renderer.finding_drawings import draw_findings
from trexreport.renderer.finding_pattern import finding_pattern
from trexreport.renderer.findings_page import findings_page

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


@pytest.fixture(scope="module")
def analysis():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


def test_every_finding_with_a_pattern_is_drawn_the_top_findings_first(analysis):
    page = findings_page(analysis)
    drawn = draw_findings(page, analysis)
    known = {view.id for view in page.views if finding_pattern(analysis, view.finding)}
    assert set(drawn) == known
    assert known
    first = [view.id for view in page.first if view.id in known]
    assert list(drawn)[: len(first)] == first
    for each in drawn.values():
        assert all(50 < width < 1000 for width in each.widths)


def test_their_number_is_limited(analysis, monkeypatch):
    monkeypatch.setattr(finding_drawings, "_MAX_DRAWN", 1)
    assert len(draw_findings(findings_page(analysis), analysis)) == 1


def test_what_pages_of_one_model_have_alike_is_drawn_once(analysis, monkeypatch):
    narrow = [each.narrow() for each in draw_findings(findings_page(analysis), analysis).values()]
    monkeypatch.setattr(finding_drawings, "draw_pattern", None)
    monkeypatch.setattr(finding_drawings, "draw_pattern_down", None)
    again = analyze(read_engine(SAMPLES / "resnet18-int8-before"))
    drawn = draw_findings(findings_page(again), again)
    assert [each.narrow() for each in drawn.values()] == narrow
    assert drawn
