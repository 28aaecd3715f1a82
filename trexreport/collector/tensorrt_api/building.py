"""Build an engine from an ONNX model with TensorRT's builder.

Report how far a build has come, from the phases that TensorRT reports (10.0 and later).

Phases nest, and their numbers of steps are TensorRT's guesses: the share shown never falls.
"""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trexreport.collector.tensorrt_api.bindings import (
    Console,
    RunFailedError,
    checked,
    load_plugins,
    major_version,
)
from trexreport.collector.tensorrt_api.configuring import apply_options
from trexreport.collector.tensorrt_api.options import BUILDER_FLAGS, Dimensions, Request, ShapeRange

_MIN_INTERVAL_S = 0.5
_MIB = 2**20
_PRECISIONS = ("FP16", "BF16", "INT8", "FP8", "INT4")
#: trtexec's own dummy ranges. Source: sampleEngines.cpp, setTensorScalesFromCalibration and its callees.
_INPUT_RANGE, _OUTPUT_RANGE = 2.0, 4.0


@dataclass
class _Phase:
    """A phase that is under way."""

    name: str
    parent: str | None
    steps: int
    done: int = 0


class BuildProgress:
    """Adds up nested phases; safe to use from several threads.

    It has the methods that TensorRT's IProgressMonitor calls, with the names of their parameters there.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._phases: dict[str, _Phase] = {}
        self._shown = 0
        self._reported_at = 0.0

    def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None:
        """Begin a phase within another."""
        with self._lock:
            self._phases[phase_name] = _Phase(phase_name, parent_phase, max(1, num_steps))
            self._report(phase_name)

    def step_complete(self, phase_name: str, step: int) -> bool:
        """Count a step of a phase, numbered from 0, as done; to return False would cancel the build."""
        with self._lock:
            if phase_name in self._phases:
                self._phases[phase_name].done = step + 1
                self._report(phase_name)
        return True

    def phase_finish(self, phase_name: str) -> None:
        """End a phase, whether all its steps were done or not."""
        with self._lock:
            self._phases.pop(phase_name, None)

    def percent(self) -> int:
        """Return how much is done, of 100."""
        roots = [each for each in self._phases.values() if each.parent not in self._phases]
        return int(100 * max((self._share(root) for root in roots), default=0.0))

    def _share(self, phase: _Phase) -> float:
        inner = [self._share(each) for each in self._phases.values() if each.parent == phase.name]
        return min(1.0, (phase.done + max(inner, default=0.0)) / phase.steps)

    def _report(self, name: str) -> None:
        now = time.monotonic()
        if now - self._reported_at >= _MIN_INTERVAL_S:
            self._reported_at = now
            self._shown = max(self._shown, self.percent())
            self._console.info(f"[progress] {self._shown}% {name}")


def build(trt: Any, logger: Any, console: Console, request: Request) -> None:
    """Build the engine and save it, and the timing cache.

    Raises:
        RunFailedError: The model can't be parsed or built; the log says why.
    """
    builder = trt.Builder(logger)
    load_plugins(trt, logger, builder.get_plugin_registry(), request.plugins)
    network = checked(builder.create_network(_creation_flags(trt, request)), "No network could be made.")
    _parse(trt, logger, console, network, request.onnx)
    config = _configure(trt, builder, network, request)
    if {"int8", "best"} & request.switches:
        _invent_ranges(trt, console, network)
    monitor = _make_monitor(trt, console)
    if monitor is not None:
        config.progress_monitor = monitor
    cache = _use_timing_cache(console, config, request)
    begin = time.monotonic()
    plan = checked(builder.build_serialized_network(network, config), "Engine could not be created.")
    console.info(f"Engine built in {time.monotonic() - begin:g} sec.")
    data = memoryview(plan)
    if not data.nbytes:
        raise RunFailedError("Engine could not be created: the plan is empty.")
    console.info(f"Created engine with size: {data.nbytes / _MIB:g} MiB")
    with Path(request.texts["saveEngine"]).open("wb") as file:
        file.write(data)
    if cache:
        _save_timing_cache(console, config, cache)


def precision_text(trt: Any, request: Request) -> str:
    """Return the precisions that the build may use, in trtexec's words."""
    if _is_strongly_typed(trt, request):
        return "Strongly Typed"
    wanted = {name for flag in request.switches for name in BUILDER_FLAGS.get(flag, ())}
    named = [name for name in _PRECISIONS if name in wanted and hasattr(trt.BuilderFlag, name)]
    return "+".join(["FP32", *named])


