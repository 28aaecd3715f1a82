"""TRX806 measurement.transfer-bound."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import bound
from trexreport.analyzer.rules.io_conditions import hands_on_states
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import format_ms, format_percent

#: Part of both transfers from which on one direction is named.
_MOSTLY = 0.6
#: Part of the time in which the GPU computes, if no query waits for another's transfers.
_ONE_AFTER_THE_OTHER = 0.95
_UNKNOWN = "not stated"


@measurement_rule(
    "warning",
    needs=("end-to-end",),
    thresholds=(
        percent(
            "share_percent",
            5.0,
            "Minimum share of transfers in transfers and GPU compute time together, in percent.",
        ),
        percent("output_percent", 4.0, "The same of outputs alone, which often hold more than is needed."),
        percent("warning_percent", 30.0, "Share from which on it is a warning, in percent of the same."),
    ),
)
def transfer_bound(
    context: Context, *, share_percent: float, output_percent: float, warning_percent: float
) -> Iterator[Hit]:
    """Input and output transfers add to latency.

    Cost:
        A query waits for its inputs to come from the host and for its outputs to go back. If either takes
        longer than the computation, it limits the throughput as well.

    Recommendation:
        [if states: Leave the states on the device: give each output of a step to the next one as its input.]
        [..10, if states: Measure without transfers (--noDataTransfers).] [unless states: Keep data on the GPU
        between preprocessing, engine and postprocessing.] [if images: Send bytes (UINT8 images) and convert
        them inside the network.] [if much-output, unless states: Return less than whole feature maps or all
        scores, such as indices or the largest values.] [if zero-copy, unless states: CPU and GPU share the
        memory: with mapped (zero-copy) or managed memory nothing is copied.] [unless zero-copy, unless
        states: Use pinned memory.] [unless zero-copy, unless states, unless overlapping: Overlap copies with
        the computation of other queries.] [..10, if wide-io, if float-inputs: Inputs are FP32:
        --inputIOFormats=fp16:chw halves their bytes.] [..10, if wide-io, if float-outputs: Outputs are FP32:
        --outputIOFormats=fp16:chw halves their bytes.]

    False alarm:
        [..10: trtexec copies all inputs and outputs for each query by default, and not with
        --noDataTransfers.] [11.0..: trtexec copies inputs and outputs only with --includeDataTransfers.] An
        application that keeps its data on the GPU copies nothing. Where most of the bytes are states for the
        next step, such as caches of keys and values (past and present), it is information.

    Est. savings:
        A bound: the time of both transfers, as if they were avoided or hidden.
    """
    latency = context.analysis.latency
    inward, outward = (each.median_ms if each else 0.0 for each in (latency.h2d, latency.d2h))
    copies = inward + outward
    if latency.gpu_compute is None or copies <= 0:
        return
    compute = latency.gpu_compute.median_ms
    share = copies / (copies + compute)
    if 100 * share < share_percent and 100 * outward / (copies + compute) < output_percent:
        return
    limits = "; they limit the throughput too" if max(inward, outward) > compute else ""
    mostly = _mostly(context, inward, outward)
    # Medians do not add up.
    whole = latency.end_to_end.median_ms if latency.end_to_end else copies + compute
    part = format_percent(copies / max(whole, copies))
    if not (latency.h2d and latency.d2h):
        part = f"at least {part}"
    message = (
        f"Transfers take {part} of latency ({format_ms(copies)} in addition to {format_ms(compute)} of GPU "
        f"compute time, medians){mostly}{limits}"
    )
    shown = {
        "Host to device": format_ms(inward) if latency.h2d else _UNKNOWN,
        "Device to host": format_ms(outward) if latency.d2h else _UNKNOWN,
    }
    if hands_on_states(context):
        states = "most of the bytes are states for the next step, which an application leaves on the device"
        yield Hit(f"{message}; {states}.", (), None, shown, severity="info")
        return
    yield Hit(
        f"{message}.",
        (),
        bound(copies, "measured-transfer"),
        shown,
        severity=None if limits or 100 * share >= warning_percent else "info",
    )


def _mostly(context: Context, inward: float, outward: float) -> str:
    """Return the direction that takes most of the time, and whether transfers of other queries hide it."""
    most = max(inward, outward)
    toward = ""
    if most >= _MOSTLY * (inward + outward) and min(inward, outward) > 0:
        toward = (
            f", {format_ms(most)} of it from {'host to device' if inward > outward else 'device to host'}"
        )
    qps, gpu = context.analysis.latency.throughput_qps, context.analysis.latency.gpu_compute
    if qps is not None and gpu is not None and qps * gpu.median_ms >= _ONE_AFTER_THE_OTHER * 1e3 > qps * most:
        return f"{toward}; queries overlap, so that they cost latency and no throughput"
    return toward
