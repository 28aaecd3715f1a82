"""TREx's workbook: tables, images, and a chart on a sheet for each chart of the report card."""

from __future__ import annotations

import importlib.util
import zipfile
import zlib

import pytest
from trex_plans import make_plan

from trexreport.errors import MissingToolError, UsageError
from trexreport.trex import excel_summary
from trexreport.trex.excel_summary import ExcelSummary

needs_xlsxwriter = pytest.mark.skipif(
    importlib.util.find_spec("xlsxwriter") is None, reason="XlsxWriter is not installed"
)


def charts_in(path):
    return [name for name in zipfile.ZipFile(path).namelist() if name.startswith("xl/charts/chart")]


@needs_xlsxwriter
def test_default_summary(tmp_path, capsys):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "x.xlsx"
    ExcelSummary(make_plan(tmp_path), path).generate_default_summary()
    assert capsys.readouterr().out == f"{path} has been saved\n"
    book = openpyxl.load_workbook(path)
    assert len(book.sheetnames) == 17
    # "Precision rollup" has two pies.
    assert len(charts_in(path)) == 17
    assert book["Plan"]["B4"].value == "Name"
    assert [cell.value for cell in book["Latency per layer type (ms)"]["A"]] == [
        *(None, "Convolution", "PointWise", "Reformat"),
    ]
    assert [cell.value for cell in book["Latency per layer type (ms)"]["B"]][1:] == [6, 3, 1]


@needs_xlsxwriter
def test_own_sheets(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    plan, path = make_plan(tmp_path), tmp_path / "x.xlsx"
    plan.df["Name"] = ["=1+1", "http://a", "x" * 40_000, "[b]"]
    image = tmp_path / "dot.png"
    image.write_bytes(png())
    with ExcelSummary(plan, path) as summary:
        summary.add_dataframes({"df": plan.df, "DF": plan.df, "a/b:" + "c" * 40: plan.df})
        summary.add_images({"image": image})
        with pytest.raises(UsageError, match=r"none\.png"):
            summary.add_images({"no": tmp_path / "none.png"})
        with pytest.raises(ValueError, match="supported"):
            summary._add_report("other")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["df", "DF 2", "a b " + "c" * 27, "image"]
    cell = book["df"]["B5"]
    assert (cell.value, cell.data_type) == ("=1+1", "s")
    assert any(name.startswith("xl/media/") for name in zipfile.ZipFile(path).namelist())


def test_without_the_library_the_error_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_summary, "has_library", lambda _: False)
    with pytest.raises(MissingToolError, match="XlsxWriter"):
        ExcelSummary(make_plan(tmp_path), tmp_path / "x.xlsx")


def png():
    """One white pixel."""

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    head = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\x00\xff")) + chunk(b"IEND", b"")
