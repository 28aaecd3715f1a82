"""TRX406 precision.not-quantized."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from trexreport.analyzer.rules import Context, Hit, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import HALVES, QUANTIZED
from trexreport.analyzer.rules.convolution.padding import has_few_channels
from trexreport.analyzer.rules.engine.earlier_gpus import must_run_on_ampere, of_earlier_gpus
from trexreport.analyzer.rules.engine.streamed_weights import streamed_products
from trexreport.analyzer.rules.fusion.attention_parts import products_of_attentions
from trexreport.analyzer.rules.idle import gpu_mostly_waits
from trexreport.analyzer.rules.launches import fills_gpu, is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import writes_few_channels
from trexreport.analyzer.rules.limits import min_gain, min_share
from trexreport.analyzer.rules.matmul.fixed_products import fixed_products
from trexreport.analyzer.rules.matmul.scores import all_scores
from trexreport.analyzer.rules.memory.weights import NARROW_BITS, weight_bits
from trexreport.analyzer.rules.narrow_types import computes_int8_slowly, may_multiply_in_fp8, may_use_fp4
from trexreport.analyzer.rules.patterns import activations, has_quantized, is_fused_attention
from trexreport.analyzer.rules.phrases import part_of_all, timed
from trexreport.analyzer.rules.precision.precision_use import computed_types, used_types
from trexreport.analyzer.rules.precision.speedups import eight_bits
from trexreport.analyzer.rules.run_shapes import has_other_shapes
from trexreport.analyzer.rules.savings import if_worthwhile
from trexreport.analyzer.rules.tensor_cores import has_few_rows
from trexreport.numbers import counted, format_count, join_names

#: Minimum compute capability, times ten, with Tensor Cores for a type.
_SINCE = {"INT8": 72, "FP8": 89}
#: The first version of TensorRT with NVFP4.
_FP4_VERSION = (10, 8)
#: What bounds layers, as texts; those that neither bounds have work for all SMs.
_BOUNDS = {"compute": "by compute", "memory": "by memory", "latency": "far from both peaks"}
#: Less of a peak above that of FP16 saves little.
_FASTER = 1.2
#: Without times: a layer takes longer than its launch if this is its roofline time, or if it has this number
#: of operations where the GPU is not known. A T4 takes 15 us for them at the peak of its Tensor Cores.
_LONG_MS, _LARGE_FLOPS = 0.005, 1e9
#: A kernel with work for all SMs may be latency-bound by its peak and still compute faster; below this share
#: of the roofline, in percent, something else limits it.
_MIN_REACHED = 15.0
#: Without peaks a layer of fewer launches may be latency-bound.
_LONG_LAUNCHES = 10
#: A product of two computed tensors reads no weights.
_OPERANDS = 2
#: Fewer products of one input are those of a single attention rather than of many in turn.
_MIN_FIXED = 4


@built_in_rule(
    "info",
    needs=("layers",),
    thresholds=(min_share(20, "all these layers together"), min_gain(10)),
    explains={"share": ("TRX601",)},
)
def not_quantized(context: Context, *, share_percent: float, gain_percent: float) -> list[Hit]:
    """No layer is quantized, although INT8 or FP8 would make many of them faster.

    Cost:
        INT8 and FP8 halve the bytes of weights and tensors in FP16 and BF16, and Tensor Cores multiply them
        at twice the rate.

    Recommendation:
        Quantize the model and compare the accuracy: [unless torch-tensorrt: ModelOpt puts Q/DQ nodes with
        scales into the ONNX file.] [if torch-tensorrt: ModelOpt quantizes the PyTorch model
        (modelopt.torch.quantization), which torch_tensorrt.compile takes with torch.int8 or
        torch.float8_e4m3fn beside torch.float16 as enabled_precisions, newer releases with
        use_explicit_typing=True.] [10.8.., if fp4, if matmuls: NVFP4 has this GPU's highest peak: take it for
        the weights and inputs of large matrix multiplications, and FP8 where the accuracy asks for it.] [if
        fp8, unless fp4, if matmuls: FP8 costs less accuracy than INT8.] [unless matmuls, unless slow-int8:
        INT8 has the most kernels for convolutions.] [if residuals: Quantize the inputs of residual Adds,
        too.] [if fp8-attention, if attentions: Q/DQ nodes at the inputs of both products of an attention let
        fused kernels compute it in FP8, too.] [if writes-values: If the output is an image or a signal, 8
        bits may be seen or heard in it: keep the first and the last layers in floating point, and compare the
        outputs themselves.] [..10, unless typed, unless bf16, unless slow-int8, unless torch-tensorrt: Build
        with --int8 and --fp16, so that other layers stay in FP16.] [10.0..10, if fp8-products, unless typed,
        unless bf16, unless slow-int8, unless torch-tensorrt: For FP8 it is --fp8 in place of --int8.]
        [9.0..10, unless typed, if bf16, unless torch-tensorrt: Build with --stronglyTyped from a model that
        is in BF16 itself: then these nodes alone state what is quantized.] [10.0..10, if slow-int8, unless
        typed, unless bf16, unless torch-tensorrt: Build with --fp8 and --fp16: INT8 is slower than FP16 on
        this GPU.] [..10.0, unless typed, unless bf16, unless slow-int8, unless torch-tensorrt: Without Q/DQ
        nodes, --int8 with --calib uses the scales of a calibration.] [if typed, unless bf16, unless
        torch-tensorrt: These nodes alone state the types; no option does.]

    False alarm:
        The accuracy does not allow it. Nothing is reported where the GPU computes less than 60% of the time
        or waits for launches, where a low precision was requested (TRX402, TRX404), or where the kernels were
        chosen for other shapes (TRX706). Layers that 8 bits barely make faster are left out: latency-bound
        ones, depthwise convolutions and those of few output channels, multiplications of few rows (TRX602) or
        of two computed tensors, as in an attention (TRX503), and all where the Tensor Cores are not faster in
        8 bits. So are layers that another finding comes first for: TRX107, TRX108, TRX912, TRX913. Without a
        profile only layers count that are certainly more than a launch, and none beside regions that hide
        their layers.

    Est. savings:
        An estimate from the GPU's peaks for 8 bits: a layer comes as near to the roofline of half of its
        bytes and of the higher peak as it does to its own, from 1.2 times as fast where arithmetic bounds it,
        else from 0, as it may go on to write the wider type; above the time of the engine's fastest kernel.
        Where the peaks are not known up to 2 times as fast as published. Not estimated without a profile. A
        conversion of the input may come in addition.
    """
    if context.requested_precisions & QUANTIZED or context.cached(used_types) & QUANTIZED:
        return []
    types, ratio = _faster_types(context)
    if context.cached(has_quantized) or not types:
        return []
    if not context.total_ms and context.opaque:
        return []  # What these hide may be most of the network.
    if gpu_mostly_waits(context) or has_other_shapes(context):
        return []
    candidates = (each for each in context.products if _gains(context, each))
    found = context.slowest(candidates, share_percent)
    if not found:
        return []
    half = join_names(sorted(frozenset().union(*(computed_types(context, each) & HALVES for each in found))))
    is_known = context.min_compute_capability is not None
    unknown = "" if is_known else "; whether the GPU is faster in INT8 is not known"
    names = [each for each in types if each != "FP8" or may_multiply_in_fp8(context, found) is not False]
    names += _fp4(context, found)
    hit = Hit(
        f"{_subject(context, found, half)}{timed(context, found)}, and no layer is quantized{unknown}.",
        tuple(found),
        eight_bits(context, found, ratio) if context.total_ms else None,
        {"Faster types": join_names(names, "or")} | _bounds(found),
    )
    return if_worthwhile(context, [hit], gain_percent)


def _subject(context: Context, found: Sequence[LayerFacts], half: str) -> str:
    """Return "20 layers multiply in FP16", or how many of them may gain where others hardly do."""
    number = sum(_may_count(context, each) for each in context.products)
    attends = any(is_fused_attention(context, each) and _may_count(context, each) for each in context.layers)
    half += ", fused attentions aside," if attends else ""
    if number == len(found) and context.total_ms:
        return f"{counted(number, 'layer multiplies', 'layers multiply')} in {half.removesuffix(',')}"
    one, many = f"layer that multiplies in {half}", f"layers that multiply in {half}"
    if number == len(found) > 1:
        # Not all: a list of layers may be a part of the engine's.
        some = counted(number, one, many)
    else:
        some = part_of_all(len(found), number, one, many)
    if not context.total_ms:
        are = "is" if len(found) == 1 else "are"
        return f"{some} {are} large enough to gain from quantization"
    return f"{some} may gain from quantization"


def _faster_types(context: Context) -> tuple[list[str], float | None]:
    """Return the types in which the GPU multiplies faster, and how much; INT8 if the GPU is not known."""
    gpu = context.analysis.roofline.gpu
    if gpu is not None and gpu.tensor_tflops:
        peaks = gpu.tensor_tflops
        half = max(peaks.get(key, 0.0) for key in ("FP16", "FP16/FP16"))
        ratios = {name: peaks[name] / half for name in _SINCE if half and name in peaks}
        # The peaks of both sum up in FP32, as TensorRT's kernels do; those of FP16 alone may be higher.
        ratios |= {"FP8": peaks["FP8"] / peaks["FP16"]} if {"FP8", "FP16"} <= peaks.keys() else {}
        if must_run_on_ampere(context):
            ratios.pop("FP8", None)
        found = [name for name, ratio in ratios.items() if ratio >= _FASTER]
        return found, max(ratios.values(), default=None)
    stated, at_least = context.stated_compute_capability, context.min_compute_capability
    known = at_least if stated is None else stated
    if stated is None and (known is None or known < _SINCE["INT8"]):
        return ["INT8"], None
    since = {
        name: each for name, each in _SINCE.items() if name != "INT8" or not computes_int8_slowly(context)
    }
    return [name for name, each in since.items() if known is not None and known >= each], None


def _fp4(context: Context, layers: Sequence[LayerFacts]) -> list[str]:
    """Return NVFP4 where TensorRT multiplies matrices in it on this GPU, and some layers do that."""
    may_be = context.version is None or context.version >= _FP4_VERSION
    return (
        ["NVFP4"] if may_be and may_use_fp4(context, layers) and any(map(context.is_matmul, layers)) else []
    )


def _explained(context: Context) -> frozenset[int]:
    """Return the products whose time says nothing of what fewer bits save: other findings explain it.

    They wait for streamed weights, have kernels of an earlier GPU, depend on an input that stays the same, or
    compute the scores of all tokens.
    """
    waiting = context.cached(streamed_products).waiting
    fixed = (layers for _, layers in context.cached(fixed_products) if len(layers) >= _MIN_FIXED)
    scores = (each.product for each in context.cached(all_scores) if each.may_be_too_many)
    layers = chain(waiting, context.cached(of_earlier_gpus), scores, *fixed)
    return frozenset(layer.index for layer in layers)


def _may_count(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies in FP16 or BF16, and takes time as far as times are known."""
    return bool((layer.avg_ms or not context.total_ms) and computed_types(context, layer) & HALVES)


