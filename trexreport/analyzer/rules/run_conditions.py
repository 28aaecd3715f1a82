"""What may hold for the run of an engine and its platform, which decides the advice on the measurement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.enqueue import has_data_dependent
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.engine.weight_budget import exceeds_memory, fits_memory
from trexreport.analyzer.rules.launches import is_tiny_query
from trexreport.analyzer.rules.layer_tests import Test, any_layer, of_engine
from trexreport.analyzer.rules.logs import enqueue_share
from trexreport.analyzer.rules.outliers import launches_stall
from trexreport.analyzer.rules.run_shapes import (
    fitting_profile,
    has_unknown_optimum,
    profile_to_use,
    shapes_of_run,
)
from trexreport.analyzer.rules.slow_queries import is_timer_coarse, slow_queries, slow_tail, vary_with_host
from trexreport.analyzer.rules.streams import are_streams_filling
from trexreport.analyzer.thresholds import STEADY_PERCENT
from trexreport.model.commands import builds_detailed
from trexreport.model.measured_log import MeasuredLog
from trexreport.model.unknown_extents import keeps_unknown_extents

#: More iterations of a profile change its averages little.
_MANY_ITERATIONS = 200
#: The CPU of any Jetson reaches 1.4 GHz or more.
_SLOW_CPU_MHZ = 1_200.0
#: Part of the idle time from which on what takes it matters.
_GOOD_PART = 0.3
#: Parts of GPU compute time: enqueuing in less is ahead of it, and layers that take as much leave no gaps.
_AHEAD, _WITHOUT_GAPS = 0.6, 0.98
#: Types of indices.
_INTEGERS = frozenset({"INT32", "INT64"})
#: Compute capability, times ten, of GPUs with fast INT8 and without fast FP16.
_DP4A = 61


def _changes_once(context: Context) -> bool | None:
    """Return whether query times change from one level to another for good."""
    modes = context.two_modes
    return None if modes is None else modes.step_after is not None


def _slows_down(context: Context) -> bool | None:
    """Return whether query times change to a slower level for good."""
    modes = context.two_modes
    return None if modes is None else modes.gets_slower


def _is_profile_longer(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    gap = context.analysis.latency.gap_percent
    return None if gap is None else gap > 0


def _is_profiled_briefly(context: Context) -> bool | None:
    if not context.has("profile"):
        return False
    count = context.analysis.latency.profiled_iterations
    return None if count is None else count < _MANY_ITERATIONS


def _needs_no_capture(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    """Return whether queries run as a CUDA graph, or cannot; None where nothing shows it."""
    cannot = context.is_graph_refused or has_data_dependent(context.layers)
    return cannot or context.cached(dla_use).is_asked or context.uses_cuda_graph


def _is_launching(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether enqueuing takes a good part of the time in which the GPU is idle; True if not known."""
    latency = context.analysis.latency
    busy, compute, enqueue = latency.gpu_busy_percent, latency.gpu_compute, latency.enqueue
    if not busy or compute is None or enqueue is None:
        return True
    return enqueue.median_ms >= _GOOD_PART * compute.mean_ms * (100 / busy - 1)


