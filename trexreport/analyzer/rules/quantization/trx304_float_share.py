"""TRX304 quantization.float-share."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.fusion.attention_parts import layers_of_attentions, products_of_attentions
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.patterns import (
    changes_quantization,
    dequantizes_weights,
    fused_attentions,
    is_conv_or_matmul,
    is_conversion,
    looks_up,
)
from trexreport.analyzer.rules.phrases import takes_time, timed
from trexreport.analyzer.rules.precision.speedups import quantized as quantized_gain
from trexreport.analyzer.rules.product_kinds import is_quantized_alone
from trexreport.numbers import counted, format_count, format_ms, format_percent

_PRODUCTS = "convolutions and matrix multiplications"


@built_in_rule(
    "warning",
    former_name="quantization.float-time",
    thresholds=(
        percent(
            "share_percent",
            40.0,
            "Minimum share of floating-point layers, in percent of layer time; without a profile of the "
            "multiplications in convolutions and matrix multiplications, or of their number.",
        ),
    ),
    explains={
        "layers": ("TRX307",),
        "neighbors": ("TRX102", "TRX201", "TRX301"),
        "share": ("TRX305",),
    },
)
def float_share(context: Context, *, share_percent: float) -> Hits:
    """Much of a quantized engine runs in FP16 and FP32.

    Cost:
        A quantized layer moves half or a quarter of the bytes and has two to four times the arithmetic
        throughput of a floating-point one; the layers in floating point limit the speedup of quantization.

    Recommendation:
        [if quantized-alone: One layer alone is quantized, which saves little and costs the conversions beside
        it: build without quantization, or quantize the whole network.] [if hides: Regions hide their
        multiplications, which may be most of the network: Q/DQ nodes around these quantize them, and TensorRT
        10 or later lists their kernels.] [if products, unless quantized-alone, unless calibrated: Look at the
        slowest or largest floating-point convolutions and matrix multiplications first: give their inputs and
        weights Q/DQ nodes if accuracy allows.] [if products, if explicit, unless quantized-alone: Q/DQ nodes
        on one input only do not quantize a layer.] [unless products: None of them is a convolution or matrix
        multiplication.] [unless products, unless calibrated: Pooling, Add, Concat and Resize run quantized
        with Q/DQ on their inputs; others gain from FP16 where they are FP32, and from being fused.] [..10, if
        calibrated: Without Q/DQ nodes TensorRT has taken the faster type for each layer, as the calibration
        allows it.] [8.4..10, if calibrated: --layerPrecisions with --precisionConstraints=prefer asks for
        INT8 here: compare the time of the whole engine.] [..10, unless typed, if no-half: --fp16 together
        with --int8 keeps the rest from being FP32.]

    False alarm:
        Only a part of the network was meant to be quantized. The types inside Myelin regions (ForeignNode)
        and plugins are not known and not counted. Attentions are left to TRX503 and
        TRX512, and lookups in tables are not counted. Without a convolution or matrix multiplication
        among them it is information, and without a profile, too, unless a quantized type was requested.

    Est. savings:
        An estimate for the convolutions and matrix multiplications: the time of quantized layers of this
        engine with the same multiplications where there are any, else published speedups of INT8 over FP16
        and FP32. Savings in other layers are not included.
    """
    if context.total_ms <= 0:
        yield from _without_times(context, share_percent)
        return
    is_unclear = context.by_kind(lambda each: _is_unclear(context, each))
    known = [layer for layer in context.layers if layer.avg_ms and not is_unclear[layer.index]]
    if not any(layer.precision in QUANTIZED and not _only_converts(context, layer) for layer in known):
        return
    attentions = {each.index for each in context.cached(fused_attentions)}
    attentions |= context.cached(layers_of_attentions)
    floats = [
        layer
        for layer in known
        if layer.precision in FLOATS and not is_conversion(context, layer) and not looks_up(layer)
        if layer.index not in attentions
    ]
    if not context.is_significant(floats, share_percent):
        return
    products = slowest_first(layer for layer in floats if is_conv_or_matmul(context, layer))
    used = {layer.precision for layer in floats}
    types = " and ".join(name for name in ("FP32", "FP16", "BF16") if name in used)
    is_or_are = "is" if len(floats) == 1 else "are"
    message = (
        f"{counted(len(floats), 'layer')} of a quantized engine {is_or_are} not quantized ({types}) and "
    )
    message += takes_time(context, floats)
    if products:
        number = format_count(len(products)) if len(products) < len(floats) else "all"
        of_them = f"{number} of them " if len(floats) > 1 else ""
        one, many = "a convolution or matrix multiplication", "convolutions or matrix multiplications"
        kinds = one if len(products) == 1 else many
        message += f", {of_them}{kinds}"
        message += timed(context, products) if len(products) < len(floats) else ""
    quantized = context.time_ms(each for each in known if each.precision in QUANTIZED)
    yield Hit(
        f"{message}.",
        tuple(products or floats),
        quantized_gain(context, products),
        {"Quantized layers": f"{format_ms(quantized)}, {format_percent(quantized / context.total_ms)}"},
        severity=None if products else "info",
        affected=_of_single(context),
    )


def _without_times(context: Context, min_percent: float) -> Hits:
    """Yield the floating-point products if they do enough of the multiplications, or are enough by number."""
    in_attentions = context.cached(products_of_attentions)
    products = [layer for layer in context.products if layer.index not in in_attentions]
    quantized = [layer for layer in products if layer.precision in QUANTIZED]
    floats = [layer for layer in products if layer.precision in FLOATS]
    by_work = all(layer.work is not None for layer in (*quantized, *floats))
    part, whole = (_amount(each, by_work) for each in (floats, (*quantized, *floats)))
    if not quantized or not floats or 100 * part < min_percent * whole:
        return
    types = _names(quantized)
    regions = [each for each in context.opaque if {each.precision, each.output_precision} <= FLOATS]
    message = f"{types} is used in {format_count(len(quantized))} of "
    message += counted(len(quantized) + len(floats), "convolution or matrix multiplication", _PRODUCTS)
    message += " outside of Myelin regions" if regions else ""
    if by_work:
        message += f" ({format_percent(1 - part / whole)} of the multiplications)"
    message += f"; {_names(floats)} in the {'other' if len(floats) == 1 else 'others'}"
    if regions:
        one, many = "Myelin region hides what it computes,", "Myelin regions hide what they compute,"
        reads = "reads and writes" if len(regions) == 1 else "read and write"
        message += f". {counted(len(regions), one, many)} and {reads} {_names(regions)}"
    yield Hit(
        f"{message}.",
        (*regions, *sorted(floats, key=lambda layer: -_amount([layer], by_work))),
        evidence={"Requested": context.analysis.identity.precisions} if context.requested_precisions else {},
        severity=None if context.requested_precisions & QUANTIZED else "info",
        affected=_of_single(context),
    )


def _of_single(context: Context) -> tuple[LayerFacts, ...]:
    """Return the conversions that exist for one quantized layer alone, which go if it is not quantized."""
    return tuple(context.of_kinds(changes_quantization)) if is_quantized_alone(context, ()) else ()


def _amount(layers: Sequence[LayerFacts], by_work: bool) -> float:
    """Return the number of multiplications in layers if it is known, else that of the layers."""
    return math.fsum(layer.work.macs if by_work and layer.work else 1 for layer in layers)


def _names(layers: Sequence[LayerFacts]) -> str:
    return " and ".join(sorted({layer.precision for layer in layers}, reverse=True))


def _only_converts(context: Context, layer: LayerFacts) -> bool:
    return is_conversion(context, layer) or dequantizes_weights(context, layer)


def _is_unclear(context: Context, layer: LayerFacts) -> bool:
    return layer.structural or context.is_opaque(layer) or context.is_plugin(layer)
