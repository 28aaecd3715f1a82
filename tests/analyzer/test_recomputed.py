"""Figures of real engines, computed again here from the raw files without any of our code."""

from __future__ import annotations

import json
import math
from collections import defaultdict

import pytest

from trexreport.analyzer import analyze
from trexreport.reader import read_engine

pytestmark = pytest.mark.engines

ENGINES = (
    "a100-resnet18-fp16",
    "a100-resnet18-fp32",
    "a100-resnet18-qat",
    "a100-resnet18-qat-residual",
    "a100-resnet18-qat-residual-qgap",
    "controlnet-trt8.6",
    "names-only-bert",
    "orin-bev-trt8.6",
    "rtx3060-mobilenetv2-torchtrt",
    "rtx3060-resnet18-fp16-trt10",
    "rtx3090-resnet50-fp16",
    "thor-driving-transformer-trt10",
    "torchtrt-alexnet-runonacc",
)
#: Bits of an element by the last word of the inspector's texts that names a type.
BITS = {"FP32": 32, "FLOAT": 32, "INT32": 32, "FP16": 16, "HALF": 16, "INT8": 8, "BOOL": 8, "INT64": 64}
WIDE = {"Two": 2, "Four": 4, "Sixteen": 16, "Thirty-two": 32}


class Raw:
    """The files of one engine, parsed and nothing more."""

    def __init__(self, folder):
        graph = profile = timing = summary = None
        for path in sorted(folder.glob("*.json")):
            document = json.loads(path.read_text("utf-8"), strict=False)
            if path.name.endswith(".timing.json"):
                timing = document
            elif path.name.endswith(".profile.metadata.json"):
                summary = document["performance_summary"]
            elif path.name.endswith("metadata.json"):
                pass
            elif isinstance(document, dict) and "Layers" in document:
                graph = document
            else:
                profile = document
        self.layers = graph["Layers"]
        self.bindings = graph["Bindings"]
        self.times = self._times(profile)
        self.timing, self.summary = timing, summary

    def _times(self, profile):
        """Return the time of each layer of the graph, by name and by order among equal names."""
        found = defaultdict(list)
        if isinstance(profile, dict):
            for name, samples in profile.items():
                found[name].append(sum(samples) / len(samples))
        for record in profile if isinstance(profile, list) else ():
            if "name" in record:
                found[record["name"]].append(record["averageMs"])
        names = [layer if isinstance(layer, str) else layer["Name"] for layer in self.layers]
        return [found[name].pop(0) if found[name] else None for name in names]


def size_of(tensor):
    """Return the bytes of a tensor, channels padded to the vector of its format."""
    text = tensor["Format/Datatype"]
    words = [word.upper() for word in text.replace(".", " ").split()]
    bits = next(BITS[word] for word in words if word in BITS)
    multiple = WIDE.get(text.split()[0], 1)
    if "channel %" in text:
        multiple = int(text.split("channel %")[1].split()[0])
    extents = list(tensor["Dimensions"])
    channels = max(len(extents) - 3, 0) if len(extents) > 2 else len(extents) - 1
    if multiple > 1:
        extents[channels] = math.ceil(extents[channels] / multiple) * multiple
    return math.prod(extents) * bits // 8


def activation_bytes(raw):
    """Return the bytes of all values between layers: each write after a read is a value of its own."""
    value_of, was_read, sizes, aliases = {}, set(), {}, {}

    def touch(tensor):
        key = (tensor["Name"], value_of.get(tensor["Name"], 0))
        sizes[key] = max(sizes.get(key, 0), size_of(tensor))
        return key

    for layer in raw.layers:
        sources = []
        for tensor in layer["Inputs"]:
            sources.append(touch(tensor))
            was_read.add(tensor["Name"])
        for tensor in layer["Outputs"]:
            name = tensor["Name"]
            if name not in value_of or name in was_read:
                value_of[name] = value_of.get(name, 0) + 1
            was_read.discard(name)
            result = touch(tensor)
            if layer["LayerType"] == "NoOp":
                aliases[result] = aliases.get(sources[0], sources[0])
    bound = {(name, value_of.get(name, 0)) for name in raw.bindings}
    handed_on = {aliases[key] for key in bound if key in aliases}
    return sum(
        size
        for key, size in sizes.items()
        if key[1] > 0 and key not in bound and key not in aliases and key not in handed_on
    )


@pytest.fixture(params=ENGINES, scope="module")
def pair(request, shared_engines):
    folder = shared_engines / request.param
    return Raw(folder), analyze(read_engine(folder))


def test_times_and_shares(pair):
    raw, analysis = pair
    assert [layer.time_ms for layer in analysis.layers] == pytest.approx(raw.times)
    timed = [time for time in raw.times if time is not None]
    if not timed:
        assert analysis.latency.layer_sum_ms is None
        return
    total = sum(timed)
    assert analysis.latency.layer_sum_ms == pytest.approx(total, rel=1e-12)
    assert analysis.latency.profiled_layers == len(timed)
    for layer, time in zip(analysis.layers, raw.times, strict=True):
        expected = None if time is None else pytest.approx(100 * time / total)
        assert layer.share_percent == expected
    assert sum(layer.share_percent or 0 for layer in analysis.layers) == pytest.approx(100)


