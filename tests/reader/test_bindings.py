"""Inputs and outputs of the engine where the file's list of them fits its layers only in part."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from trexreport.analyzer import analyze
from trexreport.model import TORN
from trexreport.reader import read_engine

SAMPLES = Path(__file__).parents[2] / "samples"
CAPTURES = ["resnet18-int8-before", "detector-trt11", "transformer-trt10-myelin"]


def renamed(item, name):
    return {**item, "Name": name} if isinstance(item, dict) else name


def name_of(item):
    return item["Name"] if isinstance(item, dict) else item


def engine_with(capture, tmp_path, change):
    """Return a sample's engine with another list of bindings, as the file spells it."""
    (path,) = (SAMPLES / capture).glob("*.graph.json")
    graph = json.loads(path.read_text(encoding="utf-8"))
    (key,) = {"Bindings", "I/O Tensors"} & set(graph)
    graph[key] = change(graph[key])
    (tmp_path / "x.graph.json").write_text(json.dumps(graph), encoding="utf-8")
    return read_engine(SAMPLES / capture), read_engine(tmp_path / "x.graph.json")


CHANGES = {
    "all": lambda items: [renamed(each, f"no_{name_of(each)}") for each in items],
    "first": lambda items: [renamed(items[0], "no_such"), *items[1:]],
    "last": lambda items: [*items[:-1], renamed(items[-1], "no_such")],
    "other case": lambda items: [renamed(each, name_of(each).upper()) for each in items],
}


@pytest.mark.parametrize("capture", CAPTURES)
@pytest.mark.parametrize("change", CHANGES)
def test_a_binding_that_names_no_tensor_hides_no_input_and_no_output(capture, change, tmp_path):
    before, after = engine_with(capture, tmp_path, CHANGES[change])
    # An output that a layer reads as well is like any other tensor.
    read = {tensor.name for layer in before.layers for tensor in layer.inputs}
    known = {
        (each.name, each.mode) for each in before.bindings if each.mode == "input" or each.name not in read
    }
    found = {(each.name, each.mode): each for each in after.bindings}
    assert known <= {key for key, each in found.items() if each.tensor}
    (note,) = [each for each in after.notes if each.slug == "bindings-without-tensor"]
    # The first input of the transformer is that of its few indices.
    is_small = change == "first" and capture == "transformer-trt10-myelin"
    assert (note.severity == "degraded") == (len(after.bindings) > len(before.bindings) and not is_small)
    analyses = analyze(before), analyze(after)
    assert analyses[0].memory.weights_bytes == analyses[1].memory.weights_bytes
    inputs = [
        [each.dimensions for each in analysis.bindings if each.mode == "input" and each.name in dict(known)]
        for analysis in analyses
    ]
    assert sorted(inputs[0]) == sorted(inputs[1]) != []


@pytest.mark.parametrize("capture", CAPTURES)
def test_an_input_that_the_engine_ignores_is_noted_and_nothing_else(capture, tmp_path):
    before, after = engine_with(capture, tmp_path, lambda items: [*items, renamed(items[0], "ignored")])
    assert after.bindings[: len(before.bindings)] == before.bindings
    assert [each.name for each in after.bindings[len(before.bindings) :]] == ["ignored"]
    (note,) = [each for each in after.notes if each.slug == "bindings-without-tensor"]
    assert note.severity == "info"
    assert note.message == "The file lists ignored as an input or output, which no layer reads or writes."


@pytest.mark.parametrize("capture", CAPTURES)
def test_a_list_that_fits_is_not_noted(capture):
    engine = read_engine(SAMPLES / capture)
    assert engine.bindings
    assert not [note for note in engine.notes if "bindings" in note.slug]


def torn(capture, tmp_path, change):
    """Return a sample's engine and notes after a change of its layers."""
    (path,) = (SAMPLES / capture).glob("*.graph.json")
    graph = json.loads(path.read_text(encoding="utf-8"))
    change(graph["Layers"])
    (tmp_path / "x.graph.json").write_text(json.dumps(graph), encoding="utf-8")
    engine = read_engine(tmp_path / "x.graph.json")
    return engine, [note for note in engine.notes if note.slug == TORN]


def renamed_tensor(side):
    def change(layers):
        # The second layer reads what the first one writes, and no other layer does.
        layer = layers[0] if side == "Outputs" else layers[1]
        layer[side] = [{**each, "Name": "ghost"} for each in layer[side][:1]] + layer[side][1:]

    return change


@pytest.mark.parametrize("side", ["Inputs", "Outputs"])
def test_a_tensor_of_two_names_is_noted_and_no_constant(side, tmp_path):
    engine, notes = torn("resnet18-int8-before", tmp_path, renamed_tensor(side))
    assert [(note.severity, note.affects) for note in notes] == [("degraded", ("graph", "memory"))]
    assert engine.layers[0].name in notes[0].message
    memory, before = (
        analyze(each).memory for each in (engine, read_engine(SAMPLES / "resnet18-int8-before"))
    )
    assert memory.weights_bytes == before.weights_bytes
    assert memory.activations_bytes == before.activations_bytes
    assert memory.peak_live_bytes == before.peak_live_bytes


