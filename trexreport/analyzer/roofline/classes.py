"""Decide what bounds a layer: compute, memory, or latency.

A layer is compute- or memory-bound where the longer of its two roofline times explains its time: it then runs
against a peak of the GPU. It is latency-bound where

* the roofline time is less than a third of its time (`EXPLAINED_PERCENT`, which the configuration changes):
  launch, too few thread blocks for the GPU or dependencies between instructions then take more than twice as
  long as operations and bytes. Nsight Compute calls a kernel latency-bound below 60%
  of both peaks, of the bytes and operations that it issued; the roofline counts each of them once and is up
  to twice as low. On the captures of 11 engines, convolutions that fill the GPU and copies reach 35 to 90%,
  layers of few blocks 1 to 30%;
* or it is about as short as a launch: its time is at most three times the launch time of the run, and the
  launch explains more of it than the roofline does.

The launch time of a run is that of its fastest kernels, as none is faster than its launch: the 1st percentile
of the layers' times, if that is at most 10 µs. A launch takes 2 to 5 µs, and profiling adds up to as much.

A multiplication on CUDA cores that takes as long as their peak explains is compute-bound, although its
roofline time, which is that of Tensor Cores, is far shorter. So is one whose kernel loads few elements at a
time, as its dimensions are not aligned, if operations make its roofline time: it does its work, slowly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from trexreport.analyzer.analysis.roofline import Bound, Roof
from trexreport.analyzer.percentiles import percentile
from trexreport.model import Layer

#: The part of a layer's time, in percent, above which the roofline explains it.
EXPLAINED_PERCENT = 33.0
#: Layers whose class changes if their time is this much shorter or longer are near the limit.
NEAR_PERCENT = 10.0
_LAUNCH_PERCENTILE = 1
#: This many layers whose times have as few decimals in ms are rounded to them.
_MANY, _COARSE, _EXACT_MS = 20, 2, 1e-9
#: The fastest kernels of a run that take longer do not show its launch time.
MAX_LAUNCH_MS = 0.010
#: A layer of at most this many launch times is mostly launch.
LAUNCHES = 3.0


def launch_time(layers: Iterable[Layer]) -> float | None:
    """Return about what the launch of a kernel takes in this run, in ms; None if no layer shows it.

    Slow iterations may lengthen the means of all layers; then the medians show it. Times of two decimals, as
    printed tables have, do not.
    """
    times = [layer.time for layer in layers if layer.time and not layer.is_structural]
    by_means = _shortest([each.avg_ms for each in times])
    return by_means if by_means is not None else _shortest([each.median_ms or 0.0 for each in times])


def _shortest(times: Iterable[float]) -> float | None:
    """Return the shortest of some times in ms, if it may be that of a launch."""
    known = sorted(each for each in times if each > 0)
    if len(known) >= _MANY and all(abs(each - round(each, _COARSE)) < _EXACT_MS for each in known):
        return None  # The shortest time is the resolution of the file.
    launch_ms = percentile(known, _LAUNCH_PERCENTILE) if known else None
    return launch_ms if launch_ms is not None and launch_ms <= MAX_LAUNCH_MS else None


class Limits(NamedTuple):
    """Times in ms that may explain the time of a layer.

    Attributes:
        roof: The lower one of its two roofs.
        roof_ms: The time at that roof.
        cuda_cores_ms: The time of its operations at the peak of the CUDA cores if it runs on them, else 0.
        launch_ms: What `launch_time` returned.
        is_unaligned: Its kernel loads single elements or pairs.
    """

    roof: Roof
    roof_ms: float
    cuda_cores_ms: float
    launch_ms: float | None
    is_unaligned: bool = False


def find_bound(limits: Limits, avg_ms: float | None, explained_percent: float) -> Bound | None:
    """Return what bounds a layer, or None without a time.

    Args:
        limits: What may explain its time.
        avg_ms: Its measured time.
        explained_percent: Below this part of its time the roofline does not explain it.
    """
    if not avg_ms:
        return None
    explained_ms, launch_ms = max(limits.roof_ms, limits.cuda_cores_ms), limits.launch_ms
    if 100 * explained_ms < explained_percent * avg_ms:
        is_long = explained_ms > LAUNCHES * (launch_ms or MAX_LAUNCH_MS)
        return "compute" if limits.is_unaligned and limits.roof == "compute" and is_long else "latency"
    if launch_ms is not None and explained_ms < launch_ms and avg_ms <= LAUNCHES * launch_ms:
        return "latency"
    return "compute" if limits.cuda_cores_ms > limits.roof_ms else limits.roof


def is_near_limit(roof_ms: float, avg_ms: float, explained_percent: float) -> bool:
    """Return whether `NEAR_PERCENT` less or more time would change what the roofline explains."""
    reached_percent, part = 100 * roof_ms / avg_ms, 1 + NEAR_PERCENT / 100
    return explained_percent / part <= reached_percent <= explained_percent * part