def test_times_and_counts_by_type(pair):
    raw, analysis = pair
    expected = defaultdict(lambda: [0, 0.0])
    for layer, time in zip(raw.layers, raw.times, strict=True):
        record = {} if isinstance(layer, str) else layer
        kind = record.get("ParameterType") or record.get("LayerType") or "not stated"
        if record.get("LayerType", "").startswith("CaskDeconvolution"):
            kind = "Deconvolution"
        if kind not in {"NoOp", "Constant", "signal", "wait", "shape_call"} or time:
            expected[kind][0] += 1
            expected[kind][1] += time or 0
    found = {group.name: [group.count, pytest.approx(group.time_ms or 0)] for group in analysis.by_type}
    assert found == expected


def test_groupings_add_up(pair):
    _, analysis = pair
    groupings = (
        analysis.by_type,
        analysis.by_precision,
        analysis.by_output_precision,
        analysis.by_tactic,
        analysis.by_stream,
        [each.group for each in analysis.by_type_and_precision],
    )
    for groups in groupings:
        total = sum(group.time_ms or 0 for group in groups)
        assert total == pytest.approx(analysis.latency.layer_sum_ms or 0)
        assert sum(group.count for group in groups) == sum(group.count for group in analysis.by_type)


def test_activations(pair):
    raw, analysis = pair
    expected = 0 if analysis.identity.names_only else activation_bytes(raw)
    assert analysis.memory.activations_bytes == expected
    assert analysis.memory.activations_unknown == 0
    assert analysis.memory.peak_live_bytes <= expected


def test_weights(pair):
    raw, analysis = pair
    bits = {"Half": 16, "Float": 32, "Int8": 8, "Int32": 32}
    expected = 0
    for layer in raw.layers:
        for key in ("Weights", "Bias", "ConvWeights", "ConvBias", "weights"):
            value = {} if isinstance(layer, str) else layer.get(key)
            if isinstance(value, dict) and value.get("Count", 0) > 0:
                expected += value["Count"] * bits[value["Type"]] // 8
    assert analysis.memory.weights_bytes - analysis.memory.constants_bytes == expected
    assert analysis.memory.weights_unknown == 0


def test_multiply_accumulates_of_convolutions(pair):
    raw, analysis = pair
    checked = 0
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if isinstance(layer, str) or layer.get("ParameterType") != "Convolution":
            continue
        if layer["LayerType"].startswith("CaskDeconvolution") or not layer["Inputs"]:
            continue
        source, result = layer["Inputs"][0]["Dimensions"], layer["Outputs"][0]["Dimensions"]
        macs = math.prod(result) * source[1] * math.prod(layer["Kernel"]) // layer["Groups"]
        assert facts.work.macs == macs, layer["Name"]
        assert facts.work.m * facts.work.n * facts.work.k == macs
        if facts.time_ms:
            assert facts.work.tflops == pytest.approx(2 * macs / facts.time_ms / 1e9)
        checked += 1
    if any(
        not isinstance(layer, str) and layer.get("ParameterType") == "Convolution" for layer in raw.layers
    ):
        assert checked


def test_weights_of_convolutions_fit_their_shapes(pair):
    """The count of weights that the file states tells whether shapes were read right."""
    raw, analysis = pair
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if facts.work is None or facts.work.kind != "convolution":
            continue
        stated = (layer.get("Weights") or layer.get("ConvWeights") or {}).get("Count", 0)
        if stated:
            assert stated == facts.work.n * facts.work.k, layer["Name"]


def test_moved_bytes(pair):
    raw, analysis = pair
    for layer, facts in zip(raw.layers, analysis.layers, strict=True):
        if isinstance(layer, str) or layer["LayerType"] == "NoOp" or facts.moved_bytes is None:
            continue
        expected = facts.weights_bytes
        for key in ("Inputs", "Outputs"):
            largest = {}
            for tensor in layer[key]:
                largest[tensor["Name"]] = max(largest.get(tensor["Name"], 0), size_of(tensor))
            expected += sum(largest.values())
        assert facts.moved_bytes == expected


def rank(ordered, percent):
    return ordered[max(0, len(ordered) - 1 - int((100 - percent) * len(ordered) // 100))]


def test_percentiles_of_the_queries(pair):
    raw, analysis = pair
    if raw.timing is None:
        assert analysis.stability is None
        return
    ordered = sorted(record["computeMs"] for record in raw.timing)
    found = analysis.stability.percentiles
    assert analysis.stability.queries == len(ordered)
    assert (found.min_ms, found.max_ms) == (ordered[0], ordered[-1])
    assert found.mean_ms == pytest.approx(sum(ordered) / len(ordered))
    assert tuple(found.percentiles.values()) == tuple(rank(ordered, percent) for percent in (90, 95, 99))
    assert sum(analysis.stability.histogram_counts) == len(ordered)


def test_the_summary_of_trtexec_agrees_with_its_queries(pair):
    raw, analysis = pair
    if raw.summary is None:
        assert analysis.latency.throughput_qps is None
        return
    stated = raw.summary["GPU Compute Time"]
    found = analysis.latency.gpu_compute
    assert [found.min_ms, found.max_ms, found.mean_ms, found.median_ms] == stated[:4]
    assert found.p99_ms == stated[-1]
    assert analysis.latency.throughput_qps == raw.summary["Throughput"]
    # The file has 6 digits and, up to TensorRT 8.4, the queries that warmed up as well.
    queries = analysis.stability.percentiles
    assert queries.median_ms == pytest.approx(stated[3], rel=0.02)
    assert queries.p99_ms == pytest.approx(stated[-1], rel=0.05)
