"""The program itself: one run, reported as trtexec does."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from trexreport.collector.tensorrt_api.bindings import (
    Console,
    RunFailedError,
    import_tensorrt,
    major_version,
    make_logger,
    packed_version,
)
from trexreport.collector.tensorrt_api.building import build, precision_text, shapes_text
from trexreport.collector.tensorrt_api.cuda import Cuda, describe_device, open_cuda
from trexreport.collector.tensorrt_api.execution import Execution, load_engine
from trexreport.collector.tensorrt_api.options import Request, read_request
from trexreport.collector.tensorrt_api.profiling import LayerTimes, inspect, profile_layers
from trexreport.collector.tensorrt_api.timing import Query, Timing, time_queries
from trexreport.errors import TrexReportError

_MIB = 2**20
_DIGITS = 6
#: Of each layer, and of all together unless that left too few of each.
_MOST_SAMPLES, _MOST_VALUES, _LEAST_SAMPLES = 1000, 500_000, 50
#: Above this share the GPU waits for the host; source: printPerformanceReport.
_BOUND = 0.9


def main(words: Sequence[str]) -> int:
    """Do what the flags ask for and return the exit status: 0 if all went well, else 1.

    `--help` prints the version in the first line, as trtexec does.
    """
    console = Console()
    try:
        trt = import_tensorrt()
    except TrexReportError as error:
        console.error(str(error))
        return error.exit_code
    version = packed_version(trt.__version__)
    console.banner("RUNNING", version, words)
    if "--help" in words:
        return 0
    try:
        _run(trt, console, read_request(words))
    except MemoryError:
        console.error("out of memory")
    except (RunFailedError, TrexReportError) as error:
        console.error(str(error))
    except OSError as error:
        console.error(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except (RuntimeError, TypeError) as error:
        # What pybind11 makes of C++ exceptions, and of a builder or runtime that could not be made.
        console.error(f"{type(error).__name__}: {error}")
    else:
        console.banner("PASSED", version, words)
        return 0
    console.banner("FAILED", version, words)
    return 1


def _run(trt: Any, console: Console, request: Request) -> None:
    logger = make_logger(trt, console, verbose="verbose" in request.switches)
    _print_options(trt, console, request)
    cuda = open_cuda(request.device)
    console.section("Device Information", describe_device(cuda, request.device))
    console.info(f"TensorRT version: {'.'.join(trt.__version__.split('.')[:3])}")
    if request.onnx:
        build(trt, logger, console, request)
    if request.measures:
        _measure(trt, logger, console, cuda, request)


def _measure(trt: Any, logger: Any, console: Console, cuda: Cuda, request: Request) -> None:
    """Measure the layers, or the queries, or one after the other, each with a context of its own."""
    engine = load_engine(trt, logger, console, request)
    texts = request.texts
    if "exportTimes" in texts:
        execution = Execution(trt, cuda, engine, request, console)
        console.info("Starting inference")
        timing = time_queries(execution)
        console.info(f"Warmup completed {timing.warm_up} queries over {request.warm_up_ms:g} ms")
        console.info(f"Timing trace has {len(timing.queries)} queries over {timing.walltime_s:g} s")
        report_performance(console, timing, request.percentiles)
        _write_times(texts["exportTimes"], timing)
    if {"exportLayerInfo", "exportProfile", "exportSamples"} & set(texts):
        _describe_layers(trt, engine, cuda, request, console)


def _describe_layers(trt: Any, engine: Any, cuda: Cuda, request: Request, console: Console) -> None:
    """Write what the layers are, and how long each takes."""
    texts = request.texts
    if engine.profiling_verbosity != trt.ProfilingVerbosity.DETAILED:
        console.warning(
            "The engine was not built with --profilingVerbosity=detailed: its layers have few details."
        )
    execution = Execution(trt, cuda, engine, request, console)
    if "dumpOptimizationProfile" in request.switches:
        _print_profiles(trt, engine, console)
    if "exportLayerInfo" in texts:
        Path(texts["exportLayerInfo"]).write_text(inspect(execution), encoding="utf-8")
    if {"exportProfile", "exportSamples"} & set(texts):
        if engine.num_aux_streams:
            console.warning(
                f"The engine uses {engine.num_aux_streams} auxiliary streams, so the layers' sum may be "
                "larger than the whole: some may have run in parallel."
            )
        times = profile_layers(trt, execution)
        console.info(f"Profiled {len(times.samples_ms)} layers in {times.iterations} iterations")
        if "exportProfile" in texts:
            write_profile(texts["exportProfile"], times)
        if "exportSamples" in texts:
            write_samples(texts["exportSamples"], times)


def _print_profiles(trt: Any, engine: Any, console: Console) -> None:
    """Print the ranges of the inputs in each optimization profile, as --dumpOptimizationProfile does."""
    console.info("Optimization Profile Information:")
    names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
    inputs = [name for name in names if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT]
    for name in inputs:
        if -1 not in tuple(engine.get_tensor_shape(name)):
            continue
        for profile in range(engine.num_optimization_profiles):
            shapes = zip(("min", "opt", "max"), engine.get_tensor_profile_shape(name, profile), strict=True)
            shown = ", ".join(f"{which}={'x'.join(map(str, tuple(shape)))}" for which, shape in shapes)
            console.info(f"Model input {name} (profile {profile}): {shown}")


def _print_options(trt: Any, console: Console, request: Request) -> None:
    """Print trtexec's sections of options, those of their lines that mean something here."""
    if request.onnx:
        console.section("Model Options", {"Format": "ONNX", "Model": request.onnx})
        pools = ", ".join(
            f"{name.lower()}: {size / _MIB:g} MiB" for name, size in request.pools_bytes.items()
        )
        build_options: dict[str, object] = {
            "Memory Pools": pools or "default",
            "Precision": precision_text(trt, request),
            "Sparsity": _enabled(request.is_sparse),
            "Profiling verbosity": int(getattr(trt.ProfilingVerbosity, request.verbosity)),
            "timingCacheFile": request.texts.get("timingCacheFile", ""),
            **dict(sorted(request.numbers.items())),
        }
        for index, shapes in enumerate(request.profiles):
            for name in shapes.names:
                found = "+".join("x".join(map(str, each)) for each in shapes.of(name))
                build_options[f"Input build shape (profile {index}), {name}"] = found
        console.section("Build Options", build_options)
    if request.measures:
        major = major_version(trt)
        console.section(
            "Inference Options",
            {
                "Input inference shapes": shapes_text(request.shapes) or "model",
                "Iterations": request.iterations,
                "Duration": f"{request.duration_s:g}s (+ {request.warm_up_ms:g}ms warm up)",
                "Inference Streams": 1,
                "Data transfers": _enabled(request.transfers(major)),
                "Spin-wait": _enabled(request.spins(major)),
                "CUDA Graph": _enabled(request.uses_graph(major)),
                "Optimization Profile Index": request.optimization_profile,
            },
        )


