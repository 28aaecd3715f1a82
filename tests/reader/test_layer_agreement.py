"""Layers state one tensor alike, keep what they can't change, and read the types that their kernels name."""

from __future__ import annotations

import json

import pytest

from trexreport.model import IMPOSSIBLE
from trexreport.reader import read_engine

KERNEL = "sm80_xmma_fprop_implicit_gemm_{}_nhwckrsc_nhwc_tilesize128x64x64"


def tensor(name, extents=(2, 8, 8, 8), kind="FP16"):
    return {
        "Name": name,
        "Dimensions": list(extents),
        "Format/Datatype": f"Channel major {kind} format where channel % 8 == 0",
    }


def layer(name, kind, source, result, tactic=""):
    record = {"Name": name, "LayerType": kind, "ParameterType": kind, "Inputs": [source], "Outputs": [result]}
    return {**record, "TacticName": tactic} if tactic else record


def read(capture, *layers, bindings=("x", "z")):
    engine = read_engine(capture(graph={"Layers": list(layers), "Bindings": list(bindings)}))
    return engine, " ".join(note.message for note in engine.notes if note.slug == IMPOSSIBLE)


def extents(engine):
    return [[use.dimensions for use in (*each.inputs, *each.outputs)] for each in engine.layers]


def test_layers_that_agree_are_kept(capture):
    layers = (
        layer("a", "Reformat", tensor("x"), tensor("y")),
        layer("b", "Convolution", tensor("y"), tensor("z", (2, 4, 8, 8)), KERNEL.format("f16f16_f16f16_f16")),
    )
    engine, message = read(capture, *layers)
    assert not message
    assert extents(engine) == [[(2, 8, 8, 8)] * 2, [(2, 8, 8, 8), (2, 4, 8, 8)]]


@pytest.mark.parametrize(
    ("name", "kind", "result", "why"),
    [
        ("a", "Reformat", (2, 8, 8, 80), "does not keep the extents of its input 2×8×8×8"),
        ("Reformatting CopyNode for Input Tensor 0 to c", "NoOp", (2, 8, 8, 80), "does not keep the extents"),
        ("a", "Pooling", (4, 8, 4, 4), "does not keep the batch of its input 2×8×8×8"),
        ("a", "Convolution", (2, 8, 8), "has not as many extents as its input 2×8×8×8"),
    ],
)
def test_a_layer_that_changes_what_it_keeps(capture, name, kind, result, why):
    engine, message = read(capture, layer(name, kind, tensor("x"), tensor("z", result)))
    assert why in message
    assert extents(engine) == [[(-1,) * 4, (-1,) * len(result)]]


def test_a_reformat_may_state_channels_with_their_padding(capture):
    padded = {
        **tensor("y", (2, 32, 8, 8)),
        "Format/Datatype": "Thirty-two wide channel vectorized row major FP16 format",
    }
    assert not read(capture, layer("a", "Reformat", tensor("x"), padded))[1]
    padded["Dimensions"] = [2, 40, 8, 8]
    assert "does not keep the extents" in read(capture, layer("a", "Reformat", tensor("x"), padded))[1]


@pytest.mark.parametrize(
    ("parts", "is_joined"),
    [
        (((2, 8, 8, 8), (2, 16, 8, 8), (2, 8, 8, 8)), True),
        (((2, 32, 8, 3), (2, 32, 8, 5)), True),
        (((2, 8, 8, 8), (2, 16, 8, 8)), False),
        (((2, 8, 8, 8), (2, 24, 8, 4)), False),
        (((2, 32, 8, 4), (2, 16, 8, 4)), False),
    ],
)
def test_a_reformat_may_join_its_inputs(capture, parts, is_joined):
    joining = layer("a", "Reformat", None, tensor("z", (2, 32, 8, 8)))
    joining["Inputs"] = [tensor(f"x{at}", part) for at, part in enumerate(parts)]
    engine, message = read(capture, joining, bindings=[*(each["Name"] for each in joining["Inputs"]), "z"])
    assert ("does not keep the extents" not in message) == is_joined
    assert extents(engine)[0][-1] == ((2, 32, 8, 8) if is_joined else (-1,) * 4)


def test_two_layers_that_state_one_tensor_differently(capture):
    layers = (
        layer("a", "Convolution", tensor("x"), tensor("y")),
        layer("b", "Pooling", tensor("y", (2, 8, 80, 8)), tensor("z", (2, 8, 4, 4))),
    )
    engine, message = read(capture, *layers)
    assert "'b'.Inputs.y = \"2×8×80×8\" is 2×8×8×8 in 'a'" in message
    assert extents(engine) == [[(2, 8, 8, 8), (-1,) * 4], [(-1,) * 4, (2, 8, 4, 4)]]


@pytest.mark.parametrize("part", [(2, 4, 8, 8), (8, 8, 8)])
def test_views_and_parts_of_a_concatenation_differ(capture, part):
    layers = (
        layer("a", "Convolution", tensor("x"), tensor("y")),
        layer("b", "Pooling", tensor("y", part), tensor("z", part)),
    )
    assert not read(capture, *layers)[1]