def test_a_missing_layer_is_noted(tmp_path):
    assert len(torn("resnet18-int8-before", tmp_path, lambda layers: layers.pop(5))[1]) == 1


@pytest.mark.parametrize("capture", CAPTURES)
def test_no_whole_list_of_layers_is_torn(capture, tmp_path):
    assert torn(capture, tmp_path, list)[1] == []


def test_a_size_that_is_copied_to_the_host_is_read_there(tmp_path):
    copy = {
        "Name": "/NonZero[size][DevicetoShapeHostCopy]",
        "LayerType": "ShapeHostCopy",
        "Inputs": [],
        "Outputs": [{"Name": "size", "Dimensions": [1], "Format/Datatype": "Row major Int32 format"}],
    }
    assert torn("resnet18-int8-before", tmp_path, lambda layers: layers.insert(5, copy))[1] == []
    copy["Name"] = "/NonZero"
    assert len(torn("resnet18-int8-before", tmp_path, lambda layers: layers.insert(5, copy))[1]) == 1


def test_a_name_that_a_file_uses_again_is_noted_and_contradicts_nothing(tmp_path):
    """Myelin reuses names: what is read first and what is written last may not be one tensor."""

    def tensor(name, *extents):
        return {"Name": name, "Dimensions": list(extents), "Format/Datatype": "Half"}

    def layer(name, read, written):
        return {"Name": name, "LayerType": "gemm", "Inputs": [read], "Outputs": [written]}

    layers = [
        layer("a", tensor("x", 64, 96), tensor("h", 64, 32)),
        layer("b", tensor("h", 64, 32), tensor("x", 16, 768)),
    ]
    graph = {"Layers": layers, "Bindings": ["pixels", "logits"]}
    (tmp_path / "layers.json").write_text(json.dumps(graph), encoding="utf-8")
    engine = read_engine(tmp_path / "layers.json")
    assert engine.contradictions == ()
    (note,) = [each for each in engine.notes if each.slug == "bindings-without-tensor"]
    assert note.message.endswith("By the layers, x is one too. The file uses x again for other tensors.")


def _of_myelin(name, layer_type, read, written):
    def tensor(text):
        name, *extents = text.split()
        return {"Name": name, "Dimensions": [int(each) for each in extents], "Format/Datatype": "Half"}

    return {
        "Name": name,
        "LayerType": layer_type,
        "Inputs": list(map(tensor, read)),
        "Outputs": [tensor(written)],
    }


@pytest.mark.parametrize(
    ("table", "matrix"), [("embed.weight", "head.weight"), ("onnx::Gather_7", "onnx::MatMul_9")]
)
def test_weights_that_layers_name_are_no_inputs_and_count_once(table, matrix, tmp_path):
    layers = [
        _of_myelin("look", "Gather", [f"{table} 500 64", "ids 8"], "h 8 64"),
        _of_myelin("one", "gemm", ["h 8 64", f"{matrix} 64 500"], "i 8 500"),
        _of_myelin("two", "gemm", ["h 8 64", f"{matrix} 64 500"], "j 8 500"),
        _of_myelin("sum", "kgen", ["i 8 500", "j 8 500"], "logits 8 500"),
    ]
    graph = {"Layers": layers, "Bindings": ["ids", "mask", "logits"]}
    (tmp_path / "layers.json").write_text(json.dumps(graph), encoding="utf-8")
    engine = read_engine(tmp_path / "layers.json")
    assert [each.name for each in engine.bindings] == ["ids", "mask", "logits"]
    (note,) = [each for each in engine.notes if each.slug == "bindings-without-tensor"]
    assert (note.severity, "mask" in note.message, "By the layers" in note.message) == ("info", True, False)
    assert analyze(engine).memory.weights_bytes == 2 * 2 * 500 * 64


@pytest.mark.parametrize(("extents", "severity"), [("1 64", "info"), ("800 64", "degraded")])
def test_small_constants_beside_an_input_that_is_not_read_inform(extents, severity, tmp_path):
    layers = [
        _of_myelin("turn", "kgen", ["x 400 64", f"cos {extents}", f"sin {extents}"], "h 400 64"),
        _of_myelin("add", "kgen", ["h 400 64", "y 400 64"], "logits 400 64"),
    ]
    graph = {"Layers": layers, "Bindings": ["x", "y", "position_ids", "logits"]}
    (tmp_path / "layers.json").write_text(json.dumps(graph), encoding="utf-8")
    engine = read_engine(tmp_path / "layers.json")
    (note,) = [each for each in engine.notes if each.slug == "bindings-without-tensor"]
    assert note.severity == severity
    assert note.message.endswith("By the layers, cos, sin are too.")
    # The inputs that the list names are what the engine reads.
    assert [each.name for each in analyze(engine).identity.inputs] == ["x", "y"]


