"""The files of a capture are compared with each other: no valid capture contradicts itself, mixed ones do."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from valid_captures import STEM, ValidCapture

from trexreport.model import IMPOSSIBLE, UNUSUAL, ContradictionCode, Source
from trexreport.reader import assemble, read_engine
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
        assert not {SLUG, IMPOSSIBLE, UNUSUAL} & {note.slug for note in found.notes}, seed


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

    def more(data):
        rows = json.loads(data)
        # Copies of whole rows do not count as queries.
        copies = [
            {key: ms * (1 + 1e-6 * copy) for key, ms in row.items()} for copy in range(5) for row in rows
        ]
        return json.dumps(copies).encode()

    assert "query-count" in codes(replaced(sources, "timing", more))


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


@pytest.mark.parametrize(
    ("created", "stated", "found"),
    [
        ("image", "", []),
        ("image [profile 1]", "", []),
        ("pixels", "", ["io-tensors"]),
        ("image", " and type fp32", []),
        ("image", " and type fp16", ["io-types"]),
    ],
)
def test_a_log_of_other_tensors_than_those_of_the_layers_is_of_another_engine(created, stated, found):
    """Where the layer information lists no inputs and outputs."""
    layer = {
        "Name": "a",
        "LayerType": "Convolution",
        "Inputs": [{"Name": "image", "Dimensions": [1, 3, 8, 8], "Format/Datatype": "Float"}],
        "Outputs": [{"Name": "scores", "Dimensions": [1, 8, 8, 8], "Format/Datatype": "Float"}],
    }
    log = f"""&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=x.engine
