"""One of a thing is never written as many: an engine of one layer, with one query and one sample."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.model import Engine, GpuSamples, Layer, LayerTime, QueryTimes
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.comparison.summary import comparison_summary
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.mail.document import comparison_mail, engine_mail, render_mail
from trexreport.renderer.pdf.comparison import comparison_page
from trexreport.renderer.pdf.report import report_page
from trexreport.renderer.pdf.writer import Drawings
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.wording.conditions import conditions_sentence

ENGINES = [
    Engine(
        name,
        (Layer(0, "conv", "conv", "Convolution", tactic=name, time=LayerTime(time_ms)),),
        queries=QueryTimes((time_ms,)),
        gpu=GpuSamples(time_s=(0.0,)),
    )
    for name, time_ms in (("before", 2.0), ("after", 1.0))
]
#: A lone 1 before a plural; "1 is" begins a clause, and "&gt;1 weights" ends a term of the search.
MANY = re.compile(r"(?<![\w.,;\u2013-])1[ \u00a0](?!(?:is|was|has|does)\b)(?:more )?[a-z]+[a-rt-z]s\b.{0,30}")


def _text(page):
    """What a page says, without its script and style."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]+>", "", page)


def _report():
    analysis = analyze(ENGINES[0])
    yield _text(render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode())
    yield _text(report_page(analysis, Drawings(), frozenset(), carries_inputs=False))
    yield render_mail(engine_mail(analysis)).text
    yield render_markdown(engine_summary(analysis)).decode()


def _comparison():
    analyses = [analyze(engine) for engine in ENGINES]
    comparison = compare(ENGINES, analyses=analyses)
    yield _text(render_comparison_html(comparison, analyses).decode())
    yield _text(comparison_page(comparison, analyses, Drawings()))
    yield render_mail(comparison_mail(comparison)).text
    yield render_markdown(comparison_summary(comparison)).decode()


@pytest.mark.parametrize("texts", [_report, _comparison])
def test_one_is_not_many(texts):
    written = list(texts())
    assert [found[0] for text in written for found in MANY.finditer(text)] == []
    assert any("1 layer" in text or "1 row" in text for text in written), "no text counts one layer or row"


@pytest.mark.parametrize(("names", "verb"), [(["GPU"], "differs"), (["GPU", "Shapes"], "differ")])
def test_one_condition_differs_and_several_differ(names, verb):
    comparison = compare(ENGINES)
    conditions = [
        replace(comparison.conditions[0], name=name, differs=True, severity="blocking") for name in names
    ]
    sentence = conditions_sentence(replace(comparison, conditions=conditions))
    assert sentence == f"Different test conditions: {', '.join(names)} {verb}."
