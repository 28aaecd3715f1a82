"""A small good file of every kind that trexreport reads, for changing."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

from trexreport.cli import main

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
#: The stem of the files of every specimen.
STEM = "m.engine"
#: Role to ending of the files of a capture.
ENDINGS = {
    "graph": ".graph.json",
    "profile": ".profile.json",
    "samples": ".samples.json",
    "timing": ".timing.json",
    "timing-run": ".timing.2.json",
    "metadata": ".metadata.json",
    "build-metadata": ".build.metadata.json",
    "profile-metadata": ".profile.metadata.json",
    "manifest": ".capture.json",
    "gpu": ".gpu.json",
    "log": ".timing.log",
}
_KINDS = {
    "inspector": "resnet18-int8-before",
    "myelin": "transformer-trt10-myelin",
    "trt11": "detector-trt11",
}
#: Layers that are kept of a sample, at most one of each kind of tactic and shape.
_MOST_LAYERS = 9
_QUERIES = 40

METADATA = {
    "Name": "NVIDIA A100",
    "ComputeCapability": [8, 0],
    "TotalMemory": 85 * 10**9,
    "MULTIPROCESSOR_COUNT": 108,
    "CLOCK_RATE": 1410000,
    "GLOBAL_MEMORY_BUS_WIDTH": 5120,
    "MEMORY_CLOCK_RATE": 1512000,
    "L2_CACHE_SIZE": 40 * 2**20,
    "CUDA_VERSION": [12, 2],
}
MANIFEST = {
    "schema": "trexreport-capture",
    "schema_version": 1,
    "complete": True,
    "failure": "",
    "backend": "trtexec",
    "started": "2025-03-01T10:00:00Z",
    "versions": {"trexreport": "0.1", "tensorrt": "10.4.0"},
    "engine": {"file": "m.engine", "size_bytes": 12_000_000, "sha256": "ab"},
    "source": {"file": "m.onnx", "sha256": "cd"},
    "gpu": {"name": "NVIDIA A100", "uuid": "GPU-1", "driver": "550.1", "power_limit_w": 300, "SMs": "108"},
    "runs": [{"title": "build", "exit_status": 0, "finished": True, "writes": ["m.engine"], "log": "m.log"}],
    "missing": {"gpu": "no NVML"},
    "notes": ["The clock was not held."],
}
GPU = {
    "schema": "trexreport-gpu-samples",
    "schema_version": 1,
    "gpu": {"name": "NVIDIA A100", "max_sm_clock_mhz": 1410, "power_limit_w": 300},
    "samples": {
        "time_s": [0.1 * step for step in range(12)],
        "sm_clock_mhz": [1410 - 30 * (step % 3) for step in range(12)],
        "memory_clock_mhz": [1512] * 12,
        "power_w": [200 + step for step in range(12)],
        "energy_j": [20 * step for step in range(12)],
        "temperature_c": [50 + step for step in range(12)],
        "gpu_utilization_percent": [99] * 12,
        "memory_utilization_percent": [40] * 12,
        "throttle_reasons": [0, 4] * 6,
    },
    "phases": [
        {"name": "timing", "begin_s": 0.1, "end_s": 1.0},
        {"name": "profile", "begin_s": 0, "end_s": 0.1},
    ],
    "other_processes": [{"pid": 7, "program": "python", "memory_bytes": 10**9}],
    "locked_sm_clock": "sustained",
    "set_power_limit_w": 250,
}
LOG = """&&&& RUNNING TensorRT.trtexec [TensorRT v100400] # trtexec --onnx=m.onnx --fp16 --exportTimes=t.json
[03/01/2025-10:00:00] [I] === Model Options ===
[03/01/2025-10:00:00] [I] Format: ONNX
[03/01/2025-10:00:00] [I] Model: m.onnx
[03/01/2025-10:00:00] [I] === Build Options ===
[03/01/2025-10:00:00] [I] Precision: FP32+FP16
[03/01/2025-10:00:00] [I] Input build shape (profile 0): x=1x3x8x8+2x3x8x8+4x3x8x8
[03/01/2025-10:00:00] [I] === Device Information ===
[03/01/2025-10:00:00] [I] Selected Device: NVIDIA A100
[03/01/2025-10:00:00] [I] Compute Capability: 8.0
[03/01/2025-10:00:00] [I] SMs: 108
[03/01/2025-10:00:01] [W] [TRT] a warning
[03/01/2025-10:00:01] [E] Error[1]: an error
[03/01/2025-10:00:01] [V] [TRT] verbose
[03/01/2025-10:00:02] [I] [TRT] [MemUsageChange] Init CUDA: CPU +13, GPU +0, now: CPU 19, GPU 1024 (MiB)
[03/01/2025-10:00:02] [I] Engine built in 12.5 sec.
[03/01/2025-10:00:03] [I] === Performance summary ===
[03/01/2025-10:00:03] [I] Throughput: 1248.77 qps
[03/01/2025-10:00:03] [I] Latency: min = 0.79 ms, max = 0.88 ms, mean = 0.79 ms, median = 0.79 ms, \
percentile(90%) = 0.79 ms, percentile(95%) = 0.8 ms, percentile(99%) = 0.8 ms
[03/01/2025-10:00:03] [I] GPU Compute Time: min = 0.79 ms, max = 0.88 ms, mean = 0.79 ms, median = 0.79 ms
[03/01/2025-10:00:03] [I] Total Host Walltime: 2.4 s
[03/01/2025-10:00:03] [I] === Profile (3000 iterations ) ===
[03/01/2025-10:00:03] [I]    Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer
[03/01/2025-10:00:03] [I]       30.00       0.0100       0.0100     100.0   conv1
[03/01/2025-10:00:03] [I]       30.00       0.0100       0.0100     100.0   Total
&&&& PASSED TensorRT.trtexec [TensorRT v100400] # trtexec --onnx=m.onnx
"""
CONFIGURATION = """gpu = "My board"
[gpus."My board"]
compute_capability = "8.7"
sms = 16
boost_ghz = 1.3
bandwidth_gbs = 204.8
[lint]
select = ["TRX"]
ignore = ["TRX101"]
fail-on = "never"
[lint.severity]
TRX102 = "info"
[lint.thresholds.TRX205]
share-percent = 10
[[lint.suppress]]
rule = "TRX102"
layers = "*conv*"
reason = "known"
until = 2035-12-31
[budget]
latency-p99-ms = 5.0
level = "warn"
unknown = "warn"
engine-size-mib = {max = 100, level = "warn"}
[budget.findings]
error = 0
TRX102 = {max = 3, severity = "info"}
[budget.places]
warning = 100
[budget.regression]
time-percent = 2
[[budget.part]]
layers = "*"
time-ms = 1.0
each = true
name = "All"
[[budget.part]]
block = "layer1"
time-ms = {max = 0.5, level = "error"}
"""
LATENCIES = b"iteration,latency_ms\n0,1.25\n1,1.5\n2,1.25e0\n"


def onnx_model() -> bytes:
    """Return an ONNX model with a part of every kind that is read."""
    from onnx import helper

    tensor = helper.make_tensor("w", 1, [2], [1.0, 2.0])
    tensors = [helper.make_tensor_value_info(name, 1, ["batch", 2]) for name in "xyz"]
    body = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "b", [], tensors[1:2], [tensor])
    node = helper.make_node("F", ["x", "w"], ["y"], name="n", domain="own", i=1, f=0.5, s="a", ints=[1, 2])
    node.metadata_props.add(key="namespace", value=": Model")
    branch = helper.make_node("If", ["y"], ["z"], name="if", then_branch=body, else_branch=body)
    graph = helper.make_graph(
        [node, branch], "g", tensors[:1], tensors[2:], [tensor], value_info=tensors[1:2]
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("own", 1)]
    function = helper.make_function("own", "F", ["x", "w"], ["y"], body.node, opsets)
    model = helper.make_model(graph, opset_imports=opsets, functions=[function], producer_name="pytorch")
    return model.SerializeToString()


def json_bytes(document) -> bytes:
    """Return a document as JSON; values outside of JSON, such as infinity, are written as Python does."""
    return json.dumps(document).encode("utf-8")


def _sample(name: str) -> dict[str, bytes]:
    folder = SAMPLES / _KINDS[name]
    prefix = f"{_KINDS[name]}.engine"
    return {path.name.removeprefix(prefix): path.read_bytes() for path in folder.iterdir()}


def capture_files(kind: str = "inspector") -> dict[str, bytes]:
    """Return a capture with a file of every role: role to content."""
    files = _sample(kind)
    graph = json.loads(files[".graph.json"])
    graph["Layers"] = _different(graph["Layers"])
    names = [layer["Name"] for layer in graph["Layers"]]
    profile = json.loads(files[".profile.json"])
    rows = [row for row in profile if row.get("name", names[0]) in names]
    samples = {"layers": [{"name": name, "samples_ms": [0.25, 0.5, 0.25]} for name in names]}
    timing = json.loads(files[".timing.json"])[:_QUERIES]
    return {
        "graph": json_bytes(graph),
        "profile": json_bytes(rows),
        "samples": json_bytes(samples),
        "timing": json_bytes(timing),
        "timing-run": json_bytes(timing[: _QUERIES // 2]),
        "metadata": json_bytes([METADATA]),
        "build-metadata": files[".build.metadata.json"],
        "profile-metadata": files[".profile.metadata.json"],
        "manifest": json_bytes(MANIFEST),
        "gpu": json_bytes(GPU),
        "log": LOG.encode(),
    }


def _different(layers):
    """Return the first layers of each kind, and some of their neighbors, in order."""
    seen, kept = set(), []
    for layer in layers:
        kind = (layer["LayerType"], layer.get("ParameterType"), len(layer["Inputs"]), len(layer["Outputs"]))
        if kind not in seen and len(kept) < _MOST_LAYERS:
            seen.add(kind)
            kept.append(layer)
    return kept


def write_capture(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files of a capture, given by role, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for role, data in files.items():
        (folder / f"{STEM}{ENDINGS[role]}").write_bytes(data)
    return folder


def make_containers(capture: Path, folder: Path) -> dict[str, Path]:
    """Make every file that carries a capture, and return where: kind to path."""
    made = {
        "report.html": ("report", capture, "--charts", "static"),
        "report.pdf": ("report", capture),
        "comparison.html": ("compare", capture, capture),
        "capture.trexa": ("archive", capture, "--charts", "static"),
        "comparison.json": ("compare", capture, capture),
        "report.json": ("report", capture),
    }
    paths = {}
    for name, (command, *arguments) in made.items():
        paths[name] = folder / name
        main.main([command, *map(str, arguments), "-o", str(paths[name])], standalone_mode=False)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(capture.iterdir()):
            archive.write(path, path.name)
    paths["capture.tea"] = folder / "capture.tea"
    paths["capture.tea"].write_bytes(stream.getvalue())
    return paths
