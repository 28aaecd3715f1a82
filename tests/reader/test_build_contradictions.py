"""The options of a build contradict layers that it can't have made: its metadata is of another engine."""

import json

import pytest
from valid_captures import STEM, ValidCapture

from trexreport.model import Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture


def contradictions(
    role="build-metadata", name=f"{STEM}.build.metadata.json", streams=1, layers=None, **options
):
    """Return the contradictions of layers on some streams with the options of a build."""
    capture = next(each for each in map(ValidCapture, range(100)) if len(each.names) > 8)
    graph = capture.graph()
    for number, layer in enumerate(graph["Layers"]):
        layer["StreamId"] = number % streams
    graph["Layers"] = layers or graph["Layers"]
    device = {"Selected Device": capture.gpu[0], "Compute Capability": capture.gpu[2]}
    metadata = {"model_options": {"Model": "x.onnx"}, "build_options": options, "device_information": device}
    text = json.dumps(metadata)
    if role == "log":
        command, listed = options.pop("command"), [f"[I] {key}: {value}" for key, value in options.items()]
        lines = [f"&&&& RUNNING TensorRT.trtexec # trtexec {command}", "[I] === Build Options ===", *listed]
        text = "\n".join([*lines, "&&&& PASSED TensorRT.trtexec"])
    sources = (
        Source("graph", f"{STEM}.graph.json", json.dumps(graph).encode()),
        Source(role, name, text.encode()),
    )
    return assemble(Capture("x", sources)).contradictions, capture


def codes(*given, **options):
    found, capture = contradictions(*given, **options)
    return [each.code for each in found], capture


@pytest.mark.parametrize(
    ("streams", "options", "expected"),
    [
        (1, {"Profiling verbosity": "2", "MaxAuxStreams": "-1"}, []),
        (1, {"Profiling verbosity": "0"}, ["build-options"]),
        (1, {"Profiling verbosity": "1"}, ["build-options"]),
        (2, {"MaxAuxStreams": "0"}, ["build-options"]),
        (2, {"MaxAuxStreams": "1"}, []),
        (3, {"MaxAuxStreams": "-1"}, []),
        (3, {"MaxAuxStreams": "many"}, []),
    ],
)
def test_details_and_streams_of_layers_are_those_of_the_build(streams, options, expected):
    assert codes(streams=streams, **options)[0] == expected


def test_a_contradiction_names_the_option_and_both_values():
    (of_layers,), _ = contradictions(**{"Profiling verbosity": "0"})
    (of_streams,), _ = contradictions(streams=3, MaxAuxStreams="0")
    files = (f"{STEM}.graph.json states", f"{STEM}.build.metadata.json states")
    assert of_layers.message == (
        f"Contradictory value of profiling verbosity: {files[0]} details of layers and "
        f"{files[1]} names of layers only."
    )
    assert of_streams.message == (
        f"Contradictory value of MaxAuxStreams: {files[0]} 3 streams and {files[1]} up to 1 stream."
    )


def test_names_of_layers_alone_fit_any_build():
    assert codes(layers=["a", "b", "c"], **{"Profiling verbosity": "0"})[0] == []


@pytest.mark.parametrize(
    ("command", "expected"),
    [("--onnx=x.onnx --saveEngine=x.plan", ["build-options"]), ("--loadEngine=x.plan", [])],
)
def test_a_run_that_loads_an_engine_lists_options_of_no_build(command, expected):
    found, _ = codes("log", f"{STEM}.log", command=command, **{"Profiling verbosity": "0"})
    assert found == expected


@pytest.mark.parametrize(
    ("key", "shapes", "expected"),
    [
        ("Input build shapes", "model", []),
        ("Input build shape", "input={0}+{0}+{0}", []),
        ("Input build shapes (profile 0)", "input=1x3x64x64+4x3x64x64+64x3x64x64", []),
        ("Input build shape", "input=7x3x32x32+7x3x32x32+7x3x32x32", ["shapes"]),
        (
            "Input build shape",
            "other=1x3x32x32+1x3x32x32+1x3x32x32, input=99x3x64x64+99x3x64x64+99x3x64x64",
            ["shapes"],
        ),
        ("Input build shape", "input=7x3x32x32", []),
    ],
)
def test_shapes_are_those_that_the_build_was_for(key, shapes, expected):
    extents = codes()[1].extents()
    found, _ = codes(**{key: shapes.format(extents), "Max batch": "explicit batch"})
    assert found == expected
