"""TRX806 measurement.transfer-bound."""

from __future__ import annotations

from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.rules import Context, Hit, Hits, bound, built_in_rule
from trexreport.analyzer.rules.io_conditions import IO_CONDITIONS, handed_on_states
from trexreport.analyzer.rules.io_formats import formats_inside
from trexreport.analyzer.rules.io_sizes import are_narrower, io_sizes, link_gb_s
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.transfers import Transfers, find_transfers
from trexreport.model import BindingMode
from trexreport.numbers import (
    format_bytes,
    format_ms,
    format_number,
    format_percent,
    format_rate,
    format_shape,
    join_names,
    layer_label,
)

#: Part of both transfers from which on one direction is named.
_MOSTLY = 0.6
#: Outputs in FP32 and INT64, whose bytes a cast halves, are reported from this part of their share on.
_OF_WIDE, _WIDE_OUTPUTS = 0.6, ("float-outputs", "long-outputs")
_UNKNOWN = "not stated"
#: Even a copy of a few bytes takes this long, in ms.
_FIXED_COST_MS = 0.02
_SOURCE = {False: "medians", True: "medians of averages"}
_LIMITING = {"in": "to the device", "out": "to the host"}
_WAITING = {
    ("in",): "; those to the device do not overlap the computation and cost {} of throughput",
    ("out",): "; those to the host do not overlap the computation and cost {} of throughput",
    ("in", "out"): "; they do not overlap the computation and cost {} of throughput",
}


