"""The program itself: one run, reported as trtexec does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trexreport.collector.tensorrt_api.bindings import (
    RunFailedError,
    import_tensorrt,
    major_version,
    make_logger,
)
from trexreport.collector.tensorrt_api.building import build, precision_text, shapes_text
from trexreport.collector.tensorrt_api.console import Console, packed_version
from trexreport.collector.tensorrt_api.cuda import Cuda, describe_device, open_cuda
from trexreport.collector.tensorrt_api.execution import Execution, load_engine
from trexreport.collector.tensorrt_api.options import Request, read_request
from trexreport.collector.tensorrt_api.profiling import inspect, profile_layers
from trexreport.collector.tensorrt_api.results import (
    report_performance,
    write_profile,
    write_samples,
    write_times,
)
from trexreport.collector.tensorrt_api.timing import time_queries
from trexreport.errors import TrexReportError

_MIB = 2**20


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
        write_times(texts["exportTimes"], timing)
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
