"""The ONNX model in tables, node data, the page, the PDF and the summary; no text of it does harm."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_export import FORMULAS, HOSTILE, READERS

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.model import Source
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import assemble, read_engine
from trexreport.reader.capture import Capture
from trexreport.reader.onnx.structure import write_structure
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.export import export_table
from trexreport.renderer.html import render_html
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.model_explorer import quantity_of, write_node_data
from trexreport.renderer.model_section import model_values, share_range
from trexreport.renderer.short_document.markdown import render_markdown
from trexreport.renderer.tables import TABLES

SAMPLES = Path(__file__).parents[2] / "samples"
OF_MODEL = [name for name in TABLES if name != "layers"]
STATIC = HtmlOptions(interactive_charts=False)


def sample(name="before", model="before"):
    files = {"onnx": SAMPLES / "models" / f"resnet18-int8-{model}.onnx"}
    return read_engine(SAMPLES / f"resnet18-int8-{name}", files=files)


@pytest.fixture(scope="module")
def analysis():
    return analyze(sample())


@pytest.fixture(scope="module")
def other():
    """An engine with the model of another one."""
    return analyze(
        read_engine(SAMPLES / "detector-trt11", files={"onnx": SAMPLES / "models/resnet18-int8-before.onnx"})
    )


@pytest.fixture(scope="module")
def hostile():
    """A model whose every text is hostile, and an engine with a layer for each node."""
    names = list(dict.fromkeys(filter(None, HOSTILE)))
    nodes = [
        OnnxNode(
            name,
            name,
            outputs=(f"{name} out",),
            inputs=(f"{names[at - 1]} out" if at else name,),
            metadata={
                "pkg.torch.onnx.name_scopes": json.dumps([name, f"{name}/x", "op"], ensure_ascii=False),
                "pkg.torch.onnx.class_hierarchy": json.dumps([name, f"{name}.C", "op"], ensure_ascii=False),
                "pkg.torch.onnx.stack_trace": f'File "{name}", line 3, in {name}\n',
            },
        )
        for at, name in enumerate(names)
    ]
    graph = OnnxGraph("=g", tuple(nodes), (OnnxValue(names[0]),), (OnnxValue(nodes[-1].outputs[0]),))
    model = OnnxModel("=model.onnx", "=sha", producer="=1", opsets={"": 20, "@x": 1}, graph=graph)
    layers = [
        {
            "Name": name,
            "LayerType": "Convolution",
            "Inputs": [],
            "Outputs": [
                {"Name": f"{name} out", "Dimensions": [1], "Format/Datatype": "Row major linear FP16"}
            ],
        }
        for name in names
    ]
    times = [{"name": name, "averageMs": 0.5, "percentage": 1} for name in names]
    return analyze(
        assemble(
            Capture(
                "=engine",
                (
                    Source("graph", "g", json.dumps({"Layers": layers, "Bindings": []}).encode()),
                    Source("profile", "p", json.dumps([{"count": 1}, *times]).encode()),
                    Source("onnx", "o", write_structure(model)),
                ),
            )
        )
    )


@pytest.mark.parametrize("name", OF_MODEL)
def test_all_kinds_of_files_have_the_same_rows(analysis, name):
    tables = {kind: READERS[kind](export_table(analysis, kind, name)) for kind in ("csv", "json", "parquet")}
    rows = tables["json"]
    assert len(rows) > 5
    for kind, found in tables.items():
        assert len(found) == len(rows), kind
        for one, other in zip(found, rows, strict=True):
            assert float(one["alone_ms"]) == pytest.approx(other["alone_ms"])
            assert one["name"] == other["name"]
            assert int(one.get("nodes") or 0) == (other.get("nodes") or 0)


def test_the_rows_of_nodes_are_the_nodes(analysis):
    rows = json.loads(export_table(analysis, "json", "nodes"))["rows"]
    assert [row["name"] for row in rows] == [node.name for node in analysis.onnx.nodes]
    stem = next(row for row in rows if row["name"] == "/conv1/Conv")
    assert stem["layers"] == [layer.name for layer in analysis.layers if "/conv1/Conv" in layer.origins][:1]
    assert (stem["state"], stem["evidence"], stem["reason"]) == ("fused", "metadata", None)
    assert stem["source"] == "models/resnet.py:112"


@pytest.mark.parametrize("name", OF_MODEL)
def test_a_table_needs_the_model_of_the_engine(analysis, other, name):
    with pytest.raises(UsageError, match="needs the ONNX model"):
        export_table(replace(analysis, onnx=None), "csv", name)
    with pytest.raises(UsageError, match="not the model of this engine"):
        export_table(other, "csv", name)


@pytest.mark.parametrize("name", OF_MODEL)
def test_no_cell_of_a_hostile_model_is_a_formula(hostile, name):
    rows = list(csv.reader(io.StringIO(export_table(hostile, "csv", name).decode(), newline="")))
    texts = [cell for row in rows[1:] for cell in row if not re.fullmatch(r"[-\d.e]*", cell)]
    assert len(texts) >= len(FORMULAS)
    assert [
        cell for cell in texts if re.match(r"[\s\u200b]*[-=+@\uff1d\uff0b\uff0d\uff20]|[\t\r]", cell)
    ] == []
    for kind in ("json", "parquet", "xlsx"):
        assert export_table(hostile, kind, name)


@pytest.mark.parametrize("quantity", ["time", "precision", "findings"])
def test_node_data_is_by_output_tensor(analysis, hostile, quantity):
    data = json.loads(write_node_data(analysis, quantity))
    outputs = {tensor: node for node in analysis.onnx.nodes for tensor in node.outputs}
    results = data["results"]
    assert len(results) > 10
    assert results.keys() <= outputs.keys()
    assert all(outputs[tensor].layers for tensor in results)
    if quantity == "time":
        assert [stop["stop"] for stop in data["gradient"]] == [0, 1]
        for tensor, result in results.items():
            node = outputs[tensor]
            assert result == {"value": pytest.approx(node.alone_ms + node.shared_ms)}
    else:
        for result in results.values():
            assert set(result) == {"value", "bgColor", "textColor"}
            assert re.fullmatch(r"#[0-9a-f]{6}", result["bgColor"])
    if quantity == "precision":
        assert results["/conv1/Conv_output_0"]["value"] == "INT8"
    if quantity == "findings":
        codes = {code for result in results.values() for code in result["value"].split(", ")}
        assert codes <= {finding.code for finding in analysis.lint.findings}
    assert json.loads(write_node_data(hostile, quantity))["results"] is not None


def test_the_name_of_the_file_states_the_quantity(analysis, other):
    assert quantity_of("a/x.precision.node-data.json") == "precision"
    assert quantity_of("time/x.node-data.json") == "time"
    assert quantity_of("precision.node-data.json") == "precision"
    with pytest.raises(UsageError, match="not node data"):
        write_node_data(analysis, "cost")
    with pytest.raises(UsageError, match="needs the ONNX model"):
        write_node_data(replace(analysis, onnx=None))
    with pytest.raises(UsageError, match="not the model of this engine"):
        write_node_data(other)


def section(page):
    return re.search(r'<section id="model".*?</section>', page.decode(), re.DOTALL)[0]


@pytest.fixture(scope="module")
def page(analysis):
    return render_html(analysis, (), STATIC)


def test_the_section_states_what_is_known(analysis, page):
    found = section(page)
    assert (
        "79 of 174 nodes of resnet18-int8-before.onnx are in layers; 95 folded or eliminated by the builder"
        in found
    )
    groups = {group.name: group for group in analysis.onnx.by_module}
    stem = share_range(groups["conv1"], analysis.onnx.total_ms)
    assert stem == "3.47–15.3"
    assert f'<td class="number">{stem}</td>' in found
    assert share_range(groups["layer1"], analysis.onnx.total_ms, "%") == "19.8%"
    assert share_range(groups["conv1"], None) == "–"
    rows = model_values(analysis.onnx)["model_rows"]
    shown = found.count('<td class="name depth-')
    assert shown == len(rows.modules) > 5
    assert f"{rows.modules_left_out} modules inside these or with less time are not listed" in found
    assert shown + rows.modules_left_out == len(groups) - 1
    assert len(rows.nodes) + rows.nodes_left_out == 79
    assert sum(each.count for each in rows.absent) == 95
    assert "Q/DQ that became the scale of a neighbor" in found
    assert "The slowest 30 of 79 nodes in layers" in found


def test_another_model_is_refused_on_the_page(other):
    found = section(render_html(other, (), STATIC))
    assert "resnet18-int8-before.onnx is not the model of this engine" in found
    assert "<h3" not in found
    assert "not the model of this engine" in render_markdown(engine_summary(other)).decode()


def test_the_summary_has_the_model(analysis):
    text = render_markdown(engine_summary(analysis)).decode()
    assert "79 of 174 nodes of resnet18-int8-before.onnx are in layers" in text
    assert re.search(r"conv1.*3\.47–15\.3%", text)


def test_a_model_without_times_has_no_shares():
    engine = sample()
    sources = tuple(source for source in engine.sources if source.role in ("graph", "onnx"))
    found = analyze(assemble(Capture("x", sources)))
    assert found.onnx.total_ms is None
    assert {node.alone_ms for node in found.onnx.nodes} == {None}
    text = section(render_html(found, (), STATIC))
    assert "79 of 174 nodes" in text
    assert "The first 30 of 79 nodes in layers" in text
    assert not re.search(r"\d%|ms</td>", text)


def test_a_hostile_model_is_text_on_the_page(hostile):
    assert hostile.onnx.match == "same"
    found = section(render_html(hostile, (), STATIC))
    assert "=model.onnx" in found
    assert "\0" not in found
    assert render_markdown(engine_summary(hostile))


def test_the_summary_names_the_source_lines_of_findings_and_what_lines_cost(analysis, other):
    text = render_markdown(engine_summary(analysis), 60_000).decode().replace("\\", "")
    (row,) = [line for line in text.splitlines() if line.startswith("| 8 residual Adds")]
    named = re.search(r"Source: models/resnet\.py:([\d, ]+)", row)[1]
    finding = next(each for each in analysis.lint.findings if each.code == "TRX302")
    model = analysis.onnx
    layers = [layer for place in finding.places for layer in place.layers[:1]]
    lines = {
        model.nodes[node].source.rpartition(":")[2] for layer in layers for node in model.layer_nodes[layer]
    }
    assert set(named.split(", ")) <= lines
    assert "| models/resnet.py:61 | 24 | 13.7–38.3% |" in text
    assert "Source" not in render_markdown(engine_summary(other), 60_000).decode()
