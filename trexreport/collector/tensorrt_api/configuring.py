"""Apply what shapes a build to TensorRT's network and builder configuration, as trtexec does.

Source of the order and the exceptions: setupNetworkAndConfig in trtexec's sampleEngines.cpp.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.collector.tensorrt_api.bindings import RunFailedError
from trexreport.collector.tensorrt_api.build_options import BuildOptions, IoFormat, StreamingBudget, matching
from trexreport.collector.tensorrt_api.options import Request

#: A pattern leaves layers alone that hold shapes and indices, as those of other types can't run.
_NO_ACTIVATIONS = frozenset({"INT32", "INT64", "BOOL", "UINT8"})


def apply_options(trt: Any, builder: Any, network: Any, config: Any, request: Request) -> None:
    """Apply the options of a build.

    Args:
        trt: TensorRT's module.
        builder: TensorRT's, which knows the machine's DLA cores.
        network: The model.
        config: Is changed.
        request: What to apply: its options of the build, and the switches beside them.

    Raises:
        RunFailedError: This version of TensorRT, this model or this machine has no such thing.
    """
    options = request.build
    _set_formats(trt, network.num_inputs, network.get_input, options.inputs, "input")
    _set_formats(trt, network.num_outputs, network.get_output, options.outputs, "output")
    if options.hardware:
        level = _member(trt, "HardwareCompatibilityLevel", options.hardware)
        config.hardware_compatibility_level = level
    if options.tiling:
        config.tiling_optimization_level = _member(trt, "TilingOptimizationLevel", options.tiling)
    if options.l2_limit_bytes is not None:
        if not hasattr(config, "l2_limit_for_tiling"):
            raise RunFailedError(f"TensorRT {trt.__version__} has no l2_limit_for_tiling.")
        config.l2_limit_for_tiling = options.l2_limit_bytes
    for name, is_on in options.previews:
        config.set_preview_feature(_member(trt, "PreviewFeature", name), is_on)
    _set_sources(trt, config, options)
    if options.constraints:
        config.set_flag(_member(trt, "BuilderFlag", options.constraints))
        _set_types(trt, network, options)
    _set_devices(trt, builder, network, config, request)


def set_streaming_budget(trt: Any, engine: Any, budget: StreamingBudget) -> int:
    """Limit the weights that an engine keeps on the GPU and return the limit in bytes.

    Raises:
        RunFailedError: This version has no weight streaming, or refuses the limit.
    """
    if not hasattr(engine, "streamable_weights_size"):
        raise RunFailedError(f"TensorRT {trt.__version__} has no weight streaming.")
    whole = int(engine.streamable_weights_size)
    newer = hasattr(engine, "weight_streaming_budget_v2")
    if budget.way == "auto":
        # Before 10.1 or so there is no method: the number itself asks for it.
        limit = int(engine.get_weight_streaming_automatic_budget()) if newer else -1
    elif budget.way == "off":
        limit = whole if newer else 0
    else:
        limit = int(whole * budget.amount / 100) if budget.way == "percent" else int(budget.amount)
    attribute = "weight_streaming_budget_v2" if newer else "weight_streaming_budget"
    try:
        setattr(engine, attribute, limit)
    except (RuntimeError, ValueError) as error:
        raise RunFailedError(f"Failed to set weight streaming limit: {error}") from None
    return limit


def _member(trt: Any, enumeration: str, name: str) -> Any:
    """Return a member of an enumeration, either of which a version may lack."""
    found = getattr(getattr(trt, enumeration, None), name, None)
    if found is None:
        raise RunFailedError(f"TensorRT {trt.__version__} has no {enumeration}.{name}.")
    return found


def _set_formats(trt: Any, count: int, get: Any, formats: Sequence[IoFormat], kind: str) -> None:
    if not formats:
        return
    if len(formats) not in (1, count):
        raise RunFailedError(
            f"The number of {kind}IOFormats must match the number of {kind}s, {count}, or be one."
        )
    for index in range(count):
        stated, tensor = formats[index if len(formats) > 1 else 0], get(index)
        if stated.type:
            tensor.dtype = _member(trt, "DataType", stated.type)
        allowed = 0
        for name in stated.formats:
            allowed |= 1 << int(_member(trt, "TensorFormat", name))
        tensor.allowed_formats = allowed


def _set_sources(trt: Any, config: Any, options: BuildOptions) -> None:
    if not options.sources:
        return
    mask = config.get_tactic_sources()
    for name, is_used in options.sources:
        bit = 1 << int(_member(trt, "TacticSource", name))
        mask = mask | bit if is_used else mask & ~bit
    config.set_tactic_sources(mask)


def _set_types(trt: Any, network: Any, options: BuildOptions) -> None:
    """Set types of layers and of their outputs; without precision constraints TensorRT ignores them."""
    for index in range(network.num_layers) if options.precisions or options.output_types else ():
        layer = network.get_layer(index)
        kind, is_own = matching(options.precisions, layer.name)
        if kind is not None and (is_own or not _holds_no_activations(layer)):
            layer.precision = _member(trt, "DataType", kind)
        kinds, is_own = matching(options.output_types, layer.name)
        if kinds is None or not (is_own or not _holds_no_activations(layer)):
            continue
        if len(kinds) not in (1, layer.num_outputs):
            raise RunFailedError(
                f"Layer {layer.name} has {layer.num_outputs} outputs but {len(kinds)} output types are given."
            )
        for output in range(layer.num_outputs):
            layer.set_output_type(output, _member(trt, "DataType", kinds[output if len(kinds) > 1 else 0]))


def _holds_no_activations(layer: Any) -> bool:
    """Return whether a layer computes shapes or indices."""
    first = layer.get_input(0) if layer.num_inputs else None
    if first is not None and first.is_shape_tensor:
        return True
    return getattr(layer.precision, "name", "") in _NO_ACTIVATIONS


def _set_devices(trt: Any, builder: Any, network: Any, config: Any, request: Request) -> None:
    options, switches = request.build, request.switches
    for index in range(network.num_layers) if options.devices else ():
        layer = network.get_layer(index)
        device, _ = matching(options.devices, layer.name)
        if device is not None:
            config.set_device_type(layer, _member(trt, "DeviceType", device))
    core = options.dla_core
    if core is None:
        return
    if core >= builder.num_DLA_cores:
        raise RunFailedError(f"Cannot create DLA engine, {core} not available")
    config.default_device_type = _member(trt, "DeviceType", "DLA")
    config.DLA_core = core
    # Without fallback nothing may reformat on the GPU; a DLA computes in FP16 or INT8.
    flags = ["PREFER_PRECISION_CONSTRAINTS"]
    flags.append("GPU_FALLBACK" if "allowGPUFallback" in switches else "DIRECT_IO")
    if "int8" not in switches:
        flags.append("FP16")
    for name in flags:
        if hasattr(trt.BuilderFlag, name):
            config.set_flag(getattr(trt.BuilderFlag, name))
