"""Tables of layers: what is in them, and that no text of a file does harm in a spreadsheet."""

from __future__ import annotations

import csv
import io
import json
import sys
import time
import zipfile

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.roofline.matching import GpuChoice
from trexreport.errors import MissingToolError, UsageError
from trexreport.model import Source
from trexreport.output import is_own
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.renderer.export import export_table
from trexreport.renderer.layer_columns import exported_columns

KINDS = ("csv", "json", "parquet", "xlsx")
FORMULAS = ["=1+1", "+1", "-1", "@sum", "\t=1", "\r=1", '=cmd|"/c calc"!A1', "#REF!"]
#: What a spreadsheet takes for one after it has stripped or narrowed characters.
FORMULAS_IN_DISGUISE = ["\uff1d1+1", "\uff20SUM(1)", " =1+1", "\u200b+1", "\n=1"]
HOSTILE = [
    *FORMULAS,
    'a,"b";\r\nc',
    "nul\x00bell\x07",
    "half \ud800",
    *FORMULAS_IN_DISGUISE,
    "_x0041_",
    "日本語 🙂",
    "x" * 100_000,
    "",
    "1.5",
]


def analysis_of(names, profiled=True, gpu=None):
    tensor = {"Name": "=in", "Dimensions": [1, 4, 4, 4], "Format/Datatype": "Row major linear FP16"}
    layers = [
        {
            "Name": name,
            "LayerType": "CaskConvolution",
            "ParameterType": "Convolution",
            "Inputs": [tensor],
            "Outputs": [{**tensor, "Name": f"@{n}"}],
            "Kernel": [1, 1],
            "Weights": {"Type": "Half", "Count": 16},
            "TacticName": name,
            "Metadata": f"{name}\x1eother",
            "StreamId": 0,
        }
        for n, name in enumerate(names)
    ]
    layers.append({"Name": "unknown", "LayerType": "Shuffle", "Inputs": [], "Outputs": []})
    sources = [Source("graph", "g", json.dumps({"Layers": layers, "Bindings": ["=in"]}).encode())]
    if profiled:
        rows = [
            {"name": name, "timeMs": 5, "averageMs": 0.5, "medianMs": 0.4, "percentage": 1} for name in names
        ]
        sources.append(Source("profile", "p", json.dumps(rows).encode()))
    return analyze(assemble(Capture("=engine", tuple(sources))), gpu=gpu)


@pytest.fixture(scope="module")
def analysis():
    return analysis_of(HOSTILE)


def read_csv(data):
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def read_json(data):
    return json.loads(data)["rows"]


def read_parquet(data):
    import pyarrow.parquet as pq

    return pq.read_table(io.BytesIO(data)).to_pylist()


def read_sheet(data, title="layers"):
    import openpyxl

    sheet = openpyxl.load_workbook(io.BytesIO(data))[title]
    head, *body = ([cell.value for cell in row] for row in sheet.iter_rows())
    return [dict(zip(head, row, strict=True)) for row in body]


READERS = {"csv": read_csv, "json": read_json, "parquet": read_parquet, "xlsx": read_sheet}


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_a_layer_and_all_columns(analysis, kind):
    rows = READERS[kind](export_table(analysis, kind))
    assert len(rows) == len(analysis.layers)
    assert all(list(row) == [column.key for column in exported_columns()] for row in rows)


@pytest.mark.parametrize("kind", KINDS)
def test_figures(kind):
    first, last = READERS[kind](export_table(analysis_of(["conv"]), kind))
    figures = {
        "index": 0,
        "avg_ms": 0.5,
        "median_ms": 0.4,
        "share_percent": 100.0,
        "input_bytes": 128,
        "output_bytes": 128,
        "weights_bytes": 32,
        "moved_bytes": 288,
        "bandwidth_gbs": 288 / 0.5e-3 / 1e9,
        "macs": 256,
        "m": 16,
        "n": 4,
        "k": 4,
        "intensity": 512 / 288,
        "tflops": 512 / 0.5e-3 / 1e12,
        "flops": 512,
        "stream": 0,
    }
    assert {name: float(first[name]) for name in figures} == pytest.approx(figures)
    assert (first["type"], first["subtype"], first["precision"]) == ("Convolution", "CaskConvolution", "FP16")
    # Unknown is empty in every kind, never 0.
    for name in (
        "avg_ms",
        "median_ms",
        "share_percent",
        "moved_bytes",
        "bandwidth_gbs",
        "macs",
        "tflops",
        "stream",
    ):
        assert last[name] in (None, "")


