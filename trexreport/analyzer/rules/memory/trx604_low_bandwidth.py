"""TRX604 memory.low-bandwidth."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis.roofline import LayerRoof
from trexreport.analyzer.roofline.costs import skipped_bytes
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.convolution.channels import channels_of
from trexreport.analyzer.rules.convolution.padding import has_few_channels
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.layer_kinds import are_deconvolutions, writes_few_channels
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.patterns import (
    ROOTS,
    is_conv_or_matmul,
    is_fused_attention,
    is_reduction,
    only_copies,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.roof_share import cuda_cores_ms, is_far_off, is_memory_bound, near_roof
from trexreport.analyzer.rules.tensor_cores import type_for_tensor_cores
from trexreport.numbers import format_bytes, format_number, format_percent
from trexreport.regex import regex

_FITS = {True: "yes", False: "no", None: "not known"}
#: Channels that a Tensor Core takes at a time; convolutions with fewer are slow for that reason.
_FEW_CHANNELS = 8
#: A normalization reads its input for the statistics, and again, and writes as much.
_PASSES_OF_NORMALIZATION = 1.5
#: They sort or compute step by step; but an ArgMax, which is a TopK to TensorRT, reads all and keeps one.
_IN_STEPS = frozenset({"TopK", "NMS", "NonMaxSuppression", "NonZero", "Sort", "CumSum", "cumsum"})
_IN_STEPS |= frozenset({"GRU", "LSTM", "Loop", "RNN", "RNNv2", "Resize", "Scan"})
_ARG = regex(r"Arg(?:Max|Min)")


@built_in_rule(
    "warning",
    many="{count} layers reach a low share of the roofline{extent}.",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    explains={"layers": ("TRX914",), "share": ("TRX605", "TRX601")},
    thresholds=(
        percent("reached_percent", 35.0, "Maximum % of roofline."),
        min_share(1.0, "one layer"),
        Threshold("roof_us", 20.0, 0, 1e9, "Minimum roofline time in µs; below, latency limits the layer."),
    ),
    replaces=True,
)
def low_bandwidth(context: Context, *, reached_percent: float, share_percent: float, roof_us: float) -> Hits:
    """A layer with few operations reaches a low share of the memory bandwidth.

    So does any layer that takes ten times as long as its operations on CUDA cores in FP32.

    Cost:
        The bytes that it must move would take far less time at the GPU's bandwidth. Usual causes are strided
        access (a transpose in the same kernel, a reduction along rows of another layout), loads of single
        elements where dimensions are not aligned, and too little parallelism.

    Recommendation:
        [if few-outputs: A convolution or matrix multiplication of few output channels leaves most of each
        tile empty: enlarge by a pixel shuffle behind a convolution of more channels and fewer pixels, or use
        a smaller kernel.] [if samples: Sampling (GridSample) reads where the data says: all levels and points
        in one kernel, as a plugin does (MultiscaleDeformableAttnPlugin_TRT), read less often.] [if
        deconvolves: TensorRT has few kernels for deconvolutions: compare with a Resize before a convolution,
        and with a convolution before DepthToSpace.] [if transposes, unless matmuls, unless samples: Move the
        transpose out of the layer.] [unless few-outputs, unless few-rows, unless samples, unless upsampled,
        unless picks-class, unless matmuls, unless deconvolution, unless transposes: A newer TensorRT may have
        a faster kernel.] [if few-rows: It reads its weights for few rows: a larger batch uses them more
        often, fewer bits make them smaller, and a kernel that divides the sum among more SMs (split-K) reads
        them faster.] [unless few-outputs, unless few-rows, if matmuls: Few tiles or a long sum leave SMs
        idle: more rows in one multiplication (a larger batch, several small ones together) and aligned
        extents help.] [if upsampled: Take the maximum over classes (ArgMax) before the image is enlarged, or
        enlarge it outside of the engine; a softmax before ArgMax changes nothing.] [if picks-class, unless
        upsampled: Choose the class (ArgMax) of fewer pixels or tokens, such as before an image is enlarged,
        or in a plugin or a kernel of the application that reads the scores in the type and layout in which
        they are written.] [8.6.., unless level-5, unless samples, unless upsampled:
        --builderOptimizationLevel=5 lets the builder try more kernels.]

    False alarm:
        The layer reads some bytes several times, which the sizes of its tensors do not show; or the GPU ran
        at lower clocks than the peaks are for. A normalization may read its input twice, and counts so, as do
        the pixels that the stride of a convolution leaves out. The time of operations counts beside that of
        bytes, and deconvolutions are information. Layers too small to show a bandwidth are left out, as are
        those of more specific rules: reformats, copies (TRX507), depthwise and grouped convolutions (TRX105),
        convolutions of few channels (TRX112), products on CUDA cores (TRX101, TRX106), fused attentions
        (TRX512), and resizing, sorting, suppression, recurrences, running sums and loops (TRX918).

    Est. savings:
        An estimate: the layer's time minus the time that its bytes need at the share of the peak bandwidth
        that other memory-bound layers of this engine reach; of ten times the roofline time what is above
        that, at least.
    """
    for layer in context.layers:
        roof = layer.roof
        # First what is true of the fewest layers.
        if roof is None or roof.reached_percent is None or roof.roof_ms * 1e3 < roof_us:
            continue
        if context.share_percent(layer.avg_ms or 0.0) < share_percent:
            continue
        is_far = is_far_off(context, layer)
        if _explained_percent(context, layer, roof) >= reached_percent or not (
            is_far or roof.roof == "memory"
        ):
            continue
        if any(layer is each for each in context.cached(dla_use).on_dla):
            # The peaks are those of the GPU.
            continue
        if _has_own_rule(context, layer) or context.is_reformat(layer) or only_copies(layer):
            continue
        if roof.roof == "memory":
            share = format_percent(roof.reached_percent / 100)
            reached = f"moves its data at only {share} of the memory bandwidth"
        else:
            times = (layer.avg_ms or 0.0) / cuda_cores_ms(context, layer)
            reached = f"takes {format_number(times)} times as long as its operations in FP32 on CUDA cores"
        yield Hit(
            f"{LAYER} {reached}{EXTENT}.",
            (layer,),
            near_roof(context, [layer]) if is_far else above_roof(context, layer, is_memory_bound),
            {"Moved": format_bytes(_least_bytes(context, layer, roof)), "Fits in L2": _FITS[roof.fits_l2]},
            # With others of its kind it is another finding (TRX109).
            severity="info" if are_deconvolutions(context, [layer]) else None,
        )


def _rate(context: Context) -> float:
    """Return the bytes that the memory moves in a ms; where layers have a roof, it is known."""
    gpu = context.analysis.roofline.gpu
    return gpu.bandwidth_gbs * 1e6 if gpu else math.inf


def _least_bytes(context: Context, layer: LayerFacts, roof: LayerRoof) -> int:
    """Return the bytes that the roofline counts."""
    if roof.roof == "compute" and layer.flops and roof.intensity:
        return round(layer.flops / roof.intensity)
    return round(roof.roof_ms * _rate(context))


def _explained_percent(context: Context, layer: LayerFacts, roof: LayerRoof) -> float:
    """Return the part of a layer's time that its bytes and its operations take, one after the other.

    Kernels may read the pixels that the stride of a convolution leaves out; the roofline counts none.
    """
    passes = _PASSES_OF_NORMALIZATION if _normalizes(layer) else 1.0
    computing_ms = (layer.flops or 0) / (roof.peak_tflops * 1e9) if roof.peak_tflops else 0.0
    skipped_ms = skipped_bytes(layer, layer.work) / _rate(context)
    own_ms = passes * roof.roof_ms + (computing_ms + skipped_ms if roof.roof == "memory" else 0.0)
    return 100 * own_ms / (layer.avg_ms or math.inf)


def _normalizes(layer: LayerFacts) -> bool:
    """Return whether a layer computes statistics of what it then normalizes."""
    return layer.type == "Normalization" or (is_reduction(layer) and not ROOTS.isdisjoint(layer.operations))


def _has_own_rule(context: Context, layer: LayerFacts) -> bool:
    """Return whether another rule says why a layer is slow: its steps, its kernel, or its channels."""
    if is_fused_attention(context, layer):
        return True
    if layer.roof and layer.roof.roof == "compute" and writes_few_channels(context, layer):
        return True
    if not _IN_STEPS.isdisjoint((layer.type, *layer.operations)) and _ARG.search(layer.name) is None:
        return True
    on_cuda_cores = context.kernel(layer).tensor_cores is False and is_conv_or_matmul(context, layer)
    if on_cuda_cores and type_for_tensor_cores(context, layer):
        return True
    if not context.is_convolution(layer):
        return False
    channels = channels_of(layer)
    if (channels is not None and channels.are_grouped) or has_few_channels(context, layer):
        return True
    extents = layer.inputs[0].dimensions if layer.inputs else []
    return len(extents) > 1 and 0 < extents[1] < _FEW_CHANNELS
