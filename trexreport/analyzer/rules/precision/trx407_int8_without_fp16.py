"""TRX407 precision.int8-without-fp16."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import HALVES
from trexreport.analyzer.rules.engine.build_flags import FIRST_WITHOUT, flags_used
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.precision.precision_use import computed_types
from trexreport.analyzer.rules.precision.speedups import in_half_precision
from trexreport.numbers import counted

#: Minimum compute capability, times ten, with Tensor Cores for FP16.
_FP16_SINCE = 70


@built_in_rule(
    "warning",
    needs=(),
    thresholds=(min_share(2, "the layers that compute in FP32"),),
    explains={
        "layers": ("TRX101", "TRX307", "TRX401"),
        "neighbors": ("TRX201", "TRX203", "TRX204"),
        "share": ("TRX304",),
    },
)
def int8_without_fp16(context: Context, *, share_percent: float) -> Hits:
    """The builder may use INT8 but not FP16, so that the other layers compute in FP32.

    Cost:
        A layer that has no INT8 kernel, no scales or no Q/DQ nodes computes in the fastest other type that
        the builder may use. Without FP16 that is FP32: twice the bytes, and a fraction of the arithmetic
        throughput.

    Recommendation:
        [..10, unless typed: Build with --fp16 beside --int8; layers that lose accuracy can stay in FP32.]
        [8.4..10, unless typed: --layerPrecisions names such layers.] [9.3..10, unless typed, if bf16-cores:
        --bf16 keeps the range of FP32.] Compare the outputs with Polygraphy.

    False alarm:
        The results of these layers need more than the 11 bits of FP16. Nothing is reported where layers in
        FP32 take little time, for a strongly typed network, in which the flags have no effect, and below
        compute capability 7.0. Where the types of the layers are not known, as those inside of Myelin regions
        (ForeignNode), and without a profile, it is information; in the latter case only convolutions and
        matrix multiplications count.

    Est. savings:
        An estimate for the layers that compute in FP32, from published speedups of FP16 as for TRX405.
    """
    requested, capability = context.requested_precisions, context.min_compute_capability
    typed = (context.version or (0, 0)) >= FIRST_WITHOUT or "--stronglyTyped" in flags_used(context)
    if typed or "INT8" not in requested or requested & HALVES:
        return
    if capability is not None and capability < _FP16_SINCE:
        return
    message = "The builder was allowed INT8 and FP32, and not FP16"
    found = context.slowest((each for each in context.layers if _is_in_fp32(context, each)), share_percent)
    if found:
        work = counted(len(found), "layer computes", "layers compute")
        yield Hit(
            f"{message}: {work} in FP32{timed(context, found)}.",
            tuple(found),
            in_half_precision(context, found) if context.total_ms else None,
            severity=None if context.total_ms else "info",
        )
    elif not context.has_no_engine and (
        not context.has("layers") or context.slowest(context.opaque, share_percent)
    ):
        yield Hit(f"{message}; what the layers compute in is not known.", severity="info")


def _is_in_fp32(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer computes in FP32; without a profile a convolution or matrix multiplication."""
    if context.is_opaque(layer) or context.is_plugin(layer):
        return False
    shown = bool(layer.avg_ms) if context.total_ms else is_conv_or_matmul(context, layer)
    return shown and not computed_types(context, layer).isdisjoint({"FP32", "TF32"})
