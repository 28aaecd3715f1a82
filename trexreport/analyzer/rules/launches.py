"""Layers that take about as long as the launch of a kernel, and those that fill the GPU."""

from __future__ import annotations

from collections.abc import Collection

from trexreport.analyzer.analysis import LayerFacts, Operation
from trexreport.analyzer.roofline.classes import LAUNCHES, MAX_LAUNCH_MS
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import looks_up

#: The smallest tile of the result that matrix kernels commonly give to one SM.
TILE = 64
#: A kernel that reaches this part of a peak, in percent, is not short for lack of work.
_BUSY_PERCENT = 50.0
#: Fewer layers, as short as a launch, take little whatever changes.
_SEVERAL = 4
#: With this many tiles for each SM none waits for long.
_MANY_TILES = 4
#: Thirty kernels of which each is about as short as a launch.
_TINY_MS = 0.1


def is_mostly_launch(context: Context, layer: LayerFacts, max_ms: float = MAX_LAUNCH_MS) -> bool:
    """Return whether a layer takes at most three times as long as a launch, and no roof explains its time.

    Args:
        context: The engine.
        layer: A layer.
        max_ms: Layers that take longer are none, however long a launch takes.
    """
    if layer.roof is not None and layer.roof.bound != "latency":
        return False
    return is_as_short(context, layer, max_ms) and _reached_percent(context, layer) < _BUSY_PERCENT


def _reached_percent(context: Context, layer: LayerFacts) -> float:
    """Return what part of the nearer peak a layer reaches, in percent; 0 if it is not known.

    Without a roofline, as of a product whose operations are not counted, that of the bandwidth. A lookup
    reads little of its table.
    """
    if layer.roof is not None:
        return layer.roof.reached_percent or 0.0
    gpu = context.analysis.roofline.gpu
    if gpu is None or layer.bandwidth_gbs is None or looks_up(layer):
        return 0.0
    return 100 * layer.bandwidth_gbs / gpu.bandwidth_gbs


def is_as_short(context: Context, layer: LayerFacts, max_ms: float = MAX_LAUNCH_MS) -> bool:
    """Return whether a layer takes at most three times as long as a launch, whatever bounds it."""
    launch_ms = context.analysis.roofline.launch_ms
    if launch_ms is None or not layer.avg_ms or layer.structural:
        return False
    return layer.avg_ms <= min(LAUNCHES * launch_ms, max_ms)


def are_few_launches(context: Context, layers: Collection[LayerFacts]) -> bool:
    """Return whether layers are fewer than four and as short as a launch: not worth a change."""
    return len(layers) < _SEVERAL and all(is_mostly_launch(context, each) for each in layers)


def is_tiny_query(context: Context) -> bool:
    """Return whether a query of unknown layers takes so little that its launches may take most of it."""
    times = context.analysis.latency.gpu_compute
    return not context.layers and times is not None and times.median_ms < _TINY_MS


def are_mostly_launches(context: Context, layers: Collection[LayerFacts]) -> bool:
    """Return whether most layers, by time, take about as long as a launch, which no type makes shorter."""
    short = [layer for layer in layers if is_mostly_launch(context, layer)]
    return context.time_ms(short) > context.time_ms(layers) / 2


def with_launches_halved(context: Context, layers: Collection[LayerFacts]) -> float:
    """Return the time of layers in ms, that of those as short as a launch counted half."""
    short = [layer for layer in layers if is_mostly_launch(context, layer)]
    return context.time_ms(layers) - context.time_ms(short) / 2


def sm_count(context: Context) -> int | None:
    """Return the number of SMs that the capture states, else that of the GPU in the roofline."""
    stated = context.analysis.settings.get("Device", {}).get("SMs", "")
    if stated.isascii() and stated.isdecimal():
        return int(stated)
    gpu = context.analysis.roofline.gpu
    return gpu.sms if gpu is not None else None


def tiles(work: Operation) -> int:
    """Return the number of tiles of the result; each group and each batch item has its own."""
    rows, columns = -(-work.m // TILE), -(-max(1, work.n // work.groups) // TILE)
    return rows * columns * work.groups * work.batch


def fills_gpu(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product surely has work for all SMs, so that it doesn't lack thread blocks."""
    sms = sm_count(context)
    return sms is not None and layer.work is not None and tiles(layer.work) >= _MANY_TILES * sms