[I] Input binding for {created} with dimensions 1x3x8x8{stated} is created.
[I] === Performance summary ===
[I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.5 ms, percentile(99%) = 2 ms
&&&& PASSED TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=x.engine
"""
    graph = json.dumps({"Layers": [layer]}).encode()
    assert codes([Source("graph", "x.json", graph), Source("log", "x.log", log.encode())]) == found


@pytest.mark.parametrize(
    ("kernel", "capability", "found"),
    [
        ("ampere_scudnn_128x64_relu_medium_nn_v1", "8.6", []),
        ("hopper_gemm_f16", "8.6", ["kernels"]),
        ("cutlass_sm90_gemm", "8.6", ["kernels"]),
        ("turing_h1688gemm", "8.6", []),
    ],
)
def test_no_gpu_runs_kernels_for_a_later_one(kernel, capability, found):
    layers = json.dumps({"Layers": [{"Name": "a", "LayerType": "gemm", "TacticName": kernel}]}).encode()
    log = f"""&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=x.engine
[I] === Device Information ===
[I] Compute Capability: {capability}
"""
    assert codes([Source("graph", "x.json", layers), Source("log", "x.log", log.encode())]) == found


def test_every_code_has_one_fact():
    # That a report was edited is noted where it is read; the analysis shows what is of another model.
    others = ["edited-inputs", "model-nodes", "accuracy-tensors"]
    assert sorted([*(fact.code for fact in FACTS), *others]) == sorted(ContradictionCode.__args__)


@pytest.mark.parametrize(
    ("rows", "percent", "contradicts"), [(40, 100, False), (33, 100, False), (30, 100, True), (30, 75, False)]
)
def test_a_whole_profile_has_a_row_of_each_layer(rows, percent, contradicts):
    layers = [
        {"Name": f"conv {at}", "LayerType": "Convolution", "Inputs": [], "Outputs": []} for at in range(40)
    ]
    times = [
        {"name": f"conv {at}", "timeMs": 1.0, "averageMs": 1.0, "percentage": percent / rows}
        for at in range(rows)
    ]
    sources = [
        Source("graph", "x.graph.json", json.dumps({"Layers": layers}).encode()),
        Source("profile", "x.profile.json", json.dumps([{"count": 1}, *times]).encode()),
    ]
    assert codes(sources) == (["layer-names"] if contradicts else [])


@pytest.mark.parametrize(
    ("compute_ms", "enqueue_ms", "streams", "contradicts"),
    [(5, 1, 1, False), (5.6, 1, 1, True), (5.6, 1, 2, False), (5, 4.9, 1, False), (5, 50, 1, True)],
)
def test_a_stream_computes_and_enqueues_one_query_after_another(compute_ms, enqueue_ms, streams, contradicts):
    figures = {"GPU Compute Time": [compute_ms] * 5, "Enqueue Time": [enqueue_ms] * 5, "Throughput": 200.0}
    document = {"performance_summary": figures, "inference_options": {"Streams": str(streams)}}
    source = Source("profile-metadata", "x.profile.metadata.json", json.dumps(document).encode())
    assert codes([source]) == (["throughput"] if contradicts else [])


@pytest.mark.parametrize(
    ("version", "seconds", "contradicts"),
    [
        ("8601", 1.99, False),
        ("8601", 2.02, False),
        ("8601", 2.3, True),
        ("8601", 1.8, True),
        # trtexec up to 8.4 counts the warm-up in some totals.
        ("8401", 2.3, False),
        ("8401", 39.8, True),
        ("8401", 0.2, True),
    ],
)
def test_the_total_gpu_time_is_that_of_the_queries(version, seconds, contradicts):
    summary = (
        f"&&&& RUNNING TensorRT.trtexec [TensorRT v{version}] # trtexec --loadEngine=a\n"
        "[I] === Performance summary ===\n[I] Throughput: 199 qps\n"
        "[I] GPU Compute Time: min = 5 ms, max = 5 ms, mean = 5 ms, median = 5 ms, percentile(99%) = 5 ms\n"
        f"[I] Total Host Walltime: 2 s\n[I] Total GPU Compute Time: {seconds} s\n"
    )
    assert codes([Source("log", "run.log", summary.encode())]) == ["gpu-time"] * contradicts


@pytest.mark.parametrize(
    ("command", "rate", "contradicts"),
    [
        # A summary alone does not state the batch size that trtexec multiplied the throughput by.
        ("", 199 * 8192, False),
        ("", 199 * 2.5, True),
        ("", 300, True),
        ("&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a", 199 * 8192, True),
    ],
)
def test_the_throughput_of_a_summary_alone_may_count_samples(command, rate, contradicts):
    log = (
        f"{command}\n[I] === Performance summary ===\n[I] Throughput: {rate} qps\n"
        "[I] GPU Compute Time: min = 5 ms, max = 5 ms, mean = 5 ms, median = 5 ms, percentile(99%) = 5 ms\n"
        "[I] Total Host Walltime: 2 s\n[I] Total GPU Compute Time: 1.99 s\n"
    )
    assert ("gpu-time" in codes([Source("log", "run.log", log.encode())])) == contradicts


def test_a_timing_trace_of_an_implicit_batch_counts_samples():
    command = "&&&& RUNNING TensorRT.trtexec # trtexec --deploy=a.prototxt --output=prob --batch=64\n"
    log = f"{command}[I] Batch: 64\n[I] Timing trace has 2688 queries over 3.2 s\n"
    query = {"startComputeMs": 0.0, "endComputeMs": 70.0, "computeMs": 70.0, "latencyMs": 70.0}
    times = [{**query, "startComputeMs": 70.0 * at, "endComputeMs": 70.0 * (at + 1)} for at in range(45)]
    sources = [
        Source("log", "run.log", log.encode()),
        Source("timing", "times.json", json.dumps(times).encode()),
    ]
    assert codes(sources) == []


@pytest.mark.parametrize(("timed", "contradicts"), [(398, False), (399, True), (500, True), (300, True)])
def test_the_timing_trace_has_the_queries_of_the_run(timed, contradicts):
    log = (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --loadEngine=a\n"
        f"[I] Warmup completed 40 queries over 200 ms\n[I] Timing trace has {timed} queries over 2 s\n"
        "[I] === Performance summary ===\n[I] Throughput: 199 qps\n[I] Total Host Walltime: 2 s\n"
    )
    assert codes([Source("log", "run.log", log.encode())]) == ["query-count"] * contradicts


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


def built(tensor_type, options, commands="", metadata_name="x.build.metadata.json", version="8.6.1"):
    """Return a capture of a convolution of one data type, and the metadata of its build."""
    tensor = {"Dimensions": [1, 8, 4, 4], "Format/Datatype": f"Row major linear {tensor_type} format"}
    layer = {
        "Name": "conv",
        "LayerType": "CaskConvolution",
        "ParameterType": "Convolution",
        "Inputs": [{"Name": "x", **tensor}],
        "Outputs": [{"Name": "y", **tensor}],
        "Weights": {"Type": {"FP16": "Half", "FP32": "Float", "INT8": "Int8"}[tensor_type], "Count": 64},
    }
    document = {"build_options": options, "model_options": {}, "device_information": {}}
    metadata = {**document, "TensorRT version": version}
    sources = [
        Source("graph", "x.graph.json", json.dumps({"Layers": [layer], "Bindings": ["x", "y"]}).encode()),
        Source("build-metadata", metadata_name, json.dumps(metadata).encode()),
    ]
    if commands:
        sources.append(Source("log", "x.build.log", f"&&&& RUNNING TensorRT.trtexec # {commands}\n".encode()))
    return sources


@pytest.mark.parametrize(
    ("used", "options", "command", "contradicts"),
    [
        ("FP16", {"Precision": "FP32"}, "", True),
        ("FP16", {"Precision": "FP32+INT8"}, "", True),
        ("FP16", {"Precision": "FP32+FP16"}, "", False),
        ("FP32", {"Precision": "FP32"}, "", False),
        ("FP16", {"Precision": "FP32", "Strongly Typed": "Enabled"}, "", False),
        ("FP16", {"Precision": "FP32 (Strongly Typed)"}, "", False),
        # DLA uses FP16 unasked.
        ("FP16", {"Precision": "FP32"}, "trtexec --onnx=m.onnx --useDLACore=0", False),
        ("FP16", {}, "trtexec --onnx=m.onnx --useDLACore=0", False),
        # Only the command says what was allowed.
        ("FP16", {}, "trtexec --onnx=m.onnx", True),
        ("INT8", {}, "trtexec --onnx=m.onnx --fp16", True),
        ("FP16", {}, "trtexec --onnx=m.onnx --fp16", False),
        ("INT8", {}, "trtexec --onnx=m.onnx --best", False),
        ("FP16", {}, "trtexec --onnx=m.onnx --stronglyTyped", False),
        ("FP16", {}, "trtexec --loadEngine=m.engine", False),
    ],
)
def test_layers_compute_in_types_that_the_build_allows(used, options, command, contradicts):
    assert codes(built(used, options, command)) == ["precisions"] * contradicts


@pytest.mark.parametrize(
    ("flags", "contradicts"),
    [
        ("--minShapes=x:1x8x4x4 --optShapes=x:4x8x4x4 --maxShapes=x:8x8x4x4", False),
        ("--minShapes=x:2x8x4x4 --optShapes=x:4x8x4x4 --maxShapes=x:8x8x4x4", True),
        ("--optShapes=x:4x8x4x4", True),
        ("--optShapes=x:1x8x4x4", False),
        (f"--optShapes=x:{'9' * 5000}x8x4x4 --shapes=x:{'9' * 5000}x8x4x4", False),
        # Each profile has shapes of its own.
        ("--profile=0 --optShapes=x:4x8x4x4 --profile=1 --optShapes=x:1x8x4x4", False),
    ],
)
def test_the_engine_has_shapes_that_its_build_was_given(flags, contradicts):
    found = codes(built("FP32", {}, f"trtexec --onnx=m.onnx {flags}"))
    assert found == ["shapes"] * contradicts


def logged(created, extents, layer_inputs=("x",)):
    """Return the layer information of an engine and a log of a run that lists inputs."""
    tensors = [
        {"Name": name, "Dimensions": list(extents), "Format/Datatype": "Float"} for name in layer_inputs
    ]
    layer = {"Name": "a", "LayerType": "Convolution", "Inputs": tensors, "Outputs": [{"Name": "y"}]}
    graph = {"Layers": [layer], "Bindings": [*layer_inputs, "y"]}
    lines = [f"[I] Input binding for {name} with dimensions {shape} is created." for name, shape in created]
    log = "\n".join(
        [
            "&&&& RUNNING TensorRT.trtexec [TensorRT v100900] # trtexec --loadEngine=x.engine",
            *lines,
            "[I] === Performance summary ===",
            "[I] GPU Compute Time: min = 1 ms, max = 2 ms, mean = 1.5 ms, median = 1.5 ms",
            "&&&& PASSED TensorRT.trtexec [TensorRT v100900] # trtexec --loadEngine=x.engine",
        ]
    )
    return [Source("graph", "x.json", json.dumps(graph).encode()), Source("log", "x.log", log.encode())]


@pytest.mark.parametrize(
    ("extents", "shape", "contradicts"),
    [
        ((256, 13, 1, 1), "256x13", False),
        ((256, 1, 1, 1), "256x1", False),
        ((1, 256, 1, 13), "256x13", False),
        ((-1, 13, 1, 1), "256x13", False),
        # No-op reshapes are left out.
        ((32, 49, 64), "32x7x7x64", False),
        ((1568, 64, 1, 1), "32x49x64", False),
        ((-1, 64), "32x7x7x64", False),
        ((256, 13, 1, 1), "256x14", True),
        ((128, 13, 1, 1), "256x13", True),
        ((32, 49, 64), "32x7x8x64", True),
        ((-1, 3, 8, 8), "2x3x9x9", True),
        ((-1, 3, 16, 16), "3x8x8", True),
    ],
)
def test_layers_may_see_a_tensor_reshaped(extents, shape, contradicts):
    assert codes(logged([("x", shape)], extents)) == ["shapes"] * contradicts


def test_shapes_that_the_engine_was_given_are_reshaped_by_nothing():
    graph, log = logged([("x", "32x49x64")], (32, 49, 64))
    command = log.data.replace(b"x.engine", b"x.engine --shapes=x:32x7x7x64")
    assert codes([graph, log]) == []
    assert codes([graph, Source("log", "x.log", command)]) == ["shapes"]


@pytest.mark.parametrize(
    ("created", "found"),
    [
        (["x"], []),
        (["x", "cache"], []),
        (["x", "other"], ["io-tensors"]),
        (["other"], ["io-tensors"]),
    ],
)
def test_a_log_may_list_some_of_the_inputs(created, found):
    graph, log = logged([(name, "4x8") for name in created], (4, 8), ("x", "cache", "mask"))
    assert codes([graph, log]) == found
    # The command states shapes of inputs that the list leaves out.
    command = log.data.replace(b"x.engine", b"x.engine --shapes=x:4x8,mask:4x8")
    assert codes([graph, Source("log", "x.log", command)]) == found


@pytest.mark.parametrize(
    ("queries", "contradicts"), [(2000, False), (2300, False), (200, True), (9000, True)]
)
def test_a_file_of_queries_has_all_that_were_counted(queries, contradicts):
    summary = {"Throughput": 1000.0, "Total Host Walltime": 2.0}
    options = {"Duration": "2s (+ 200ms warm up)", "Batch": "Explicit"}
    metadata = {"performance_summary": summary, "inference_options": options}
    times = [{"latencyMs": 1.0, "computeMs": 1.0, "h2dMs": 0.0, "d2hMs": 0.0}] * queries
    sources = [
        Source("timing", "x.timing.json", json.dumps(times).encode()),
        Source("profile-metadata", "x.profile.metadata.json", json.dumps(metadata).encode()),
    ]
    assert codes(sources) == ["query-count"] * contradicts


@pytest.mark.parametrize(
    ("version", "queries", "contradicts"),
    [
        ("10.9.0", 2000, False),
        ("10.9.0", 1999, True),
        ("10.9.0", 2001, True),
        # Queries of the warm-up are in some totals of such a run.
        ("8.4.1", 1999, False),
    ],
)
def test_not_one_query_of_a_run_is_lost(version, queries, contradicts):
    assert codes(_counted(version, [1 + at / 9e3 for at in range(queries)])) == ["query-count"] * contradicts


def test_queries_that_cannot_be_read_are_not_lost():
    assert codes(_counted("10.9.0", [None, *(1 + at / 9e3 for at in range(1999))])) == []


def _counted(version, times_ms):
    """Return the files of a run of 2,000 queries, which took some times according to one of them."""
    summary = {"Throughput": 1000.0, "Total Host Walltime": 2.0}
    metadata = {"performance_summary": summary, "TensorRT version": version}
    times = [{"h2dMs": 0.0, "d2hMs": 0.0, "latencyMs": each, "computeMs": each} for each in times_ms]
    return [
        Source("timing", "x.timing.json", json.dumps(times).encode()),
        Source("profile-metadata", "x.profile.metadata.json", json.dumps(metadata).encode()),
    ]


@pytest.mark.parametrize(
    ("version", "contradicts"),
    [
        ("8.2.1", False),
        ("11.1", False),
        ("5.1.5", True),
        # TensorRT for RTX counts from 1 on, and its files state layers from the first version on.
        ("RTX 1.1.0", False),
        ("9" * 5000 + ".1", False),
    ],
)
def test_layer_information_is_of_no_version_before_it(version, contradicts):
    assert codes(built("FP32", {}, version=version)) == ["tensorrt-version"] * contradicts


def test_a_file_that_names_another_model_than_its_content_is_noted():
    def slugs(name):
        sources = built("FP32", {}, metadata_name=name)
        model = {"model_options": {"Model": "/x/bert_large.onnx"}}
        named = replaced(
            sources, "build-metadata", lambda data: json.dumps(json.loads(data) | model).encode()
        )
        return [note.slug for note in read(named).notes if note.slug == "renamed-file"]

    assert slugs("resnet.onnx.engine.build.metadata.json") == ["renamed-file"]
    # Such names are of no model.
    assert slugs("m.onnx.engine.build.metadata.json") == []
    assert slugs("bert_large.onnx.engine.build.metadata.json") == []
    assert slugs("x.build.metadata.json") == []


@pytest.mark.parametrize(("factor", "contradicts"), [(1.5, False), (2.2, True)])
def test_the_layers_take_little_longer_than_the_queries(factor, contradicts):
    layers = [{"Name": f"layer{at}", "LayerType": "Convolution"} for at in range(10)]
    rows = [{"name": each["Name"], "timeMs": 10.0 * factor, "averageMs": factor} for each in layers]
    queries = [{"latencyMs": 10.0, "computeMs": 10.0, "h2dMs": 0.0, "d2hMs": 0.0}] * 200
    sources = [
        Source("graph", "x.graph.json", json.dumps({"Layers": layers}).encode()),
        Source("profile", "x.profile.json", json.dumps([{"count": 10}, *rows]).encode()),
        Source("timing", "x.timing.json", json.dumps(queries).encode()),
        Source("log", "x.log", b"&&&& RUNNING TensorRT.trtexec # trtexec --loadEngine=a --streams=1\n"),
    ]
    assert codes(sources) == ["total-layer-time"] * contradicts


@pytest.mark.parametrize(
    ("memory", "contradicts"), [("24209 MiB", False), ("2048 MiB", False), ("200 MiB", True)]
)
def test_no_part_of_a_gpu_has_almost_no_memory(memory, contradicts):
    device = "[I] === Device Information ===\n[I] Selected Device: NVIDIA L4\n[I] Device Global Memory: {}\n"
    logs = [("a.build.log", "24209 MiB"), ("a.timing.log", memory)]
    sources = [Source("log", name, device.format(size).encode()) for name, size in logs]
    assert codes(sources) == ["gpu-memory"] * contradicts


def test_no_gpu_that_runs_engines_has_so_little_memory():
    text = "[I] === Device Information ===\n[I] Selected Device: X\n[I] Device Global Memory: 12 MiB\n"
    (note,) = [
        each for each in read([Source("log", "a.log", text.encode())]).notes if each.slug == IMPOSSIBLE
    ]
    assert "12" in note.message


def queries_on(streams, *, with_stamps=True):
    """Return times of queries that run at once on several streams and share the GPU."""
    rows = []
    for at in range(200):
        start, compute = 200 + 5 * at, 5.0 * streams
        row = {"latencyMs": compute, "computeMs": compute, "h2dMs": 0, "d2hMs": 0}
        stamps = {"startComputeMs": start, "endComputeMs": start + compute} if with_stamps else {}
        rows.append(row | stamps)
    return Source("timing", "x.timing.json", json.dumps(rows).encode())


@pytest.mark.parametrize(
    ("streams", "stated", "with_stamps", "contradicts"),
    [
        (1, None, True, False),
        (4, 4, True, False),
        (4, 4, False, False),
        # The stamps alone show that queries ran at once.
        (4, None, True, False),
        (4, None, False, True),
        (4, 1, True, True),
    ],
)
def test_queries_on_several_streams_share_the_gpu(streams, stated, with_stamps, contradicts):
    rows = [{"name": f"l{at}", "timeMs": 10, "averageMs": 1.0, "percentage": 20} for at in range(5)]
    sources = [
        Source("profile", "x.profile.json", json.dumps([{"count": 10}, *rows]).encode()),
        queries_on(streams, with_stamps=with_stamps),
    ]
    if stated:
        options = {"inference_options": {"Streams": str(stated)}}
        sources.append(Source("profile-metadata", "x.profile.metadata.json", json.dumps(options).encode()))
    assert ("total-layer-time" in codes(sources)) is contradicts


def test_a_log_of_a_build_alone_states_no_streams():
    rows = [{"name": f"l{at}", "timeMs": 10, "averageMs": 1.0, "percentage": 20} for at in range(5)]
    command = "trtexec --onnx=a.onnx --saveEngine=a.plan --skipInference"
    log = f"&&&& RUNNING TensorRT.trtexec [TensorRT v101601] # {command}\n"
    sources = [
        Source("profile", "x.profile.json", json.dumps([{"count": 10}, *rows]).encode()),
        Source("log", "x.build.log", log.encode()),
        queries_on(4),
    ]
    assert codes(sources) == []


@pytest.mark.parametrize(
    ("model", "found"), [("{onnx_path}", []), ("$MODEL", []), ("<model>", []), ("other.onnx", ["model"])]
)
def test_a_placeholder_of_a_command_is_no_model(model, found):
    lines = [
        "[I] === Model Options ===",
        "[I] Format: ONNX",
        "[I] Model: a/net.onnx",
        "[I] Throughput: 3 qps",
    ]
    text = "\n".join([f"trtexec --onnx={model} --fp16", *lines])
    assert codes([Source("log", "notes.md", text.encode())]) == found


@pytest.mark.parametrize(
    ("slowest_ms", "usual_ms", "rate", "is_part", "found"),
    [
        (2.0, 1.5, 500, True, []),
        # Another longest time, another mean, and all queries of the run.
        (1.9, 1.5, 500, False, ["query-count"]),
        (2.0, 1.58, 500, False, ["query-count"]),
        (2.0, 1.5, 25, False, []),
    ],
)
def test_a_part_of_the_queries_with_the_extremes_of_the_log_is_of_its_run(
    slowest_ms, usual_ms, rate, is_part, found
):
    figures = "min = {0} ms, max = {1} ms, mean = {2} ms, median = {2} ms, percentile(99%) = {1} ms"
    log = (
        "&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --onnx=a --exportTimes=run.timing.json\n"
        f"[I] === Performance summary ===\n[I] Throughput: {rate} qps\n"
        f"[I] Latency: {figures.format(1.25, 2.25, 1.75)}\n"
        f"[I] GPU Compute Time: {figures.format(1, 2, 1.5)}\n"
        "[I] Total Host Walltime: 2 s\n"
    )
    compute_ms = [1.0, *[usual_ms] * 48, slowest_ms]
    times = [
        {"startComputeMs": 2.0 * at, "endComputeMs": 2.0 * at + each, "computeMs": each}
        | {"latencyMs": each + 0.25, "h2dMs": 0.25, "d2hMs": 0.0}
        for at, each in enumerate(compute_ms)
    ]
    engine = read(
        [
            Source("log", "run.log", log.encode()),
            Source("timing", "run.timing.json", json.dumps(times).encode()),
        ]
    )
    codes_found = [each.code for each in engine.contradictions]
    assert [code for code in codes_found if code.startswith("query")] == found
    messages = [note.message for note in engine.notes if note.slug == "queries-in-part"]
    beginning = "run.timing.json has 50 of the 1,000 queries of the run in run.log, with the same shortest"
    assert [each.startswith(beginning) for each in messages] == [True] * is_part


@pytest.mark.parametrize(("factor", "contradicts"), [(0.9, False), (0.01, True)])
def test_medians_of_layers_fit_the_queries_as_means_do(factor, contradicts):
    kept = [each for each in with_roles("profile", "timing") if each.role in ("graph", "profile", "timing")]
    slow = replaced(replaced(kept, "profile", scaled(50)), "timing", scaled(50))

    def shortened(data):
        rows = json.loads(data)
        rows[1:] = [{**row, "medianMs": factor * row["averageMs"]} for row in rows[1:]]
        return json.dumps(rows).encode()

    assert codes(replaced(slow, "profile", shortened)) == ["total-layer-time"] * contradicts


@pytest.mark.parametrize(("moved", "found"), [(0.0, []), (0.05, ["layer-times"])])
def test_each_row_counts_of_two_copies_of_one_table(capture, moved, found):
    times = {f"l{at}": 0.1 + 0.013 * at for at in range(20)}

    def rows(of_layers):
        return [
            {"name": name, "timeMs": 100 * ms, "averageMs": ms, "medianMs": ms, "percentage": 1.0}
            for name, ms in of_layers.items()
        ]

    log = ["[I] === Profile (100 iterations ) ==="]
    log.append("[I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
    for name, ms in [*times.items(), ("Total", sum(times.values()))]:
        share = 100 * ms / sum(times.values())
        log.append(f"[I] {100 * ms:11.2f} {ms:12.4f} {ms:12.4f} {share:9.1f}   {name}")
    changed = times | {"l3": times["l3"] - moved, "l4": times["l4"] + moved}
    folder = capture(profile=[{"count": 100}, *rows(changed)])
    (folder / "x.profile.log").write_text("\n".join(log), encoding="utf-8")
    assert [each.code for each in read_engine(folder).contradictions] == found
