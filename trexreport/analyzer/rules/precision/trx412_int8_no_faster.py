"""TRX412 precision.int8-no-faster."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import pairs, shown_pair, types_of
from trexreport.numbers import format_percent

#: Of the quantized types, with FP16 first: there the other layers are the same.
_QUANTIZED = (("FP16", "INT8"), ("FP16", "FP8"), ("INT8",), ("FP8",))


@built_in_rule(
    "warning",
    needs=("logs",),
    thresholds=(percent("gain_percent", 5.0, "Minimum gain over FP16 that pays, in percent."),),
)
def int8_no_faster(context: Context, *, gain_percent: float) -> Hits:
    """A quantized build is no faster than the one in FP16.

    Cost:
        Quantization costs accuracy. It pays only if the convolutions and matrix multiplications run in the
        lower precision, and conversions between the types do not take what that saves.

    Recommendation:
        Export the layers of both builds (--exportLayerInfo, --profilingVerbosity=detailed, and a profile) and
        look in which type the convolutions compute: without scales or Q/DQ nodes they stay in FP16. Look for
        reformats between INT8 and FP16, for Q/DQ pairs that stop fusion (behind residual Adds, activations
        and Concat), and for layers that stay in FP32 because the build is allowed INT8 alone. If nothing
        comes of it, serve FP16.

    False alarm:
        Convolutions of few channels, and engines that the memory or launches limit, gain little from INT8.
        Only logs of one model with one batch size are compared. Figures that two logs share are left out.

    Est. savings:
        Not estimated: logs do not show what the layers run in.
    """
    for types in _QUANTIZED:
        found = pairs(context, ("FP16",), types)
        slow = [(half, low) for half, low in found if low.time_ms > (1 - gain_percent / 100) * half.time_ms]
        if slow and 2 * len(slow) > len(found):
            ratios = [low.time_ms / half.time_ms - 1 for half, low in slow]
            label = types_of(slow[0][1])
            times = "; ".join(shown_pair(*pair) for pair in slow)
            highest = max(ratios)
            by = f" and up to {format_percent(highest)} slower" if highest > gain_percent / 100 else ""
            yield Hit(f"{label} is no faster than FP16{by}: {times}.")
            return
