"""Each sample shows what it is there to show."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from test_sample_files import read


def data_type(tensor):
    return tensor["Format/Datatype"]


def median_compute(name):
    return read(name, "profile.metadata")["performance_summary"]["GPU Compute Time"][3]


def mixed_convolutions(name):
    return [
        layer
        for layer in read(name, "graph")["Layers"]
        if layer["LayerType"] == "CaskConvolution"
        and "Int8" in data_type(layer["Inputs"][0])
        and "FP16" in data_type(layer["Outputs"][0])
    ]


def test_quantizing_the_residuals_removes_the_reformats():
    counts = {}
    for name in ("resnet18-int8-before", "resnet18-int8-after"):
        counts[name] = Counter(layer["LayerType"] for layer in read(name, "graph")["Layers"])
    assert counts["resnet18-int8-before"]["Reformat"] == 12
    assert 1 <= counts["resnet18-int8-after"]["Reformat"] <= 3
    assert all(count["NoOp"] == 2 and count["CaskConvolution"] == 21 for count in counts.values())
    assert len(mixed_convolutions("resnet18-int8-before")) == 12
    assert len(mixed_convolutions("resnet18-int8-after")) == 1
    speedup = median_compute("resnet18-int8-before") / median_compute("resnet18-int8-after")
    assert 1.2 < speedup < 2.0


def test_the_traces_of_the_resnets_are_long_and_not_too_smooth():
    for name in ("resnet18-int8-before", "resnet18-int8-after"):
        times = [record["computeMs"] for record in read(name, "timing")]
        assert 3000 <= len(times) <= 4000
        mean = sum(times) / len(times)
        assert 0.001 < (sum((time - mean) ** 2 for time in times) / len(times)) ** 0.5 / mean < 0.02
        outliers = sum(time > 1.02 * mean for time in times)
        assert 3 <= outliers <= 40
        pairs = pairwise(times)
        usual = [(a - mean, b - mean) for a, b in pairs if max(a, b) <= 1.02 * mean]
        correlation = sum(a * b for a, b in usual) / sum(a * a for a, _ in usual)
        assert 0.15 < correlation < 0.55


def test_fused_layers_name_their_onnx_nodes():
    separators = {
        "resnet18-int8-before": "\x1e",
        "transformer-trt10-myelin": "\x1f",
    }
    for name, separator in separators.items():
        metadata = [layer["Metadata"] for layer in read(name, "graph")["Layers"]]
        fused = [text for text in metadata if text.count("[ONNX Layer: ") > 1]
        assert fused
        assert all(separator in text for text in fused)


def test_the_transformer_shows_what_myelin_does():
    name = "transformer-trt10-myelin"
    graph = read(name, "graph")
    layers = graph["Layers"]
    kinds = Counter(layer["LayerType"] for layer in layers)
    assert {"kgen", "gemm", "fusion", "shape_call", "signal", "wait", "Reformat", "NoOp"} <= set(kinds)
    assert kinds["signal"] == kinds["wait"]
    assert sum(layer["Name"].startswith("_gemm_mha") for layer in layers) == 6
    assert {layer["StreamId"] for layer in layers} == {0, 1}
    assert any(layer["Name"].startswith("/model/layers.3/self_attn/q_proj/MatMul_myl4_") for layer in layers)
    writers = Counter(tensor["Name"] for layer in layers for tensor in layer["Outputs"])
    assert len([tensor for tensor, count in writers.items() if count > 5]) == 3
    bare = {data_type(t) for layer in layers for t in layer["Inputs"] + layer["Outputs"]}
    assert {"Half", "Float", "Int64"} <= bare
    assert "past_key_values.5.value" in graph["Bindings"]
    profiled = {record["name"] for record in read(name, "profile")[1:]}
    absent = [layer["LayerType"] for layer in layers if layer["Name"] not in profiled]
    assert sorted(absent) == ["Constant", "NoOp", "kgen"]


def test_the_detector_shows_what_tensorrt_11_changed():
    graph = read("detector-trt11", "graph")
    assert "Bindings" not in graph
    assert graph["ProfilingVerbosity"] == "DETAILED"
    image = graph["I/O Tensors"][0]
    assert image["IOMode"] == "Input"
    assert [info["OptShape"][0] for info in image["ProfileInfo"]] == [4, 1]
    tensors = [
        tensor
        for layer in graph["Layers"]
        for tensor in layer["Inputs"] + layer["Outputs"] + layer.get("Constants", [])
    ]
    assert all("Format/Datatype" not in tensor for tensor in tensors)
    assert {"FP8", "BFloat16", "Int4", "Float", "Int64"} == {tensor["Datatype"] for tensor in tensors}
    assert any("Format" in tensor for tensor in tensors)


def test_the_detector_has_a_copy_of_its_layers_for_the_second_profile():
    layers = read("detector-trt11", "graph")["Layers"]
    half = len(layers) // 2
    first, second = layers[:half], layers[half:]
    assert [layer["LayerType"] for layer in first] == [layer["LayerType"] for layer in second]
    assert not any("[profile" in layer["Name"] for layer in first)
    assert all("[profile 1]" in layer["Name"] or "_myl11_" in layer["Name"] for layer in second)
    assert all(tensor["Dimensions"][0] == -1 for layer in second for tensor in layer["Inputs"])
    profiled = [record["name"] for record in read("detector-trt11", "profile")[1:]]
    assert profiled == [layer["Name"] for layer in first]
