"""One registry declares the columns of aligned rows; page, script, static tables and docs follow it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.renderer.comparison import rows as static
from trexreport.renderer.comparison.html import comparison_data, render_comparison_html
from trexreport.renderer.comparison.row_columns import (
    ROW_COLUMNS,
    STATIC_COLUMNS,
    RowColumn,
    page_columns,
)

ROOT = Path(__file__).parents[3]
SAMPLES = ("resnet18-int8-before", "resnet18-int8-after")


def compared():
    engines = [read_engine(ROOT / "samples" / name) for name in SAMPLES]
    analyses = [analyze(engine) for engine in engines]
    return compare(engines, analyses=analyses), analyses


def terms_of(column):
    return (column.key,) if column.terms is None else column.terms


def test_the_script_has_a_value_for_each_column_and_for_no_other():
    text = (ROOT / "static/js/comparison/row_columns.js").read_text("utf-8")
    (values,) = re.findall(r"^function rowValues.*?^  return \{\n(.*?)^  \};", text, re.DOTALL | re.MULTILINE)
    keys = re.findall(r"^    (\w+): \(", values, re.MULTILINE)
    assert keys == [column["key"] for column in page_columns()]
    assert len(keys) == len(ROW_COLUMNS)


def test_the_page_gets_the_columns_as_data():
    assert comparison_data(*compared(), focus=1)["rowColumns"] == page_columns()


def test_the_documentation_lists_all_columns():
    lines = ["| column | content | filter term |", "|---|---|---|"]
    for column in ROW_COLUMNS:
        terms = " ".join(f"`{term}`" for term in terms_of(column))
        lines.append(f"| {column.heading} | {column.about} | {terms} |")
    assert "\n".join(lines) in (ROOT / "docs" / "comparison-panels.md").read_text("utf-8")


def test_the_filter_knows_the_terms_of_all_columns():
    text = (ROOT / "static/js/comparison/row_terms.js").read_text("utf-8")
    known = set(re.findall(r"^      (\w+): \(row\)", text, re.MULTILINE))
    assert {term for column in ROW_COLUMNS for term in terms_of(column)} == known


def test_a_column_is_added_in_one_place(monkeypatch):
    added = RowColumn(
        "longest",
        "Longest name",
        "count",
        80,
        "everywhere",
        "Length of the longest name.",
        write=lambda _, side, __: str(max(len(each.name) for each in side.members)),
    )
    columns = (*STATIC_COLUMNS, added)
    monkeypatch.setattr(static, "STATIC_COLUMNS", columns)
    monkeypatch.setattr("trexreport.renderer.comparison.sections.STATIC_COLUMNS", columns)
    comparison, analyses = compared()
    page = render_comparison_html(comparison, analyses).decode("utf-8")
    assert '<th scope="col" class="number">Longest name</th>' in page
    row = comparison.rows[0]
    longest = max(len(each.name) for each in row.sides[1].members)
    (cells,) = re.findall(r'<tr id="R0">(.*?)</tr>', page)
    assert re.findall(r">([^<>]*)</td>", cells)[-1] == str(longest)


def test_a_difference_that_is_rounding_noise_is_zero():
    comparison, _ = compared()
    engine = comparison.engines[0]
    assert engine.figures.layer_sum_ms
    before = read_engine(ROOT / "samples" / SAMPLES[0])
    layers = [
        replace(layer, time=replace(layer.time, avg_ms=layer.time.avg_ms + 3.47e-18)) if layer.time else layer
        for layer in before.layers
    ]
    nudged = replace(before, layers=tuple(layers), sources=())
    rows = compare([before, nudged]).rows
    assert rows
    assert {row.sides[1].difference_ms for row in rows} == {0.0}
