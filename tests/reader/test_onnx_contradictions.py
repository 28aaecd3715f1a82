"""Inputs and outputs of an engine are compared with those of the ONNX model beside it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.contradictions import ALL_GROUPS, contradicted
from trexreport.model import Source
from trexreport.model.onnx import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.onnx.structure import write_structure

INPUT = OnnxValue("x", "FLOAT", (8, 3, 32, 32))
OUTPUT = OnnxValue("y", "INT64", (8,))
COMMAND = (
    "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=m.onnx --saveEngine=m.engine --fp16"
)


def model(given=INPUT, result=OUTPUT):
    nodes = (
        OnnxNode("a", "Relu", inputs=(given.name,), outputs=("t",)),
        OnnxNode("b", "ArgMax", inputs=("t",), outputs=(result.name,)),
    )
    return OnnxModel("m.onnx", graph=OnnxGraph("g", nodes, (given,), (result,)))


def read(onnx, *, read_type="Float", written_type="Int32", read_name="x", result=(8,), command=""):
    tensor = {"Dimensions": [8, 3, 32, 32], "Format/Datatype": f"Row major linear {read_type}"}
    between = {"Name": "t", "Dimensions": [8, 3, 32, 32], "Format/Datatype": "Row major linear FP32"}
    written = {"Name": "y", "Dimensions": [*result], "Format/Datatype": f"Row major {written_type}"}
    layers = [
        {"Name": "a", "LayerType": "Cask", "Inputs": [{"Name": read_name, **tensor}], "Outputs": [between]},
        {"Name": "b", "LayerType": "TopK", "Inputs": [between], "Outputs": [written]},
    ]
    document = json.dumps({"Layers": layers, "Bindings": [read_name, "y"]})
    sources = [
        Source("graph", "x.graph.json", document.encode()),
        Source("onnx", "x.onnx-structure.json", write_structure(onnx)),
    ]
    if command:
        text = f"{command}\n{command.replace('RUNNING', 'PASSED')}\n"
        sources.append(Source("log", "x.build.log", text.encode()))
    return assemble(Capture("x", tuple(sources)))


def found(engine):
    return [(each.code, each.subject) for each in engine.contradictions]


@pytest.mark.parametrize("batch", [8, -1, "batch", ""])
def test_a_model_of_the_engine_contradicts_nothing(batch):
    assert found(read(model(replace(INPUT, shape=(batch, 3, 32, 32))))) == []
    assert found(read(model(replace(INPUT, shape=None)), command=COMMAND)) == []


@pytest.mark.parametrize("shape", [(1, 3, 32, 32), (8, 3, 64, 64), ("batch", 4, 32, 32)])
def test_static_extents_are_those_of_the_engine(shape):
    engine = read(model(replace(INPUT, shape=shape)))
    assert found(engine) == [("model-shapes", "x")]
    (message,) = (each.message for each in engine.contradictions)
    assert message.startswith("Contradictory shape of x: x.graph.json states 8×3×32×32 and m.onnx states ")
    assert set(ALL_GROUPS) == {each for each in ALL_GROUPS if contradicted(engine.contradictions, [each])}
    analysis = analyze(engine)
    assert (analysis.onnx.match, analysis.onnx.match_reason) == ("other", "ends")
    assert any(each.code == "TRX908" for each in analysis.lint.findings)


@pytest.mark.parametrize(
    ("given", "result", "contradicts"),
    [
        # Tools that change the inputs leave outputs as they were; TensorRT computes those.
        (("batch", 3, 32, 32), (1, 10), False),
        ((8, 3, 32, 32), (1, 10), False),
        ((8, 3, "height", "width"), (8, 99), False),
        (("batch", 3, 32, 32), (1, 99), True),
    ],
)
def test_extents_of_outputs_bind_where_no_input_changes_them(given, result, contradicts):
    of_model = model(replace(INPUT, shape=given), replace(OUTPUT, shape=result))
    assert found(read(of_model, result=[8, 10])) == [("model-shapes", "y")] * contradicts


@pytest.mark.parametrize(
    ("types", "of_model", "command", "contradicts"),
    [
        ({"read_type": "FP16"}, "FLOAT", "", False),
        ({"read_type": "FP16"}, "FLOAT", COMMAND, True),
        ({"read_type": "FP16"}, "FLOAT", f"{COMMAND} --inputIOFormats=fp16:chw", False),
        ({"read_type": "FP16"}, "FLOAT16", COMMAND, False),
        ({"read_type": "Int32"}, "FLOAT", "", True),
        ({"read_type": "Int32"}, "INT64", COMMAND, False),
        ({"read_type": "Int8"}, "FLOAT", COMMAND, True),
        ({"read_type": "Float"}, "INT64", "", True),
        ({"read_type": "Int64"}, "UINT8", COMMAND, False),
    ],
)
def test_types_are_those_of_the_engine_unless_an_option_chooses_them(types, of_model, command, contradicts):
    engine = read(model(replace(INPUT, data_type=of_model)), **types, command=command)
    assert found(engine) == [("model-types", "x")] * contradicts


def test_the_type_of_an_output():
    assert found(read(model(), written_type="Float")) == [("model-types", "y")]
    assert found(read(model(), written_type="Int64")) == []


def test_other_names_are_another_export_of_the_model():
    engine = read(model(), read_name="input.1")
    assert found(engine) == []
    (note,) = (each for each in engine.notes if each.slug == "onnx-other-names")
    assert note.message == "m.onnx has no tensor of the names of an input or output of the engine: input.1."
    assert not any(each.slug == "onnx-other-names" for each in read(model()).notes)


def test_layers_of_another_model_are_a_contradiction():
    nodes = tuple(OnnxNode(f"n{at}", "Relu", inputs=(f"t{at}",), outputs=(f"t{at + 1}",)) for at in range(9))
    other = OnnxModel("m.onnx", graph=OnnxGraph("g", nodes, (OnnxValue("t0"),), (OnnxValue("t9"),)))
    document = {
        "Layers": [
            {
                "Name": f"/layer/{at}",
                "LayerType": "Cask",
                "Inputs": [{"Name": f"s{at}", "Dimensions": [8], "Format/Datatype": "Row major linear FP32"}],
                "Outputs": [
                    {"Name": f"s{at + 1}", "Dimensions": [8], "Format/Datatype": "Row major linear FP32"}
                ],
                "Metadata": f"[ONNX Layer: /layer/{at}]",
            }
            for at in range(9)
        ]
    }
    sources = (
        Source("graph", "x.graph.json", json.dumps(document).encode()),
        Source("onnx", "x.onnx-structure.json", write_structure(other)),
    )
    analysis = analyze(assemble(Capture("x", sources)))
    assert [each.code for each in analysis.contradictions] == ["model-nodes"]
    assert analysis.contradictions[0].message == (
        "Contradictory ONNX nodes: x.graph.json states 9 ONNX nodes and m.onnx states 0 of them."
    )
