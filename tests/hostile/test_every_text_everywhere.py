"""Each hostile text in every field at once: a capture for each text, in each of the forms."""

from __future__ import annotations

import re

import pytest
from hostile_corpus import BY_KIND, LONG, write_capture
from output_parsers import (
    Inventory,
    active_markdown,
    csv_rows,
    is_formula,
    mentions,
    policy_problems,
    strict_json,
    terminal_orders,
    xml_kinds,
)

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.renderer.comparison.summary import comparison_summary
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.export import export_table
from trexreport.renderer.findings import FORMATS, LintRun, render_text
from trexreport.renderer.graph.drawing import render_svg
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.html import HtmlOptions, render_html
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.resources import resource_folder

pytestmark = pytest.mark.slow

KINDS = {**BY_KIND, "long": LONG}


def outputs(folder, text, *, everything, most_layers=3):
    """Return what is written of two captures whose every text is this one, by what it is."""
    engines = [
        read_engine(
            write_capture(
                folder / str(number),
                [text],
                sample=sample,
                everything=everything,
                most_layers=most_layers,
            )
        )
        for number, sample in enumerate(("resnet18-int8-before", "resnet18-int8-after"))
    ]
    analyses = [analyze(engine) for engine in engines]
    comparison = compare(engines, analyses=analyses)
    run = LintRun(analyses[0], [])
    return {
        "html": [
            render_html(analyses[0], engines[0].sources, HtmlOptions(interactive_charts=False)),
            render_comparison_html(comparison, analyses),
        ],
        "markdown": [
            render_markdown(engine_summary(analyses[0])),
            render_markdown(comparison_summary(comparison)),
            FORMATS["markdown"](run),
        ],
        "xml": [render_svg(analyses[0], DrawOptions())[0], FORMATS["junit"](run)],
        "json": [FORMATS["json"](run), FORMATS["sarif"](run)],
        "text": [render_text(run), FORMATS["github"](run)],
        "csv": [export_table(analyses[0], "csv")],
    }


@pytest.fixture(scope="module")
def own_tags(tmp_path_factory):
    """The elements that templates and drawings are made of, and those of XML with a harmless text."""
    made = outputs(tmp_path_factory.mktemp("harmless"), "clean", everything=False, most_layers=40)
    templates = (path.read_text("utf-8") for path in resource_folder("templates").rglob("*.j2"))
    written = {tag for text in templates for tag in re.findall(r"<([a-z][a-z0-9]*)", text)}
    drawn = {tag for page in made["html"] for tag in Inventory(page.decode("utf-8")).counts}
    return written | drawn, {tag for data in made["xml"] for tag, _ in xml_kinds(data)}


@pytest.mark.parametrize("everything", [False, True], ids=["names", "everything"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_in_every_field(own_tags, tmp_path, kind, everything):
    tags, names = own_tags
    assert KINDS[kind]
    for number, text in enumerate(KINDS[kind]):
        made = outputs(tmp_path / str(number), text, everything=everything)
        assert all(made.values())
        for data in made["html"]:
            page = Inventory(data.decode("utf-8"))
            assert page.active == [], text
            assert set(page.counts) <= tags, text
            assert page.comments == [], text
            assert policy_problems(data.decode("utf-8")) == [], text
        for data in made["markdown"]:
            assert active_markdown(data.decode("utf-8")) == [], text
            assert mentions(data.decode("utf-8")) == [], text
        for data in made["xml"]:
            assert {tag for tag, _ in xml_kinds(data)} <= names, text
        for data in made["json"]:
            assert data.isascii(), text
            strict_json(data)
        for data in made["text"]:
            assert terminal_orders(data.decode("utf-8")) == set(), text
        cells = [cell for row in csv_rows(made["csv"][0]) for cell in row]
        assert len(cells) > 100
        assert not any(map(is_formula, cells)), text