@pytest.mark.parametrize("kind", KINDS)
def test_roofs(kind):
    of_known_gpu = analysis_of(["conv"], gpu=GpuChoice("A100 80GB PCIe"))
    # 288 bytes at 1935 GB/s take longer than 512 operations at 312 * 10^12 a second.
    roof_ms = 288 / 1935e9 * 1e3
    first, last = READERS[kind](export_table(of_known_gpu, kind))
    assert first["bound"] == "latency"
    assert float(first["reached_percent"]) == pytest.approx(100 * roof_ms / 0.5)
    assert float(first["headroom_ms"]) == pytest.approx(0.5 - roof_ms)
    assert [last[name] or None for name in ("bound", "reached_percent", "headroom_ms")] == [None] * 3


def test_lists(analysis):
    from_json = read_json(export_table(analysis, "json"))[-2]
    assert from_json["origins"] == ["1.5", "other"]
    assert from_json["inputs"] == [
        {"name": "=in", "dimensions": [1, 4, 4, 4], "format": "FP16 linear", "size_bytes": 128}
    ]
    from_parquet = read_parquet(export_table(analysis, "parquet"))[-2]
    assert from_parquet["inputs"] == ["=in [1, 4, 4, 4] FP16 linear"]
    from_csv = read_csv(export_table(analysis, "csv"))[-2]
    assert from_csv["origins"] == "1.5; other"
    assert from_csv["inputs"] == "'=in [1, 4, 4, 4] FP16 linear"


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_analysis_gives_the_same_bytes(analysis, kind):
    first = export_table(analysis, kind)
    # The dates of a zip archive have steps of two seconds.
    if kind == "xlsx":
        time.sleep(2.1)
    assert export_table(analysis, kind) == first


@pytest.mark.parametrize("kind", KINDS)
def test_the_file_says_who_wrote_it(analysis, kind, tmp_path):
    path = tmp_path / f"layers.{kind}"
    path.write_bytes(export_table(analysis, kind))
    assert is_own(path)


def test_csv_is_rfc_4180_without_mark(analysis):
    data = export_table(analysis, "csv")
    assert data.startswith(b"index,name,type,")
    assert data.endswith(b"\r\n")
    assert b"\x00" not in data


def test_no_cell_of_csv_begins_like_a_formula(analysis):
    for row in read_csv(export_table(analysis, "csv")):
        for column in exported_columns():
            assert column.is_number or not row[column.key].startswith(("=", "+", "-", "@", "\t", "\r"))
    names = [row["name"] for row in read_csv(export_table(analysis, "csv"))]
    assert names[:5] == ["'=1+1", "'+1", "'-1", "'@sum", "'\t'=1"]
    assert 'a,"b";\r\nc' in names
    assert {f"'{name}".replace("\t=", "\t'=") for name in FORMULAS_IN_DISGUISE} <= set(names)


@pytest.mark.parametrize("separator", [";", "\t"])
def test_no_other_separator_makes_a_text_two_cells(separator):
    data = export_table(analysis_of([f"x{separator}=1+1"]), "csv").decode()
    cells = [cell for row in csv.reader(io.StringIO(data), delimiter=separator) for cell in row]
    assert not [cell for cell in cells if cell.startswith("=")]
    assert f"x{separator}'=1+1" in data


def test_numbers_of_csv_stay_numbers():
    layers = analysis_of(["conv"])
    layers.layers[0].share_percent = -1.5
    assert read_csv(export_table(layers, "csv"))[0]["share_percent"] == "-1.5"


def test_json_says_what_it_is(analysis):
    table = json.loads(export_table(analysis, "json"))
    assert table["generator"] == "trexreport"
    assert (table["schema"], table["schema_version"]) == ("trexreport.layers", 2)
    assert "null means" in table["note"]
    assert [row["name"] for row in table["rows"]] == [layer.name for layer in analysis.layers]


