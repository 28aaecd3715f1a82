"""TRX401 precision.fp32-compute."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, HALVES, LOW_PRECISIONS, QUANTIZED
from trexreport.analyzer.rules.engine.build_flags import types_stated
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import are_deconvolutions
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import (
    ROOTS,
    changes_quantization,
    has_quantized_weights_alone,
    is_conv_or_matmul,
    is_conversion,
    is_pointwise,
    is_reduction,
    looks_up,
    operations,
    quantizes_and_back,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.precision.precision_use import (
    MOVING_TYPES,
    computed_types,
    used_types,
)
from trexreport.analyzer.rules.precision.speedups import in_half_precision, quantized
from trexreport.analyzer.rules.roof_share import is_far_off
from trexreport.analyzer.rules.savings import untimed_by_bytes

#: The types that replace FP32, by preference.
_PREFERRED = ("FP16", "BF16", "FP8", "INT8", "FP4", "INT4")
#: Operations that need the range or accuracy of FP32; Myelin keeps them there itself.
_SENSITIVE_TYPES = frozenset({"SoftMax", "Normalization", "Reduce", "RaggedSoftMax", "LRN"})
_SENSITIVE_OPERATIONS = frozenset(
    {"Mean", "Sum", "Maxr", "Reduce", "Sqrt", "Rsqrt", "Exp", "Log", "Pow", "Div", "Softmax"}
)
#: They look for elements in passes, or compute step by step; the number of these and not the type decides
#: their time.
_IN_STEPS = frozenset(
    {"TopK", "ArgMax", "ArgMin", "NMS", "NonMaxSuppression", "NonZero", "Unique", "Sort"}
    | {"CumSum", "cumsum", "Cumulative", "Loop", "Scan"}
)


@built_in_rule(
    "warning",
    many="{count} layers compute in FP32 in an engine of lower precision{extent}.",
    thresholds=(min_share(1, "all places together"), min_share(0.1, "one place", name="place_percent")),
    explains={
        "layers": ("TRX101", "TRX106", "TRX307", "TRX502", "TRX604"),
        "neighbors": ("TRX201", "TRX203", "TRX204", "TRX603"),
        "share": ("TRX109", "TRX304", "TRX403", "TRX601", "TRX914", "TRX918"),
    },
)
@untimed_by_bytes
def fp32_compute(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A layer computes in FP32 in an engine of lower precision.

    Cost:
        FP32 moves twice the bytes of FP16. [if multiplies: It multiplies up to sixteen times slower, and in
        TF32 two times.]

    Recommendation:
        [..10, if unscaled: The log names tensors without scales ("Missing scale and zero-point"): what reads
        or writes one falls back to floating point. Calibrate again with this model, or state the range of
        each.] [if lookup: A lookup computes nothing: store the table in FP16 (or in fewer bits with scales),
        which halves the bytes of table and result.] [if weights-alone: Where only the weights of a
        multiplication have Q/DQ nodes, put them on its other input, too.] [..10, if quantized, if no-half,
        unless typed, unless fp32-norm, unless weights-alone, unless lookup: Allow FP16 (--fp16) beside INT8.]
        [unless fp32-norm, unless weights-alone, unless lookup, unless typed: Check whether the layer's
        neighbors, or an input or output of the network, force the type, and whether it has a kernel in the
        lower type.] [if type-stated: The command states types of layers here with --layerPrecisions or
        --layerOutputTypes: state FP32 only for those whose accuracy needs it.] [8.4..10, unless typed, unless
        type-stated, unless no-layer-types, unless weights-alone, unless lookup: Check whether
        --layerPrecisions, --layerOutputTypes or the code pins it to FP32.] [if deconvolution: TensorRT has
        few kernels for deconvolutions in FP16: compare with a Resize before a convolution, with a convolution
        before DepthToSpace, with channels in multiples of 8, and with a newer TensorRT.] [if typed, unless
        weights-alone, unless lookup: The layer computes in the type that the ONNX file states: convert the
        model (ModelOpt's AutoCast, or a Cast).] [if fp32-norm: A normalization needs FP32 for its statistics
        alone: let it read and write the type and layout of the convolutions beside it, with a plugin where
        TensorRT has no such kernel (for InstanceNormalization the ONNX parser takes one if its flag
        NATIVE_INSTANCENORM is cleared), or train with batch normalization, which convolutions absorb.]

    False alarm:
        FP32 where FP16 overflows or loses accuracy: softmax, normalizations and reductions are information
        only, and left out where FP32 is the only floating-point type allowed, as they have no quantized
        kernels. Layers about as short as a launch (TRX508), or two, are left out, as no type makes them
        shorter, and so are those that take ten times their roofline time in FP32 (TRX604), but deconvolutions
        beside others in FP32. Of what exchanges FP32 tensors with multiplications in FP32 all counts, if it
        takes 1% of layer time. A normalization is a warning where conversions of the type surround it.
        Without a profile all are information, and left out below 64 KiB. Those that Myelin fused itself are
        left out, as are data movement, what selects or computes step by step (TopK, CumSum), plugins and
        Myelin regions (ForeignNode). TRX303 reports a single layer between quantized layers that is not a
        convolution or matrix multiplication.

    Est. savings:
        An estimate from published speedups of FP16; where only the weights have Q/DQ nodes those of the
        quantized type, or layers of this engine with the same multiplications.
    """
    expected = _expected(context)
    if expected is None:
        return
    lower, reason = expected
    reported = context.significant(_candidates(context, lower), share_percent, place_percent)
    if lower in FLOATS and any(_is_normalization(context, each) for each in reported):
        # Smaller ones of the same model are of the same cause.
        known = {each.index for each in reported}
        reported += [each for each in _normalizations(context) if each.index not in known]
    beside = _beside(context, reported)
    if context.total_ms and context.is_significant(beside, share_percent):
        # All of a part in FP32 is of one cause, although some of it is short, or needs the range by itself.
        for layer in beside:
            yield Hit(
                f"{LAYER} computes in FP32 beside other layers that do{EXTENT}.",
                (layer,),
                _gain(context, [layer]),
                {"Layer type": layer.type, "Types": f"{layer.precision} → {layer.output_precision}"},
            )
    yield from (_hit(context, layer, lower, reason) for layer in reported)


