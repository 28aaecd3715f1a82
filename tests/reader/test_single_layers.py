"""Layers that a program wrote one by one, as `get_layer_information` returns them."""

from __future__ import annotations

import json

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.graph_file import read_graph
from trexreport.reader.single_layers import single_layers


def _layer(name):
    tensors = [{"Name": "x{\n", "Dimensions": [1, 8], "Format/Datatype": "Half"}]
    return {"Name": name, "LayerType": "gemm", "Inputs": tensors, "Outputs": tensors, "Metadata": "a\x1fb"}


LAYERS = [_layer("a"), _layer("} b"), _layer('"Name" {"Name": 1}')]


def _titled(number, text):
    return f"--- Layer {number} ---\n{text}\n"


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("between", ["", "\n", ",\n", ";", "\n[V] next layer\n"])
def test_layers_between_other_text(between, indent):
    text = between.join(json.dumps(each, indent=indent) for each in LAYERS)
    graph = read_graph(text, "layers.txt")
    assert [layer.name for layer in graph.layers] == [each["Name"] for each in LAYERS]
    assert [layer.record for layer in graph.layers] == LAYERS
    (note,) = graph.notes
    assert (
        note.message
        == "layers.txt lists its layers one by one; 3 layers were read, and other text was left out."
    )


def test_an_engine_of_titled_layers(tmp_path):
    path = tmp_path / "dump.txt"
    path.write_text("".join(_titled(at, json.dumps(each, indent=2)) for at, each in enumerate(LAYERS)))
    engine = read_engine(path)
    assert [layer.name for layer in engine.layers] == [each["Name"] for each in LAYERS]


def test_a_list_that_is_cut():
    text = "\n".join(json.dumps(each) for each in LAYERS)[:-20]
    graph = read_graph(text, "layers.txt")
    assert [layer.name for layer in graph.layers] == ["a", "} b"]
    assert [(note.severity, note.slug) for note in graph.notes] == [
        ("repaired", "layers-one-by-one"),
        ("degraded", "layers-cut"),
    ]
    assert "after 2 layers; those behind are missing" in graph.notes[1].message


def test_other_text_is_no_list():
    assert single_layers('{"Name": "a"}\nno layer', "x", 10) is None
    assert single_layers('{"a": {"Name": 1}}\n{"b": {"Name": 2}}', "x", 10) is None


@pytest.mark.parametrize("start", ["[", "[\n", '{"Layers": [\n', '{"layers": [{"Name": 1},\n'])
def test_one_document_that_is_cut_is_no_list(start):
    layers = ",\n".join(json.dumps(each, indent=2) for each in LAYERS)
    with pytest.raises(InputError, match="is cut off at line"):
        read_graph(start + layers[:-20], "layers.json")


def test_one_more_than_the_limit_is_kept():
    text, _ = single_layers("\n".join(json.dumps(each) for each in LAYERS), "x", 1)
    assert len(json.loads(text)) == 2


def test_a_hostile_nesting_ends_the_list():
    deep = '{"Name": "c", "Inputs": ' + "[" * 100_000
    text, notes = single_layers("\n".join([*map(json.dumps, LAYERS[:2]), deep]), "x", 10)
    assert len(json.loads(text)) == 2
    assert notes[-1].slug == "layers-cut"


def test_what_is_damaged_from_the_start_is_refused():
    with pytest.raises(InputError, match="is not JSON"):
        read_graph('--- Layer 0 ---\n{"Name": oops}', "layers.txt")
