"""What may hold for an engine and its build, which decides the advice that it gets."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.enqueue import is_recurrent
from trexreport.analyzer.rules.context import HALVES, LOW_PRECISIONS, Context
from trexreport.analyzer.rules.copy_kinds import COPY_CONDITIONS
from trexreport.analyzer.rules.dla_kinds import DLA_CONDITIONS
from trexreport.analyzer.rules.engine.build_flags import (
    FLAG_OF_TYPE,
    FLAG_WITH_VALUE,
    TYPE_FLAGS,
    WORKSPACE_WITH_UNIT,
    flags_used,
    is_strongly_typed,
    states_no_layer_types,
    types_stated,
)
from trexreport.analyzer.rules.engine.dla import may_be_on_dla
from trexreport.analyzer.rules.engine.restrictions import restrictions_used
from trexreport.analyzer.rules.engine.workspace import larger_workspace
from trexreport.analyzer.rules.exporters import EXPORTER_CONDITIONS
from trexreport.analyzer.rules.fusion.score_kinds import SCORE_CONDITIONS
from trexreport.analyzer.rules.fusion.unfused_kinds import UNFUSED_CONDITIONS
from trexreport.analyzer.rules.io_conditions import IO_CONDITIONS
from trexreport.analyzer.rules.io_formats import io_format_inside
from trexreport.analyzer.rules.layer_kinds import LAYER_CONDITIONS
from trexreport.analyzer.rules.layer_tests import (
    AnyLayer,
    StatedByPlaces,
    Test,
    alike,
    all_layers,
    any_layer,
    of_engine,
)
from trexreport.analyzer.rules.move_kinds import MOVE_CONDITIONS
from trexreport.analyzer.rules.patterns import (
    ROOTS,
    changes_quantization,
    has_quantized,
    has_quantized_weights_alone,
    is_conv_or_matmul,
    is_reduction,
    is_softmax,
    looks_up,
    quantizes_and_back,
    quantizes_attention,
)
from trexreport.analyzer.rules.product_kinds import PRODUCT_CONDITIONS
from trexreport.analyzer.rules.quantization.scales import has_qdq, is_calibrated, lacks_scales
from trexreport.analyzer.rules.roof_share import is_far_from_roof
from trexreport.analyzer.rules.run_conditions import RUN_CONDITIONS
from trexreport.analyzer.rules.section_kinds import SECTION_CONDITIONS
from trexreport.analyzer.rules.slow_kinds import SLOW_CONDITIONS
from trexreport.analyzer.rules.tensor_cores import computes_half_slowly
from trexreport.regex import regex

_WORKSPACE_FLAGS = {"--memPoolSize", "--workspace"}
_LINEAR_IO = regex(r"--(?:in|out)putIOFormats=\S*?:chw(?![0-9])")
_IO_FLAGS = {"--inputIOFormats", "--outputIOFormats"}
_BUILDS = regex(r"--onnx\b").search
_ONE_RUN = regex(r"^(?!.*--separateProfileRun).*--(?:export|dump)Profile")
#: What a log states where the builder left out tactics.
_LIMITS = ("Tactics without workspace", "Workspace", "Tactics without GPU memory", "Tactics with errors")

Layers = Sequence[LayerFacts]


class Condition(NamedTuple):
    """What may hold for an engine: the test, None if that is not known, and the words for it."""

    holds: Test
    words: str = ""


def _build_level_is_5(context: Context, _: Layers) -> bool | None:
    stated = context.build_option("BuilderOptimizationLevel")
    commands = " ".join(context.analysis.commands)
    return stated == "5" or "--builderOptimizationLevel=5" in commands


def _uses_cache_file(context: Context, _: Layers) -> bool | None:
    if context.build_option("timingCacheFile") or "--timingCacheFile" in flags_used(context):
        return True
    return False if context.has("build-options") else None


def _has_command(pattern: re.Pattern[str]) -> Callable[[Context, Layers], bool]:
    return lambda context, _: any(pattern.search(command) for command in context.analysis.commands)


def _has_idle_type_flags(context: Context, _: Layers) -> bool:
    return is_strongly_typed(context) is True and not flags_used(context).isdisjoint(FLAG_OF_TYPE.values())


def _is_idle(context: Context, _: Layers) -> bool | None:
    busy = context.analysis.latency.gpu_busy_percent
    return None if busy is None else busy < 100


def _has_limited_workspace(context: Context, _: Layers) -> bool | None:
    pools = context.build_option("Memory Pools")
    if "workspace: default" in pools:
        return False
    return True if pools or _WORKSPACE_FLAGS & flags_used(context) else None


def _is_out_of_workspace(context: Context) -> bool:
    return any(map(context.build_fact, _LIMITS[:2]))


def _states_types(context: Context, _: Layers) -> bool:
    return bool(context.requested_precisions & LOW_PRECISIONS or TYPE_FLAGS & flags_used(context))


def _has_no_half(context: Context, _: Layers) -> bool:
    """Return whether nothing uses or asked for 16 bits, which may be faster on the GPU."""
    if HALVES & context.requested_precisions or computes_half_slowly(context):
        return False
    return all(HALVES.isdisjoint({each.precision, each.output_precision}) for each in context.layers)


def _has_wide_io(context: Context, _: Layers) -> bool | None:
    """Return whether the builder may use FP16 or narrower types, and all stated formats of I/O are FP32.

    None where nothing states the formats: trtexec takes FP32 by default.
    """
    formats = [context.build_option(key) for key in ("Input(s)s format", "Output(s)s format")]
    stated = {each.lower().split(":")[0] for each in formats if each}
    if not stated and any(map(_BUILDS, context.analysis.commands)):
        # By default trtexec takes FP32.
        stated = set() if _IO_FLAGS & flags_used(context) else {"fp32"}
    elif not stated and not context.has("build-options"):
        return None
    return stated == {"fp32"} and bool(context.requested_precisions & LOW_PRECISIONS)


def _multiply_in_bf16(_: Context, layers: Layers) -> bool:
    return any("BF16" in {layer.precision, layer.output_precision} for layer in layers)


def _keeps_its_type(_: Context, layers: Layers) -> bool | None:
    """Return whether layers write the type that they read; None where only names are known."""
    if any(layer.precision != layer.output_precision for layer in layers):
        return False
    return True if all(layer.precision for layer in layers) else None


def _has_no_later_version(context: Context, _: Layers) -> bool:
    """Return whether TensorRT 10 does not run on the GPU; its support matrix begins with Volta.

    Xavier (7.2) is not in it either: JetPack 5, its last one, has TensorRT 8.
    """
    capability = context.stated_compute_capability
    return capability is not None and (capability < 70 or capability == 72)


def _is_at_io(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads an input or writes an output of the engine."""
    return any(context.is_input(use.tensor) for use in layer.inputs) or any(
        context.is_output(use.tensor) for use in layer.outputs
    )


