"""TRX413 precision.int8-alone-slower."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import pairs, shown_pair
from trexreport.numbers import format_percent


@built_in_rule(
    "warning",
    needs=("logs",),
    thresholds=(
        percent("slower_percent", 2.0, "Minimum time above that of the build with both, in percent."),
    ),
    explains={"engine": ("TRX407",)},
)
def int8_alone_slower(context: Context, *, slower_percent: float) -> Hits:
    """A build that is allowed INT8 alone is slower than one that is allowed FP16 too.

    Cost:
        Layers without INT8 kernels, scales or Q/DQ nodes compute in FP32: twice the bytes of FP16, and a
        fraction of its arithmetic throughput.

    Recommendation:
        [..10, unless typed: Build with --int8 and --fp16 together, so that the layers that are not quantized
        compute in FP16.] [if typed: Let the ONNX file state FP16 for the layers that are not quantized.]

    False alarm:
        The names of the logs say what the builds were allowed, and may be wrong.

    Est. savings:
        Not estimated for this engine: the message states what the other build takes.
    """
    found = [
        (low, both)
        for both, low in pairs(context, ("FP16", "INT8"), ("INT8",))
        if low.time_ms >= (1 + slower_percent / 100) * both.time_ms
    ]
    if found:
        ratios = [low.time_ms / both.time_ms - 1 for low, both in found]
        slower = " to ".join(dict.fromkeys(map(format_percent, (min(ratios), max(ratios)))))
        times = "; ".join(shown_pair(*pair) for pair in found)
        yield Hit(
            f"INT8 alone is {slower} slower than INT8 with FP16, as the other layers stay in FP32: {times}."
        )
