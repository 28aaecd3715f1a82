"""TRX414 precision.fp32-with-fast-int8."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.context import QUANTIZED
from trexreport.analyzer.rules.logs import tried_types
from trexreport.numbers import format_percent

#: Compute capability, times ten, of GPUs whose FP16 runs at 1/64 of FP32 and whose dp4a at four times FP32.
_FAST_INT8_ALONE = 61
#: Part of the time in which the GPU computes, in percent, from which on nothing else limits the engine.
_BUSY_PERCENT = 95.0


@built_in_rule("warning", needs=("end-to-end", "build-options"), explains={"engine": ("TRX402", "TRX418")})
def fp32_with_fast_int8(context: Context) -> Hits:
    """The builder was not allowed INT8, on a Pascal GPU with fast INT8 and slow FP16.

    Cost:
        GPUs of compute capability 6.1 multiply four INT8 values in one instruction (dp4a), at four times the
        rate of FP32. The engine uses none of it.

    Recommendation:
        Quantize the model and compare the outputs with Polygraphy. [..10, unless typed: Build with --int8.]
        [..10.0, unless typed: Without Q/DQ nodes in the model, it takes a calibration (--calib).] FP16 has
        1/64 of the rate of FP32 on these GPUs: it saves memory at most.

    False alarm:
        INT8 loses more accuracy than the application tolerates. Reported where the GPU computes at least 95%
        of the time, so that transfers and the host do not limit it, and no log of an INT8 build
        lies beside this one.

    Est. savings:
        Not estimated: published figures are of GPUs with Tensor Cores.
    """
    latency, requested = context.analysis.latency, context.requested_precisions
    if context.stated_compute_capability != _FAST_INT8_ALONE or not requested or requested & QUANTIZED:
        return
    if "INT8" in context.cached(tried_types):
        return
    busy = latency.gpu_busy_percent
    if busy is not None and busy >= _BUSY_PERCENT:
        allowed = "allowed FP32 only" if requested == {"FP32"} else "not allowed INT8"
        yield Hit(
            f"The builder was {allowed}, on a GPU with fast INT8 and slow FP16; the GPU is busy "
            f"{format_percent(min(busy, 100.0) / 100)} of the time."
        )
