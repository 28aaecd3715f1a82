"""Sentences about where the time goes, and why the total layer time differs from the latency."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from trexreport.analyzer.analysis import NOT_STATED, Analysis, LayerFacts
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.timing import GapCode, GapReason, Latency
from trexreport.analyzer.analysis.tokens import tokens_per_query
from trexreport.model import application
from trexreport.numbers import counted, format_ms, format_number, format_rate, middle_ellipsis
from trexreport.wording.execution import run_note
from trexreport.wording.shares import percent

_NO_PROFILE = "This capture has no profile, so the layers have no times."
#: Where a mean is this many times the median, and longer by two ticks of the medians, the median counts.
_FAR_RATIO, _TWO_TICKS_MS = 1.25, 0.002048
_WHOLE_PERCENT = 100.0
_ALL_ZERO = "The profile has no layer time above zero."


def latency_sentence(analysis: Analysis) -> str:
    """Return which type of layers and which layer take most of the time."""
    timed = [layer for layer in analysis.layers if layer.avg_ms]
    if not timed or not analysis.by_type:
        return _ALL_ZERO if analysis.latency.profiled_layers else _NO_PROFILE
    name, share, basis, reached = _slowest(timed)
    if analysis.identity.names_only:
        # What names show is of averages.
        by_name = "" if basis else by_operation(analysis)
        return f"The slowest layer{basis}, {name}, takes {share} of layer time.{by_name}"
    shares = _type_medians(timed) if basis else {}
    first = max(analysis.by_type, key=lambda group: shares.get(group.name, 0.0))
    part, take = shares.get(first.name, first.share_percent), "takes" if first.count == 1 else "take"
    return (
        f"{counted(first.count, f'{first.name} layer')} {take} {percent(part)} of layer time{basis}; "
        f"the slowest layer, {name}, takes {share}{reached}."
    )


def _type_medians(timed: Sequence[LayerFacts]) -> dict[str, float]:
    """Return the share of each type of layers by medians, in percent."""
    whole_ms = math.fsum(layer.median_ms or 0.0 for layer in timed)
    shares: dict[str, float] = {}
    for layer in timed:
        share = 100 * (layer.median_ms or 0.0) / whole_ms
        shares[layer.type or NOT_STATED] = shares.get(layer.type or NOT_STATED, 0.0) + share
    return shares


def _slowest(timed: Sequence[LayerFacts]) -> tuple[str, str, str, str]:
    """Return name, share, basis and roofline of the slowest layer: medians where few iterations are slow."""
    slowest = max(timed, key=lambda layer: layer.avg_ms or 0.0)
    share, basis, roof = slowest.share_percent, "", slowest.roof
    if _is_lengthened(slowest) and all(layer.median_ms is not None for layer in timed):
        slowest = max(timed, key=lambda layer: layer.median_ms or 0.0)
        whole_ms = math.fsum(layer.median_ms or 0.0 for layer in timed)
        share, basis, roof = 100 * (slowest.median_ms or 0.0) / whole_ms, " by medians", None
    part = roof.reached_percent if roof else None
    # A layer whose tensors stay in the cache may exceed it, which says nothing of what is left.
    reached = f", at {percent(part)} of its roofline" if part and part <= _WHOLE_PERCENT else ""
    return middle_ellipsis(slowest.name, 60), percent(share), basis, reached


def by_operation(analysis: Analysis, of_what: str = "") -> str:
    """Return what the names of layers show of the time, and how much of it they do not."""
    timed = [group for group in analysis.by_operation if group.time_ms]
    known = [group for group in timed if group.name != NOT_STATED]
    if not known:
        return ""
    unknown = next((group.share_percent for group in timed if group.name == NOT_STATED), None)
    rest = f"; names that show no operation take {percent(unknown)}" if unknown else ""
    return f" By name, {known[0].name} takes {percent(known[0].share_percent)}{of_what}{rest}."


def _is_lengthened(layer: LayerFacts) -> bool:
    """Return whether slow iterations make the mean time of a layer much longer than its median."""
    mean_ms, median_ms = layer.avg_ms or 0.0, layer.median_ms or 0.0
    return mean_ms >= _FAR_RATIO * median_ms > 0 and mean_ms - median_ms > _TWO_TICKS_MS


def stalls_sentence(slowest: Sequence[LayerFacts], layers: Sequence[LayerFacts]) -> str:
    """Return which of the slowest layers only slow iterations put there; empty if none.

    Args:
        slowest: The layers that are listed.
        layers: All measured layers.
    """
    found = [layer for layer in slowest if _is_lengthened(layer)]
    if not found:
        return ""
    factor = max((layer.avg_ms or 0.0) / (layer.median_ms or 1.0) for layer in found)
    whole_ms = math.fsum(layer.median_ms or layer.avg_ms or 0.0 for layer in layers)
    mean = math.fsum(layer.share_percent or 0.0 for layer in found)
    take = "it takes" if len(found) == 1 else "they take"
    usual = 100 * math.fsum(layer.median_ms or 0.0 for layer in found) / whole_ms
    return (
        f"Slow iterations make the averages of {len(found)} of these layers up to "
        f"{format_number(factor, 2)} times their medians. By medians, {take} {percent(usual)} of layer time, "
        f"not {percent(mean)}."
    )


def layer_times_sentence(times_ms: Sequence[float]) -> str:
    """Return how long half of the layers take at most, and which part of the time that is."""
    ordered = sorted(times_ms)
    faster = ordered[: len(ordered) // 2]
    share = 100 * math.fsum(faster) / math.fsum(ordered)
    return (
        f"The median layer takes {format_ms(median(ordered))}. The faster half of the layers takes "
        f"{percent(share)} of layer time."
    )


def throughput_note(analysis: Analysis) -> str:
    """Return how many tokens or items a second are computed; empty where a query is one item, or unknown."""
    qps, batch = analysis.latency.throughput_qps, analysis.identity.batch or 1
    if qps and (tokens := tokens_per_query(analysis)):
        return f"{format_rate(qps * tokens)} tokens/s, {counted(tokens, 'token')} per query"
    return f"{format_rate(qps * batch)} items/s at batch size {batch}" if qps and batch > 1 else ""


def stated_run(analysis: Analysis) -> tuple[str, str, str] | None:
    """Return title, value and note of a time that another program states; None where queries have one."""
    execution = analysis.execution
    if analysis.latency.end_to_end:
        return None
    if execution and execution.run_ms is not None:
        return "Mean time of a run", format_ms(execution.run_ms), run_note(execution)
    facts = analysis.settings.get(application.TITLE, {})
    for key in (application.MEDIAN, application.STAGES[1], application.MEAN):
        if (ms := application.stated_ms(facts, key)) is not None:
            of = f"of {facts[application.COUNT]}, " if key == application.MEDIAN else ""
            return f"{key} time", format_ms(ms), f"{of}stated by the application"
    rate = facts.get(application.RATE)
    return (application.RATE, rate, "stated by the application") if rate else None


def averages_note(latency: Latency) -> str:
    """Return of what the latency is where a log states only averages; empty where queries are known."""
    whole, averages = latency.end_to_end, latency.averages
    if whole is None or averages is None or not whole.of_averages:
        return ""
    each = counted(averages.queries, "query", "queries")
    return f"of {counted(averages.count, 'average')} of {each} each"


def levels_note(analysis: Analysis) -> str:
    """Return between which levels the times of queries change, where a median says little; else empty."""
    stability = analysis.stability
    if stability is not None and stability.is_steady:
        return ""
    if stability is not None and (levels := stability.steps_ms):
        steps = counted(len(levels) - 1, "step")
        return f"from {format_ms(levels[0])} to {format_ms(levels[-1])} in {steps}"
    if stability is not None and (change := stability.change):
        return f"from {format_ms(change.before_ms)} to {format_ms(change.after_ms)} during the run"
    if stability is not None and (modes := stability.two_modes):
        return f"two groups of queries, {format_ms(modes.fast_ms)} and {format_ms(modes.slow_ms)}"
    averages = analysis.latency.averages
    if averages is None or averages.before_ms is None:
        return ""
    return f"from {format_ms(averages.before_ms)} to {format_ms(averages.after_ms)} during the run"


def leaves_out_transfers(analysis: Analysis) -> bool:
    """Return whether queries copied neither inputs nor outputs, as a log or their times of 0 state."""
    latency = analysis.latency
    copies = [each.max_ms for each in (latency.h2d, latency.d2h) if each]
    stated = analysis.settings.get("Inference", {}).get("Data transfers", "")
    # Times of queries are of copies as well, which are all 0 where latency is GPU compute time.
    is_compute = latency.end_to_end is not None and latency.end_to_end == latency.gpu_compute and not copies
    return stated == "Disabled" or copies == [0.0, 0.0] or is_compute


def gap_of(analysis: Analysis) -> str:
    """Return by how much the total layer time is above or below GPU compute time; empty where not known."""
    gap = analysis.latency.gap_percent
    if gap is None or contradicted(analysis.contradictions, ["query-times", "layer-times"]):
        return ""
    whole = "GPU compute time" if analysis.latency.gpu_compute else "latency"
    return f"{percent(abs(gap))} {'above' if gap > 0 else 'below'} {whole}"


def gap_sentence(analysis: Analysis) -> str:
    """Return by how much the total layer time differs from GPU compute time; empty where not known."""
    gap = gap_of(analysis)
    return f"Total layer time is {gap}." if gap else ""


def gap_reason_sentence(reason: GapReason) -> str:
    """Return why the total layer time and the time of the whole engine differ."""
    return _GAP_REASONS[reason.code](reason.count or 0)


_GAP_REASONS: Mapping[GapCode, Callable[[int], str]] = {
    "agreement": lambda _: "The two agree within 5%.",
    "profiling-overhead": lambda _: (
        "Profiling records a time stamp around each layer and keeps layers from overlapping, so the layer "
        "times add up to more than an undisturbed run takes."
    ),
    "slow-iteration": lambda _: (
        "One layer was slow in one iteration, such as the first, or waits, which lengthens its average by "
        "about the difference."
    ),
    "concurrent-streams": lambda count: (
        f"Layers run on {count} streams concurrently; the sum counts them one after another."
    ),
    "unprofiled-layers": lambda count: f"The profile has no time for {counted(count, 'layer')}.",
    "transfers-included": lambda _: (
        "Only the end-to-end latency is known, which may include the transfers of inputs and outputs."
    ),
    "enqueue-bound": lambda _: (
        "Enqueuing the work takes the host about as long as the GPU computes, so the GPU waits between "
        "kernels."
    ),
    "gpu-gaps": lambda _: "The whole also contains the gaps between kernels, which belong to no layer.",
    "changing-times": lambda _: (
        "GPU compute time changes during the measurement; the layers were profiled at one of its levels."
    ),
    "single-iteration": lambda _: (
        "The profile covers a single iteration, so each layer's time is one sample."
    ),
}