def _candidates(context: Context, lower: str) -> list[LayerFacts]:
    """Return the layers in FP32 that a lower precision may make faster."""
    found = [layer for layer in context.of_kinds(_may_compute_in_fp32) if _computes_in_fp32(context, layer)]
    near = {each.index for each in found if not is_far_off(context, each)}
    deconvolutions = {each.index for each in found if are_deconvolutions(context, [each])}
    if near & deconvolutions:
        # Those of one engine have no kernel in FP16 for one reason, however slow that in FP32 is.
        near |= deconvolutions
    found = [each for each in found if each.index in near and not is_mostly_launch(context, each)]
    if lower in QUANTIZED:
        found = [layer for layer in found if layer.type not in _SENSITIVE_TYPES]
    return found + _normalizations(context) if lower in FLOATS else found


def _hit(context: Context, layer: LayerFacts, lower: str, reason: str) -> Hit:
    if _is_normalization(context, layer):
        parts = [layer, *_statistics(context, layer)]
        return Hit(
            f"{LAYER} normalizes in FP32 between conversions from and to {lower}{EXTENT}.",
            tuple(parts),
            _gain(context, parts),
            {"Types": f"{lower} → FP32 → {lower}"},
        )
    stated = types_stated(context, layer)
    why = f"as {stated[0]} states" if stated else f"although {reason}"
    multiplied = "TF32" if context.kernel(layer).math_type == "TF32" else "FP32"
    works = "looks up a table in FP32" if looks_up(layer) else f"computes in {multiplied}"
    return Hit(
        f"{LAYER} {works} {why}{EXTENT}.",
        (layer,),
        _gain(context, [layer]),
        {"Layer type": layer.type, "Types": f"{layer.precision} → {layer.output_precision}"}
        | ({"Q/DQ": "on the weights only"} if has_quantized_weights_alone(layer) else {}),
        severity="info" if layer.type in _SENSITIVE_TYPES else None,
    )


def _gain(context: Context, layers: list[LayerFacts]) -> Gain | None:
    # The advice is FP16 also where all else is quantized, unless a Q/DQ pair is all that is missing.
    alone = all(map(has_quantized_weights_alone, layers))
    return quantized(context, layers) if alone else in_half_precision(context, layers)


def _expected(context: Context) -> tuple[str, str] | None:
    """Return the type that an engine uses instead of FP32, and why; None where FP32 is expected."""
    requested = context.requested_precisions & LOW_PRECISIONS
    if requested:
        # Where no lower precision is used at all, other rules report the cause.
        if not requested & context.cached(used_types):
            return None
        chosen = next(each for each in _PREFERRED if each in requested)
        return chosen, f"the builder may use {chosen}"
    products = context.products
    types = {layer.index: computed_types(context, layer) & LOW_PRECISIONS for layer in products}
    low = [layer for layer in products if types[layer.index]]
    if not low:
        return None
    chosen = next(each for each in _PREFERRED if any(each in found for found in types.values()))
    times = (context.time_ms(low), context.time_ms(products))
    low_amount, amount = times if context.total_ms else (len(low), len(products))
    if low_amount <= amount / 2:
        return chosen, f"other convolutions or matrix multiplications compute in {chosen}"
    return chosen, "most convolutions and matrix multiplications compute in lower precision"