@pytest.mark.parametrize(("extents", "severity"), [("1 64", "info"), ("800 64", "degraded")])
def test_a_small_result_that_is_not_listed_changes_no_figure_whatever_its_name(extents, severity, tmp_path):
    layers = [
        _of_myelin("one", "gemm", ["x 400 64"], "h 400 64"),
        _of_myelin("two", "gemm", ["h 400 64"], "logits 400 64"),
        _of_myelin("three", "kgen", ["h 400 64"], f"sums {extents}"),
    ]
    graph = {"Layers": layers, "Bindings": ["x", "logits", "total"]}
    (tmp_path / "layers.json").write_text(json.dumps(graph), encoding="utf-8")
    (note,) = [each for each in read_engine(tmp_path / "layers.json").notes if "total" in each.message]
    assert note.severity == severity
    assert note.hint == "Give the file of trtexec's --exportLayerInfo as it is."


def test_an_unlisted_operand_of_a_product_without_a_known_one_may_be_an_input(tmp_path):
    layers = [_of_myelin("one", "gemm", ["a 8 64", "b 64 500"], "logits 8 500")]
    (tmp_path / "layers.json").write_text(json.dumps({"Layers": layers, "Bindings": ["x", "y", "logits"]}))
    engine = read_engine(tmp_path / "layers.json")
    assert {"a", "b"} <= {each.name for each in engine.bindings}


def test_parameters_of_modules_are_not_inferred_to_be_inputs(tmp_path):
    layers = [_of_myelin("one", "kgen", ["x 8 64", "norm.weight 64"], "y 8 64")]
    (tmp_path / "layers.json").write_text(json.dumps({"Layers": layers}))
    engine = read_engine(tmp_path / "layers.json")
    assert [each.name for each in engine.bindings] == ["x", "y"]


@pytest.mark.parametrize(
    ("parts", "stated", "whole", "contradicts"),
    [
        ([(4, 19, 6), (4, 5, 6), (4, 2, 6)], "4x26x6", (4, 26, 6), False),
        ([(4, 19, 6), (4, 5, 6), (4, 2, 6)], "4x25x6", (4, 26, 6), True),
        ([(4, 26, 6)], "4x25x6", (4, 26, 6), True),
        # Equal parts, and those that differ along several axes, do not show the whole.
        ([(4, 5, 6), (4, 5, 6)], "4x10x6", (4, 5, 6), False),
        ([(4, 5, 6), (4, 2, 3)], "4x9x6", (4, 2, 3), False),
        ([(4, 5, 6), (4, -1, 6)], "4x9x6", (4, -1, 6), False),
    ],
)
def test_an_output_that_layers_write_in_place_is_as_large_as_its_parts_together(
    parts, stated, whole, contradicts, tmp_path
):
    def tensor(name, extents):
        return {"Name": name, "Dimensions": list(extents), "Format/Datatype": "Row major linear FP32"}

    layers = [
        {
            "Name": f"part {at}",
            "LayerType": "Resize",
            "Inputs": [tensor("x", (4, 8))],
            "Outputs": [tensor("y", extents)],
        }
        for at, extents in enumerate(parts)
    ]
    (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": layers, "Bindings": ["x", "y"]}))
    (tmp_path / "x.log").write_text(
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=x.engine\n"
        "[I] Input binding for x with dimensions 4x8 is created.\n"
        f"[I] Output binding for y with dimensions {stated} is created.\n"
        "[I] === Performance summary ===\n"
        "[I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.5 ms\n"
        "&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=x.engine\n"
    )
    engine = read_engine(tmp_path)
    (output,) = [each for each in engine.bindings if each.mode == "output"]
    assert output.tensor.dimensions == whole
    assert [each.code for each in engine.contradictions] == ["shapes"] * contradicts
    (found,) = [each for each in analyze(engine).tensors if each.role == "output"]
    # The largest known part is the least that an output of unknown parts takes.
    assert found.dimensions == (whole if -1 not in whole and len(set(parts)) != 2 else parts[0])


def test_an_output_that_the_list_lacks_behind_a_no_op_is_missed(tmp_path):
    def item(name):
        return {"Name": name, "Dimensions": [1, 8, 4, 4], "Format/Datatype": "Row major linear FP32"}

    layers = [
        {"Name": name, "LayerType": kind, "Inputs": [item(read)], "Outputs": [item(written)]}
        for name, kind, read, written in (
            ("a", "ElementWise", "x", "t"),
            ("b", "NoOp", "t", "y"),
            ("c", "ElementWise", "x", "z"),
        )
    ]
    for bindings in (["x", "y", "z"], ["x", "z"]):
        content = json.dumps({"Layers": layers, "Bindings": bindings})
        (tmp_path / "x.graph.json").write_text(content, encoding="utf-8")
        torn = [note for note in read_engine(tmp_path / "x.graph.json").notes if note.slug == TORN]
        assert [(note.source, "return: a. " in note.message) for note in torn] == (
            [] if "y" in bindings else [("x.graph.json", True)]
        )
