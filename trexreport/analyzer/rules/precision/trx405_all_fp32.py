"""TRX405 precision.all-fp32."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import HALVES, LOW_PRECISIONS
from trexreport.analyzer.rules.fusion.attention_parts import layers_of_fitting_heads
from trexreport.analyzer.rules.launches import are_mostly_launches, is_tiny_query
from trexreport.analyzer.rules.layer_kinds import is_fp32_outside
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.logs import tried_types
from trexreport.analyzer.rules.patterns import activations, is_conv_or_matmul, is_pointwise, operations
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.precision.precision_use import computed_types, product_types
from trexreport.analyzer.rules.precision.speedups import in_half_precision
from trexreport.analyzer.rules.read_elsewhere import activations_beside_readers
from trexreport.analyzer.rules.reformat.reformat_places import reformat_places
from trexreport.analyzer.rules.tensor_cores import (
    computes_half_slowly,
    has_fast_half,
    lacks_tensor_cores,
)
from trexreport.numbers import counted

_CALLED_FP32 = "The engine is called FP32 by the names of files, and none states what the builder was allowed"
_UNKNOWN_GPU = "; whether the GPU has Tensor Cores is not known"
_DOUBLE_RATE = ", on a GPU that computes FP16 at twice the rate of FP32"
_FAST_FP16 = "; the GPU is not stated, and TensorRT 10 and later support none without fast FP16"
#: Flags of models that state no types; TensorRT 10 no longer has them.
_UNTYPED_MODELS = ("--deploy", "--uff", "--model=")
#: Minimum share of the time of layers other than Myelin regions, where what these compute in is not known.
_MOSTLY = 0.5


@built_in_rule(
    "warning",
    needs=(),
    thresholds=(min_share(20, "all these layers together"),),
    explains={
        "layers": ("TRX101", "TRX105", "TRX206", "TRX403", "TRX502", "TRX503", "TRX604"),
        "neighbors": ("TRX202",),
        "share": ("TRX601", "TRX914"),
    },
)
def all_fp32(context: Context, *, share_percent: float) -> Hits:
    """All convolutions and matrix multiplications compute in FP32 on a GPU with fast FP16.

    Cost:
        FP16 and BF16 halve the bytes of weights and tensors. [unless without-cores: Tensor Cores multiply
        them at twice the rate of TF32 and many times that of FP32.] [if without-cores: The GPU computes FP16
        at twice the rate of FP32.]

    Recommendation:
        [if half-failed: Its build in FP16 failed: the finding of that log states why. Let the layer of the
        error stay in FP32, and build the others in FP16.] [..10, unless typed, unless half-failed: Build with
        --fp16; layers that lose accuracy can stay in FP32.] [8.4..10, unless typed: --layerPrecisions names
        such layers.] [if typed: Convert the ONNX file (ModelOpt's AutoCast) to FP16.] [9.3.., if bf16-cores:
        BF16 keeps the range of FP32.] Compare the outputs with Polygraphy.

    False alarm:
        The results need more than the 11 bits of FP16 and TF32; or the weights overflow FP16, and the GPU
        does not support BF16. Myelin regions (ForeignNode) hide the types in which they compute; with them it
        is reported where their inputs and outputs are FP32, too, and these layers take most of the time of
        the other layers. Where the layers are not known, the options of the build decide, and nothing is
        reported of a query of less than 0.1 ms, which may be launches. It is information of an engine that is
        only called FP32, and where the GPU is not known, except that TensorRT 10 and later support none
        without fast FP16. Nothing is reported where most of these layers take about as long as a launch, nor
        where a log of a build in a lower precision lies beside this one, which is the faster of the two
        (TRX415).

    Est. savings:
        An estimate where times and Tensor Cores are known, for all layers that compute in FP32, from
        published speedups of FP16: convolutions and matrix multiplications become 1.5 to 6 times as fast (up
        to 3 in TF32 on Tensor Cores, up to 2 where they mostly read weights), others 1.3 to 2.2, each above
        the time of the engine's fastest kernel. A reformat of an FP32 input or output may come in addition.
    """
    lacks_cores, is_fast = lacks_tensor_cores(context), has_fast_half(context)
    has_cores = lacks_cores is False
    asked = context.requested_precisions | context.cached(tried_types)
    if computes_half_slowly(context) or asked & LOW_PRECISIONS:
        return
    if not context.has("layers"):
        allows_no_other = context.allows_only_fp32 or _has_no_types(context)
        if _is_build(context) and allows_no_other and not is_tiny_query(context):
            is_stated = context.min_compute_capability is not None
            fast = ", on a GPU with FP16 Tensor Cores" if is_stated else _FAST_FP16
            on = _DOUBLE_RATE if is_fast else fast if has_cores else _UNKNOWN_GPU
            is_sure = has_cores or is_fast
            yield Hit(f"The builder was allowed FP32 only{on}.", severity=None if is_sure else "info")
        elif context.analysis.identity.named_precisions == "FP32" and not is_tiny_query(context):
            yield Hit(f"{_CALLED_FP32}{'' if has_cores or is_fast else _UNKNOWN_GPU}.", severity="info")
        return
    hidden = context.opaque
    hidden = [] if context.allows_only_fp32 else hidden
    if context.cached(product_types) & LOW_PRECISIONS or not all(
        is_fp32_outside(context, each) for each in hidden
    ):
        return
    unknown = {layer.index for layer in hidden}
    measured = [layer for layer in context.layers if layer.avg_ms or not context.total_ms]
    known = [layer for layer in measured if layer.index not in unknown]
    found = [layer for layer in known if _multiplies(context, layer)]
    if hidden and context.time_ms(found) < _MOSTLY * context.time_ms(known):
        return
    found = slowest_first(found)
    whole = [*found, *_others(context, found)]
    if not found or not context.is_significant(whole, share_percent) or are_mostly_launches(context, whole):
        return
    is_estimated = context.total_ms > 0 and has_cores
    # The savings are of all that computes in FP32, and the place gets their layers, not only what multiplies.
    whole = whole if is_estimated else found
    work = counted(len(whole), "layer computes", "layers compute")
    inside = counted(len(hidden), "Myelin region", "Myelin regions")
    verb = "reads and writes" if len(hidden) == 1 else "read and write"
    regions = f"; {inside}, with types inside that are not known, {verb} FP32{timed(context, hidden)}"
    gpu = _DOUBLE_RATE if is_fast else "" if has_cores else _UNKNOWN_GPU
    yield Hit(
        f"{work} in FP32, none in FP16 or BF16{timed(context, whole)}{regions if hidden else ''}{gpu}.",
        tuple(found),
        in_half_precision(context, whole) if is_estimated else None,
        _tf32(context, found),
        severity=None if has_cores or is_fast else "info",
        affected=(
            *(layer for layer in context.layers if layer.type == "Pooling" or _may_be_fused(context, layer)),
            *_conversions_of_half_io(context),
            # No kernel fuses an attention in FP32, and none too large heads in any type.
            *(context.layers[index] for index in sorted(layers_of_fitting_heads(context))),
        ),
    )


def _tf32(context: Context, products: Sequence[LayerFacts]) -> dict[str, str]:
    """Return whether kernels multiply in TF32 as evidence, where their names show it."""
    if context.uses_tf32:
        return {"TF32": "used"}
    known = all(context.kernel(each).tensor_cores is not None for each in products)
    return {"TF32": "not used"} if known else {}


def _may_be_fused(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is pointwise, and of a kind that kernels in FP16 do when they write results.

    Sums and gates of two tensors are not fused for another type, nor what others read the input of, too.
    """
    if not is_pointwise(layer) or "PRelu" in operations(layer) or len(activations(context, layer)) > 1:
        return False
    return layer.index not in {each.index for each in context.cached(activations_beside_readers)}


def _conversions_of_half_io(context: Context) -> list[LayerFacts]:
    """Return the reformats between I/O tensors in FP16 or BF16 and the layers in FP32."""
    return [
        layer
        for layer, side in context.cached(reformat_places).at_io_tensors
        if (layer.precision if side == "input" else layer.output_precision) in HALVES
    ]


def _is_build(context: Context) -> bool:
    """Return whether the options are those of a build: a run that loads an engine states its own defaults."""
    commands = context.analysis.commands
    builds = ("--onnx", *_UNTYPED_MODELS)
    is_build = any(flag in each for flag in builds for each in commands)
    return is_build and not any("--loadEngine" in each for each in commands)


def _has_no_types(context: Context) -> bool:
    """Return whether the model of the build is in a format that states no types, so that options do."""
    return context.requested_precisions == {"FP32"} and any(
        flag in each for flag in _UNTYPED_MODELS for each in context.analysis.commands
    )


def _others(context: Context, found: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the other layers that compute in FP32; they also move fewer bytes in FP16."""
    known = {layer.index for layer in found}
    return [
        layer
        for layer in context.layers
        if layer.avg_ms
        and layer.index not in known
        and not context.is_opaque(layer)
        and not context.is_plugin(layer)
        and "FP32" in computed_types(context, layer)
    ]


def _multiplies(context: Context, layer: LayerFacts) -> bool:
    # Where neither tensors nor kernel state a type, it may be any.
    is_known = is_conv_or_matmul(context, layer) and bool(computed_types(context, layer))
    return is_known or context.is_opaque(layer)
