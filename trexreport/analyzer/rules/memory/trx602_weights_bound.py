"""TRX602 memory.weights-bound."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Severity, slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.memory.weights import (
    MAX_ROWS,
    MIN_BITS,
    MUCH_ALONE_PERCENT,
    NARROW_BITS,
    reads_weights,
    share_of_weights,
    traffic_bytes,
    weight_bits,
    weights_bytes,
    with_fewer_bits,
)
from trexreport.analyzer.rules.narrow_types import lacks_int8
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.quantization.left_out import left_out
from trexreport.numbers import counted, format_bytes, format_number, format_percent, layer_label

#: Factor to the next layer from which on a message names one.
_OUTSTANDING = 3


@built_in_rule(
    "info",
    needs=("layers",),
    explains={"layers": ("TRX406", "TRX914"), "share": ("TRX601",)},
    thresholds=(
        min_share(10.0, "all these layers together"),
        percent(
            "warning_percent",
            50.0,
            "Share from which on 16-bit weights are a warning, in percent of layer time.",
        ),
        Threshold(
            "rows",
            MAX_ROWS,
            1,
            4096,
            "Maximum number of rows (M, mostly batch times tokens) of such a layer.",
        ),
        percent(
            "bytes_percent",
            50.0,
            "Without a profile, minimum share of the weights in the bytes of all layers.",
        ),
    ),
)
def weights_bound(
    context: Context, *, share_percent: float, warning_percent: float, rows: float, bytes_percent: float
) -> Hits:
    """Matrix multiplications with few rows are limited by reading weights.

    Cost:
        With few rows each weight is read for a few operations, so that the bytes of the weights take the
        time, as in decoding single tokens and in classifiers at batch 1.

    Recommendation:
        [unless narrow-weights, unless no-int8: Store weights in fewer bits, with Q/DQ nodes of TensorRT Model
        Optimizer.] [if fp32-weights: FP16 halves those in FP32.] [10.0.., unless convolves, unless
        narrow-weights, unless fp4: INT4 in blocks saves the most.] [if fp8-products, unless
        quantized-products, unless narrow-weights: FP8 needs no scales of blocks.] [10.8.., if fp4, unless
        convolves, unless narrow-weights: FP4 and INT4 in blocks save the most; FP4 is multiplied as it is.]
        [if vocabulary, unless narrow-weights, unless no-int8: ModelOpt leaves out the last product
        (`lm_head`) by its name unless its quantizers are enabled.] [if narrow-weights: The weights have few
        bits already.] [unless large-cache: A larger batch uses each weight more often.] [if decodes: Several
        tokens at once (speculative decoding) share one reading of the weights.] [if large-cache: A larger
        batch enlarges the cache, too.]

    False alarm:
        Multiplications so small that their launch takes longer than reading their weights: where the GPU's
        peaks show it, they are latency-bound and left out; else those that move less than 10 GB/s. Without a
        profile they are reported where their weights are most of the bytes that the engine moves. In a
        quantized network TRX307 reports those that are left in floating point. Where the weights have 4 bits
        already, it is information, from the share of a warning on.

    Est. savings:
        An estimate: the time of these layers times the share of weights in their bytes, minus what fewer bits
        leave of it: at best 4 bits in proportion; at least half of the bits, such as FP8, as decoding became
        faster with 4-bit instead of 16-bit weights, by 2.1. None without a profile, of weights of 4 bits, and
        on a GPU without INT8.
    """
    candidates = context.layers if not context.total_ms else (each for each in context.layers if each.avg_ms)
    # Those that a quantized network leaves in floating point are another finding.
    others = {each.index for each in context.cached(left_out)}
    reading = [
        layer for layer in candidates if layer.index not in others and reads_weights(context, layer, rows)
    ]
    bits = {layer.index: weight_bits(context, layer) for layer in reading}
    # What has weights of 4 bits follows the advice; what has 8 beside it was left so.
    enough = NARROW_BITS if MIN_BITS in bits.values() else MIN_BITS
    found = [layer for layer in reading if bits[layer.index] > enough]
    shares = {layer.index: share_of_weights(context, layer) for layer in found}
    bound = context.slowest(found, share_percent)
    if not bound and context.total_ms:
        # Fewer bits save nothing more.
        narrow = [layer for layer in reading if bits[layer.index] <= enough]
        bound, shares = context.slowest(narrow, max(share_percent, warning_percent)), {}
    if not bound:
        return
    weights = sum(weights_bytes(context, each, bits[each.index]) for each in bound)
    rows_used = {layer.work.m for layer in bound if layer.work}
    max_rows, up_to = max(rows_used), "up to " if len(rows_used) > 1 else ""
    subject = f"{counted(len(bound), 'layer')} of {up_to}{counted(max_rows, 'row')}"
    evidence = {"Types": ", ".join(sorted({layer.precision for layer in bound}))}
    if context.total_ms:
        rate = f"{format_number(weights / context.time_ms(bound) / 1e6)}\u00a0GB/s"
        read = f"{takes_time(context, bound)}, mostly to read {format_bytes(weights)} of weights at {rate}"
        may_be_narrower = bool(shares) and not lacks_int8(context)
        gain = (
            with_fewer_bits([(each, bits[each.index]) for each in bound], shares) if may_be_narrower else None
        )
        much = context.share_percent(context.time_ms(bound)) >= warning_percent
        is_wide = all(bits[layer.index] > NARROW_BITS for layer in bound)
        severity: Severity | None = "warning" if much and is_wide and may_be_narrower else None
        message = f"{subject} {read}{_outstanding(context, bound)}."
        yield Hit(message, tuple(bound), gain, evidence, severity=severity)
        return
    share = weights / sum(map(traffic_bytes, context.layers))
    if 100 * share >= bytes_percent:
        verb = "reads" if len(bound) == 1 else "read"
        of_all = f"{format_percent(share)} of the bytes that all layers move"
        yield Hit(
            f"{subject} {verb} {format_bytes(weights)} of weights, {of_all}.", tuple(bound), None, evidence
        )


def _outstanding(context: Context, layers: Sequence[LayerFacts]) -> str:
    """Return what the slowest layer takes alone if it takes much, such as that of a large vocabulary."""
    first, *others = slowest_first(layers)
    time_ms = first.avg_ms or 0.0
    is_much = context.is_significant([first], MUCH_ALONE_PERCENT)
    if not others or not is_much or time_ms < _OUTSTANDING * (others[0].avg_ms or 0.0):
        return ""
    share = format_percent(context.share_percent(time_ms) / 100)
    return f"; {layer_label(first.name)} alone takes {share}"
