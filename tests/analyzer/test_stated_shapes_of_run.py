"""The shapes of a run that its log does not list are those that its command states."""

from __future__ import annotations

import json
from dataclasses import replace

from trexreport.analyzer import analyze
from trexreport.analyzer.identity import identify
from trexreport.model import Setup
from trexreport.model.engine import Engine
from trexreport.model.stated_shapes import shapes_text, stated_shapes
from trexreport.reader import read_engine
from trexreport.wording.identity import precisions_text
from trexreport.wording.memory import stated_by_log


def test_a_log_without_bindings_has_the_shapes_of_its_options():
    commands = (
        "trtexec --onnx=m.onnx --optShapes=x:1x3x8x8 --buildOnly",
        "trtexec --loadEngine=m.plan --shapes='x':2x3x8x8,mask:2x8",
    )
    found = identify(Engine(name="m", layers=(), setup=Setup(commands=commands)))
    assert [(each.name, each.dimensions) for each in found.inputs] == [("x", [2, 3, 8, 8]), ("mask", [2, 8])]
    assert found.batch == 2


def test_shapes_are_written_as_the_option_takes_them():
    text = "'input:0':2x3x8x8,mask:2x8"
    commands = ("trtexec --onnx=m.onnx --shapes=mask:1x8", f"trtexec --loadEngine=m.plan --shapes={text}")
    assert shapes_text(stated_shapes(commands).run) == text


def test_activation_memory_is_of_the_largest_shapes():
    build = "trtexec --onnx=m.onnx --minShapes=x:1x3 --optShapes=x:4x3 --maxShapes=x:8x3"
    facts = {"Total Activation Memory": "4096 bytes"}

    def larger(command):
        setup = Setup(commands=(command,), build_facts=facts)
        return analyze(Engine(name="m", layers=(), setup=setup)).memory

    smaller = larger(f"{build} --shapes=x:4x3")
    assert smaller.stated_for == {"x": [8, 3]}
    assert stated_by_log(smaller) == "stated by TensorRT’s log for the largest shapes (x 8×3)"
    assert larger(f"{build} --shapes=x:8x3").stated_for == {}
    assert stated_by_log(larger(build)) == "stated by TensorRT’s log"


def test_a_loaded_engine_has_the_precision_of_its_name_or_layers():
    def head(command, **values):
        setup = Setup(commands=(command,))
        return precisions_text(analyze(Engine(name="run", layers=(), setup=setup, **values)))

    assert head("trtexec --loadEngine=net_int8_bs2.engine") == "INT8 by name"
    assert head("trtexec --loadEngine=net.engine") == ""
    assert head("trtexec --onnx=net_int8.onnx --fp16") == "FP32+FP16"


def test_layers_show_the_precision_of_a_loaded_engine():
    analysis = analyze(read_engine("samples/resnet18-int8-before"))
    loaded = replace(analysis, identity=replace(analysis.identity, precisions=""))
    assert precisions_text(loaded) == "layers in INT8, FP16 and FP32"


def test_types_of_weights_are_named_where_no_layer_reads_them_first(tmp_path):
    def head(weights):
        layer = {
            "Name": "mlp_myl0_0",
            "LayerType": "gemm",
            "Inputs": [
                {"Name": name, "Dimensions": extents, "Format/Datatype": kind}
                for name, extents, kind in (("x", [1, 4096], "Half"), ("mlp.weight", [4096, 4096], weights))
            ],
            "Outputs": [{"Name": "y", "Dimensions": [1, 4096], "Format/Datatype": "Half"}],
        }
        graph = {"Layers": [layer], "Bindings": ["x", "y"]}
        (tmp_path / "x.graph.json").write_text(json.dumps(graph))
        return precisions_text(analyze(read_engine(tmp_path / "x.graph.json")))

    assert head("Int4") == "layers in FP16, weights in INT4"
    assert head("Half") == "layers in FP16"