@built_in_rule(
    "warning",
    needs=("end-to-end",),
    thresholds=(
        percent(
            "share_percent",
            5.0,
            "Minimum share of transfers in transfers and GPU compute time together, in percent.",
        ),
        percent("hidden_percent", 8.0, "The same where it costs no throughput, as queries overlap."),
        percent(
            "output_percent",
            4.0,
            "The same of outputs alone, which often hold more than is needed, and of all on Jetson; of "
            "outputs in FP32 or INT64 60% of it.",
        ),
        percent("warning_percent", 30.0, "Share from which on it is a warning, in percent of the same."),
    ),
)
def transfer_bound(
    context: Context,
    *,
    share_percent: float,
    hidden_percent: float,
    output_percent: float,
    warning_percent: float,
) -> Hits:
    """Input and output transfers add to latency.

    Cost:
        A query waits for its inputs to come from the host and for its outputs to go back.

    Recommendation:
        [if states: Leave the states on the device: give each output of a step to the next one as its input.]
        [..10, if states: Measure without transfers (--noDataTransfers).] [unless states: Keep data on the GPU
        between preprocessing, engine and postprocessing.] [if many-inputs, unless outputs-limit: Put the
        inputs into one tensor: each copy takes some microseconds by itself.] [8.5.., if byte-inputs, if
        byte-outputs: Copy bytes (UINT8 images) in both directions, and convert them inside the network.]
        [8.5.., if byte-inputs, unless byte-outputs: Send bytes (UINT8 images) and convert them inside the
        network.] [8.5.., if byte-outputs, unless byte-inputs: Return images as bytes (UINT8), converted
        inside the network.] [if much-output, unless states, unless image-outputs, unless inputs-limit, unless
        writes-values: Return less than whole feature maps or all scores, such as indices or the largest
        values.] [if much-output, unless states, unless image-outputs, unless inputs-limit, if writes-values:
        If the output is of scores, return indices or the largest values alone.] [if much-output, if
        enlarged-output, unless states, unless inputs-limit: A Resize enlarges the output: return what it
        reads, or choose the largest values (ArgMax) before it, and enlarge where the result is shown.] [if
        long-inputs, unless
        outputs-limit: Inputs are INT64: INT32 halves their bytes, where the model takes it.] [if
        long-outputs, unless inputs-limit: Outputs are INT64: a cast to INT32 halves their bytes.] [8.5.., if
        class-outputs, unless inputs-limit: UINT8 is enough for up to 256 classes.] [if zero-copy, unless
        states: CPU and GPU share the memory: with mapped (zero-copy) or managed memory nothing is copied.]
        [unless zero-copy, unless states, unless overlapping: Overlap copies with the computation of other
        queries.] [if typed, if wide-copies: FP16 inputs and outputs in the ONNX file halve the bytes of FP32
        ones.] [if typed, if wide-inputs-alone: FP16 inputs in the ONNX file halve the bytes of FP32 ones.]
        [if typed, if wide-outputs-alone: FP16 outputs in the ONNX file halve the bytes of FP32 ones.] [..10,
        unless typed, if wide-io, if wide-copies: --inputIOFormats={Proposed input formats|fp16:chw} and
        --outputIOFormats={Proposed output formats|fp16:chw} copy fewer bytes than FP32.] [..10, unless typed,
        if wide-io, if wide-inputs-alone: --inputIOFormats={Proposed input formats|fp16:chw} copies fewer
        bytes than FP32.] [..10, unless typed, if wide-io, if wide-outputs-alone: --outputIOFormats={Proposed
        output formats|fp16:chw} copies fewer bytes than FP32.]

    False alarm:
        [..10: trtexec copies all inputs and outputs for each query by default, and not with
        --noDataTransfers.] [11.0..: trtexec copies inputs and outputs only with --includeDataTransfers.] An
        application that keeps its data on the GPU copies nothing; one that copies from memory that is not
        pinned takes longer than trtexec. Copies of up to 20 µs are not reported, as even those of a few bytes
        take as long. Jetson needs no copies, so that shorter ones are reported. Where most of the bytes are
        states for the next step, such as caches of keys and values (past and present), it is information.

    Est. savings:
        A bound: the time of both transfers, as if they were avoided or hidden.
    """
    latency, found = context.analysis.latency, find_transfers(context.analysis.latency)
    if latency.gpu_compute is None or found is None:
        return
    compute, copies = latency.gpu_compute.median_ms, found.total_ms
    inward, outward = found.inward_ms or 0.0, found.outward_ms or 0.0
    share = copies / (copies + compute)
    if copies <= 2 * _FIXED_COST_MS and max(inward, outward) <= _FIXED_COST_MS:
        return
    is_hidden = bool(context.enqueue_state) or (found.waiting == () and not found.limiting)
    least = hidden_percent if is_hidden else share_percent
    if context.is_jetson:
        least = min(least, output_percent)  # Nothing need be copied.
    if any(IO_CONDITIONS[each][0](context, ()) for each in _WIDE_OUTPUTS):
        output_percent *= _OF_WIDE
    if 100 * share < least and 100 * outward / (copies + compute) < output_percent:
        return
    # Where no file states the directions, the longer one takes at least half.
    limits = max(inward, outward) > compute or (not inward + outward and copies > 2 * compute)
    # Medians do not add up.
    stated = None if latency.gpu_compute.of_averages else latency.end_to_end
    whole = stated.median_ms if stated else copies + compute
    part = format_percent(copies / max(whole, copies))
    is_whole = latency.gpu_compute.of_averages or None not in (found.inward_ms, found.outward_ms)
    message = (
        f"Transfers take {part if is_whole else f'at least {part}'} of latency ({format_ms(copies)} in "
        f"addition to {format_ms(compute)} of GPU compute time, {_SOURCE[latency.gpu_compute.of_averages]})"
        f"{_mostly(context, found)}{_on_throughput(found, latency)}"
        f"{'; they limit the throughput too' if limits and not found.limiting else ''}{_narrower(context)}"
    )
    if names := handed_on_states(context):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        states = f"most of the bytes are states for the next step ({layer_label(names[0])}{more})"
        text = f"{message}; {states}, which an application leaves on the device."
        yield Hit(text, (), None, _shown(context, found), severity="info")
        return
    yield Hit(
        f"{message}.",
        (),
        bound(copies, "measured-transfer"),
        _shown(context, found),
        severity=None if limits or 100 * share >= warning_percent else "info",
    )


