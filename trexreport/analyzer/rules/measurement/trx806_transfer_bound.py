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
#: Part of the time in which the GPU computes, if no query waits for another's transfers; and in which it
#: computes or waits for them, if all do.
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
        A bound: the time of both transfers, as if they were avoided or hidden. Of a log that is cut before
        them it is latency minus GPU compute time in trtexec's averages.
    """
    latency = context.analysis.latency
    inward, outward = (each.median_ms if each else 0.0 for each in (latency.h2d, latency.d2h))
    copies = inward + outward
    if latency.gpu_compute is None:
        yield from _of_averages(context, share_percent, warning_percent)
        return
    if copies <= 0:
        return
    compute = latency.gpu_compute.median_ms
    share = copies / (copies + compute)
    if 100 * share < share_percent and 100 * outward / (copies + compute) < output_percent:
        return
    limits = "; they limit the throughput too" if max(inward, outward) > compute else ""
    known = latency.h2d is not None and latency.d2h is not None
    mostly = _mostly(inward, outward) + (
        "" if limits else _in_the_run(context, compute, max(inward, outward), copies if known else None)
    )
    # Medians do not add up.
    whole = latency.end_to_end.median_ms if latency.end_to_end else copies + compute
    part = format_percent(copies / max(whole, copies))
    if not known:
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


def _of_averages(context: Context, share_percent: float, warning_percent: float) -> Iterator[Hit]:
    """Yield what the averages show that a log states before its summary, where that is cut.

    trtexec's latency is the sum of GPU compute time and both transfers.
    """
    averages = context.analysis.latency.averages
    if averages is None or averages.gpu_ms is None or averages.host_ms is None:
        return
    copies = averages.host_ms - averages.gpu_ms
    end_to_end = context.analysis.latency.end_to_end
    whole = max(end_to_end.median_ms if end_to_end else averages.host_ms, averages.host_ms)
    share = 100 * copies / whole if whole > 0 else 0.0
    if share < share_percent:
        return
    # Each direction may be all of them.
    run = _in_the_run(context, averages.gpu_ms, copies, copies)
    yield Hit(
        f"Transfers take {format_percent(share / 100)} of latency ({format_ms(copies)} in addition to "
        f"{format_ms(averages.gpu_ms)} of GPU compute time, trtexec's averages){run}.",
        (),
        bound(copies, "measured-transfer"),
        {"Host to device": _UNKNOWN, "Device to host": _UNKNOWN},
        severity=None if share >= warning_percent else "info",
    )


def _mostly(inward: float, outward: float) -> str:
    """Return the direction that takes most of the time."""
    most = max(inward, outward)
    if most < _MOSTLY * (inward + outward) or min(inward, outward) <= 0:
        return ""
    return f", {format_ms(most)} of it from {'host to device' if inward > outward else 'device to host'}"


def _in_the_run(context: Context, compute: float, most: float, copies: float | None) -> str:
    """Return whether transfers of other queries hide these; empty where the throughput does not show it.

    Args:
        context: The run.
        compute: GPU compute time in ms.
        most: Time of the longer transfer.
        copies: That of both; None if one is not known.
    """
    qps = context.analysis.latency.throughput_qps
    if qps is None:
        return ""
    if qps * compute >= _ONE_AFTER_THE_OTHER * 1e3 > qps * most:
        return "; queries overlap, so that they cost latency and no throughput"
    if copies is not None and abs(qps * (compute + copies) / 1e3 - 1) <= 1 - _ONE_AFTER_THE_OTHER:
        return "; queries follow one another without overlap, so that they cost throughput, too"
    return ""
