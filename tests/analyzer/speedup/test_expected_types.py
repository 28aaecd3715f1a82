"""The types that layers should have in a lower precision, where many layers read one tensor."""

from __future__ import annotations

from precision_engines import engine_of, tensor

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.speedup.expected import Expectation

READERS = 200


def _reader(number, kind):
    return {
        "Name": f"reader{number}",
        "LayerType": kind,
        "Inputs": [tensor("mask", "FP32")],
        "Outputs": [tensor(f"out{number}", "FP32")],
    }


def test_a_tensor_that_all_layers_read_is_considered_once(monkeypatch):
    writer = {"Name": "w", "LayerType": "Pooling", "Inputs": [tensor("x", "FP32")]}
    records = [writer | {"Outputs": [tensor("mask", "FP32")]}]
    records += [_reader(number, "Pooling") for number in range(READERS)]
    # One of all readers has no kernel in INT8: the tensor keeps the type that this one reads.
    records.append(_reader(READERS, "SoftMax"))
    context = Context(analyze(engine_of(records)))
    asked = []
    lowest = Expectation._lowest

    def counted(self, layer):
        asked.append(layer.index)
        return lowest(self, layer)

    monkeypatch.setattr(Expectation, "_lowest", counted)
    expectation = Expectation(context, "INT8", 0.0)
    types = [expectation.types(layer)[1] for layer in context.layers]
    assert asked == [layer.index for layer in context.layers]
    assert [each.read for each in types[1:]] == [["FP16"]] * (READERS + 1)
    assert [each.computed for each in types[1:]] == ["INT8"] * READERS + ["FP16"]
