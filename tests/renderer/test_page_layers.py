"""The layers as the page's script reads them."""

from __future__ import annotations

import json
from pathlib import Path

from trexreport.analyzer import analyze
from trexreport.model import Engine
from trexreport.reader import read_engine
from trexreport.reader.assemble import read_layer
from trexreport.reader.graph_file import read_graph
from trexreport.reader.versions import TensorVersions
from trexreport.renderer.layer_columns import page_columns
from trexreport.renderer.page_layers import page_layers

SAMPLES = Path(__file__).parents[2] / "samples"


def _analysis():
    return analyze(read_engine(SAMPLES / "resnet18-int8-before"))


def test_only_the_columns_that_are_asked_for_are_made():
    analysis = _analysis()
    whole = page_layers(analysis, page_columns())
    few = page_layers(analysis, page_columns(), ("name", "roof_ms"))
    assert few == {
        "count": len(analysis.layers),
        "columns": [each for each in whole["columns"] if each[0] in ("name", "roof_ms")],
    }
    assert [each[0] for each in few["columns"]] == ["name", "roof_ms"]


def test_measured_figures_stay_and_computed_ones_have_six_digits():
    analysis = _analysis()
    columns = {key: packed for key, *packed in page_layers(analysis, page_columns())["columns"]}
    values, *at = columns["avg_ms"]
    shown = [values[index] for index in at[0]] if at else values
    assert shown == [layer.avg_ms for layer in analysis.layers]
    shares = columns["share_percent"][0]
    assert shares
    assert all(share is None or share == float(f"{share:.6g}") for share in shares)
    # What the script fills, and what no layer of this engine has.
    assert columns.keys().isdisjoint({"index", "findings", "kernels", "error_percent"})


def test_a_tensor_has_only_its_index_unless_a_layer_sees_it_in_its_own_way():
    names = ("a", "b", "c")
    first, second = ({"Name": names[at], "Format/Datatype": "Half", "Dimensions": [2, 4]} for at in (0, 1))
    layers = [
        {"Name": "one", "LayerType": "kgen", "Inputs": [first], "Outputs": [second]},
        {"Name": "two", "LayerType": "kgen", "Inputs": [second | {"Dimensions": [8]}, first], "Outputs": []},
        {"Name": "three", "LayerType": "kgen", "Inputs": [second | {"Format/Datatype": "Int8"}]},
    ]
    graph = read_graph(json.dumps({"Layers": layers}), "x.graph.json")
    versions = TensorVersions()
    read = tuple(read_layer(at, raw, raw.name, versions) for at, raw in enumerate(graph.layers))
    analysis = analyze(Engine("x", read))
    columns = {key: packed for key, *packed in page_layers(analysis, page_columns())["columns"]}
    assert columns["inputs"] == [[(0,), ((1, (8,), "FP16", 16), 0), ((1, (2, 4), "INT8", 8),)]]
    assert columns["outputs"] == [[(1,), None, None]]
