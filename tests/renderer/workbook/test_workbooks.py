"""Workbooks of engines and comparisons: the charts draw the right cells, and texts stay texts."""

from __future__ import annotations

import dataclasses
import io
import math
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.comparison.compare import compare
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.renderer.export import export_table
from trexreport.renderer.workbook import book as book_module
from trexreport.renderer.workbook import comparison_workbook
from trexreport.renderer.workbook.book import Book, ChartSeries

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("xlsxwriter")
SAMPLES = Path(__file__).resolve().parents[3] / "samples"


def read(data):
    return openpyxl.load_workbook(io.BytesIO(data))


def rows_of(sheet):
    head, *rows = sheet.iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def drawn(book, sheet):
    """Return for each chart of a sheet its title and the cells of its series: categories and values."""
    found = []
    for chart in book[sheet]._charts:
        title = "".join(run.t for paragraph in chart.title.tx.rich.p for run in paragraph.r)
        series = [(cells(book, each.cat.strRef.f), cells(book, each.val.numRef.f)) for each in chart.series]
        found.append((title, series))
    return found


def cells(book, reference):
    name, _, area = reference.rpartition("!")
    return [cell.value for row in book[name.strip("'")][area.replace("$", "")] for cell in row]


@pytest.fixture(scope="module")
def engines():
    return [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]


@pytest.fixture(scope="module")
def analysis(engines):
    return analyze(engines[0], with_blocks=False)


@pytest.fixture(scope="module")
def comparison(engines):
    return compare(engines)


def test_charts_of_an_engine_draw_its_groups_and_slowest_layers(analysis):
    book = read(export_table(analysis, "xlsx"))
    ((title, (series,)),) = drawn(book, "by type")
    assert title == "Time by layer type"
    assert series[0] == [each.name for each in analysis.by_type]
    assert series[1] == pytest.approx([each.time_ms for each in analysis.by_type])
    ((title, (series,)),) = drawn(book, "by precision")
    assert title == "Time by input precision"
    assert series[1] == pytest.approx([each.time_ms for each in analysis.by_precision])
    ((title, (series,)),) = drawn(book, "slowest layers")
    slowest = sorted((each.avg_ms for each in analysis.layers if each.avg_ms), reverse=True)[:20]
    assert (title, series[1]) == ("Slowest layers", pytest.approx(slowest))
    assert rows_of(book["slowest layers"])[0]["name"] in {each.name for each in analysis.layers}


def test_without_times_layers_are_counted(analysis):
    groups = [dataclasses.replace(each, time_ms=None, share_percent=None) for each in analysis.by_type]
    layers = [dataclasses.replace(each, avg_ms=None) for each in analysis.layers]
    untimed = dataclasses.replace(analysis, by_type=groups, layers=layers)
    book = read(export_table(untimed, "xlsx"))
    ((title, (series,)),) = drawn(book, "by type")
    assert (title, series[1]) == ("Layers by layer type", [each.count for each in groups])
    assert "slowest layers" not in book.sheetnames


def test_a_waterfall_goes_from_the_baseline_to_the_candidate(comparison):
    book = read(comparison_workbook(comparison))
    assert book.sheetnames == ["engines", "waterfalls", "steps", "by type", "by precision", "rows"]
    candidate = comparison.engines[1]
    cause = next(each for each in candidate.waterfalls if each.by == "cause")
    rows = rows_of(book["waterfalls"])
    assert rows[0]["total_ms"] == pytest.approx(cause.baseline_ms)
    assert rows[-1]["total_ms"] == pytest.approx(cause.candidate_ms)
    changes = [(row["slower_ms"] or 0) - (row["faster_ms"] or 0) for row in rows]
    assert math.fsum(changes) == pytest.approx(cause.difference_ms)
    # Each column begins where the one before ends.
    level = cause.baseline_ms
    assert len(rows) > 3
    for row, change in zip(rows[1:-1], changes[1:-1], strict=True):
        assert row["below_ms"] == pytest.approx(min(level, level + change))
        level += change
    ((title, series),) = drawn(book, "waterfalls")
    assert candidate.name in title
    assert [values for _, values in series] == [
        [row[key] for row in rows] for key in ("below_ms", "total_ms", "faster_ms", "slower_ms")
    ]


def test_a_comparison_has_all_steps_and_rows(comparison):
    book = read(comparison_workbook(comparison))
    steps = [step for each in comparison.engines for found in each.waterfalls for step in found.steps]
    found = [row["difference_ms"] for row in rows_of(book["steps"])]
    assert found == pytest.approx([each.difference_ms for each in steps])
    rows = rows_of(book["rows"])
    name = comparison.engines[1].name
    differences = [row.sides[1].difference_ms for row in comparison.rows]
    assert [row[f"{name}: difference_ms"] for row in rows] == pytest.approx(differences)
    engines = rows_of(book["engines"])
    assert [row["verdict"] for row in engines] == ["baseline", "faster (provisional)"]
    assert [row["latency_ms"] for row in engines] == [each.figures.latency_ms for each in comparison.engines]
    ((_, series),) = drawn(book, "by precision")
    assert len(series) == 3
    assert {tuple(names) for names, _ in series} == {tuple(each.name for each in comparison.engines)}


