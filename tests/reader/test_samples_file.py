"""The time of each layer in each iteration."""

from __future__ import annotations

import json

import pytest

from trexreport.errors import InputError
from trexreport.reader import read_engine
from trexreport.reader.samples_file import read_layer_samples

GRAPH = {"Layers": [{"Name": "a", "LayerType": "gemm"}, {"Name": "b"}, {"Name": "a"}]}
PROFILE = [
    {"count": 3},
    {"name": "a", "timeMs": 6, "averageMs": 2, "medianMs": 1.9, "percentage": 50},
    {"name": "b", "timeMs": 3, "averageMs": 1, "medianMs": 1, "percentage": 25},
    {"name": "a", "timeMs": 3, "averageMs": 1, "medianMs": 1.1, "percentage": 25},
]
SAMPLES = {
    "schema": "trexreport-layer-samples",
    "layers": [
        {"name": "a", "samples_ms": [1, 2, 3]},
        {"name": "b", "samples_ms": [1, 1, 1]},
        {"name": "a", "samples_ms": [0.9, 1, 1.1]},
    ],
}


def test_samples_come_to_what_the_profile_states(capture):
    engine = read_engine(capture(graph=GRAPH, profile=PROFILE, samples=SAMPLES))
    first, _, third = engine.layers
    assert (first.time.avg_ms, first.time.median_ms) == (2, 1.9), "the profile's own figures stay"
    assert first.time.samples_ms == (1, 2, 3)
    assert third.time.samples_ms == (0.9, 1, 1.1)
    assert [note.slug for note in engine.notes if note.severity == "degraded"] == []


def test_without_a_profile_they_are_the_profile(capture):
    engine = read_engine(capture(graph=GRAPH, samples=SAMPLES))
    assert [layer.time.avg_ms for layer in engine.layers] == [2, 1, pytest.approx(1)]
    assert engine.profiled_iterations == 3


def test_layers_that_the_profile_does_not_have_are_noted(capture):
    samples = {"layers": [*SAMPLES["layers"], {"name": "x", "samples_ms": [1]}]}
    engine = read_engine(capture(graph=GRAPH, profile=PROFILE, samples=samples))
    (note,) = [note for note in engine.notes if note.slug == "samples-without-layer"]
    assert "1, such as x." in note.message


@pytest.mark.parametrize(
    ("names", "factor", "expected"),
    [
        ("abc", 1, ""),
        # Two of 30% and 10% of the time, in a total that is the same.
        (
            "bac",
            1,
            "layer times of a: x.profile.json states 0.300\xa0ms and x.samples.json states 0.100\xa0ms.",
        ),
        # One that differs by less than the resolution.
        ("abc", 1.9, ""),
        ("abc", 400, "a total layer time of 1.00\xa0ms and x.samples.json states a total layer time of"),
    ],
)
def test_samples_that_are_of_other_layers_contradict_the_profile(capture, names, factor, expected):
    times = {"a": 0.3, "b": 0.1, "c": 0.6, "d": 0.005}
    rows = [{"name": name, "timeMs": ms, "averageMs": ms} for name, ms in times.items()]
    layers = dict(zip([*names, "d"], times.values(), strict=True))
    layers["d"] *= factor
    samples = {"layers": [{"name": name, "samples_ms": [ms, ms]} for name, ms in layers.items()]}
    graph = {"Layers": [{"Name": name} for name in times]}
    engine = read_engine(capture(graph=graph, profile=[{"count": 1}, *rows], samples=samples))
    assert [each.code for each in engine.contradictions] == (["layer-times"] if expected else [])
    assert expected in "".join(each.message for each in engine.contradictions)


def test_times_that_are_no_numbers_are_left_out_and_counted():
    document = {"layers": [{"name": "a", "samples_ms": [1, None, -2, 3]}, {"name": "b"}, 7]}
    profile = read_layer_samples(json.dumps(document), "s.json")
    assert [row.time and row.time.samples_ms for row in profile.rows] == [(1, 3), None]
    assert [note.slug for note in profile.notes] == ["impossible-values"]


@pytest.mark.parametrize("text", ["{}", "[]", '{"layers": [{"name": "a"}]}', "x"])
def test_what_holds_no_samples_is_an_error(text):
    with pytest.raises(InputError):
        read_layer_samples(text, "s.json")


def test_damage_in_them_leaves_the_profile(capture):
    engine = read_engine(capture(graph=GRAPH, profile=PROFILE, samples="{"))
    assert engine.layers[0].time.avg_ms == 2
    assert "file-left-out" in [note.slug for note in engine.notes]


def test_samples_that_are_all_zero_measured_nothing():
    profile = read_layer_samples('{"layers": [{"name": "a", "samples_ms": [0, 0.0]}]}', "s.json")
    assert [row.time for row in profile.rows] == [None]
    assert [note.slug for note in profile.notes] == ["profile-zero"]