def _shown(context: Context, found: Transfers) -> dict[str, str]:
    """Return the times of both directions and the bytes that they copy, as evidence."""
    shown = {
        "Host to device": _UNKNOWN if found.inward_ms is None else format_ms(found.inward_ms),
        "Device to host": _UNKNOWN if found.outward_ms is None else format_ms(found.outward_ms),
    }
    shown |= _copied(context, "input", found.inward_ms or 0.0)
    shown |= _copied(context, "output", found.outward_ms or 0.0)
    shown |= formats_inside(context, "input") | formats_inside(context, "output")
    if (found.waiting or found.limiting) and found.period_ms:
        shown["Time between queries"] = format_ms(found.period_ms)
    return shown


def _copied(context: Context, mode: BindingMode, time_ms: float) -> dict[str, str]:
    """Return the largest input or output, and the rate of all in one direction; nothing where not known."""
    sizes = io_sizes(context, mode)
    if sizes is None:
        return {}
    in_type = " if in FP32" if sizes.is_assumed else ""
    largest = sizes.largest
    name, shape = layer_label(largest.name), format_shape(largest.run_dimensions or largest.dimensions)
    shown = {f"Largest {mode}": f"{name} {shape}, {format_bytes(sizes.largest_bytes)}{in_type}"}
    if time_ms > _FIXED_COST_MS:
        rate = format_number(sizes.size_bytes / time_ms / 1e6)
        shown[f"Rate of {mode}s"] = f"{rate}\u00a0GB/s{in_type}"
    return shown


def _narrower(context: Context) -> str:
    """Return which types are narrower than FP32, as the link carries fewer bytes; empty if none."""
    modes: tuple[BindingMode, ...] = ("input", "output")
    found = [f"{mode}s" for mode in modes if are_narrower(context, mode)]
    link = format_number(link_gb_s(context) or 0.0)
    return (
        f"; by their rate {join_names(found)} are narrower than FP32, as PCIe carries up to {link}\u00a0GB/s"
        if found
        else ""
    )


def _mostly(context: Context, found: Transfers) -> str:
    """Return the direction that takes most of the time, and of what; empty if both take about as much."""
    inward, outward = found.inward_ms or 0.0, found.outward_ms or 0.0
    most = max(inward, outward)
    if most < _MOSTLY * (inward + outward) or min(inward, outward) <= 0:
        return ""
    sizes = io_sizes(context, "input" if inward > outward else "output")
    of_one = ""
    if sizes and sizes.is_nearly_all and (sizes.count > 1 or not sizes.is_assumed):
        size = "" if sizes.is_assumed else f" ({format_bytes(sizes.largest_bytes)})"
        of_one = f", {'nearly all ' if sizes.count > 1 else ''}for {layer_label(sizes.largest.name)}{size}"
    direction = "host to device" if inward > outward else "device to host"
    return f", {format_ms(most)} of it from {direction}{of_one}"


def _on_throughput(found: Transfers, latency: Latency) -> str:
    """Return whether the time between queries shows that transfers cost throughput; empty where not known."""
    if found.limiting and found.period_ms:
        mean_ms = latency.gpu_compute.mean_ms if latency.gpu_compute else 0.0
        return (
            f"; the copies {_LIMITING[found.limiting]} follow each other without a pause and limit the "
            f"throughput to {format_rate(1000 / found.period_ms)} qps, where the GPU can compute "
            f"{format_rate(1000 / mean_ms)}"
        )
    if found.waiting is None:
        return ""
    if not found.waiting:
        return "; queries overlap, so that they cost latency and no throughput"
    return _WAITING[found.waiting].format(format_percent((found.lost_percent or 0.0) / 100))
