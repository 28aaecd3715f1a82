"""Hostile texts of each kind in every field, a few texts in each capture, in each of the forms."""

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
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.renderer.tables import TABLES
from trexreport.resources import resource_folder

pytestmark = pytest.mark.slow

KINDS = {**BY_KIND, "long": LONG}
#: Texts that share a capture; each is in every sort of field that has that number of values.
AT_ONCE = 4


def groups_of(texts):
    """Return the texts of each capture; few groups come in several orders."""
    groups = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    turns = range(max(1, AT_ONCE // len(groups)))
    return [group[turn:] + group[:turn] for group in groups for turn in turns]


def outputs(folder, texts, *, everything, most_layers=AT_ONCE):
    """Return what is written of two captures that hold nothing but these texts, by what it is."""
    engines = [
        read_engine(
            write_capture(
                folder / str(number),
                texts,
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
        "csv": [
            export_table(analyses[0], "csv", name)
            for name in (TABLES if analyses[0].onnx and analyses[0].onnx.nodes else ("layers",))
        ],
    }


@pytest.fixture(scope="module")
def own_tags(tmp_path_factory):
    """The elements that templates and drawings are made of, and those of XML with a harmless text."""
    made = outputs(tmp_path_factory.mktemp("harmless"), ["clean"], everything=False, most_layers=40)
    templates = (path.read_text("utf-8") for path in resource_folder("templates").rglob("*.j2"))
    written = {tag for text in templates for tag in re.findall(r"<([a-z][a-z0-9]*)", text)}
    drawn = {tag for page in made["html"] for tag in Inventory(page.decode("utf-8")).counts}
    return written | drawn, {tag for data in made["xml"] for tag, _ in xml_kinds(data)}


def problems(made, own_tags):
    """Return what in outputs acts, or is of more elements than the harmless ones have."""
    tags, names = own_tags
    found = [f"no {kind}" for kind, each in made.items() if not each]
    for data in made["html"]:
        html = data.decode("utf-8")
        page = Inventory(html)
        found += [*page.active, *(set(page.counts) - tags), *page.comments, *policy_problems(html)]
    for data in made["markdown"]:
        found += [*active_markdown(data.decode("utf-8")), *mentions(data.decode("utf-8"))]
    for data in made["xml"]:
        found += {tag for tag, _ in xml_kinds(data)} - names
    for data in made["json"]:
        found += [] if data.isascii() else ["JSON beyond ASCII"]
        strict_json(data)
    for data in made["text"]:
        found += terminal_orders(data.decode("utf-8"))
    cells = [cell for table in made["csv"] for row in csv_rows(table) for cell in row]
    found += [] if len(cells) > 100 else ["few cells"]
    return found + [cell for cell in cells if is_formula(cell)]


@pytest.mark.parametrize("everything", [False, True], ids=["names", "everything"])
@pytest.mark.parametrize("kind", KINDS)
def test_texts_in_every_field(own_tags, tmp_path, kind, everything):
    def problems_of(texts, name):
        return problems(outputs(tmp_path / name, texts, everything=everything), own_tags)

    groups = groups_of(KINDS[kind])
    assert len(groups) >= 3
    for number, group in enumerate(groups):
        found = problems_of(group, f"{number}")
        alone = found and {text: problems_of([text], f"{number} {at}") for at, text in enumerate(group)}
        assert found == [], alone
