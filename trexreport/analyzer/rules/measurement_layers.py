"""Rules on the layers' times: how many were taken, of which layers, and how they relate to the whole."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import for_time
from trexreport.numbers import counted, format_count, format_ms, format_percent


@rule(
    "TRX804",
    "measurement.too-few-iterations",
    "warning",
    many="{count} figures come from too few runs.",
    needs=(),
    section="timing",
    thresholds=(
        Threshold("iterations", 10, 1, 1e9, "Profiled iterations that are enough for a mean."),
        Threshold("queries", 100, 1, 1e9, "Timed queries that are enough for percentiles."),
    ),
)
def too_few_iterations(context: Context, *, iterations: float, queries: float) -> Iterator[Hit]:
    """The times are from too few runs.

    Cost:
        A single run of a layer may be off by several percent, more for kernels of a few microseconds, and
        small differences between layers or engines may be chance. A 99th percentile of fewer than 100
        queries is simply the longest.

    Advice:
        Profile more iterations: trtexec --iterations=100 --duration=3 --avgRuns=100 --separateProfileRun.
        With an IProfiler of your own, add up at least ten runs after warming up.

    False alarm:
        TREx's captures with TensorRT 8 state one iteration. Where layers are long and the ranking is clear,
        one is enough to see what to look at first.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    count = context.analysis.latency.profiled_iterations
    if context.has("profile") and count is not None and count < iterations:
        runs = "once only" if count == 1 else f"in {format_count(count)} iterations only"
        yield Hit(f"Each layer was timed {runs}, so its time may be off by several percent.")
    stability = context.analysis.stability
    if stability is not None and stability.queries < queries:
        were = "was" if stability.queries == 1 else "were"
        timed = counted(stability.queries, "query", "queries")
        yield Hit(f"Only {timed} {were} timed: high percentiles mean little.")


@rule(
    "TRX808",
    "measurement.layer-sum-differs",
    "info",
    many="The layers' sum differs in {count} ways.",
    needs=("profile", "end-to-end"),
    section="timing",
    thresholds=(
        Threshold(
            "difference_percent",
            10.0,
            0,
            1000,
            "Difference of the layers' sum from GPU compute time, in percent of the latter.",
        ),
    ),
)
def layer_sum_differs(context: Context, *, difference_percent: float) -> Iterator[Hit]:
    """The layers' times do not add up to the time of the engine.

    Cost:
        Shares of layers are shares of their sum. Where the sum is larger, profiling has lengthened small
        layers most, so their shares are too high; where it is smaller, time passes that no layer is charged
        for, such as launch gaps, waiting and synchronization.

    Advice:
        Judge layers by their times, the engine by its own. If the sum is larger because layers ran side by
        side, profile an engine built with --maxAuxStreams=0. If it is smaller, look at the gaps in Nsight
        Systems and try a CUDA graph.

    False alarm:
        A sum that is 5 to 40 % larger is usual for small engines: time stamps around each layer keep
        kernels from overlapping.

    Bound:
        Where the sum is smaller: the time that no layer takes. Else none.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    gap, total_ms = latency.gap_percent, latency.layer_sum_ms
    if whole is None or gap is None or total_ms is None or abs(gap) < difference_percent:
        return
    than = "more" if gap > 0 else "less"
    name = "GPU compute time" if latency.gpu_compute else "latency"
    yield Hit(
        f"The layers take {format_ms(total_ms)} together, {format_percent(abs(gap) / 100)} {than} than the "
        f"{name} of {format_ms(whole.mean_ms)}.",
        (),
        None if gap > 0 else whole.mean_ms - total_ms,
        {"Why": " ".join(latency.gap_reasons)},
        severity="info" if gap > 0 else "warning",
    )


@rule(
    "TRX809",
    "measurement.streams-overlap",
    "info",
    many="Layers run side by side in {count} ways.",
    needs=("profile",),
    section="timing",
    thresholds=(
        Threshold(
            "share_percent", 1.0, 0, 100, "Time of layers beside the main stream, in percent of all layers'."
        ),
    ),
)
def streams_overlap(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Layers run on several streams.

    Cost:
        None in itself: TensorRT uses auxiliary streams so that independent layers overlap. But a layer that
        shares the GPU with another is slower than alone, and the sum of all layers counts overlapping time
        twice.

    Advice:
        For times that add up, build with --maxAuxStreams=0 (from 8.6 on) and profile that. Compare both
        builds: where the layers of the auxiliary streams are small, one stream may be as fast and needs
        less memory.

    False alarm:
        Profiling waits for each layer in some versions, so that nothing overlaps and the sum is right.

    Bound:
        None: overlap is meant to save time.
    """
    by_stream: dict[int, list[LayerFacts]] = {}
    for layer in context.layers:
        if layer.stream is not None and layer.avg_ms:
            by_stream.setdefault(layer.stream, []).append(layer)
    if len(by_stream) < 2:
        return
    times = {stream: context.time_ms(layers) for stream, layers in sorted(by_stream.items())}
    main = max(times, key=lambda stream: times[stream])
    beside = [layer for stream, layers in by_stream.items() if stream != main for layer in layers]
    time_ms = context.time_ms(beside)
    share = context.share_percent(time_ms)
    if share < share_percent:
        return
    beside.sort(key=lambda layer: layer.index)
    yield Hit(
        f"Layers run on {len(times)} streams: beside the main one{for_time(context, beside)}, which may "
        f"overlap with it.",
        tuple(beside),
        None,
        {f"Stream {stream}": format_ms(time) for stream, time in times.items()},
    )


@rule(
    "TRX810",
    "measurement.partial-profile",
    "warning",
    many="Layers have no time in {count} ways.",
    section="layers",
    thresholds=(
        Threshold(
            "missing_percent", 5.0, 0, 100, "Layers without a time that are a warning, in percent of all."
        ),
    ),
)
def partial_profile(context: Context, *, missing_percent: float) -> Iterator[Hit]:
    """Layers have no measured time.

    Cost:
        Shares and sums leave these layers out, so that all others look dearer than they are, and rules that
        weigh by time cannot judge them.

    Advice:
        Profile the very engine whose layers are shown: trtexec --loadEngine=ENGINE --exportProfile=FILE
        --exportLayerInfo=FILE in one run writes both for the same plan and optimization profile.

    False alarm:
        No-ops, constants and synchronization have no time of their own and are not counted. A few layers
        without one are information only.

    Bound:
        None: what was not measured is not known.
    """
    work = [layer for layer in context.layers if not layer.structural]
    missing = tuple(layer for layer in work if layer.avg_ms is None)
    if not missing:
        return
    if len(missing) == len(work):
        yield Hit("No layer has a time, as there is no profile that fits.", severity="info")
    else:
        yield Hit(
            f"The profile has no time for {format_count(len(missing))} of {format_count(len(work))} layers.",
            missing,
            severity=None if 100 * len(missing) >= missing_percent * len(work) else "info",
        )
