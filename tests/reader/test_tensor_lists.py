"""What layers list as their tensors has a name and extents, and is written once."""

from __future__ import annotations

import pytest

from trexreport.model import IMPOSSIBLE
from trexreport.reader import read_engine

LINEAR = "Row major linear FP32"


def tensor(name, **more):
    return {"Name": name, "Dimensions": [1, 8, 4, 4], "Format/Datatype": LINEAR, **more}


def read(capture, inputs, outputs):
    first = {"Name": "a", "LayerType": "ElementWise", "Inputs": inputs, "Outputs": outputs}
    second = {"Name": "b", "LayerType": "ElementWise", "Inputs": [tensor("t")], "Outputs": [tensor("y")]}
    engine = read_engine(capture(graph={"Layers": [first, second], "Bindings": ["x", "y"]}))
    return engine, {note.slug: note.message for note in engine.notes}


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ([tensor("")], [tensor("t")], """'a'.Inputs[0].Name = "" is not the name of a tensor"""),
        ([tensor("x")], [tensor("t"), tensor("t")], """'a'.Outputs[1] = "t" is listed twice"""),
        ([{"Name": "x", "Format/Datatype": LINEAR}], [tensor("t")], "'a'.Inputs.x has no Dimensions"),
    ],
)
def test_what_no_tensor_is_like_is_noted(capture, inputs, outputs, message):
    engine, notes = read(capture, inputs, outputs)
    assert message in notes[IMPOSSIBLE]
    assert [each.name for each in engine.layers[0].outputs] == ["t"]
    # It is not a tensor of dynamic shape, which another run would state.
    assert "dynamic-shapes" not in notes


def test_a_layer_may_read_a_tensor_twice(capture):
    engine, notes = read(capture, [tensor("x"), tensor("x")], [tensor("t")])
    assert [each.name for each in engine.layers[0].inputs] == ["x", "x"]
    assert IMPOSSIBLE not in notes


def test_a_format_that_is_not_known_is_named_with_its_layer(capture):
    _, notes = read(capture, [tensor("x", **{"Format/Datatype": "Quux 77"})], [tensor("t")])
    assert "'Quux 77' in 'a'" in notes["unknown-formats"]
    _, notes = read(capture, [{"Name": "x", "Dimensions": [1]}], [tensor("t")])
    assert "no format in 'a'" in notes["unknown-formats"]
