"""TRX508 fusion.tiny-kernels."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.percentiles import percentile
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.phrases import layer_time, part_of_all
from trexreport.numbers import format_count, format_ms, format_number

_MS_PER_US = 1e-3
#: In a CUDA graph the host launches nothing, and fewer or larger kernels are all that is left to do.
_IN_GRAPH_PERCENT = 25.0
#: Where most kernels are longer, some short ones are usual, and larger kernels elsewhere are the first aim.
_FEWER_PERCENT = 20.0
#: A profile that takes this many times as long as a query shows mostly what profiling adds to short kernels.
_LENGTHENED = 1.5
#: Below this factor two times are about equal.
_ABOUT_ONE = 1.5
#: Kernels are flat if those up to this factor of the time of the fastest tenth take this share of layer time,
#: in percent, of many; the fastest tenth takes up to that factor of what a tiny one does.
_SHORT_PERCENTILE, _FLAT_FACTOR, _FLAT_PERCENT, _MANY = 10, 1.6, 50.0, 20


@built_in_rule(
    "warning",
    needs=(),
    section="latency",
    thresholds=(
        Threshold("max_us", 10.0, 0, 1000, "Maximum time of a tiny kernel, in µs.", former_name="longest-us"),
        percent("warning_percent", 30.0, "Share of layer time from which on it is a warning."),
        min_share(10.0, "tiny kernels"),
    ),
    explains={
        "engine": ("TRX805",),
        "layers": ("TRX105", "TRX507"),
        "share": ("TRX703",),
        "single": ("TRX201", "TRX202"),
    },
)
def tiny_kernels(context: Context, *, max_us: float, warning_percent: float, share_percent: float) -> Hits:
    """Kernels nearly as short as a launch take much of layer time.

    A kernel is tiny if it takes at most three times as long as the fastest kernels of the run, and neither
    its data nor its operations explain its time: one that reaches half of the bandwidth or of the peak of its
    operations is not, however short it is. Where most kernels take longer than that, but hardly longer
    than the fastest tenth of them, or all take no longer than a tiny one on average, and the GPU is not
    known, it is information. So it is without a profile where GPU compute time shared by all kernels is as
    short, and where layers take 1.5 times as long in the profile as GPU compute time.

    Cost:
        Launching a kernel and waiting for its end takes a few microseconds whatever it does; a tiny kernel
        spends most of its time on that, and leaves most of the GPU idle while it runs.

    Recommendation:
        [unless no-capture, unless launches-hidden: Run with a CUDA graph, which removes the launch overhead
        of the host.] [..10, unless no-capture, unless launches-hidden: trtexec does so with --useCudaGraph.]
        [11.0.., unless no-capture, unless launches-hidden: trtexec does so without --noCudaGraph.] [if
        launches-hidden: The host launches well ahead of the GPU, which hardly waits between kernels: a CUDA
        graph changes little.] [if steps: Many of them are equal steps of a recurrence over tokens or time
        that the export unrolled: one plugin that keeps the state on the chip computes it in one kernel.] Have
        fewer kernels, or give each more work: a larger batch, or several streams. [8.6.., unless level-5:
        --builderOptimizationLevel=5 lets the builder try more kernels.]

    False alarm:
        Profiling adds about a microsecond to each kernel and prevents overlap; compare with the end-to-end
        time. Where queries ran as a CUDA graph, nothing is reported below a quarter of layer time, and where
        most kernels are longer, nothing below a fifth.

    Est. savings:
        Not estimated: the profile does not separate launching from computing, and a kernel that does more
        takes longer.
    """
    measured = [layer for layer in context.layers if layer.avg_ms and not layer.structural]
    if not measured:
        if (hit := _untimed(context, max_us * _MS_PER_US)) is not None:
            yield hit
        return
    if (hit := _flat(context, measured, max_us * _MS_PER_US)) is not None:
        yield hit
    tiny = [layer for layer in measured if is_mostly_launch(context, layer, max_us * _MS_PER_US)]
    launch_ms = context.analysis.roofline.launch_ms
    time_ms = context.time_ms(tiny)
    least = share_percent if 2 * len(tiny) >= len(measured) else max(share_percent, _FEWER_PERCENT)
    least = max(least, _IN_GRAPH_PERCENT) if context.uses_cuda_graph else least
    if not tiny or launch_ms is None or context.share_percent(time_ms) < least:
        if (hit := _short_on_average(context, measured, max_us * _MS_PER_US)) is not None:
            yield hit
        return
    longest_us = max(layer.avg_ms or 0.0 for layer in tiny) / _MS_PER_US
    known = {layer.index for layer in tiny}
    others = (layer for layer in measured if layer.index not in known)
    is_apart = any((layer.avg_ms or 0.0) <= longest_us * _MS_PER_US for layer in others)
    apart = ", whose work explains little of their time," if is_apart else ""
    which = part_of_all(len(tiny), len(measured), "kernel runs", f"kernels{apart} run")
    and_take = "and takes" if len(measured) == 1 else "and take"
    shorter = _shorter_in_query(context)
    yield Hit(
        f"{which} for {format_number(longest_us)} µs or less, "
        f"{_in_launches(longest_us * _MS_PER_US / launch_ms)}, {and_take} {layer_time(context, tiny)}"
        f"{shorter}.",
        tuple(slowest_first(tiny)),
        None,
        {
            "Launch": format_ms(launch_ms),
            "Mean": format_ms(time_ms / len(tiny)),
            "CUDA graph": context.run_option("CUDA Graph") or "not stated",
        },
        severity="info" if shorter or context.share_percent(time_ms) < warning_percent else None,
    )


def _shorter_in_query(context: Context) -> str:
    """Return that kernels take less in a query than in the profile; empty where it is not known."""
    compute = context.analysis.latency.gpu_compute
    if compute is None or context.total_ms < _LENGTHENED * compute.median_ms:
        return ""
    return (
        f"; a query takes {format_ms(compute.median_ms)} of GPU compute time in all, so that they are "
        "shorter in it than in the profile, or overlap"
    )


def _flat(context: Context, measured: Sequence[LayerFacts], max_ms: float) -> Hit | None:
    """Return what says that most kernels take the same short time, longer than that of tiny ones.

    Only where no roofline explains their times: on a slow GPU or host a launch may take so long.
    """
    ordered = sorted(layer.avg_ms or 0.0 for layer in measured)
    short_ms = percentile(ordered, _SHORT_PERCENTILE) if len(ordered) >= _MANY else None
    is_short = short_ms is not None and max_ms < short_ms <= _FLAT_FACTOR * max_ms
    if short_ms is None or not is_short or any(each.roof for each in measured):
        return None
    flat = [layer for layer in measured if (layer.avg_ms or 0.0) <= _FLAT_FACTOR * short_ms]
    if context.share_percent(context.time_ms(flat)) < _FLAT_PERCENT:
        return None
    which = part_of_all(len(flat), len(measured), "kernel runs", "kernels run")
    longest_us = max(layer.avg_ms or 0.0 for layer in flat) / _MS_PER_US
    tenth = f"the fastest tenth of all, which run for {format_number(short_ms / _MS_PER_US)} µs or less"
    return Hit(
        f"{which} for {format_number(longest_us)} µs or less, little longer than {tenth}, and take "
        f"{layer_time(context, flat)}: what they compute matters little.",
        tuple(slowest_first(flat)),
        None,
        {"Mean": format_ms(context.time_ms(flat) / len(flat))},
        severity="info",
    )


def _short_on_average(context: Context, measured: Sequence[LayerFacts], max_ms: float) -> Hit | None:
    """Return what says that kernels are tiny on average, although some are so short that others seem long.

    Only where no roofline explains their times.
    """
    if len(measured) < _MANY or any(each.roof for each in measured):
        return None
    mean_ms = context.time_ms(measured) / len(measured)
    if mean_ms > max_ms:
        return None
    mean = f"{format_number(mean_ms / _MS_PER_US)} µs on average"
    return Hit(
        f"The {format_count(len(measured))} kernels run for {mean}: launches and waiting take much of that.",
        tuple(slowest_first(measured)),
        None,
        {"Mean": format_ms(mean_ms), "CUDA graph": context.run_option("CUDA Graph") or "not stated"},
        severity="info",
    )


def _untimed(context: Context, max_ms: float) -> Hit | None:
    """Return what says the same of kernels without times, by the GPU compute time of all."""
    kernels = [layer for layer in context.layers if not layer.structural]
    compute = context.analysis.latency.gpu_compute
    if compute is None or context.opaque or len(kernels) < _MANY:
        return None
    mean_ms = compute.median_ms / len(kernels)
    if mean_ms > max_ms:
        return None
    return Hit(
        f"{format_count(len(kernels))} kernels follow each other in {format_ms(compute.median_ms)} of GPU "
        f"compute time, {format_number(mean_ms / _MS_PER_US)} µs each on average: launches and waiting take "
        "much of that.",
        tuple(kernels),
        None,
        {"Mean": format_ms(mean_ms), "CUDA graph": context.run_option("CUDA Graph") or "not stated"},
        severity="info",
    )


def _in_launches(launches: float) -> str:
    if launches < _ABOUT_ONE:
        return "about as long as a launch"
    return f"up to {format_number(launches, 2)} times as long as a launch"
