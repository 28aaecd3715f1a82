"""Write the files of one capture in trtexec's textual formats and TREx's metadata shape."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from math import fsum
from random import Random
from statistics import median
from typing import Any

from .engine import Engine
from .roofline import Device, layer_ms

PERCENTILES = (90, 95, 99)


@dataclass(frozen=True)
class Run:
    """How the engine was "run": on what, how often, and with which options."""

    device: Device
    seed: int
    queries: int
    profile_iterations: int
    overlap: float  # the median query, as a share of the total layer time
    model: str
    build_options: dict[str, str]
    inference_options: dict[str, str]
    device_lines: dict[str, Any] = field(default_factory=dict)
    warm_up_ms: float = 200.0
    transfer_ms: tuple[float, float] = (0.0, 0.0)  # to the device, and back


@dataclass(frozen=True)
class Query:
    """One inference: host clock, device clock and durations, all in milliseconds."""

    enqueue_start: float
    enqueue_end: float
    transfer_start: float
    to_device: float
    compute: float
    to_host: float


def number(value: float) -> str:
    """Format as a C++ stream does by default: six significant digits."""
    return f"{value:.6g}"


def as_printed(value: float) -> float:
    """Return the value that a reader of the file gets back."""
    return float(number(value))


def capture_files(name: str, engine: Engine, run: Run) -> dict[str, bytes]:
    """Return every file of a capture, by the name that TREx gives it."""
    # Sums are exact (fsum) all through this file: what `sum` rounds depends on the version of Python.
    rng = Random(run.seed)
    layer_times = _layer_times(engine, run, rng)
    queries = _queries(run.overlap * fsum(time for _, time in layer_times), run, rng)
    stem = f"{name}.engine"
    texts = {
        f"{stem}.graph.json": engine.graph_json(),
        f"{stem}.profile.json": _profile_json(layer_times, run, rng),
        f"{stem}.timing.json": _timing_json(queries),
        f"{stem}.build.metadata.json": _build_metadata(run),
        f"{stem}.profile.metadata.json": _profile_metadata(queries, run),
    }
    return {file_name: text.encode() for file_name, text in texts.items()}


def _layer_times(engine: Engine, run: Run, rng: Random) -> list[tuple[str, float]]:
    """Return the mean time of each profiled layer: the roofline, a few per cent off."""
    times = []
    for layer in engine.layers:
        estimate = layer_ms(layer, run.device, engine.dynamic_extent)
        if layer.profiled:
            times.append((layer.name, estimate * max(rng.gauss(1.0, 0.03), 0.9)))
    return times


def _profile_json(layer_times: list[tuple[str, float]], run: Run, rng: Random) -> str:
    """Return the profile: a count, then one record a line."""
    total = fsum(time for _, time in layer_times) or 1.0
    rows = [f'{{ "count" : {run.profile_iterations} }}']
    for name, time in layer_times:
        # The median is a tick of the event timer, and a little below the mean: outliers are slow.
        ticks = round(time * rng.uniform(0.985, 1.0) / run.device.tick_ms)
        middle = ticks * run.device.tick_ms or time
        quoted = json.dumps(name, ensure_ascii=False)
        rows.append(
            f'{{ "name" : {quoted}, "timeMs" : {number(time * run.profile_iterations)}, '
            f'"averageMs" : {number(time)}, "medianMs" : {number(middle)}, '
            f'"percentage" : {number(100 * time / total)} }}'
        )
    return "[\n  " + "\n, ".join(rows) + "\n]\n"


def _queries(target_ms: float, run: Run, rng: Random) -> list[Query]:
    """Return the queries of the run: correlated noise about the target, and a few outliers."""
    queries: list[Query] = []
    deviation = 0.0
    clock = run.warm_up_ms + 0.04
    ends = [run.warm_up_ms - target_ms, run.warm_up_ms]
    for _ in range(run.queries):
        deviation = 0.35 * deviation + rng.gauss(0.0, 0.0025)
        outlier = rng.uniform(1.02, 1.12) if rng.random() < 0.004 else 1.0
        compute = target_ms * (1 + deviation) * outlier
        compute = round(compute / run.device.tick_ms) * run.device.tick_ms
        to_device, to_host = (as_printed(time * rng.gauss(1.0, 0.01)) for time in run.transfer_ms)
        enqueue = max(rng.gauss(0.0071, 0.0004), 0.004) * (4 if rng.random() < 0.003 else 1)
        # One query waits in the queue while another one runs.
        enqueue_start = ends[-2] + 0.01
        queries.append(
            Query(enqueue_start, enqueue_start + enqueue, clock, to_device, as_printed(compute), to_host)
        )
        clock += to_device + compute + to_host
        ends.append(clock)
        clock += rng.uniform(0.002, 0.004)
    return queries


def _timing_json(queries: list[Query]) -> str:
    """Return the timing trace: the twelve fields of trtexec, one record a line."""
    rows = []
    for query in queries:
        compute_start = query.transfer_start + query.to_device
        compute_end = compute_start + query.compute
        fields = {
            "startEnqMs": query.enqueue_start,
            "endEnqMs": query.enqueue_end,
            "startH2dMs": query.transfer_start,
            "endH2dMs": compute_start,
            "startComputeMs": compute_start,
            "endComputeMs": compute_end,
            "startD2hMs": compute_end,
            "endD2hMs": compute_end + query.to_host,
            "h2dMs": query.to_device,
            "computeMs": query.compute,
            "d2hMs": query.to_host,
            "latencyMs": _latency(query),
        }
        rows.append("{ " + ", ".join(f'"{key}" : {number(value)}' for key, value in fields.items()) + " }")
    return "[\n  " + "\n, ".join(rows) + "\n]\n"


def _latency(query: Query) -> float:
    """Return what trtexec calls latency: both transfers and the computation."""
    return as_printed(query.to_device + query.compute + query.to_host)


def _statistics(values: list[float]) -> list[float]:
    """Return [min, max, mean, median, p90, p95, p99] as trtexec computes them."""
    ordered = sorted(values)
    count = len(ordered)
    tails = [ordered[max(count - 1 - int((1 - share / 100) * count), 0)] for share in PERCENTILES]
    figures = [ordered[0], ordered[-1], fsum(ordered) / count, median(ordered), *tails]
    return [as_printed(figure) for figure in figures]


def _performance_summary(queries: list[Query]) -> dict[str, Any]:
    """Return the performance summary that follows from the timing trace."""
    last = queries[-1]
    end = last.transfer_start + last.to_device + last.compute + last.to_host
    wall_seconds = as_printed((end - queries[0].enqueue_start) / 1000)
    computes = [query.compute for query in queries]
    return {
        "Throughput": as_printed(len(queries) / wall_seconds),
        "Latency": _statistics([_latency(query) for query in queries]),
        "Enqueue Time": _statistics([query.enqueue_end - query.enqueue_start for query in queries]),
        "H2D Latency": _statistics([query.to_device for query in queries]),
        "GPU Compute Time": _statistics(computes),
        "D2H Latency": _statistics([query.to_host for query in queries]),
        "Total Host Walltime": wall_seconds,
        "Total GPU Compute Time": as_printed(fsum(computes) / 1000),
    }


def _device_block(run: Run, *, numeric: bool) -> dict[str, Any]:
    """Return the device block; TREx turns three of its values into numbers in the profile metadata."""
    device = run.device
    block: dict[str, Any] = {
        "Selected Device": device.name,
        **run.device_lines,
        "Compute Capability": device.compute_capability if numeric else str(device.compute_capability),
        "SMs": float(device.multiprocessors) if numeric else str(device.multiprocessors),
        "Device Global Memory": f"{device.memory_mib} MiB",
        "Shared Memory per SM": f"{device.shared_memory_kib} KiB",
        "Memory Bus Width": float(device.bus_bits) if numeric else f"{device.bus_bits} bits (ECC enabled)",
    }
    block["Application Compute Clock Rate"] = f"{device.compute_clock_ghz} GHz"
    block["Application Memory Clock Rate"] = f"{device.memory_clock_ghz} GHz"
    return block


def _build_metadata(run: Run) -> str:
    """Return what TREx would keep of the build log."""
    sections = {
        "synthetic": True,
        "model_options": {"Format": "ONNX", "Model": run.model, "Output": ""},
        "build_options": run.build_options,
        "device_information": _device_block(run, numeric=False),
    }
    return json.dumps(sections, indent=2) + "\n"


def _profile_metadata(queries: list[Query], run: Run) -> str:
    """Return what TREx would keep of the profiling log."""
    sections = {
        "synthetic": True,
        "performance_summary": _performance_summary(queries),
        "inference_options": run.inference_options,
        "device_information": _device_block(run, numeric=True),
    }
    return json.dumps(sections, indent=2) + "\n"
