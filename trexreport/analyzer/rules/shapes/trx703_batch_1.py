"""TRX703 shapes.batch-1."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import TIMES, counted, format_percent

#: The smallest tile of the result that matrix kernels commonly give to one multiprocessor.
_TILE = 64


@rule(
    "TRX703",
    "shapes.batch-1",
    "info",
    many="The GPU is not full in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold(
            "share_percent",
            50.0,
            0,
            100,
            "Time of convolutions and products that leave multiprocessors idle, in percent of the sum.",
        ),
    ),
)
def batch_1(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """At batch 1 much of the GPU is idle.

    Cost:
        A convolution or matrix product gives each multiprocessor (SM) a tile of its result. With fewer
        tiles than multiprocessors some have nothing to do, so that a larger batch would take hardly longer.

    Advice:
        For throughput: larger batches, such as by dynamic batching in a server, or several queries at once
        on streams (trtexec --infStreams=4) to see what the GPU can take. For latency alone: a smaller GPU
        or a part of one (MIG) may be as fast.

    False alarm:
        Only the latency of single queries counts; or kernels split the sum over several multiprocessors
        (split-K), which the shapes do not show.

    Bound:
        None: batching does not make a single query faster.
    """
    sms = _multiprocessors(context)
    if context.analysis.identity.batch != 1 or sms is None:
        return
    idle = [layer for layer in context.layers if layer.avg_ms and layer.work and _tiles(layer.work) < sms]
    share = context.share_percent(context.time_ms(idle))
    if not idle or share < share_percent:
        return
    idle.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    yield Hit(
        f"{format_percent(share / 100)} of the time is in {counted(len(idle), 'layer')} with fewer tiles of "
        f"{_TILE} {TIMES} {_TILE} than the GPU's {sms} multiprocessors.",
        tuple(idle),
        None,
        {"Batch": "1", "Multiprocessors": str(sms)},
    )


def _multiprocessors(context: Context) -> int | None:
    """Return the number of SMs that the capture states, else that of the GPU it was matched with."""
    stated = context.analysis.settings.get("Device", {}).get("SMs", "")
    if stated.isascii() and stated.isdecimal():
        return int(stated)
    gpu = context.analysis.roofline.gpu
    return gpu.sms if gpu is not None else None


def _tiles(work: Operation) -> int:
    """Return how many tiles the result has; each group of a convolution and each product has its own."""
    rows, columns = -(-work.m // _TILE), -(-max(1, work.n // work.groups) // _TILE)
    return rows * columns * work.groups * work.batch