def _gains(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product multiplies in FP16 or BF16 and would be faster with half the bits."""
    if not _may_count(context, layer) or layer.index in context.cached(_explained):
        return False
    if context.kernel(layer).is_depthwise or (layer.work is not None and layer.work.groups > 1):
        return False
    if has_few_rows(context, layer) or is_mostly_launch(context, layer):
        return False
    if weight_bits(context, layer) <= NARROW_BITS:
        return False
    if writes_few_channels(context, layer) or has_few_channels(context, layer):
        return False  # The tiles of its kernel are mostly empty in any type.
    if layer.index in context.cached(products_of_attentions) or _mostly_writes(context, layer):
        return False
    if not context.total_ms:
        return _is_large(layer)
    launch_ms = context.analysis.roofline.launch_ms
    if layer.roof is None and launch_ms is not None and (layer.avg_ms or 0.0) < _LONG_LAUNCHES * launch_ms:
        return False
    # What bounds a layer is known only with its time.
    if layer.roof is None or layer.roof.bound != "latency":
        return True
    return (layer.roof.reached_percent or 0.0) >= _MIN_REACHED and fills_gpu(context, layer)


def _mostly_writes(context: Context, layer: LayerFacts) -> bool:
    """Return whether the result of a product of two tensors bounds it, which stays in floating point."""
    if layer.roof is None or layer.roof.bound != "memory" or len(activations(context, layer)) < _OPERANDS:
        return False
    read, written = (sum(use.size_bytes or 0 for use in uses) for uses in (layer.inputs, layer.outputs))
    return written > read


def _is_large(layer: LayerFacts) -> bool:
    """Return whether a layer without a time certainly takes longer than its launch."""
    if layer.roof is not None:
        return layer.roof.roof_ms >= _LONG_MS
    return (layer.flops or 0) >= _LARGE_FLOPS


def _bounds(layers: Sequence[LayerFacts]) -> dict[str, str]:
    """Return what bounds the layers, as evidence."""
    found = Counter(layer.roof.bound for layer in layers if layer.roof and layer.roof.bound)
    texts = [f"{format_count(number)} {_BOUNDS[bound]}" for bound, number in sorted(found.items())]
    unknown = len(layers) - found.total()
    texts += [f"{format_count(unknown)} not known"] if unknown else []
    return {"Bound": ", ".join(texts)} if found else {}
