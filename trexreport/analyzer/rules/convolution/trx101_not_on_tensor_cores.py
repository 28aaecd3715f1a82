"""TRX101 convolution.not-on-tensor-cores."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_PER_UNIT,
    FEW_CHANNELS,
    Channels,
    channels_of,
)
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import from_zero
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.roof_share import AT_ROOF, share_of_memory_roof
from trexreport.analyzer.rules.savings import removed_and_narrowed
from trexreport.analyzer.rules.tensor_cores import has_few_rows, is_faster_there, type_for_tensor_cores
from trexreport.numbers import counted

#: From this share of the memory roofline on Tensor Cores would save little.
_NEAR_ROOF = 0.6
#: Layers of few channels have no kernel on Tensor Cores that fits: below this percentage they are as usual.
_USUAL_PERCENT = 5.0


@built_in_rule(
    "warning",
    many="{count} convolutions run on CUDA cores{extent} although Tensor Cores support their type.",
    explains={"layers": ("TRX105", "TRX604", "TRX914"), "share": ("TRX605",)},
    thresholds=(percent("share_percent", 0.1, "Minimum share of layer time, in percent."),),
)
def not_on_tensor_cores(context: Context, *, share_percent: float) -> Hits:
    """A convolution runs on CUDA cores although Tensor Cores support its type.

    Cost:
        Tensor Cores multiply several times faster than CUDA cores in the same type. Kernel names with
        "scudnn", "icudnn", "simt", "ffma" or an architecture before sm70 indicate kernels on CUDA cores.

    Recommendation:
        [if unaligned, unless image-input, unless grouped: Pad the channels in the model to multiples of 16
        bytes (4 in TF32, 8 in FP16 and BF16, 16 in INT8 and FP8).] [if deconvolution: TensorRT has few
        kernels for deconvolutions: compare with a Resize before a convolution, with a convolution before
        DepthToSpace, and with a newer TensorRT.] [if volumes: TensorRT has few kernels for three dimensions:
        compare with a newer TensorRT, and with convolutions in two dimensions and one.] [if volumes, if fp32:
        Compare with FP16.] [if fp32, if image-input: A first layer of few channels has kernels on Tensor
        Cores in FP16.] [if quantized, if pooled, if image-input, unless conv-act-pool: Also quantize the
        pooling after it, so that both become one layer (ConvActPool).] [if int8-products: Compare with the
        layer in FP16, which takes 8 channels at a time.] [if image-input: Neighboring pixels rearranged into
        channels (space-to-depth, of 2×2 pixels) give a first layer four times as many.] [if grouped: Use
        fewer and wider groups.] [8.6.., unless level-5: --builderOptimizationLevel=5 lets the builder try
        more kernels.] [8.4.., if workspace: A larger workspace (--memPoolSize) allows more kernels.] [if
        cache-file: Build without it, so that the kernels are measured again.] The layer's tactic shows
        whether it helped.

    False alarm:
        The layer is memory-bound, or so small that the builder measured the other kernels as slower: it times
        all kernels that support the layer and takes the fastest. Then only another shape or type helps.
        Layers above 60% of the memory bandwidth are information, those above 80% are not reported; where the
        GPU is not known, the engine's fastest reformat or copy shows the bandwidth. Layers with fewer than 8
        rows are not reported: reading their weights takes the time (TRX602). Nor are layers that read at most
        4 channels, such as the first one of an image network, below 5% of layer time: INT8 kernels that take
        4 channels at a time are usual there, and padding to 16 costs bandwidth. FP32 is reported only where
        TF32 is faster on this GPU: not on most GeForce boards, and as information where the GPU is not known.

    Est. savings:
        An estimate, from 0 as no kernel on Tensor Cores may be faster for this shape: up to the measured time
        minus the roofline time on Tensor Cores for the layer's operations and bytes, at the share of the
        roofline that convolutions of this engine on Tensor Cores reach; not estimated without the peaks of
        the GPU. For a quantized convolution with a floating-point output the smaller output of the
        recommendation counts.
    """
    for layer in context.convolutions:
        if context.kernel(layer).tensor_cores is not False:
            continue
        channels = channels_of(layer)
        if _is_depthwise(context, layer, channels) or has_few_rows(context, layer):
            continue
        reads_few = channels is not None and channels.read <= FEW_CHANNELS and not channels.are_grouped
        least = max(share_percent, _USUAL_PERCENT) if reads_few else share_percent
        if not context.is_significant([layer], least):
            continue
        multiplied = type_for_tensor_cores(context, layer)
        of_roof = share_of_memory_roof(context, layer)
        if not multiplied or of_roof > AT_ROOF:
            continue
        is_likely_slow = is_faster_there(context, multiplied) is not None and of_roof <= _NEAR_ROOF
        evidence = {"Type": layer.precision, "Kernel": layer.tactic}
        if channels:
            evidence["Channels"] = str(channels)
        yield Hit(
            _message(channels, multiplied),
            (layer,),
            from_zero(_gain(context, layer)) if is_likely_slow else None,
            evidence,
            severity=None if is_likely_slow else "info",
        )


def _is_depthwise(context: Context, layer: LayerFacts, channels: Channels | None) -> bool:
    named = context.kernel(layer).is_depthwise
    return named or (channels is not None and channels.are_grouped and channels.groups == channels.read)


def _message(channels: Channels | None, multiplied: str) -> str:
    """Return the statement with the likeliest cause first."""
    unit = CHANNELS_PER_UNIT[multiplied]
    runs = f"runs on CUDA cores{EXTENT}"
    if channels is None:
        return f"{LAYER} {runs}; its shapes do not show the cause."
    if channels.are_grouped:
        return f"{LAYER} divides its channels into {channels.groups} small groups and {runs}."
    if channels.read < unit:
        few = counted(channels.read, "channel")
        return f"{LAYER} reads only {few}, of which Tensor Cores take {unit} at a time, and {runs}."
    if channels.read % unit or channels.written % unit:
        return f"{LAYER} has channels that are not multiples of {unit} and {runs}."
    return f"{LAYER} {runs} although its shape suits Tensor Cores."


def _gain(context: Context, layer: LayerFacts) -> Gain | None:
    if layer.precision in QUANTIZED and layer.output_precision in FLOATS and layer.roof:
        # Quantizing what follows, as recommended, makes the output smaller too.
        return removed_and_narrowed(context, [], [(layer, layer.outputs)])
    return above_roof(
        context,
        layer,
        lambda each: context.is_convolution(each) and context.kernel(each).tensor_cores is True,
    )
