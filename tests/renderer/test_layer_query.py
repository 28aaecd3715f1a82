"""The filter language in Python finds the layers that the page finds."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import trexreport
from trexreport.errors import UsageError
from trexreport.renderer.layer_column import LayerRow
from trexreport.renderer.layer_documents import layer_rows
from trexreport.renderer.layer_query import compile_query
from trexreport.resources import resource_folder

VECTORS = json.loads((Path(__file__).parents[1] / "query_vectors.json").read_text("utf-8"))


@pytest.mark.parametrize(("query", "expected"), VECTORS["fits"].items())
def test_the_page_and_python_find_the_same(query, expected):
    analysis = SimpleNamespace(tensors=[], onnx=None, lint=SimpleNamespace(findings=[]))
    layers = [SimpleNamespace(**each, inputs=[], outputs=[]) for each in VECTORS["layers"]]
    fits = compile_query(query)
    assert [layer.index for layer in layers if fits(LayerRow(layer, analysis))] == expected


@pytest.mark.parametrize("query", VECTORS["wrong"])
def test_wrong_queries_are_errors(query):
    with pytest.raises(UsageError):
        compile_query(query)


@pytest.fixture(scope="module")
def rows():
    engine = trexreport.load(resource_folder("samples") / "resnet18-int8-before")
    return layer_rows(trexreport.analyze(engine, with_blocks=False))


def found(rows, query):
    fits = compile_query(query)
    return [row.layer.index for row in rows if fits(row)]


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("", lambda _: True),
        ("type:Reformat", lambda row: "reformat" in row.layer.type.lower()),
        ("type:refor,pool", lambda row: row.layer.type in ("Reformat", "Pooling")),
        ('type:"pool"', lambda _: False),
        ("precision:fp16", lambda row: row.layer.precision == "FP16"),
        ("precision:fp", lambda _: False),
        ("-precision:int8", lambda row: row.layer.precision != "INT8"),
        ("time>0.03", lambda row: (row.layer.avg_ms or 0) > 0.03),
        ("time>=4%", lambda row: (row.layer.share_percent or 0) >= 4),
        ("moved>10M", lambda row: (row.layer.moved_bytes or 0) > 10e6),
        ("index<5 type:Convolution", lambda row: row.layer.index < 5 and row.layer.type == "Convolution"),
        ("finding:TRX302", lambda row: "TRX302" in row.finding_codes),
        ("finding:mixed-residual", lambda row: "TRX302" in row.finding_codes),
        ("finding:*", lambda row: bool(row.finding_codes)),
        ("MaxPool", lambda row: "maxpool" in row.layer.name.lower()),
        ('"Copynode for output"', lambda row: "CopyNode for Output" in row.layer.name),
        ("what:ever", lambda _: False),
        ("-", lambda row: "-" in row.layer.name or "-" in str(row.layer.tactic)),
    ],
)
def test_terms(rows, query, fits):
    expected = [row.layer.index for row in rows if fits(row)]
    shown = found(rows, query)
    # A word is looked for in names of tensors and nodes too.
    assert set(expected) <= set(shown) if ":" not in query and ">" not in query else expected == shown


def test_the_tests_of_terms_find_something(rows):
    assert len(found(rows, "finding:TRX302")) > 5
    assert 0 < len(found(rows, "time>=4%")) < len(found(rows, "time>0.03"))
    assert found(rows, "op:x tensor:y") == []
    assert found(rows, "tensor:MaxPool")


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("time>", "a number is missing. Write it as time>0.1"),
        ("time>1e999", "a number is missing"),
        ("/(/", "can't be used"),
        ("/" + "(a{1,99}){1,99}" + "/", "can't be used"),
        ("block:layer1", "block: is for pages only"),
        ("x " * 300, "longer than 500 characters"),
    ],
)
def test_what_is_wrong_is_one_line(query, error):
    with pytest.raises(UsageError, match=error):
        compile_query(query)
