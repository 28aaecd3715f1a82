"""Layers state one tensor in one type, and read no more of it than is written."""

from __future__ import annotations

import pytest

from trexreport.model import IMPOSSIBLE
from trexreport.reader import read_engine


def tensor(name, extents=(1, 4, 16, 8), kind="Half"):
    return {"Name": name, "Dimensions": list(extents), "Format/Datatype": kind}


def kernel(name, sources, results, metadata="[ONNX Layer: a]\x1f[ONNX Layer: b]"):
    return {"Name": name, "LayerType": "kgen", "Inputs": sources, "Outputs": results, "Metadata": metadata}


def read(capture, *layers, bindings=("x", "z")):
    engine = read_engine(capture(graph={"Layers": list(layers), "Bindings": list(bindings)}))
    return engine, " ".join(note.message for note in engine.notes if note.slug == IMPOSSIBLE)


def unlike(engine):
    return [note for note in engine.notes if note.slug == "unlike-shapes"]


@pytest.mark.parametrize(
    ("written", "read_as", "is_possible"),
    [
        ((1, 4, 16, 8), (1, 4, 16, 8), True),
        ((1, 4, 16, 8), (4, 16, 8), True),
        # A kernel reads a part.
        ((3, 4, 16, 8), (4, 16, 8), True),
        ((1, 4, 16, 8), (1, 4, 16, 16), False),
        ((1, 4, 16, 8), (2, 4, 16, 8), False),
        ((16, 8), (16, 16), False),
        # An extent is not known.
        ((1, 4, -1, 8), (1, 4, 16, 16), True),
    ],
)
@pytest.mark.parametrize("separator", ["\x1e", "\x1f", ""])
def test_no_kernel_reads_more_than_is_written(capture, written, read_as, is_possible, separator):
    layers = (
        kernel("a", [tensor("x", written)], [tensor("y", written)], f"[ONNX Layer: a]{separator}b"),
        kernel("b", [tensor("w"), tensor("y", read_as)], [tensor("z")]),
    )
    engine, message = read(capture, *layers)
    assert ("'b'.Inputs.y" in message) is not is_possible
    if not is_possible:
        assert {use.dimensions for use in (engine.layers[0].outputs[0], engine.layers[1].inputs[1])} == {
            (-1,) * len(written)
        }


def test_a_name_that_is_written_again_may_be_read_as_a_whole(capture):
    parts = [kernel(name, [tensor("x")], [tensor("y", (1, 4, 16, 4))]) for name in "ab"]
    assert not read(capture, *parts, kernel("c", [tensor("y")], [tensor("z")]))[1]


def test_a_name_that_is_written_after_it_was_read_is_of_another_tensor(capture):
    layers = (
        kernel("a", [tensor("x"), tensor("y", (1, 4, 16, 16))], [tensor("w")]),
        kernel("b", [tensor("w")], [tensor("y"), tensor("z")]),
    )
    assert not read(capture, *layers)[1]


@pytest.mark.parametrize(
    ("kind", "is_possible"), [("Half", True), ("Float", False), ("Bool", False), ("", True)]
)
def test_a_tensor_has_one_type(capture, kind, is_possible):
    layers = (
        kernel("a", [tensor("x")], [tensor("y")]),
        kernel("b", [tensor("w"), tensor("y", kind=kind)], [tensor("z")]),
    )
    engine, message = read(capture, *layers)
    assert ("is FP16 in 'a'" in message) is not is_possible
    if not is_possible:
        uses = engine.layers[0].outputs[0], engine.layers[1].inputs[1]
        assert {use.format.data_type for use in uses} == {"unknown"}


def test_formats_of_one_type_may_differ(capture):
    layouts = ("Row major linear FP16 format", "Channel major FP16 format where channel % 8 == 0")
    layers = (
        kernel("a", [tensor("x")], [tensor("y", kind=layouts[0])]),
        kernel("b", [tensor("y", kind=layouts[1])], [tensor("z")]),
    )
    assert not read(capture, *layers)[1]


@pytest.mark.parametrize(
    ("name", "extents", "is_noted"),
    [
        ("gemm", (1, 16, 16, 8), False),
        ("gemm", (1, 16, 16, 4), True),
        ("gemm", (1, 16, 4, 8), True),
        # The readers together read the whole, choose a part, or see a view.
        ("two", (1, 16, 16, 4), False),
        ("__myl_SlicAdd", (1, 16, 16, 4), False),
        ("[SLICE]-[aten_ops.slice.Tensor]-[slice_1]", (1, 16, 16, 4), False),
        ("gemm", (1, 16, 1, 8), False),
        ("first", (1, 16, 16, 8), True),
        ("gemm", (16, 16, 4), False),
        # Channels of a concatenation.
        ("gemm", (1, 4, 16, 8), False),
    ],
)
def test_a_part_that_nothing_reads_is_noted(capture, name, extents, is_noted):
    readers = [
        kernel(each, [tensor("y", extents)], [tensor(f"t{each}", extents)])
        for each in (["one", "other"] if name == "two" else [name])
    ]
    last = kernel("last", [each["Outputs"][0] for each in readers], [tensor("z")])
    whole = (2 if name == "first" else 1, 16, 16, 8)
    engine, _ = read(capture, kernel("a", [tensor("x")], [tensor("y", whole)]), *readers, last)
    noted = unlike(engine)
    assert len(noted) == is_noted
    if is_noted:
        assert noted[0].source == "x.graph.json"
        assert f"'y' ({whole[0]}×16×16×8 and" in noted[0].message


@pytest.mark.parametrize(("parts", "is_noted"), [(4, False), (3, True)])
def test_parts_of_a_concatenation_within_another_fill_it(capture, parts, is_noted):
    layers = [kernel(f"p{at}", [tensor("x")], [tensor("y", (1, 4, 1, 16, 8))]) for at in range(parts)]
    last = kernel("last", [tensor("y", (1, 8, 2, 16, 8))], [tensor("z")])
    assert len(unlike(read(capture, *layers, last)[0])) == is_noted


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("LayerType", 17, "LayerType = 17 is not a text"),
        ("TacticName", ["a"], "TacticName = a list is not a text"),
        ("Inputs", {"a": 1}, "Inputs = an object is not a list of tensors"),
        ("Outputs", "y", 'Outputs = "y" is not a list of tensors'),
        ("Constants", None, ""),
    ],
)
def test_keys_of_a_layer_have_their_types(capture, key, value, why):
    layer = kernel("a", [tensor("x")], [tensor("z")])
    message = read(capture, {**layer, key: value})[1]
    assert why in message
    assert bool(message) is bool(why)
