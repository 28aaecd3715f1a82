"""Files of another run, copies under another name, and lists that lack a part are noted."""

from __future__ import annotations

import json

import pytest

from trexreport.model import IMPOSSIBLE, Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture

QUERIES, PACE_MS = 500, 2.0
SUMMARY = {
    "Throughput": 1000 / PACE_MS,
    "Total Host Walltime": QUERIES * PACE_MS / 1000,
    "Latency": [1.6] * 5,
    "GPU Compute Time": [1.0] * 5,
    "H2D Latency": [0.5] * 5,
    "D2H Latency": [0.1] * 5,
}


def read(*files):
    sources = [
        Source(role, f"x.{role}.json", text.encode() if isinstance(text, str) else json.dumps(text).encode())
        for role, text in files
    ]
    return assemble(Capture("x", tuple(sources)))


def codes(*files):
    return [each.code for each in read(*files).contradictions]


def slugs(*files):
    return [note.slug for note in read(*files).notes]


def queries(pace=1.0):
    """Return the times of a run that began a query every two milliseconds, or a part of that."""
    return [
        {
            "startH2dMs": 200 + at * PACE_MS * pace,
            "endH2dMs": 200.5 + at * PACE_MS * pace,
            "startComputeMs": 200.5 + at * PACE_MS * pace,
            "endComputeMs": 201.5 + at * PACE_MS * pace,
            "latencyMs": 1.6,
            "computeMs": 1.0,
            "h2dMs": 0.5,
            "d2hMs": 0.1,
        }
        for at in range(QUERIES)
    ]


def metadata(version="8.6.1", **changes):
    return {
        "TensorRT version": version,
        "performance_summary": {**SUMMARY, **changes},
        "inference_options": {"Batch": "Explicit", "Duration": "1s (+ 200ms warm up)"},
    }


@pytest.mark.parametrize(
    ("changes", "version", "found"),
    [
        ({}, "8.6.1", []),
        ({"Total Host Walltime": 1.05, "Throughput": 476.0}, "8.6.1", []),
        # The host was held up after the last query.
        ({"Total Host Walltime": 1.14, "Throughput": 438.6}, "10.3.0", []),
        # Walltime and throughput changed places: as many queries, in 500 s.
        ({"Total Host Walltime": 500.0, "Throughput": 1.0}, "8.6.1", ["run-length"]),
        ({"Total Host Walltime": 0.25, "Throughput": 2000.0}, "10.3.0", ["run-length"]),
        # trtexec up to 8.4 exports the warm-up, too.
        ({"Total Host Walltime": 0.8, "Throughput": 500.0}, "8.4.1", []),
    ],
)
def test_queries_and_summary_of_a_run_last_equally_long(changes, version, found):
    assert codes(("timing", queries()), ("profile-metadata", metadata(version, **changes))) == found


@pytest.mark.parametrize(("nodes", "found"), [({}, []), ({"Metadata": ""}, ["run-length"])])
def test_a_version_that_states_nodes_exports_no_warm_up(nodes, found):
    stated = metadata("", **{"Total Host Walltime": 0.8, "Throughput": 625.0})
    assert codes(("graph", graph(**nodes)), ("timing", queries()), ("profile-metadata", stated)) == found


@pytest.mark.parametrize(
    ("h2d", "d2h", "found"), [(0.5, 0.1, []), (0.52, 0.11, []), (0.1, 0.5, ["query-times"])]
)
def test_copies_take_as_long_in_the_summary_of_a_run(h2d, d2h, found):
    changes = {"H2D Latency": [h2d] * 5, "D2H Latency": [d2h] * 5, "Latency": [1.0 + h2d + d2h] * 5}
    assert codes(("timing", queries()), ("profile-metadata", metadata(**changes))) == found


