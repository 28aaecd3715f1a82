"""TRX109 convolution.deconvolutions."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution import convolution_rule
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.named_layers import named_convolutions
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.rule import Hit, Threshold
from trexreport.numbers import counted, format_number

#: Fewer convolutions do not show how long one takes.
_MIN_CONVOLUTIONS = 3


@convolution_rule(
    "info",
    needs=("profile",),
    explains={"layers": ("TRX914",)},
    thresholds=(
        min_share(10.0, "all deconvolutions"),
        Threshold("factor", 1.3, 1, 1000, "Minimum factor of their mean time to the median of convolutions."),
    ),
)
def deconvolutions(context: Context, *, share_percent: float, factor: float) -> Iterator[Hit]:
    """Deconvolutions take longer than the convolutions around them.

    Cost:
        A deconvolution (ConvTranspose) writes more pixels than it reads. TensorRT has fewer kernels for it
        than for convolutions, and fuses less into them.

    Recommendation:
        [unless no-layer-information, unless detailed: Build with --profilingVerbosity=detailed to see type
        and kernel.] [if detailed: --exportLayerInfo shows type and kernel.] Channels should be multiples of 8
        in FP16 and of 32 in INT8. Compare with a Resize before a convolution, and with a convolution before
        DepthToSpace.

    False alarm:
        They do more work than the convolutions, and as fast. Only files of names are examined; for others the
        rules on kernels, types and bandwidth look at each layer.

    Est. savings:
        Not estimated: the names show neither shapes nor types.
    """
    up, others = named_convolutions(context.layers)
    if len(others) < _MIN_CONVOLUTIONS or not up or not context.slowest(up, share_percent):
        return
    usual_ms = median(each.avg_ms or 0.0 for each in others)
    times = context.time_ms(up) / len(up) / usual_ms
    if times < factor:
        return
    one, many = "deconvolution", "deconvolutions"
    yield Hit(
        f"By name, {counted(len(up), one, many)} {takes_time(context, up)}, on average "
        f"{format_number(times)} times as long as the median of {len(others)} convolutions.",
        tuple(context.slowest(up, share_percent)),
        None,
        {"Identified": "by name"},
    )
