"""TRX415 precision.half-no-faster."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import Pair, enqueue_share, pairs, shown_pair, types_of
from trexreport.numbers import format_percent

_FULL, _HALF = (("FP32",), ("TF32",)), (("FP16",), ("BF16",))


@built_in_rule(
    "warning",
    needs=("logs",),
    thresholds=(percent("gain_percent", 5.0, "Minimum gain over FP32 that pays, in percent."),),
    explains={"engine": ("TRX412",)},
)
def half_no_faster(context: Context, *, gain_percent: float) -> Hits:
    """An FP16 or BF16 build is no faster than the one in FP32.

    Cost:
        What takes the time does not depend on the precision: launches of many short kernels, work of the
        host, layers that stay in FP32 in both builds, or a GPU without fast FP16. A lower precision costs
        accuracy for nothing there.

    Recommendation:
        [if launches, unless no-capture: Run both as a CUDA graph first, and compare again.] Export the layers
        of both builds (--exportLayerInfo, --profilingVerbosity=detailed, and a profile): look which layers
        take the time, and in which type they compute. Until one is faster, serve the higher precision.

    False alarm:
        The FP16 build serves to save memory. Only logs of one model with one batch size are compared. Figures
        that two logs share are left out.

    Est. savings:
        Not estimated: logs do not show what the layers run in.
    """
    for high in _FULL:
        for low in _HALF:
            found = pairs(context, high, low)
            slow = [each for each in found if each[1].time_ms > (1 - gain_percent / 100) * each[0].time_ms]
            if slow and 2 * len(slow) > len(found):
                yield Hit(_message(slow, gain_percent))
                return


def _message(slow: Sequence[Pair], gain_percent: float) -> str:
    high, low = slow[0]
    longest = max(each.time_ms / other.time_ms - 1 for other, each in slow)
    by = f" and up to {format_percent(longest)} slower" if longest > gain_percent / 100 else ""
    times = "; ".join(shown_pair(*pair) for pair in slow)
    waits = [
        f"in {log.file} enqueue takes {format_percent(enqueue_share(log))} of that"
        for pair in slow
        for log in pair
        if enqueue_share(log)
    ]
    host = f"; {'; '.join(waits)}" if waits else ""
    return f"{types_of(low)} is no faster than {types_of(high)}{by}: {times}{host}."
