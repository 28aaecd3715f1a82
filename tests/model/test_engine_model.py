"""The values of the model: what they derive from what they hold."""

from __future__ import annotations

import dataclasses

import pytest

from trexreport.model import (
    DataFormat,
    Engine,
    InputWarning,
    Layer,
    LayerTime,
    QueryTimes,
    Source,
    Tensor,
    Weights,
)
from trexreport.model.data_format import BITS

HALF, MASK = DataFormat("Half", "FP16"), DataFormat("Bool", "BOOL")


def layer(*formats, kind="Convolution"):
    tensors = tuple(Tensor("t", (1,), each) for each in formats)
    return Layer(0, "a", "a", kind, inputs=tensors, outputs=tensors)


@pytest.mark.parametrize(
    ("formats", "precision"),
    [
        ((), ""),
        ((HALF,), "FP16"),
        ((MASK, HALF), "FP16"),
        ((MASK,), "BOOL"),
        ((DataFormat("odd"), HALF), "unknown"),
    ],
)
def test_precision_is_that_of_the_first_tensor_that_is_computed_with(formats, precision):
    assert layer(*formats).precision == layer(*formats).output_precision == precision


@pytest.mark.parametrize(
    ("kind", "structural"),
    [
        ("NoOp", True),
        ("Constant", True),
        ("signal", True),
        ("wait", True),
        ("shape_call", True),
        ("gemm", False),
        ("", False),
    ],
)
def test_structural_layers(kind, structural):
    assert layer(kind=kind).is_structural == structural


@pytest.mark.parametrize(("data_type", "bits"), sorted(BITS.items()))
def test_every_type_has_its_true_size(data_type, bits):
    assert Tensor("t", (16,), DataFormat("x", data_type)).size_bytes == 2 * bits
    assert Weights("weights", data_type, 16).size_bytes == 2 * bits


def test_short_formats():
    assert DataFormat("Half", "FP16").short == "FP16"
    assert DataFormat("long", "FP16", "NHWC8").short == "FP16 NHWC8"
    assert DataFormat("odd").short == "odd"
    assert DataFormat("").short == "unknown"


def test_an_engine_is_profiled_if_one_layer_is():
    assert not Engine("e", (layer(),)).is_profiled
    assert Engine("e", (layer(), dataclasses.replace(layer(), time=LayerTime(0.0)))).is_profiled


def test_queries_are_counted():
    assert len(QueryTimes((1.0, 2.0))) == 2


def test_sources_know_their_hash_and_hide_their_bytes():
    source = Source("log", "x.log", b"abc")
    assert source.sha256 == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert "abc" not in repr(source)


def test_values_cannot_be_changed():
    # Of layers and tensors, of which there are many, the type checker sees to it.
    for value in (HALF, InputWarning("info", "x", "y"), Engine("e", ())):
        with pytest.raises(dataclasses.FrozenInstanceError):
            value.name = "other"
