"""TRX101 convolution.not-on-tensor-cores."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.convolution.channels import CHANNELS_TOGETHER, Channels, channels_of
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted

#: Compute capability times ten from which on tensor cores multiply a type.
#: Source: CUDA C++ Programming Guide, "Compute Capabilities"; INT8 since Xavier's 7.2.
_TENSOR_CORES_SINCE = {"FP16": 70, "BF16": 80, "TF32": 80, "INT8": 72, "FP8": 89}
#: Fewer rows than the smallest tile of a tensor-core instruction has.
_FEW_ROWS = 8


@rule(
    "TRX101",
    "convolution.not-on-tensor-cores",
    "warning",
    many="{count} convolutions run on ordinary cores though tensor cores take their type.",
    section="layers",
    subject="kernels",
    thresholds=(Threshold("share_percent", 0.1, 0, 100, "Least share of the time, in percent."),),
)
def not_on_tensor_cores(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """A convolution runs on ordinary cores though tensor cores take its type.

    Cost:
        Tensor cores multiply several times as fast as ordinary cores in the same type. Names with "scudnn",
        "icudnn", "simt", "ffma" or an architecture before sm70 tell kernels that do without them.

    Advice:
        Few or odd channels: pad them to a multiple of 8 (FP16, BF16) or 16 (INT8, FP8) in the model. A first
        layer with 3 channels: build with FP16, which has tensor-core kernels for it; in INT8 quantize the
        pooling behind it too, so that both become one layer (ConvActPool), or leave the layer in FP16; or
        turn 2×2 pixels into channels. Few rows: raise the batch. Groups: fewer and wider ones. Otherwise give
        the builder more choice: --builderOptimizationLevel=5 (since 8.6), a larger --memPoolSize, all
        --tacticSources, a new timing cache. The layer's tactic shows whether it helped.

    False alarm:
        The layer is bound by memory, or so small that the builder measured the other kernels as slower: it
        times all that fit and takes the fastest. Then only another shape or type helps.

    Bound:
        The measured time minus the least that the GPU needs on tensor cores for the layer's operations and
        bytes (its roof); unknown without the GPU's peaks.
    """
    for layer in context.layers:
        if not context.is_convolution(layer) or context.kernel(layer).tensor_cores is not False:
            continue
        channels = channels_of(layer)
        if _is_depthwise(context, layer, channels) or not context.may_matter([layer], share_percent):
            continue
        multiplied = _type_for_tensor_cores(context, layer)
        if not multiplied:
            continue
        few_rows = _has_few_rows(context, layer)
        message = f"It runs on ordinary cores{for_time(context, [layer])}: "
        evidence = {"Type": layer.precision, "Kernel": layer.tactic}
        if channels:
            evidence["Channels"] = str(channels)
        yield Hit(
            message + _why_not(context, layer, channels, multiplied),
            (layer,),
            layer.roof.headroom_ms if layer.roof and not few_rows else None,
            evidence,
            severity="info" if few_rows else None,
        )


def _is_depthwise(context: Context, layer: LayerFacts, channels: Channels | None) -> bool:
    named = context.kernel(layer).is_depthwise
    return named or (channels is not None and channels.are_apart and channels.groups == channels.read)


def _has_few_rows(context: Context, layer: LayerFacts) -> bool:
    """Tell whether so few rows meet the weights that reading these sets the speed."""
    if context.kernel(layer).is_matrix_vector:
        return True
    return layer.work is not None and layer.work.m < _FEW_ROWS


def _type_for_tensor_cores(context: Context, layer: LayerFacts) -> str:
    """Return the type in which this GPU's tensor cores could surely compute the layer, or an empty text."""
    multiplied = layer.precision
    if multiplied == "FP32":
        # FP32 is other rules' matter where another type was asked for or TF32 is off altogether.
        if context.asked_precisions & LOW_PRECISIONS or not context.uses_tf32:
            return ""
        multiplied = "TF32"
    since = _TENSOR_CORES_SINCE.get(multiplied)
    if since is None or context.least_capability is None or context.least_capability < since:
        return ""
    gpu = context.analysis.roofline.gpu
    # Some boards of an architecture with tensor cores were made without them.
    return multiplied if gpu is None or multiplied in gpu.tensor_tflops else ""


def _why_not(context: Context, layer: LayerFacts, channels: Channels | None, multiplied: str) -> str:
    """Return the likeliest cause as the end of a sentence."""
    together = CHANNELS_TOGETHER[multiplied]
    if _has_few_rows(context, layer):
        return "so few rows meet its weights that reading these sets the speed."
    if channels is None:
        return "its shapes do not tell why."
    if channels.are_apart:
        return f"its channels are in {channels.groups} groups, each a small product of its own."
    if channels.read < together:
        few = counted(channels.read, "channel")
        return f"it reads only {few}, of which tensor cores take {together} at a time."
    if channels.read % together or channels.written % together:
        return f"its channels are no multiples of {together}."
    return "nothing in its shape speaks against tensor cores."