def graph(extents=(2, 3, 8, 8), **parameters):
    tensor = {"Dimensions": list(extents), "Format/Datatype": "Row major linear FP32"}
    layer = {
        "Name": "conv",
        "LayerType": "Convolution",
        "Inputs": [{"Name": "x", **tensor}],
        "Outputs": [{"Name": "y", **tensor}],
        **parameters,
    }
    pooled = {**layer, "Name": "pool", "LayerType": "Pooling"}
    pooled |= {"Inputs": [{"Name": "y", **tensor}], "Outputs": [{"Name": "z", **tensor}]}
    return {"Layers": [layer, pooled], "Bindings": ["x", "z"]}


@pytest.mark.parametrize(
    ("extents", "batch", "version", "found"),
    [
        ((2, 3, 8, 8), "Explicit", "8.6.1", []),
        ((3, 8, 8), "Explicit", "8.6.1", ["shapes"]),
        ((3, 8, 8), "", "10.3.0", ["shapes"]),
        # An implicit batch is in none of the extents.
        ((3, 8, 8), "2", "8.6.1", []),
    ],
)
def test_an_explicit_batch_is_among_the_extents(extents, batch, version, found):
    ran = {"Batch": batch, "Input inference shape: x": "x=2x3x8x8"}
    stated = {"TensorRT version": version, "inference_options": ran}
    assert codes(("graph", graph(extents)), ("profile-metadata", stated)) == found


@pytest.mark.parametrize(
    ("name", "bits", "found"),
    [
        ("NVIDIA A100-SXM4-40GB", 5120, []),
        ("NVIDIA A100-SXM4-40GB", 384, ["memory-bus"]),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 640, []),
    ],
)
def test_one_gpu_has_one_memory_bus_and_a_part_of_it_another(name, bits, found):
    def device(name, bits):
        return {"device_information": {"Selected Device": name, "Memory Bus Width": bits}}

    both = device("NVIDIA A100-SXM4-40GB", 5120), device(name, bits)
    assert codes(("build-metadata", both[0]), ("profile-metadata", both[1])) == found


@pytest.mark.parametrize(
    ("nodes", "version", "found"),
    [
        ({}, "8.2.3", []),
        ({"Metadata": "[ONNX Layer: conv]"}, "8.6.1", []),
        ({"Metadata": "[ONNX Layer: conv]"}, "8.2.3", ["tensorrt-version"]),
    ],
)
def test_no_version_writes_what_came_later(nodes, version, found):
    assert codes(("graph", graph(**nodes)), ("build-metadata", {"TensorRT version": version})) == found


@pytest.mark.parametrize(("count", "refused"), [(0, False), (16, False), (160, True)])
def test_a_bias_has_a_value_for_each_map(count, refused):
    record = graph(OutMaps=16, Bias={"Type": "Float", "Count": count})
    engine = read(("graph", record))
    assert any(note.slug == IMPOSSIBLE and "maps" in note.message for note in engine.notes) is refused
    assert [each.count for each in engine.layers[0].weights if each.role == "bias"] == (
        [None] if refused else [count] * bool(count)
    )


def test_a_file_that_is_a_copy_of_another_one():
    files = ("build-metadata", metadata()), ("profile-metadata", metadata())
    assert "copied-file" in slugs(*files)
    assert "copied-file" not in slugs(files[0], ("profile-metadata", metadata(Throughput=499.0)))


@pytest.mark.parametrize("kind", ["Convolution", "NoOp"])
def test_layers_that_compute_write_something(kind):
    record = graph()
    assert "layers-without-outputs" not in slugs(("graph", record))
    record["Layers"][0] |= {"LayerType": kind, "Inputs": [], "Outputs": []}
    assert ("layers-without-outputs" in slugs(("graph", record))) is (kind == "Convolution")


def test_a_long_name_of_a_layer_ends_within_a_sentence():
    record = graph()
    record["Layers"][0] |= {"Name": f"{'a' * 79} + Relu_1", "LayerType": "Convolution", "Outputs": []}
    found = [each.message for each in read(("graph", record)).notes if each.slug == "layers-without-outputs"]
    assert len(found) == 1
    assert "Relu_1. What reads" in found[0]