def test_xlsx_cells_are_texts_never_formulas(analysis):
    import openpyxl

    sheet = openpyxl.load_workbook(io.BytesIO(export_table(analysis, "xlsx")))["layers"]
    kinds = {cell.data_type for row in sheet.iter_rows() for cell in row}
    assert kinds <= {"s", "inlineStr", "n"}
    names = [row[1].value for row in sheet.iter_rows(min_row=2)]
    assert names[:4] == ["=1+1", "+1", "-1", "@sum"]
    assert names[HOSTILE.index("1.5")] == "1.5"
    assert names[HOSTILE.index("nul\x00bell\x07")] == "nul\ufffdbell\ufffd"
    assert max(len(name) for name in names if name) <= 32_767
    with zipfile.ZipFile(io.BytesIO(export_table(analysis, "xlsx"))) as archive:
        assert b"<f>" not in b"".join(archive.read(name) for name in archive.namelist())


def test_xlsx_has_sheets_of_groups_and_bindings(analysis):
    data = export_table(analysis, "xlsx")
    (by_type,) = read_sheet(data, "by type")[:1]
    assert by_type["name"] == "Convolution"
    assert by_type["count"] == len(HOSTILE)
    assert by_type["time_ms"] == pytest.approx(0.5 * len(HOSTILE))
    assert read_sheet(data, "by precision")[0]["name"] == "FP16"
    (binding,) = read_sheet(data, "I-O tensors")
    assert binding == {
        "name": "=in",
        "mode": "input",
        "dimensions": "[1, 4, 4, 4]",
        "format": "FP16 linear",
        "size_bytes": 128,
    }


def test_xlsx_carries_no_date(analysis):
    with zipfile.ZipFile(io.BytesIO(export_table(analysis, "xlsx"))) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
        assert b"dcterms" not in archive.read("docProps/core.xml").partition(b">")[2].partition(b">")[2]


def test_parquet_has_types_even_where_nothing_is_known():
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pq.read_schema(io.BytesIO(export_table(analysis_of(["conv"], profiled=False), "parquet")))
    assert schema.field("avg_ms").type == pa.float64()
    assert schema.field("macs").type == pa.int64()
    assert schema.field("origins").type == pa.list_(pa.string())
    assert schema.metadata[b"generator"].startswith(b"trexreport")


@pytest.mark.parametrize("kind", KINDS)
def test_figures_beyond_all_bounds(kind):
    broken = analysis_of(["conv"])
    broken.layers[0].input_bytes = 10**30
    broken.layers[0].bandwidth_gbs = float("inf")
    row = READERS[kind](export_table(broken, kind))[0]
    assert float(row["input_bytes"]) == 1e30
    assert row["bandwidth_gbs"] in (None, "")


@pytest.mark.parametrize(
    ("kind", "module", "extra"), [("xlsx", "xlsxwriter", "excel"), ("parquet", "pyarrow", "parquet")]
)
def test_a_missing_library_is_named_with_its_extra(analysis, monkeypatch, kind, module, extra):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingToolError, match=rf"trexreport\[{extra}\]"):
        export_table(analysis, kind)


def test_unknown_kind(analysis):
    with pytest.raises(UsageError, match="csv, json, parquet, xlsx"):
        export_table(analysis, "ods")


def test_sizes_of_layers_of_which_only_names_are_known_are_not_zero():
    rows = [{"count": 2}, {"name": "a", "timeMs": 2.0, "averageMs": 1.0, "percentage": 100.0}]
    profile = Source("profile", "p", json.dumps(rows).encode())
    named = export_table(analyze(assemble(Capture("e", (profile,)))), "csv")
    (row,) = csv.DictReader(io.StringIO(named.decode()))
    sizes = ("input_bytes", "output_bytes", "weights_bytes", "moved_bytes")
    assert [row[size] for size in sizes] == ["", "", "", ""]
    # A layer that states that it has no tensors is another matter.
    (*_, stated) = csv.DictReader(io.StringIO(export_table(analysis_of(["a"]), "csv").decode()))
    assert [stated[size] for size in sizes] == ["0", "0", "0", ""]
