"""TRX402 precision.unused."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.analysis.tactics import LayerTactics
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, HALVES
from trexreport.analyzer.rules.fusion.attention_parts import multiplies_activations
from trexreport.analyzer.rules.launches import are_mostly_launches
from trexreport.analyzer.rules.narrow_types import lacks_int8
from trexreport.analyzer.rules.precision.precision_use import describe_use, requested_but_unused
from trexreport.analyzer.rules.precision.speedups import eight_bits, in_half_precision
from trexreport.analyzer.rules.tensor_cores import computes_half_slowly


@built_in_rule(
    "warning",
    many="{count} precisions were requested but no layer uses them.",
    explains={"layers": ("TRX101", "TRX403"), "between": ("TRX202",), "share": ("TRX601",)},
)
def unused(context: Context) -> Hits:
    """A precision was requested but no layer uses it.

    Cost:
        [unless slow-half, unless unused-int8: The engine runs in a wider type than intended, at half its
        speed or less.] [if unused-int8, unless no-int8: INT8 has a quarter of the bytes of FP32, and half of
        those of FP16.] [if unused-int8, if no-int8: That no layer uses INT8 costs nothing.] [if slow-half,
        unless unused-int8: None: this GPU computes FP16 no faster than FP32.]

    Recommendation:
        [if unused-int8, unless no-int8: INT8 needs scales from Q/DQ nodes in the ONNX file.] [..10, unless
        typed, if unused-int8, unless no-int8: Calibration (--calib) gives scales, too; where FP16 was
        measured faster, no layer uses INT8.] [if unused-int8, if no-int8: TensorRT has no INT8 on this GPU:
        leave --int8 out.] [if unused-bf16: Check whether the GPU supports the type (BF16 from compute
        capability 8.0 on).] [if slow-half, if unused-fp16: --fp16 gains nothing on this GPU.] [unless
        unused-int8, unless slow-half: The log of a verbose build shows the time of each layer in the type.]
        [if dp4a, unless unused-int8: INT8 is the type that this GPU is faster in (dp4a).] [8.4..10, unless
        typed, unless no-layer-types, unless slow-half: FP16 and BF16: check whether layers are pinned to FP32
        (--layerPrecisions with --precisionConstraints=obey).] [if typed: Flags have no effect: the types in
        the ONNX file decide.]

    False alarm:
        [..10: --best allows all types and lets the builder choose, so this is information only.] A type is
        not reported where a narrower or equally wide one is used, nor where Myelin regions (ForeignNode) hide
        theirs, nor where the build log shows that it was timed and slower for most layers in FP32, nor where
        most of these take about as long as a launch, which no type makes shorter. Where the GPU is known to
        compute FP16 no faster than FP32 (before compute capability 5.3, and 6.1), or to have no INT8, it is
        information.

    Est. savings:
        An estimate for the convolutions and matrix multiplications: for FP16 and BF16 those in FP32, from
        published speedups of FP16 as for TRX405; for INT8 those in FP16 and BF16 that have weights, from 0 up
        to published speedups of INT8.
    """
    chosen_freely = any("--best" in command.split() for command in context.analysis.commands)
    for name in requested_but_unused(context, ("FP16", "BF16", "INT8")):
        is_slow = computes_half_slowly(context) if name in FLOATS else lacks_int8(context)
        products = _in_fp32(context)
        # In FP16 or BF16 they may gain from INT8; those in FP32 are of the wider type.
        halves = [] if name in FLOATS else _in_half(context)
        floats = products if name in FLOATS else halves
        if _was_slower(context, products, name) or are_mostly_launches(context, floats or products):
            continue
        yield Hit(
            f"{name} was requested but no layer uses it{_cause(name, is_slow=is_slow)}.",
            tuple(floats),
            None if is_slow else _gain(context, floats, name),
            describe_use(context),
            severity="info" if chosen_freely or is_slow else None,
        )


def _cause(name: str, *, is_slow: bool) -> str:
    if name in FLOATS:
        return "; this GPU computes it no faster than FP32" if is_slow else ""
    return "; TensorRT has none on this GPU" if is_slow else "; INT8 needs Q/DQ nodes or calibration"


def _gain(context: Context, layers: list[LayerFacts], name: str) -> Gain | None:
    return in_half_precision(context, layers) if name in FLOATS else eight_bits(context, layers, None)


def _in_half(context: Context) -> list[LayerFacts]:
    """Return the measured products with weights in FP16 or BF16, the slowest first."""
    return slowest_first(
        layer
        for layer in context.products
        if layer.avg_ms and layer.precision in HALVES and not multiplies_activations(context, layer)
    )


def _in_fp32(context: Context) -> list[LayerFacts]:
    """Return the measured convolutions and matrix multiplications in FP32, the slowest first."""
    return slowest_first(layer for layer in context.products if layer.avg_ms and layer.precision == "FP32")


def _was_slower(context: Context, products: list[LayerFacts], name: str) -> bool:
    """Return whether the builder timed a type for most products, by time, and found it slower there."""
    tactics = context.analysis.tactics
    if tactics is None or not products:
        return False
    times = {each.layer: each for each in tactics.layers if each.layer is not None and not each.operation}
    timed = [layer for layer in products if layer.index in times]
    slower = [layer for layer in timed if _is_slower(times[layer.index], name)]
    return context.time_ms(slower) > context.time_ms(products) / 2


def _is_slower(layer: LayerTactics, name: str) -> bool:
    """Return whether the fastest tactic of a type that the builder timed is slower than the chosen one."""
    other_ms = layer.by_precision_ms.get(name)
    return other_ms is not None and layer.chosen_ms is not None and other_ms >= layer.chosen_ms
