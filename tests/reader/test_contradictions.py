"""The files of a capture are compared with each other: no valid capture contradicts itself, mixed ones do."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from valid_captures import STEM, ValidCapture

from trexreport.model import ContradictionCode, Source
from trexreport.reader import assemble
from trexreport.reader.capture import Capture
from trexreport.reader.contradictions import FACTS, SLUG


def read(sources):
    return assemble(Capture("x", tuple(sources)))


def codes(sources):
    return [each.code for each in read(sources).contradictions]


def replaced(sources, role, change):
    """Return the files with the content of a role changed."""
    return [
        Source(each.role, each.name, change(each.data)) if each.role == role else each for each in sources
    ]


def scaled(factor):
    """Return what multiplies every time in a file of JSON."""

    def walk(value):
        if isinstance(value, dict):
            return {key: each * factor if key.endswith("Ms") else walk(each) for key, each in value.items()}
        return [walk(each) for each in value] if isinstance(value, list) else value

    return lambda data: json.dumps(walk(json.loads(data))).encode()


def with_roles(*roles):
    """Return the files of the first valid capture that has all of some roles."""
    for seed in range(1000):
        sources = ValidCapture(seed).sources()
        if set(roles) <= {each.role for each in sources}:
            return sources
    raise AssertionError(roles)


@pytest.mark.parametrize("block", range(5))
def test_no_valid_capture_contradicts_itself(block):
    for offset in range(100):
        seed = 100 * block + offset
        found = read(ValidCapture(seed).sources())
        assert [each.message for each in found.contradictions] == [], seed
        assert not any(note.slug == SLUG for note in found.notes)


@pytest.mark.parametrize("factor", [1000, 0.001, 5, 0.2, 1.1])
def test_times_of_the_same_run_must_agree(factor):
    sources = with_roles("timing", "profile-metadata")
    assert "query-times" in codes(replaced(sources, "timing", scaled(factor)))


@pytest.mark.parametrize("factor", [1000, 0.001])
@pytest.mark.parametrize("role", ["profile", "timing"])
def test_layers_and_queries_must_fit_together(role, factor):
    kept = [each for each in with_roles("profile", "timing") if each.role in ("graph", "profile", "timing")]
    assert codes(kept) == []
    # The engines are of some milliseconds, so that the overhead of each layer explains nothing.
    slow = replaced(replaced(kept, "profile", scaled(50)), "timing", scaled(50))
    assert codes(replaced(slow, role, scaled(factor))) == ["total-layer-time"]


def test_runs_may_differ_by_clocks_and_not_by_more():
    sources = [
        each for each in with_roles("timing", "timing-run") if each.role in ("graph", "timing", "timing-run")
    ]
    assert codes(replaced(sources, "timing-run", scaled(3))) == ["runs"]


def test_more_queries_than_the_run_had():
    sources = with_roles("timing", "profile-metadata", "manifest")
    repeated = replaced(sources, "timing", lambda data: json.dumps(json.loads(data) * 5).encode())
    assert "query-count" in codes(repeated)


def test_a_file_of_another_engine_is_found():
    missed = []
    for one, other in pairwise(range(60)):
        sources, others = (ValidCapture(seed).sources() for seed in (one, other))
        theirs = {each.role: each.data for each in others}
        a, b = ValidCapture(one), ValidCapture(other)
        if a.model == b.model:
            continue
        for role in ("profile", "log"):
            if role in theirs and any(each.role == role for each in sources):
                swapped = replaced(sources, role, lambda _, data=theirs[role]: data)
                missed += [] if codes(swapped) else [(one, other, role)]
    # A log of a build alone, or one of the same GPU beside the layers alone, may name nothing that they name.
    assert len(missed) <= 3, missed


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("Selected Device: NVIDIA H100 PCIe", "gpu-name"),
        ("Compute Capability: 6.1", "compute-capability"),
        ("Model: /x/other.onnx", "model"),
        ("Loaded engine size: 12 MiB", "engine-size"),
        ("Input binding for pixels with dimensions 1x3x8x8 is created.", "io-tensors"),
        ("Input binding for input with dimensions 1x3x8x8 is created.", "shapes"),
    ],
)
def test_a_line_of_a_log_contradicts_other_files(change, code):
    capture = next(
        each
        for each in map(ValidCapture, range(1000))
        if {"manifest", "metadata"} <= {role for role, _ in each.files} and each.gpu[0] != "Orin"
    )
    section = {"Model": "Model Options", "Selected": "Device Information", "Compute": "Device Information"}
    heading = section.get(change.split()[0].rstrip(":"), "")
    lines = [
        "&&&& RUNNING TensorRT.trtexec # trtexec --verbose",
        *([f"[I] === {heading} ==="] if heading else []),
    ]
    library = "[TRT] " if change.startswith("Loaded") else ""
    text = "\n".join([*lines, f"[I] {library}{change}", "&&&& PASSED TensorRT.trtexec"])
    kept = [each for each in capture.sources() if each.role not in ("log", "profile-metadata")]
    found = read([*kept, Source("log", f"{STEM}.timing.log", text.encode())])
    assert code in [each.code for each in found.contradictions]
    contradiction = next(each for each in found.contradictions if each.code == code)
    assert len({value.file for value in contradiction.values}) > 1
    assert all(
        value.file in contradiction.message and value.value in contradiction.message
        for value in contradiction.values
    )
    assert contradiction.message in [note.message for note in found.notes if note.slug == SLUG]


def test_files_may_be_renamed_together_and_not_mixed():
    def named(graph, log):
        text = "&&&& RUNNING TensorRT.trtexec # trtexec --onnx=/x/resnet.onnx --saveEngine=/x/resnet.engine\n"
        return [
            Source("graph", f"{graph}.onnx.engine.graph.json", b'{"Layers": ["a"], "Bindings": []}'),
            Source("log", f"{log}.onnx.engine.build.log", text.encode()),
        ]

    assert codes(named("resnet", "resnet")) == []
    assert codes(named("m", "m")) == []
    assert codes(named("vgg", "resnet")) == ["model"]


def test_every_code_has_one_fact():
    assert sorted(fact.code for fact in FACTS) == sorted(ContradictionCode.__args__)


@pytest.mark.parametrize(("seconds", "contradicts"), [(1.99, False), (2.3, False), (39.8, True), (0.2, True)])
def test_the_total_gpu_time_is_that_of_the_queries(seconds, contradicts):
    summary = (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a\n"
        "[I] === Performance summary ===\n[I] Throughput: 199 qps\n"
        "[I] GPU Compute Time: min = 5 ms, max = 5 ms, mean = 5 ms, median = 5 ms, percentile(99%) = 5 ms\n"
        f"[I] Total Host Walltime: 2 s\n[I] Total GPU Compute Time: {seconds} s\n"
    )
    assert codes([Source("log", "run.log", summary.encode())]) == ["gpu-time"] * contradicts


def log_of(command, qps, median_ms, version="", streams_line=""):
    """Return the log of a run whose queries took a time at a throughput; commands may lack the banner."""
    banner = f"&&&& RUNNING TensorRT.trtexec [TensorRT v{version}] # {command}" if version else command
    spread = f"min = {median_ms} ms, max = {median_ms} ms, mean = {median_ms} ms, median = {median_ms} ms"
    lines = [
        banner,
        *(["[I] === Inference Options ===", streams_line, "[I] "] if streams_line else []),
        "[I] === Performance summary ===",
        f"[I] Throughput: {qps} qps",
        f"[I] GPU Compute Time: {spread}, percentile(99%) = {median_ms} ms",
    ]
    return [Source("log", "run.log", "\n".join(lines).encode())]


@pytest.mark.parametrize(
    ("command", "version", "line", "contradicts"),
    [
        ("trtexec --loadEngine=a --batch=1024 --streams=32", "", "", False),
        ("/usr/bin/trtexec --loadEngine=a --streams=32 --batch=1024", "8205", "", False),
        ("$ ./trtexec --loadEngine=a --maxBatch=1024 --streams=32", "", "", False),
        ("trtexec --loadEngine=a --streams=32", "8205", "[I] Batch: 1024", False),
        ("trtexec --loadEngine=a --batch=1024", "8205", "[I] Streams: 32", False),
        # No line says how many samples a query has, or how many streams there are.
        ("", "", "", False),
        ("trtexec --loadEngine=a --batch=1024", "8205", "", True),
        ("trtexec --loadEngine=a --streams=32", "8205", "", True),
        ("trtexec --loadEngine=a", "8205", "[I] Batch: Explicit", True),
        ("trtexec --loadEngine=a --infStreams=2", "101300", "", True),
    ],
)
def test_throughput_counts_samples_of_an_implicit_batch_on_all_streams(command, version, line, contradicts):
    # 17 queries of 1,024 samples in a second, each of 450 ms, of which 8 run at once.
    assert codes(log_of(command, 17990.4, 451.0, version, line)) == ["throughput"] * contradicts