def _are_launches_hidden(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether the host launches well ahead of the GPU, and layers take the whole GPU compute time."""
    latency = context.analysis.latency
    compute, enqueue = latency.gpu_compute, latency.enqueue
    if compute is None or enqueue is None or context.uses_cuda_graph:
        return False
    is_ahead = enqueue.median_ms < _AHEAD * compute.median_ms
    return is_ahead and context.total_ms >= _WITHOUT_GAPS * compute.median_ms


def _contradicts_itself(context: Context) -> bool:
    """Return whether single files state all that cannot be true together."""
    found = context.analysis.contradictions
    return bool(found) and all(len({each.file for each in one.values}) == 1 for one in found)


def _are_of_one_kind(logs: Sequence[MeasuredLog]) -> bool:
    """Return whether neither precision nor batch size distinguishes logs, as far as they are known."""
    return len({log.types for log in logs}) <= 1 and len({log.batch for log in logs} - {None}) <= 1


def _has_slow_host(context: Context) -> bool:
    """Return whether cores of a Jetson were off, or slower than what any can reach."""
    watch = context.analysis.gpu_watch
    if watch is None or watch.cpu_clock_mhz is None:
        return False
    has_cores_off = (watch.cpu_cores_on or 0.0) < (watch.cpu_cores or 0.0)
    return has_cores_off or watch.cpu_clock_mhz < _SLOW_CPU_MHZ


def _gets_slower(context: Context) -> bool:
    """Return whether times change to a slower level, or the averages in a log rise through the run."""
    averages = context.analysis.latency.averages
    rises = averages is not None and (averages.after_ms or 0.0) > (averages.before_ms or math.inf)
    return rises or _slows_down(context) is True


def _drifts_up(context: Context) -> bool:
    stability = context.analysis.stability
    return stability is not None and stability.drift_percent > 0


def _has_few_slow(context: Context) -> bool:
    """Return whether a few queries are slow, or a few averages in the log that are not the first ones.

    Averages that are few may be of more queries: where p90 is far above the median, a tenth of them are slow.
    """
    averages, times = context.analysis.latency.averages, context.analysis.latency.gpu_compute
    slow = None if averages is None else averages.slow
    is_few = slow is not None and slow.are_few and not slow.are_first
    limit_ms = (
        math.inf if times is None or times.of_averages else (1 + STEADY_PERCENT / 100) * times.median_ms
    )
    is_few &= times is None or times.percentiles.get("90", 0.0) <= limit_ms
    return is_few or context.cached(slow_queries) is not None


def _reads_indices(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads integers that are inputs of the engine, and no command loads them."""
    return any(
        context.is_input(use.tensor) and context.tensor(use.tensor).data_type in _INTEGERS
        for use in layer.inputs
    ) and not any("--loadInputs" in command for command in context.analysis.commands)


def _returns_enlarged(context: Context) -> bool:
    """Return whether a Resize writes the largest output, of at least twice the elements that it reads."""
    sizes = {
        layer.index: use.size_bytes or 0
        for layer in context.layers
        for use in layer.outputs
        if context.is_output(use.tensor)
    }
    if not sizes:
        return False
    last = context.layers[max(sizes, key=lambda index: sizes[index])]
    before = context.predecessors(last, context.is_reformat) if context.is_reformat(last) else [last]
    for each in before:
        if each.type == "Resize" and each.inputs and each.outputs:
            read, written = (context.tensor(ends[0].tensor) for ends in (each.inputs, each.outputs))
            return 0 < 2 * math.prod(read.dimensions) <= math.prod(written.dimensions)
    return False


#: By name a test, and the words where it is not known whether it holds.
RUN_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "no-capture": (_needs_no_capture, ""),
    "launches-hidden": (_are_launches_hidden, ""),
    "no-graph": (lambda context, _: context.is_graph_refused or has_data_dependent(context.layers), ""),
    "copied": (lambda context, _: context.enqueue_state == "copies", "If it waits for the copy as well"),
    "queue-full": (lambda context, _: context.enqueue_state == "full", "If the launch queue is full"),
    "fit": (of_engine(fits_memory), ""),
    "unfit": (of_engine(exceeds_memory), "If the weights exceed the GPU's memory"),
    "dynamic-inputs": (
        lambda context, _: any(-1 in each.dimensions for each in context.analysis.identity.inputs),
        "For dynamic inputs",
    ),
    "random-calibration": (
        lambda context, _: context.build_fact("Inputs of the calibration") == "random",
        "With random inputs",
    ),
    "enlarged-output": (of_engine(_returns_enlarged), ""),
    "reads-indices": (any_layer(_reads_indices), "Where it reads integer inputs of the engine"),
    "unlisted": (lambda context, _: not context.layers, "Without layers"),
    # Most GPUs are not of Jetson: advice for it is given where a file shows it.
    "jetson": (lambda context, _: bool(context.is_jetson), "On Jetson"),
    "filling": (of_engine(are_streams_filling), "Where streams fill the GPU"),
    "dp4a": (lambda context, _: context.stated_compute_capability == _DP4A, "On compute capability 6.1"),
    "one-file": (of_engine(_contradicts_itself), "If one file states both"),
    "outliers": (of_engine(_has_few_slow), "With a few slow queries"),
    "slowing": (of_engine(_gets_slower), "If the times rise"),
    "drifts-up": (of_engine(_drifts_up), "If the times rise"),
    "with-host": (of_engine(vary_with_host), "If the times vary with the host"),
    "tail": (lambda context, _: context.cached(slow_tail) is not None, "With slow queries"),
    "host-busy": (lambda context, _: not context.enqueue_state, "If launches nearly limit the GPU"),
    "launch-bound": (lambda context, _: context.enqueue_state == "bound", "If launches limit the GPU"),
    "slow-host": (of_engine(_has_slow_host), "On a Jetson with low clocks"),
    "coarse": (of_engine(is_timer_coarse), "Where queries are short beside the timer's steps"),
    "tiny": (of_engine(is_tiny_query), ""),
    "one-kind": (
        lambda context, _: _are_of_one_kind(context.analysis.logs),
        "For logs of one precision and batch size",
    ),
    "with-commands": (lambda context, _: bool(context.analysis.commands), ""),
    "one-log": (
        lambda context, _: sum(each.role == "log" for each in context.analysis.sources) == 1,
        "For runs of one log",
    ),
    "of-myelin": (
        lambda _, layers: bool(layers) and all(keeps_unknown_extents(each.type) for each in layers),
        "For Myelin kernels alone",
    ),
    "stated-shapes": (of_engine(shapes_of_run), "If a command states shapes"),
    "fitting-profile": (
        lambda context, _: fitting_profile(context) is not None,
        "If another profile is built for the shapes",
    ),
    "later-profile": (of_engine(profile_to_use), "For another profile than the first"),
    "unknown-optimum": (of_engine(has_unknown_optimum), "If no file states the optimum shapes"),
    "launching": (_is_launching, ""),
    "launches": (
        lambda context, _: any(map(enqueue_share, context.analysis.logs)),
        "Where enqueuing takes as long as the GPU",
    ),
    "detailed": (lambda context, _: builds_detailed(context.analysis.commands), ""),
    "one-step": (of_engine(_changes_once), "After one step"),
    "slows-down": (of_engine(_slows_down), "If times increase"),
    "in-turn": (lambda context, _: len({each.stream for each in context.layers} - {None}) == 1, ""),
    "profile-longer": (_is_profile_longer, "Where the profile is longer"),
    "few-profiled": (of_engine(_is_profiled_briefly), "After few runs"),
    "medians": (lambda context, _: any(each.median_ms is not None for each in context.layers), ""),
    "launches-stall": (
        lambda context, _: launches_stall(context.analysis.layers),
        "If all layers take like times longer",
    ),
}