def _is_strongly_typed(trt: Any, request: Request) -> bool:
    # From TensorRT 11 on there is no other kind of network.
    return "stronglyTyped" in request.switches or not hasattr(trt.BuilderFlag, "FP16")


def _creation_flags(trt: Any, request: Request) -> int:
    """Return the flags of a network with explicit batch; which exist depends on the version."""
    kinds = trt.NetworkDefinitionCreationFlag
    flags = 0
    if major_version(trt) < 10:  # later versions have no other batch, and warn of the flag
        flags |= 1 << int(kinds.EXPLICIT_BATCH)
    if _is_strongly_typed(trt, request) and hasattr(kinds, "STRONGLY_TYPED"):
        flags |= 1 << int(kinds.STRONGLY_TYPED)
    return flags


def _parse(trt: Any, logger: Any, console: Console, network: Any, path: str) -> None:
    """Fill the network from a file; external weights are found beside it."""
    console.info("Start parsing network model.")
    begin = time.monotonic()
    parser = trt.OnnxParser(network, logger)
    if not parser.parse_from_file(os.fspath(path)):
        for index in range(parser.num_errors):
            console.error(_described(parser.get_error(index)))
        raise RunFailedError("Failed to parse onnx file")
    console.info(f"Finished parsing network model. Parse time: {time.monotonic() - begin:g}")


def _described(error: Any) -> str:
    """Return a parser's message with its node, which newer versions know by name."""
    node = f"node {error.node()}" if error.node() >= 0 else "the model"
    if hasattr(error, "node_name"):
        name = " ".join(part for part in (error.node_name(), error.node_operator()) if part)
        node += f" ({name})" if name else ""
    return f"In {node}: {error.desc()}"


def _configure(trt: Any, builder: Any, network: Any, request: Request) -> Any:
    """Return the builder's configuration for a request."""
    config = builder.create_builder_config()
    config.profiling_verbosity = getattr(trt.ProfilingVerbosity, request.verbosity)
    for pool, limit in request.pools_bytes.items():
        if not hasattr(trt.MemoryPoolType, pool):
            raise RunFailedError(f"TensorRT {trt.__version__} has no memory pool {pool}.")
        config.set_memory_pool_limit(getattr(trt.MemoryPoolType, pool), limit)
    for attribute, value in request.numbers.items():
        if not hasattr(config, attribute):
            raise RunFailedError(f"TensorRT {trt.__version__} has no {attribute}.")
        setattr(config, attribute, value)
    for flag in sorted(request.switches & set(BUILDER_FLAGS)):
        for name in BUILDER_FLAGS[flag]:
            if hasattr(trt.BuilderFlag, name):
                config.set_flag(getattr(trt.BuilderFlag, name))
            elif flag != "best":
                raise RunFailedError(f"TensorRT {trt.__version__} has no builder flag {name}.")
    if "noTF32" in request.switches:
        config.clear_flag(trt.BuilderFlag.TF32)
    if request.is_sparse:
        config.set_flag(trt.BuilderFlag.SPARSE_WEIGHTS)
    apply_options(trt, builder, network, config, request)
    for shapes in request.profiles:
        profile = builder.create_optimization_profile()
        _fill_profile(network, profile, shapes)
        if config.add_optimization_profile(profile) < 0:
            raise RunFailedError("The shapes are invalid: TensorRT does not take the optimization profile.")
    _refuse_open_shapes(network, request)
    return config