def _are_normalizations(context: Context, layers: Layers) -> bool | None:
    """Return whether all layers belong to normalizations in several kernels; None if some do."""
    if any(is_conv_or_matmul(context, layer) or looks_up(layer) for layer in layers):
        return False
    return alike(
        is_reduction(layer) or not ROOTS.isdisjoint(layer.operations)
        for layer in layers
        if layer.index not in context.reformat_of
    )


def _are_far(context: Context, layers: Layers) -> bool | None:
    """Return whether all layers that compute are far from the memory bandwidth; None if some are."""
    return alike(is_far_from_roof(context, each) for each in layers if not context.is_reformat(each))


def _quantize(_: Context, layers: Layers) -> bool | None:
    """Return whether layers change between quantized and other types; None if some do, or it is not known.

    Copies beside them, which keep the type, do not matter.
    """
    if not all(layer.precision for layer in layers):
        return None
    converting = [layer for layer in layers if layer.precision != layer.output_precision]
    return alike(map(changes_quantization, converting or layers))


def _are_linear_inside(context: Context, layers: Layers) -> bool:
    """Return whether what layers convert I/O tensors to, or from, has the linear layout."""
    return all(io_format_inside(context, layer).endswith("chw") for layer in layers)


#: For a known version, in which no other way makes a network strongly typed.
STRONGLY_TYPED = "With --stronglyTyped"
#: The words of conditions in the documentation of rules.
CONDITIONS: Mapping[str, Condition] = {
    "typed": Condition(of_engine(is_strongly_typed), "From TensorRT 11 on, and with --stronglyTyped"),
    "graph": Condition(lambda context, _: context.uses_cuda_graph),
    "waits": Condition(
        lambda context, _: context.enqueue_state in {"waits", "copies"}, "If the host waits for the GPU"
    ),
    "profiled": Condition(
        lambda context, _: context.enqueue_state == "profiled", "If layers were profiled in the same run"
    ),
    "recurrent": Condition(
        lambda context, _: any(map(is_recurrent, context.layers)),
        "If layers are recurrent (LSTM, GRU, loops)",
    ),
    "spin": Condition(lambda context, _: context.is_enabled("Spin-wait", "--useSpinWait", "--noSpinWait")),
    "level-5": Condition(_build_level_is_5),
    "tiled": Condition(lambda context, _: "--tilingOptimizationLevel" in flags_used(context)),
    "first-run": Condition(lambda context, _: context.may_be_first_run, "After a first run"),
    "cache-file": Condition(_uses_cache_file, "If the build reads a timing cache"),
    "pinned": Condition(_has_command(_LINEAR_IO), "If --inputIOFormats or --outputIOFormats is given"),
    "one-stream": Condition(lambda context, _: context.has_one_stream),
    "idle": Condition(_is_idle, "Where the GPU is idle"),
    "overlap": Condition(
        lambda context, layers: None if (idle := _is_idle(context, layers)) is None else not idle,
        "Where queries overlap",
    ),
    "workspace": Condition(_has_limited_workspace, "If the workspace was limited"),
    "restricted": Condition(
        lambda context, _: any(restrictions_used(context)) or not any(map(context.build_fact, _LIMITS))
    ),
    "limited": Condition(of_engine(_is_out_of_workspace), "If the workspace was too small"),
    "full": Condition(lambda context, _: not larger_workspace(context)),
    "crowded": Condition(lambda context, _: bool(context.build_fact(_LIMITS[2])), "If GPU memory was short"),
    "failed": Condition(lambda context, _: bool(context.build_fact(_LIMITS[3])), "If tactics failed"),
    "type-flags": Condition(_states_types),
    "quantized": Condition(lambda context, _: context.cached(has_quantized), "In a quantized engine"),
    "calibrated": Condition(is_calibrated, "With a calibration"),
    "unscaled": Condition(lacks_scales, "If the log names tensors without scales"),
    "explicit": Condition(has_qdq, "If the model has Q/DQ nodes"),
    "wide-io": Condition(_has_wide_io, "With --fp16"),
    "same-type": Condition(_keeps_its_type),
    "at-io": Condition(all_layers(_is_at_io), "At an I/O tensor"),
    "at-end": Condition(StatedByPlaces("End"), "At the ends of the network, by name"),
    "pair": Condition(
        all_layers(lambda _, layer: quantizes_and_back(layer)), "For a Q and DQ node in one layer"
    ),
    "not-finite": Condition(StatedByPlaces("NaN or infinity"), "If outputs are NaN or infinite"),
    "unit": Condition(_has_command(WORKSPACE_WITH_UNIT)),
    "valued": Condition(_has_command(FLAG_WITH_VALUE)),
    "typed-flags": Condition(_has_idle_type_flags, STRONGLY_TYPED),
    "one-run": Condition(_has_command(_ONE_RUN)),
    "maybe-dla": Condition(any_layer(may_be_on_dla), "If it may be a part on a DLA"),
    "untyped": Condition(lambda _, layers: not any(layer.type for layer in layers)),
    "places": Condition(lambda _, layers: bool(layers)),
    "weights-alone": Condition(all_layers(lambda _, layer: has_quantized_weights_alone(layer))),
    "after-attention": Condition(all_layers(quantizes_attention), "After a fused attention"),
    "old-gpu": Condition(_has_no_later_version),
    "no-half": Condition(_has_no_half),
    "no-layer-types": Condition(of_engine(states_no_layer_types)),
    "type-stated": Condition(any_layer(types_stated)),
    "fp32-norm": Condition(_are_normalizations, "For a normalization between conversions"),
    "lookup": Condition(
        lambda _, layers: bool(layers) and all(map(looks_up, layers)), "For a lookup (Gather) in a table"
    ),
    "bf16": Condition(_multiply_in_bf16),
    "quantizes": Condition(_quantize, "Where it quantizes"),
    "linear-inside": Condition(_are_linear_inside),
    "softmax": Condition(AnyLayer(is_softmax), "For a softmax"),
    "far": Condition(_are_far, "If the kernel is far from the bandwidth"),
    "fp32": Condition(lambda _, layers: any(layer.precision == "FP32" for layer in layers), "In FP32"),
    "sums-apart": Condition(StatedByPlaces("Summed inputs"), "For sums of several inputs"),
    "falling": Condition(StatedByPlaces("Slow batch"), "Where a larger batch has a much lower rate"),
    "outside": Condition(StatedByPlaces("Outside of inference"), "Where much is outside of inference"),
    "source-rate": Condition(StatedByPlaces("Rate of the source"), "At the rate of a camera or a display"),
    "beside-pointwise": Condition(
        StatedByPlaces("Pointwise layers next to it"), "With pointwise layers beside"
    ),
    "clipped": Condition(StatedByPlaces("Clipped weights"), "For values beyond the range of FP16"),
    "slow-first": Condition(StatedByPlaces("First inference"), "Where the first inference is slow"),
    **{
        name: Condition(*each)
        for conditions in (
            *(LAYER_CONDITIONS, PRODUCT_CONDITIONS, MOVE_CONDITIONS, COPY_CONDITIONS, DLA_CONDITIONS),
            *(SLOW_CONDITIONS, IO_CONDITIONS, RUN_CONDITIONS, EXPORTER_CONDITIONS, SECTION_CONDITIONS),
            SCORE_CONDITIONS,
            UNFUSED_CONDITIONS,
        )
        for name, each in conditions.items()
    },
}
