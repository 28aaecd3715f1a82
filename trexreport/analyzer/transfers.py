"""Find what transfers of inputs and outputs take, and which of them wait for the computation.

trtexec lets the transfers of one query overlap the computation of another. Whether they do, the time between
two queries shows: it is GPU compute time alone, or that and the transfers of a direction together.
"""

from __future__ import annotations

from trexreport.analyzer.analysis.timing import Latency, Percentiles
from trexreport.lazy_dataclass import dataclass
from trexreport.model.measurement import copy_ms

#: How far the time between two queries may be from a sum of its parts, as a part of it.
_CLOSE = 0.02


@dataclass(frozen=True)
class Transfers:
    """What transfers of a query take.

    Attributes:
        total_ms: Both directions, medians; of copies that mostly wait for others the minimum.
        inward_ms, outward_ms: From host to device and back; None where not stated.
        period_ms: The time between two queries; None where the throughput is not known.
        waiting: Directions that do not overlap the computation, "in" and "out"; None where that is not known.
        lost_percent: Part of the throughput that these cost; None where it is not known.
        limiting: The direction, "in" or "out", whose copies follow each other without a pause, so that others
            only wait for them; "" where there is none, or it is not known.
    """

    total_ms: float
    inward_ms: float | None
    outward_ms: float | None
    period_ms: float | None = None
    waiting: tuple[str, ...] | None = None
    lost_percent: float | None = None
    limiting: str = ""

    @property
    def overlap(self) -> bool:
        """True if it is known that all transfers overlap the computation of other queries."""
        return self.waiting == ()


def find_transfers(latency: Latency) -> Transfers | None:
    """Return what transfers take; None where there are none or GPU compute time is not known.

    Where a log states only averages of latency and GPU compute time, the transfers are what lies between.
    """
    compute = latency.gpu_compute
    if compute is None:
        return None
    inward, outward = (
        copy_ms(each.min_ms, each.median_ms) if each else None for each in (latency.h2d, latency.d2h)
    )
    total = (inward or 0.0) + (outward or 0.0)
    if compute.of_averages and not total and latency.averages:
        total = latency.averages.copies_ms or 0.0
    if total <= 0:
        return None
    if not latency.throughput_qps:
        return Transfers(total, inward, outward)
    period = 1000 / latency.throughput_qps
    longest, limiting = max((_mean(latency.h2d), "in"), (_mean(latency.d2h), "out"))
    if longest > (1 + _CLOSE) * compute.mean_ms and abs(longest - period) <= _CLOSE * period:
        return Transfers(total, inward, outward, period, (), 0.0, limiting)
    # Where the host limits the GPU, that takes the time between queries.
    waiting = None
    if not latency.is_enqueue_bound:
        waiting = _waiting(compute.mean_ms, _mean(latency.h2d), _mean(latency.d2h), period)
    lost = None if waiting is None else 100 * (period - compute.mean_ms) / period if waiting else 0.0
    return Transfers(total, inward, outward, period, waiting, lost)


def _waiting(compute: float, inward: float, outward: float, period: float) -> tuple[str, ...] | None:
    """Return the directions whose times and GPU compute time are the period; None where no sum is near.

    Streams that share the GPU make a period shorter than GPU compute time: their transfers overlap.
    """
    if period <= (1 + _CLOSE) * compute:
        return () if max(inward, outward) < period else None
    sums = {
        (): compute,
        ("in",): compute + inward,
        ("out",): compute + outward,
        ("in", "out"): compute + inward + outward,
    }
    # Of equal sums the first, which blames no transfer.
    nearest = min(sums, key=lambda each: abs(sums[each] - period))
    return nearest if abs(sums[nearest] - period) <= _CLOSE * period else None


def _mean(figure: Percentiles | None) -> float:
    """Return the mean time of a copy; the minimum where most copies wait."""
    if figure is None:
        return 0.0
    time = copy_ms(figure.min_ms, figure.median_ms)
    return figure.mean_ms if time == figure.median_ms else time
