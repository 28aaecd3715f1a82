"""A column of layers is declared once, and every output has it."""

from __future__ import annotations

import csv
import importlib.util
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from graph_plans import analysis_of, chain

from trexreport.analyzer import analyze
from trexreport.numbers import MISSING
from trexreport.reader import read_engine
from trexreport.renderer import layer_columns
from trexreport.renderer.export import export_table
from trexreport.renderer.findings_page import findings_page
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.layer_column import LayerColumn, LayerRow, PartValue, shown_rows
from trexreport.renderer.layer_columns import LAYER_COLUMNS, filter_terms, static_columns
from trexreport.renderer.page_data import page_data
from trexreport.renderer.pdf.lines import layer_pages

DOCS = Path(__file__).resolve().parents[2] / "docs"
NEW = LayerColumn(
    "name_length",
    "Length of the name",
    "Characters of the name",
    "count",
    value=lambda row: len(row.layer.name),
    table_width=100,
    is_static=True,
    line_width=18,
    term="length>3",
)


@pytest.fixture(scope="module")
def analysis():
    return analysis_of(chain(["conv", "relu", "pooling"]))


@pytest.fixture
def with_new_column(monkeypatch):
    monkeypatch.setattr(layer_columns, "LAYER_COLUMNS", (*LAYER_COLUMNS, NEW))


def documents(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_tables_without_script_leave_out_columns_without_values(capture):
    profile = [{"count": 10}, {"name": "a", "averageMs": 1}]
    names = analyze(read_engine(capture(graph={"Layers": ["a", "b"]}, profile=profile)))
    keys = [column.key for column in static_columns(names, has_findings=False)]
    assert keys == ["index", "name", "avg_ms", "share_percent"]
    # A first layer without a value is not all of them.
    full = [column.key for column in static_columns(analysis_of(chain(["conv", "relu"])), has_findings=True)]
    assert {"type", "precision", "findings"} < set(full)


@pytest.mark.usefixtures("with_new_column")
class TestANewColumn:
    def test_is_in_exported_files(self, analysis):
        rows = list(csv.DictReader(io.StringIO(export_table(analysis, "csv").decode())))
        assert [row["name_length"] for row in rows] == ["4", "4", "7"]
        assert [row["name_length"] for row in json.loads(export_table(analysis, "json"))["rows"]] == [
            4,
            4,
            7,
        ]
        with zipfile.ZipFile(io.BytesIO(export_table(analysis, "xlsx"))) as book:
            # The sheets share their texts.
            assert b">name_length<" in book.read("xl/sharedStrings.xml")

    def test_is_in_the_data_of_the_page(self, analysis):
        data = page_data(analysis, {})
        assert data["columns"][-1] == {
            "key": "name_length",
            "heading": "Length of the name",
            "kind": "count",
            "width": 100,
            "term": "length",
            "figure": True,
        }
        assert ["name_length", [4, 4, 7]] in data["layers"]["columns"]

    def test_is_in_the_page_without_script_and_in_the_help_of_the_filter(self, analysis):
        page = render_html(analysis, (), HtmlOptions(interactive_charts=False)).decode()
        assert re.search(r'<th scope="col" class="column-name_length number">Length of the name</th>', page)
        (row,) = re.findall(r'<tr id="L2">.*?</tr>', page, re.DOTALL)
        assert '<td class="number">7</td>' in row
        assert "<code>length&gt;3</code>" in page

    def test_is_in_the_lines_of_the_pdf(self, analysis):
        pages = layer_pages(analysis, findings_page(analysis).of_layer)
        start = pages.head.index("Length of the name")
        assert pages.pages[0].lines[2][start : start + 18].split() == ["7"]

    def test_is_in_the_schema_and_the_reference(self):
        row = documents("make_schemas").schemas()["layers.schema.json"]
        assert '"name_length": {"description": "Characters of the name."' in row
        page = documents("make_layer_columns")
        page.LAYER_COLUMNS = layer_columns.LAYER_COLUMNS
        assert "| Length of the name | `name_length` | `length>3` | Characters of the name |" in page.page()


def test_the_reference_is_current():
    text = (DOCS / "layer-columns.md").read_text("utf-8")
    assert documents("make_layer_columns").page() == text, "run: python docs/make_layer_columns.py"


@pytest.mark.parametrize("attribute", ["key", "heading", "term_name"])
def test_no_two_columns_share_a_name(attribute):
    names = [getattr(column, attribute) for column in LAYER_COLUMNS if getattr(column, attribute)]
    assert len(names) > 15
    assert len(set(names)) == len(names)


def test_terms_are_either_of_texts_or_of_figures():
    terms = filter_terms()
    assert "type" in terms.texts
    assert "moved>1M" in terms.figures
    for column in LAYER_COLUMNS:
        assert column.term == column.term_name or column.is_number, column.key


def test_cells_have_the_kind_that_their_column_states(analysis):
    kinds = {"text": str, "list": list, "tensors": list, "count": int, "number": (int, float), "bytes": int}
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    assert rows
    for column in LAYER_COLUMNS:
        for row in rows:
            cell = column.cell(row)
            assert isinstance(cell, kinds[column.kind]) or (cell is None and column.is_number), column.key


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("macs", 3460, "<0.001"),
        ("macs", 2_500_000_000, "2.50"),
        ("macs", None, "–"),
        ("headroom_ms", 0.016234, "0.0162"),
        ("moved_bytes", 512, "512\u00a0B"),
        ("index", 1309, "1,309"),
        ("tactic", "", "–"),
        ("origins", [], "–"),
        ("origins", ["a", "b"], "a, b"),
        ("avg_ms", float("inf"), "–"),
    ],
)
def test_cells_are_shown_in_the_unit_of_their_heading(analysis, key, value, text):
    (column,) = (column for column in LAYER_COLUMNS if column.key == key)
    shown = LayerColumn(
        key, column.heading, "", column.kind, value=lambda _: value, shown_divisor=column.shown_divisor
    )
    assert shown.text(LayerRow(analysis.layers[0], analysis)) == text


def test_cells_of_a_table_are_those_of_its_layers(analysis):
    columns = [column for column in LAYER_COLUMNS if column.kind != "tensors"]
    layers = analysis.layers[::-1]
    shown = shown_rows(layers, analysis, columns)
    assert [row.layer for row in shown] == layers
    for row in shown:
        alone = LayerRow(row.layer, analysis)
        assert row.cells == [(column, column.text(alone)) for column in columns]
    texts = {text for row in shown for _, text in row.cells}
    assert MISSING in texts
    assert len(texts) > len(layers)
    assert shown_rows([], analysis, columns) == []


def test_a_cell_of_a_part_that_the_analysis_lacks_is_not_read():
    def read(row):
        raise AssertionError(row)

    analysis = analysis_of(chain("ab"))
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    value = PartValue("kernels", read)
    assert LayerColumn("ms", "", "", "number", value=value).cells(rows) == [None, None]
    assert LayerColumn("names", "", "", "list", value=value).cells(rows) == [[], []]