def _enabled(wanted: bool) -> str:
    return "Enabled" if wanted else "Disabled"


def write_profile(path: str, times: LayerTimes) -> None:
    """Write trtexec's --exportProfile: a record with the count, then one for each layer."""
    whole = math.fsum(math.fsum(samples) for samples in times.samples_ms.values())
    records: list[dict[str, Any]] = [{"count": times.iterations}]
    for (name, _), samples in times.samples_ms.items():
        total = math.fsum(samples)
        records.append(
            {
                "name": name,
                "timeMs": round(total, _DIGITS),
                "averageMs": round(total / len(samples), _DIGITS),
                "medianMs": round(median(samples), _DIGITS),
                "percentage": round(100 * total / whole, _DIGITS) if whole else 0.0,
            }
        )
    _write_lines(path, records)


def write_samples(path: str, times: LayerTimes) -> None:
    """Write the time of each layer in each iteration, as `trexreport.reader.samples_file` reads it.

    Of long runs every n-th iteration is kept, which "stride" states: a report holds this file whole.
    """
    room = max(_LEAST_SAMPLES, _MOST_VALUES // max(1, len(times.samples_ms)))
    stride = max(1, math.ceil(times.iterations / min(_MOST_SAMPLES, room)))
    layers = [
        {"name": name, "samples_ms": [round(each, _DIGITS) for each in samples[::stride]]}
        for (name, _), samples in times.samples_ms.items()
    ]
    document = {
        "schema": "trexreport-layer-samples",
        "schema_version": 1,
        "iterations": times.iterations,
        "stride": stride,
        "layers": layers,
    }
    Path(path).write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")


# What was measured, in trtexec's forms. Source: sampleReporting.cpp of trtexec (exportJSONTrace,
# exportJSONProfile, printPerformanceReport).
def _write_times(path: str, timing: Timing) -> None:
    """Write trtexec's --exportTimes: a record for each query."""
    _write_lines(path, [_record(query) for query in timing.queries])


def report_performance(console: Console, timing: Timing, percentiles: Sequence[float]) -> None:
    """Print trtexec's performance summary."""
    queries = timing.queries
    console.info("=== Performance summary ===")
    console.info(f"Throughput: {len(queries) / timing.walltime_s:g} qps")
    for name, column in (
        ("Latency", [query.latency_ms for query in queries]),
        ("Enqueue Time", [query.enqueue_ms for query in queries]),
        ("H2D Latency", [query.h2d_ms for query in queries]),
        ("GPU Compute Time", [query.compute_ms for query in queries]),
        ("D2H Latency", [query.d2h_ms for query in queries]),
    ):
        console.info(f"{name}: {_statistic(column, percentiles)}")
    gpu_s = math.fsum(query.compute_ms for query in queries) / 1000
    console.info(f"Total Host Walltime: {timing.walltime_s:g} s")
    console.info(f"Total GPU Compute Time: {gpu_s:g} s")
    if math.fsum(query.enqueue_ms for query in queries) / 1000 > _BOUND * gpu_s:
        console.warning(
            "* Throughput may be bound by Enqueue Time rather than GPU Compute and the GPU may be "
            "under-utilized."
        )
    console.info()


def _record(query: Query) -> dict[str, float]:
    times = {
        "startEnqMs": query.start_enqueue_ms,
        "endEnqMs": query.end_enqueue_ms,
        "startH2dMs": query.start_h2d_ms,
        "endH2dMs": query.start_compute_ms,
        "startComputeMs": query.start_compute_ms,
        "endComputeMs": query.end_compute_ms,
        "startD2hMs": query.end_compute_ms,
        "endD2hMs": query.end_d2h_ms,
        "h2dMs": query.h2d_ms,
        "computeMs": query.compute_ms,
        "d2hMs": query.d2h_ms,
        "latencyMs": query.latency_ms,
    }
    return {key: round(value, _DIGITS) for key, value in times.items()}


def _statistic(values: Sequence[float], percentiles: Sequence[float]) -> str:
    ordered = sorted(values)
    mean = math.fsum(ordered) / len(ordered)
    parts = [
        f"min = {ordered[0]:g} ms",
        f"max = {ordered[-1]:g} ms",
        f"mean = {mean:g} ms",
        f"median = {median(ordered):g} ms",
        *(f"percentile({rank:g}%) = {_percentile(ordered, rank):g} ms" for rank in percentiles),
    ]
    return ", ".join(parts)


def _percentile(ordered: Sequence[float], rank: float) -> float:
    """Return trtexec's percentile: the value at (100 - rank) / 100 of all from the top, no interpolation."""
    exclude = int((1 - rank / 100) * len(ordered))
    return ordered[max(0, len(ordered) - 1 - exclude)]


def _write_lines(path: str, records: Sequence[dict[str, Any]]) -> None:
    """Write a list with one record a line, as trtexec lays it out."""
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    Path(path).write_text("[\n  " + "\n, ".join(lines) + "\n]\n", encoding="utf-8")
