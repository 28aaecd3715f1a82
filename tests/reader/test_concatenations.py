"""Layers that write parts of a concatenation and state all of it as their output."""

from __future__ import annotations

import pytest

from trexreport.model import IMPOSSIBLE
from trexreport.reader import read_engine


def tensor(name, *extents):
    return {"Name": name, "Dimensions": list(extents), "Format/Datatype": "Row major linear FP16 format"}


def layer(name, kind, source, result, **keys):
    return {
        "Name": name,
        "LayerType": kind,
        "ParameterType": kind,
        "Inputs": [source],
        "Outputs": [result],
        **keys,
    }


def copy(name, channels, whole=12, source=""):
    return layer(
        f"{name} copy", "Reformat", tensor(source or name, 1, channels, 8, 8), tensor("cat", 1, whole, 8, 8)
    )


def pooling(name, channels):
    """Return a layer that writes as many channels into the concatenation as it reads."""
    return layer(name, "Pooling", tensor(f"{name}.in", 1, channels, 16, 16), tensor("cat", 1, 12, 8, 8))


def plugin(name):
    """Return a layer of which nothing states how many channels it writes into the concatenation."""
    return layer(name, "Plugin", tensor(f"{name}.in", 1, 9, 8, 8), tensor("cat", 1, 12, 8, 8))


def convolution(name, maps):
    keys = {"Kernel": [1, 1], "OutMaps": maps, "Groups": 1, "Weights": {"Type": "Half", "Count": maps * 16}}
    keys |= {key: [0, 0] for key in ("PrePadding", "PostPadding")} | {"Stride": [1, 1], "Dilation": [1, 1]}
    return layer(name, "Convolution", tensor("x", 1, 16, 8, 8), tensor("cat", 1, 12, 8, 8), **keys)


READER = layer("head", "Pooling", tensor("cat", 1, 12, 8, 8), tensor("z", 1, 12, 4, 4))


def read(capture, *layers):
    engine = read_engine(capture(graph={"Layers": [*layers], "Bindings": ["x", "z"]}))
    return engine, {note.slug for note in engine.notes}


def written(engine, name="cat"):
    return [use.dimensions[1] for each in engine.layers for use in each.outputs if use.name == name]


@pytest.mark.parametrize(
    ("writers", "channels"),
    [
        ([copy("a", 4), copy("b", 8)], [4, 8]),
        ([copy("a", 5), copy("b", 3), copy("c", 4)], [5, 3, 4]),
        ([convolution("a", 4), convolution("b", 8)], [4, 8]),
        ([convolution("a", 4), copy("b", 8)], [4, 8]),
        ([copy("a", 4), pooling("b", 8)], [4, 8]),
        ([copy("a", 4), pooling("b", 2), pooling("c", 6)], [4, 2, 6]),
        ([copy("a", 4), plugin("b")], [4, 8]),
        ([convolution("a", 4), plugin("b"), pooling("c", 2), plugin("d")], [4, 12, 2, 12]),
    ],
)
def test_parts_that_fill_the_whole_are_what_their_layers_write(capture, writers, channels):
    engine, slugs = read(capture, *writers, READER)
    assert written(engine) == channels
    assert not {IMPOSSIBLE, "dynamic-shapes"} & slugs
    assert engine.layers[-1].inputs[0].dimensions == (1, 12, 8, 8)


@pytest.mark.parametrize(
    "writers", [[copy("a", 4), copy("b", 4)], [copy("a", 8), copy("b", 8)], [copy("a", 4)]]
)
def test_parts_that_do_not_fill_the_whole_are_impossible_and_not_dynamic(capture, writers):
    engine, slugs = read(capture, *writers, READER)
    assert written(engine) == [-1] * len(writers)
    assert IMPOSSIBLE in slugs
    assert "dynamic-shapes" not in slugs


def test_a_tensor_that_is_written_again_after_a_read_is_no_concatenation(capture):
    engine, slugs = read(capture, copy("a", 4), READER, copy("b", 8), READER | {"Name": "head 2"})
    assert written(engine) == [-1, -1]
    assert IMPOSSIBLE in slugs


def test_maps_of_which_the_output_has_more_are_stated_with_it(capture):
    engine, _ = read(capture, convolution("a", 4), READER)
    (note,) = (each for each in engine.notes if each.slug == IMPOSSIBLE)
    assert "does not belong to 64 weights, 16 channels and 4 maps in an output of 12" in note.message


def test_parts_that_layers_state_as_parts_are_kept(capture):
    parts = [
        layer(f"{name} copy", "Reformat", tensor(name, 1, extent, 8, 8), tensor("cat", 1, extent, 8, 8))
        for name, extent in (("a", 4), ("b", 8))
    ]
    engine, slugs = read(capture, *parts, READER)
    assert written(engine) == [4, 8]
    assert IMPOSSIBLE not in slugs
