"""The committed samples are what the generator writes, and agree with themselves."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import make_samples
import pytest
from generator.engine import SYNTHETIC_NOTE

FOLDER = Path(make_samples.__file__).resolve().parent
NAMES = sorted(make_samples.SAMPLES)
KINDS = ("graph", "profile", "timing", "build.metadata", "profile.metadata")
TIMING_KEYS = [
    *("startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs"),
    *("startD2hMs", "endD2hMs", "h2dMs", "computeMs", "d2hMs", "latencyMs"),
]


def read(name, kind):
    return json.loads((FOLDER / name / f"{name}.engine.{kind}.json").read_text(encoding="utf-8"))


def text(name, kind):
    return (FOLDER / name / f"{name}.engine.{kind}.json").read_text(encoding="utf-8")


def without_profile(tensor_name):
    return re.sub(r" \[profile \d+\]$", "", tensor_name)


def binding_names(graph):
    if "Bindings" in graph:
        return set(graph["Bindings"])
    return {tensor["Name"] for tensor in graph["I/O Tensors"]}


@pytest.mark.parametrize("name", NAMES)
def test_the_generator_reproduces_the_committed_bytes(name):
    files = make_samples.SAMPLES[name]()
    assert sorted(files) == sorted(f"{name}.engine.{kind}.json" for kind in KINDS)
    assert sorted(path.name for path in (FOLDER / name).iterdir()) == sorted(files)
    for file_name, content in files.items():
        assert (FOLDER / name / file_name).read_bytes() == content, file_name


def test_another_process_writes_the_same_bytes(tmp_path):
    command = [sys.executable, str(FOLDER / "make_samples.py"), "--output", str(tmp_path)]
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    subprocess.run(command, check=True, env=environment, capture_output=True)
    written = {
        path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()
    }
    beside = 2 * len(make_samples.WITH_MODEL) + 2 * len(make_samples.WITH_KERNELS)
    # The baseline in FP16, with its accuracy.
    beside += len(KINDS) + 1
    assert len(written) == len(NAMES) * len(KINDS) + beside
    for path, content in written.items():
        assert (FOLDER / path).read_bytes() == content, path


def test_only_writes_one_sample(tmp_path, capsys):
    make_samples.main(["--only", "detector-trt11", "-o", str(tmp_path)])
    assert [path.name for path in tmp_path.iterdir()] == ["detector-trt11"]
    assert "5 files" in capsys.readouterr().out


def test_the_engines_of_the_walkthrough_are_written(tmp_path):
    make_samples.main(["--walkthrough", "-o", str(tmp_path)])
    names = {f"resnet18-{name}" for name in make_samples.WALKTHROUGH}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert len(names) == 5


def test_the_samples_stay_small():
    sizes = [path.stat().st_size for name in NAMES for path in (FOLDER / name).iterdir()]
    assert sum(sizes) <= 2_000_000
    models = [path.read_bytes() for path in (FOLDER / "models").iterdir()]
    assert len(models) == len(make_samples.WITH_MODEL)
    # They repeat modules and stack traces again and again.
    assert max(map(len, models)) <= 200_000
    assert max(len(gzip.compress(model)) for model in models) <= 12_000
    assert max(path.stat().st_size for path in (FOLDER / "accuracy").iterdir()) <= 10_000
    assert max(path.stat().st_size for path in (FOLDER / "kernels").iterdir()) <= 20_000


@pytest.mark.parametrize("name", NAMES)
def test_every_capture_says_that_it_is_synthetic(name):
    assert read(name, "graph")["Synthetic"] == SYNTHETIC_NOTE
    assert read(name, "build.metadata")["synthetic"] is True
    assert read(name, "profile.metadata")["synthetic"] is True


@pytest.mark.parametrize("name", NAMES)
def test_the_profile_is_as_trtexec_writes_it(name):
    lines = text(name, "profile").splitlines()
    assert lines[0] == "["
    assert lines[-1] == "]"
    assert re.fullmatch(r'  \{ "count" : \d+ \}', lines[1])
    record = re.compile(
        r', \{ "name" : ".+", "timeMs" : \S+, "averageMs" : \S+, "medianMs" : \S+, "percentage" : \S+ \}'
    )
    assert len(lines) > 20
    assert [line for line in lines[2:-1] if not record.fullmatch(line)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_profile_agrees_with_the_graph_and_with_itself(name):
    count, *records = read(name, "profile")
    layers = [layer["Name"] for layer in read(name, "graph")["Layers"]]
    profiled = [record["name"] for record in records]
    assert len(set(layers)) == len(layers)
    known = set(profiled)
    assert profiled == [layer for layer in layers if layer in known]
    assert sum(record["percentage"] for record in records) == pytest.approx(100, abs=0.001)
    for record in records:
        assert record["timeMs"] == pytest.approx(record["averageMs"] * count["count"], rel=2e-5)
        assert record["medianMs"] <= record["averageMs"] + 0.0011  # one tick of the timer


@pytest.mark.parametrize("name", NAMES)
def test_the_timing_trace_is_as_trtexec_writes_it(name):
    lines = text(name, "timing").splitlines()
    records = read(name, "timing")
    assert len(lines) == len(records) + 2
    for record, line in zip(records, lines[1:-1], strict=True):
        assert list(record) == TIMING_KEYS
        assert line.startswith((", { ", "  { "))
        assert record["latencyMs"] == pytest.approx(
            record["h2dMs"] + record["computeMs"] + record["d2hMs"], rel=1e-5
        )
        assert record["endComputeMs"] - record["startComputeMs"] == pytest.approx(
            record["computeMs"], abs=0.011
        )
    assert [r["startComputeMs"] for r in records] == sorted(r["startComputeMs"] for r in records)
    digits = [re.sub(r"e.*|\D", "", value).lstrip("0") for value in re.findall(r": (\S+)", lines[1])]
    assert max(map(len, digits)) <= 6


def statistics_of(values):
    """Recompute the summary of a trace, in whole numbers where a rounding could matter."""
    ordered = sorted(values)
    count = len(ordered)
    half = count // 2
    middle = ordered[half] if count % 2 else (ordered[half - 1] + ordered[half]) / 2
    tails = [ordered[max(count - 1 - (100 - share) * count // 100, 0)] for share in (90, 95, 99)]
    return [ordered[0], ordered[-1], sum(ordered) / count, middle, *tails]


@pytest.mark.parametrize("name", NAMES)
def test_the_summary_follows_from_the_timing_trace(name):
    summary = read(name, "profile.metadata")["performance_summary"]
    trace = read(name, "timing")
    fields = {
        "Latency": "latencyMs",
        "H2D Latency": "h2dMs",
        "GPU Compute Time": "computeMs",
        "D2H Latency": "d2hMs",
    }
    for title, field in fields.items():
        expected = statistics_of([record[field] for record in trace])
        assert summary[title] == pytest.approx(expected, rel=1e-5), title
    enqueue = statistics_of([record["endEnqMs"] - record["startEnqMs"] for record in trace])
    # Six digits leave a hundredth of a millisecond of a time after the first second.
    assert summary["Enqueue Time"] == pytest.approx(enqueue, abs=0.011)
    total = sum(record["computeMs"] for record in trace) / 1000
    assert summary["Total GPU Compute Time"] == pytest.approx(total, rel=1e-5)
    wall = (trace[-1]["endD2hMs"] - trace[0]["startEnqMs"]) / 1000
    assert summary["Total Host Walltime"] == pytest.approx(wall, rel=1e-4)
    assert summary["Throughput"] == pytest.approx(len(trace) / summary["Total Host Walltime"], rel=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_the_layers_sum_to_a_little_more_than_a_query(name):
    _, *records = read(name, "profile")
    median = read(name, "profile.metadata")["performance_summary"]["GPU Compute Time"][3]
    assert 0.85 <= median / sum(record["averageMs"] for record in records) < 1


@pytest.mark.parametrize("name", NAMES)
def test_every_tensor_has_an_earlier_producer_or_is_a_binding(name):
    graph = read(name, "graph")
    bindings = binding_names(graph)
    known, written = set(bindings), set()
    for layer in graph["Layers"]:
        for tensor in layer["Inputs"]:
            assert tensor["Name"] in known or without_profile(tensor["Name"]) in bindings, tensor["Name"]
        outputs = {tensor["Name"] for tensor in layer["Outputs"]}
        known |= outputs
        written |= {without_profile(output) for output in outputs}
    read_names = {without_profile(tensor["Name"]) for layer in graph["Layers"] for tensor in layer["Inputs"]}
    assert bindings <= written | read_names


@pytest.mark.parametrize("name", NAMES)
def test_metadata_has_three_sections_with_lists_of_seven(name):
    build, profile = read(name, "build.metadata"), read(name, "profile.metadata")
    assert set(build) == {"synthetic", "model_options", "build_options", "device_information"}
    assert set(profile) == {"synthetic", "performance_summary", "inference_options", "device_information"}
    lists = [value for value in profile["performance_summary"].values() if isinstance(value, list)]
    assert [len(values) for values in lists] == [7] * 5
    assert all(isinstance(value, str) for value in build["device_information"].values())
    assert isinstance(profile["device_information"]["SMs"], float)
