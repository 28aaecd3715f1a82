"""What it means that enqueuing the work takes the host about as long as the GPU computes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.thresholds import (
    BUSY_PERCENT,
    ENQUEUE_SHARE,
    ENQUEUE_SHARE_OF_IDLE,
    SMALL_GAP,
    release_numbers,
)
from trexreport.model.commands import always_profiles_while_timing
from trexreport.model.shape_copies import copies_shape_to_host
from trexreport.regex import regex

#: The host limits the GPU ("bound"); it waits for the GPU, as a launch queue is full or a layer synchronizes
#: ("waits"), surely a full queue where that takes long ("full"), and for the copy of the inputs as well
#: ("copies"); it waits for each layer, as a profiler times them in the same run ("profiled"); none of these.
EnqueueState = Literal["bound", "waits", "full", "copies", "profiled", ""]

#: From this share of the GPU compute time on, a wait explains a long enqueue.
_WAITING_SHARE = 0.95
#: Up to this share the host is ahead of a GPU that is always busy, which then waits for no launch.
_AHEAD = 0.9
#: No engine of unknown layers launches kernels for longer: 4,000 of 5 us.
_MAX_LAUNCHES_MS = 20.0
#: No host launches for longer unless in a loop: 20,000 kernels, each in 10 us.
_FULL_QUEUE_MS = 200.0
#: The launch queue of a stream takes about as many launches.
_QUEUED = 1000
#: Several times what the launches of one layer take, also with a slow host.
_MAX_LAYER_LAUNCH_MS = 0.03
#: How far enqueuing may be from copy and computation together, as a part of it.
_CLOSE = 0.02
#: Part of what is not computation, if nearly all of it is waited for.
_MOSTLY = 0.9
#: Below, other work of the host may be as long.
_MIN_WAIT_MS = 5.0

#: Layers with outputs whose size depends on data, and the layers that manage such sizes.
_DATA_DEPENDENT = frozenset({"NonZero", "NMS", "TrainStation"})
#: Types and names of layers that launch an unknown number of kernels.
_HIDES_KERNELS = regex(r"^(?:Myelin|ForeignNode|\{)|[Pp]lugin", re.ASCII)
#: Types of single layers; the names of others show what their kernels do.
_SINGLE = frozenset(
    {"Convolution", "MatrixMultiply", "PointWise", "Reduce", "Reformat", "Shuffle", "Slice", "SoftMax"}
)
#: Operations that the host may run as a loop, with launches at each step.
_RECURRENT = regex(
    r"(?<![A-Za-z])(?:(?:[Bb]i)?LSTM|(?:[Bb]i)?GRU|RNN|Loop|Scan|(?:bi)?lstm|(?:bi)?gru|rnn)(?![a-z])",
    re.ASCII,
)


def is_recurrent(layer: LayerFacts) -> bool:
    """Return whether a layer computes step by step, so that it may launch kernels at each step."""
    if layer.type in _SINGLE:
        return False  # A step that the export unrolled, or what is beside a recurrence.
    return any(_RECURRENT.search(text) for text in (layer.type, layer.name, *layer.origins))


def is_data_dependent(layer: LayerFacts) -> bool:
    """Return whether a layer has outputs whose size depends on data, or manages such sizes on the host."""
    return layer.type in _DATA_DEPENDENT or copies_shape_to_host(layer.name)


def has_data_dependent(layers: Sequence[LayerFacts]) -> bool:
    """Return whether the host waits for sizes that depend on data."""
    # All names at once, as of most engines none says so.
    return not _DATA_DEPENDENT.isdisjoint({layer.type for layer in layers}) or copies_shape_to_host(
        "\n".join([layer.name for layer in layers])
    )


def enqueue_state(
    latency: Latency, layers: Sequence[LayerFacts], commands: Iterable[str], version: str
) -> EnqueueState:
    """Return why enqueuing takes about as long as the GPU computes; an empty text if it does not.

    Args:
        latency: End-to-end times.
        layers: All layers; none where they are not known.
        commands: Command lines of trtexec in the capture.
        version: TensorRT's version. From 11 on trtexec always profiles in a run of its own.
    """
    whole = latency.gpu_compute or latency.end_to_end
    if latency.enqueue is None or whole is None:
        return ""
    enqueue_ms = latency.enqueue.median_ms
    least = ENQUEUE_SHARE_OF_IDLE if _is_idle_between_queries(latency) else ENQUEUE_SHARE
    if _is_always_busy(latency):
        least = _AHEAD
    if enqueue_ms <= least * whole.median_ms:
        return ""
    if always_profiles_while_timing(commands) and not release_numbers(version, 1) >= (11,):
        return "profiled"
    hides = any(_HIDES_KERNELS.search(text) for each in layers for text in (each.type, each.name))
    launching = sum(not layer.structural for layer in layers)
    launches_ms = _MAX_LAYER_LAUNCH_MS * launching if launching and not hides else _MAX_LAUNCHES_MS
    waits = enqueue_ms >= _WAITING_SHARE * whole.median_ms and not any(map(is_recurrent, layers))
    if waits and enqueue_ms > _MIN_WAIT_MS and _waits_for_copies(latency, enqueue_ms):
        return "copies"
    if waits and has_data_dependent(layers):
        return "waits"
    if waits and latency.kernels_percent is not None:
        return "bound"  # A host that waits for kernels leaves no GPU idle.
    if waits and enqueue_ms >= _FULL_QUEUE_MS and (not launching or hides or launching > _QUEUED):
        return "full"
    return "waits" if waits and enqueue_ms > max(launches_ms, _MIN_WAIT_MS) else "bound"


def _is_idle_between_queries(latency: Latency) -> bool:
    """Return whether the GPU is idle between queries for longer than copies that overlap nothing take."""
    compute, busy = latency.gpu_compute, latency.gpu_busy_percent
    if compute is None or not busy:
        return False
    copies_ms = math.fsum(each.mean_ms for each in (latency.h2d, latency.d2h) if each)
    return compute.mean_ms * (100 / busy - 1) - copies_ms >= SMALL_GAP * compute.mean_ms


def _is_always_busy(latency: Latency) -> bool:
    """Return whether the GPU computes all the time, without gaps between layers as far as they are timed."""
    compute = latency.gpu_compute
    if compute is None or (latency.gpu_busy_percent or 0.0) < BUSY_PERCENT:
        return False
    between_ms = compute.median_ms - (latency.layer_sum_ms or compute.median_ms)
    return between_ms < SMALL_GAP * compute.median_ms


def _waits_for_copies(latency: Latency, enqueue_ms: float) -> bool:
    """Return whether enqueuing takes as long as the input copy and the computation together.

    Where a log states only averages, the copies are what latency has besides GPU compute time: nearly all of
    it, as outputs are copied after the call.
    """
    whole, compute = latency.end_to_end, latency.gpu_compute
    if compute is None:
        return False
    if whole is not None and whole.of_averages:
        longer = whole.median_ms - compute.median_ms
        return enqueue_ms - compute.median_ms >= _MOSTLY * longer >= _CLOSE * whole.median_ms
    copied = latency.h2d.median_ms if latency.h2d else 0.0
    both = compute.median_ms + copied
    off = abs(enqueue_ms - both)
    if copied < _CLOSE * both:
        return False
    return off <= _CLOSE * both and off < abs(enqueue_ms - compute.median_ms)