def test_parts_of_a_buffer_differ(capture):
    layers = [layer(name, "Convolution", tensor("x"), tensor("y")) for name in "ab"]
    layers.append(layer("c", "Pooling", tensor("y", (2, 8, 16, 8)), tensor("z", (2, 8, 4, 4))))
    assert not read(capture, *layers)[1]


@pytest.mark.parametrize(
    ("types", "stated", "unknown"),
    [
        ("f16f16_f16f16_f16", ("FP16", "FP16"), ()),
        ("i8f16_i8i32_f32", ("Int8", "FP16"), ()),
        ("f32f32_tf32f32_f32", ("FP32", "FP32"), ()),
        ("e4m3e4m3_bf16f32_f32", ("FP8", "BF16"), ()),
        ("f16f16_f16f16_f16", ("FP32", "FP16"), ("x",)),
        ("i8f16_i8i32_f32", ("Int8", "FP32"), ("z",)),
        ("bf16bf16_bf16f32_f32", ("FP16", "FP16"), ("x", "z")),
    ],
)
def test_types_that_a_kernel_names(capture, types, stated, unknown):
    source, result = (tensor(name, kind=kind) for name, kind in zip("xz", stated, strict=True))
    engine, message = read(capture, layer("a", "Convolution", source, result, KERNEL.format(types)))
    uses = (*engine.layers[0].inputs, *engine.layers[0].outputs)
    assert tuple(use.name for use in uses if use.format.data_type == "unknown") == unknown
    assert ("is not the type that its kernel names" in message) is bool(unknown)
    assert "unknown-formats" not in {note.slug for note in engine.notes}


@pytest.mark.parametrize(("read_as", "is_refused"), [("FP16", False), ("FP32", True)])
def test_a_kernel_is_in_doubt_where_two_layers_agree_on_a_type(capture, read_as, is_refused):
    engine, message = read(
        capture,
        layer("a", "Convolution", tensor("x", kind="Int8"), tensor("z"), KERNEL.format("i8i8_i8i32_f32")),
        layer("b", "Pooling", tensor("z", kind=read_as), tensor("y")),
    )
    assert (engine.layers[0].outputs[0].format.data_type == "unknown") is is_refused
    assert ("is not the type that its kernel names" in message) is is_refused
    assert ("unusual-values" in {note.slug for note in engine.notes}) is not is_refused


@pytest.mark.parametrize(
    ("types", "stated", "known"),
    [
        ("i8f16_i8i32_f32", "Int8", "INT8"),
        ("i8f16_i8i32_f32", "Half", "unknown"),
        ("f16f16_f16f16_f16", "Half", "FP16"),
        ("f16f16_f16f16_f16", "Int8", "unknown"),
        ("f32f32_tf32f32_f32", "Float", "FP32"),
    ],
)
def test_a_kernel_multiplies_weights_of_the_type_that_it_reads(capture, types, stated, known):
    kinds = {"i": "Int8", "f1": "FP16", "f3": "FP32"}
    kind = next(each for start, each in kinds.items() if types.startswith(start))
    written = "FP32" if kind == "FP32" else "FP16"
    record = layer(
        "a", "Convolution", tensor("x", kind=kind), tensor("z", kind=written), KERNEL.format(types)
    )
    engine, message = read(capture, {**record, "Weights": {"Type": stated, "Count": 72}})
    assert [each.data_type for each in engine.layers[0].weights] == [known]
    assert ("'a'.Weights" in message) is (known == "unknown")


def test_a_list_that_is_there_twice(capture):
    layers = [layer("a", "Convolution", tensor("x"), tensor("z")), {"Name": "wait", "LayerType": "wait"}]
    text = json.dumps({"Layers": layers * 2, "Bindings": ["x", "z"]})
    engine = read_engine(capture(graph=text))
    assert [each.name for each in engine.layers] == ["a", "wait"]
    assert "layers-twice" in [note.slug for note in engine.notes]


@pytest.mark.parametrize("kind", ["Convolution", "Pooling"])
def test_layers_with_windows_read_tensors_that_are_no_scalars(capture, kind):
    engine, message = read(capture, layer("a", kind, tensor("x", ()), tensor("z")))
    assert "'a'.Inputs.Dimensions = a list without extents, as that of a scalar" in message
    # Neither a scalar nor of any other known size.
    assert extents(engine)[0][0] == (-1,)
    without = {**layer("a", kind, tensor("x"), tensor("z")), "Inputs": []}
    assert f"'a'.Inputs = a list without entries, and a {kind} reads a tensor" in read(capture, without)[1]


def test_other_layers_may_have_scalars_and_no_inputs(capture):
    constant = {**layer("a", "Constant", tensor("x"), tensor("y", ())), "Inputs": []}
    assert not read(capture, constant, layer("b", "PointWise", tensor("y", ()), tensor("z", ())))[1]