def _may_compute_in_fp32(layer: LayerFacts) -> bool:
    """Return whether a layer reads FP32 and is of a kind that computes."""
    if layer.precision != "FP32" or layer.structural or layer.type in MOVING_TYPES:
        return False
    return _IN_STEPS.isdisjoint((layer.type, *layer.operations))


def _computes_in_fp32(context: Context, layer: LayerFacts) -> bool:
    if _only_converts(context, layer):
        return False
    types = {context.tensor(use.tensor).data_type for use in layer.inputs}
    if types & LOW_PRECISIONS:
        return False
    if not looks_up(layer) and not _SENSITIVE_OPERATIONS.isdisjoint(layer.operations):
        return False
    return is_conv_or_matmul(context, layer) or not _is_between_quantized(context, layer)


def _only_converts(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer computes nothing, or hides its types; TRX301 reports pairs of Q and DQ."""
    hides = context.is_plugin(layer) or context.is_opaque(layer)
    if hides or is_conversion(context, layer) or quantizes_and_back(layer):
        return True
    # What quantizes an input of the network reads it in the type that the application gives.
    return changes_quantization(layer) and all(context.is_input(use.tensor) for use in layer.inputs)


def _normalizations(context: Context) -> list[LayerFacts]:
    """Return the layers that apply a normalization in FP32 between conversions from and to another type."""
    candidates = context.of_kinds(_may_compute_in_fp32)
    return [layer for layer in candidates if _is_normalization(context, layer)]


def _is_normalization(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer applies a normalization in FP32 between conversions from and to another type."""
    if ROOTS.isdisjoint(layer.operations) and layer.type != "Normalization":
        return False
    before = (
        each.precision
        for each in context.predecessors(layer)
        if is_conversion(context, each) or (is_pointwise(each) and "Cast" in operations(each)[-1:])
    )
    after = (each.output_precision for each in context.successors(layer) if is_conversion(context, each))
    return not LOW_PRECISIONS.isdisjoint(before) and not LOW_PRECISIONS.isdisjoint(after)


def _statistics(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the kernels that compute what a normalization needs, which read the same tensors."""
    read = {context.base_of(use.tensor) for use in layer.inputs}
    return [
        each
        for each in context.predecessors(layer)
        if is_reduction(each) and read & {context.base_of(use.tensor) for use in each.inputs}
    ]


def _beside(context: Context, found: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the other layers that compute in FP32 and exchange FP32 tensors with products.

    Products in FP32, and quantized ones where no layer computes in FP16 or BF16.
    """
    own = {layer.index for layer in found}
    # TRX303 reports those between quantized layers that write floating point.
    may_be = {
        layer.index
        for layer in context.of_kinds(_may_compute_in_fp32)
        if not _only_converts(context, layer)
        if layer.output_precision not in FLOATS
        or is_conv_or_matmul(context, layer)
        or not _is_between_quantized(context, layer)
    }
    seen: set[int] = set()
    waiting = [layer for layer in found if is_conv_or_matmul(context, layer)]
    if not any({each.precision, each.output_precision} & HALVES for each in context.layers):
        # All that is not quantized is in FP32: quantized products write it for no other reason.
        waiting += [each for each in context.products if each.precision in QUANTIZED]
    while waiting:
        layer = waiting.pop()
        for other in _exchanging_fp32(context, layer):
            if other.index in may_be and other.index not in seen:
                seen.add(other.index)
                waiting.append(other)
    return [context.layers[index] for index in sorted(seen - own)]


def _exchanging_fp32(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers that write an FP32 tensor that a layer reads, or read one that it writes."""
    wide = [use for use in (*layer.inputs, *layer.outputs) if context.tensor(use.tensor).data_type == "FP32"]
    return [
        other
        for use in wide
        for other in (*context.producers(use.tensor), *context.consumers(use.tensor))
        if other.index != layer.index
    ]


def _is_between_quantized(context: Context, layer: LayerFacts) -> bool:
    passes = partial(is_conversion, context)
    return all(
        any(each.precision in QUANTIZED for each in neighbors(layer, passes))
        for neighbors in (context.predecessors, context.successors)
    )