def test_the_same_comparison_gives_the_same_bytes(comparison):
    assert comparison_workbook(comparison) == comparison_workbook(comparison)


HOSTILE = ["=1+1", "http://a.b/c", "{=1}", "_x0041_", "\x00", "a" * 40_000, "<b>&'\"", "\ud800", " x "]


def test_texts_stay_texts_in_names_of_engines_and_charts(comparison):
    for name in HOSTILE:
        engines = [dataclasses.replace(each, name=name + "!") for each in comparison.engines]
        book = read(comparison_workbook(dataclasses.replace(comparison, engines=engines)))
        values = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        assert {cell.data_type for cell in values} <= {"s", "n", "inlineStr"}
        assert all(cell.hyperlink is None for cell in values)
        written = book["engines"]["A2"].value
        assert len(written) <= 32_767
        if name.isascii() and name.isprintable() and len(name) < 100:
            assert written == name + "!"


def test_several_columns_may_have_one_name():
    book = Book("x")
    sheet = book.add_sheet("a b", ["name", "name"], [["one", 1], ["two", 2.5]])
    book.add_chart(sheet, "t", [ChartSeries(1)])
    (chart,) = drawn(read(book.finish()), "a b")
    assert chart == ("t", [(["one", "two"], [1, 2.5])])


def test_numbers_are_shown_with_few_digits_and_rows_can_be_filtered():
    book = Book("x")
    columns = ("name", "avg_ms", "share_percent", "moved_bytes", "tflops", "m", "resnet: time_ms")
    book.add_sheet("layers", columns, [("conv", 0.123456789, 11.80366278, 25690112, 75.429, 64, 1.5)])
    book.add_sheet("empty", columns, [])
    read_book = read(book.finish())
    sheet = read_book["layers"]
    formats = [cell.number_format for cell in sheet[2]]
    assert formats == ["General", "0.0000", "0.00", "#,##0", "#,##0.0", "General", "0.0000"]
    assert sheet["B2"].value == 0.123456789
    assert sheet.auto_filter.ref == "A1:G2"
    assert read_book["empty"].auto_filter.ref is None


def test_what_is_not_finite_is_an_empty_cell():
    book = Book("x")
    book.add_sheet("s", ["a", "b", "c"], [[math.nan, math.inf, None], [1, 10**20, True]])
    rows = list(read(book.finish())["s"].iter_rows(values_only=True))
    assert rows[1:] == [(None, None, None), (1, str(10**20), 1)]


def test_more_than_a_sheet_holds_is_an_error(monkeypatch):
    monkeypatch.setattr(book_module, "_SHEET_ROWS", 3)
    book = Book("x")
    book.add_sheet("s", ["a"], [[1], [2]])
    with pytest.raises(UsageError, match="larger than a sheet"):
        book.add_sheet("t", ["a"], [[1], [2], [3]])


def test_columns_are_as_wide_as_headings_and_texts_and_no_wider(tmp_path):
    book = Book("x")
    long = "layer " * 40
    book.add_sheet("a", ("step", "a_heading_of_some_length_ms", "name"), [["reformats removed", 1.5, long]])
    (sheet,) = read(book.finish())
    widths = [round(sheet.column_dimensions[letter].width) for letter in "ABC"]
    assert widths[0] in range(17, 22)
    assert widths[1] in range(28, 33)
    assert widths[2] <= 61


def test_times_by_group_are_shown_as_times():
    engines = [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]
    data = comparison_workbook(compare(engines, analyses=[analyze(each) for each in engines]))
    cell = read(data)["by type"]["B2"]
    assert isinstance(cell.value, float)
    assert cell.number_format == "0.0000"


def test_columns_are_as_wide_as_their_numbers_as_shown():
    book = Book("numbers")
    columns = ["macs", "avg_ms", "moved_bytes", "index"]
    book.add_sheet("all", columns, [(1_156_055_040, 12_345_678.25, 98_765_432_101, 123_456_789_012)])
    sheet = read(book.finish())["all"]
    widths = [sheet.column_dimensions[letter].width for letter in "ABCD"]
    shown = ["1,156,055,040", "12345678.2500", "98,765,432,101", "123456789012"]
    assert [width > len(text) for width, text in zip(widths, shown, strict=True)] == [True] * 4
    assert max(widths) < 18