def _fill_profile(network: Any, profile: Any, shapes: ShapeRange) -> None:
    """Set the range of each input that has one."""
    inputs = {tensor.name: tensor for tensor in _inputs(network)}
    for name in shapes.names:
        if name not in inputs:
            raise RunFailedError(f"Cannot find input tensor with name {name}; it has {', '.join(inputs)}.")
        dimensions = tuple(inputs[name].shape)
        is_fixed = -1 not in dimensions and not inputs[name].is_shape_tensor
        if is_fixed and set(shapes.of(name)) != {dimensions}:
            raise RunFailedError(
                f"Static model does not take explicit shapes: {shapes_text({name: dimensions})} is fixed."
            )
        if inputs[name].is_shape_tensor:
            profile.set_shape_input(name, *(list(each) for each in shapes.of(name)))
        else:
            profile.set_shape(name, *shapes.of(name))


def _refuse_open_shapes(network: Any, request: Request) -> None:
    """Raise if an input has open dimensions and no profile says what they may be."""
    given = {name for shapes in request.profiles for name in shapes.names}
    for tensor in _inputs(network):
        dimensions = tuple(tensor.shape)
        if -1 in dimensions and tensor.name not in given:
            shown = "x".join(str(each) for each in dimensions)
            raise RunFailedError(
                f"Input {tensor.name} has dynamic or shape inputs ({shown}), and no shapes were given for it."
            )


def _inputs(network: Any) -> list[Any]:
    return [network.get_input(index) for index in range(network.num_inputs)]


def _use_timing_cache(console: Console, config: Any, request: Request) -> Path | None:
    """Give the builder what an earlier build has measured; return where to save it, or None."""
    name = request.texts.get("timingCacheFile", "")
    if not name or "noBuilderCache" in request.switches:
        return None
    path = Path(name)
    data = path.read_bytes() if path.is_file() else b""
    if data:
        console.info(f"Loaded {len(data)} bytes of timing cache from {path}")
    cache = config.create_timing_cache(data)
    if cache is None or not config.set_timing_cache(cache, ignore_mismatch=False):
        console.warning(f"The timing cache {path} is of another TensorRT or GPU; a new one is begun.")
        config.set_timing_cache(config.create_timing_cache(b""), ignore_mismatch=False)
    return path


def _save_timing_cache(console: Console, config: Any, path: Path) -> None:
    data = bytes(memoryview(config.get_timing_cache().serialize()))
    path.write_bytes(data)
    console.info(f"Saved {len(data)} bytes of timing cache to {path}")


def shapes_text(shapes: dict[str, Dimensions]) -> str:
    """Return shapes as trtexec shows them: "x=1x3x224x224"."""
    return ", ".join(f"{name}={'x'.join(map(str, sizes)) or 'scalar'}" for name, sizes in shapes.items())


def _make_monitor(trt: Any, console: Console) -> Any:
    """Return a progress monitor for the builder, or None if this version has none."""
    if not hasattr(trt, "IProgressMonitor"):
        return None

    class Monitor(BuildProgress, trt.IProgressMonitor):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProgressMonitor.__init__(self)
            BuildProgress.__init__(self, console)

    return Monitor()


def _invent_ranges(trt: Any, console: Console, network: Any) -> None:
    """Give every tensor a range, unless the model has quantizing layers, and say so."""
    layers = [network.get_layer(index) for index in range(network.num_layers)]
    if any(layer.type == trt.LayerType.QUANTIZE for layer in layers):
        return
    found = False
    for layer in layers:
        for index in range(layer.num_inputs):
            found = _set_range(layer.get_input(index), _INPUT_RANGE) or found
        for index in range(layer.num_outputs):
            found = _set_range(layer.get_output(index), _OUTPUT_RANGE) or found
    if found:
        console.warning("INT8 without calibration: the ranges are made up. Times hold, results do not.")


def _set_range(tensor: Any, limit: float) -> bool:
    """Give a tensor a range if it has none; an optional input of a layer may be None."""
    if tensor is None or tensor.dynamic_range is not None:
        return False
    tensor.set_dynamic_range(-limit, limit)
    return True
