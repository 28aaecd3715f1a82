"""What one of several logs measured."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass

#: The option of a measurement that leaves out the copies of inputs and outputs.
NO_TRANSFERS = "no data transfers"
#: Precisions from the highest to the lowest.
TYPES = ("FP32", "TF32", "BF16", "FP16", "FP8", "INT8", "INT4", "FP4")


@dataclass(frozen=True)
class MeasuredLog:
    """A log, or a run in one, beside others that measured other precisions, batch sizes or models.

    Attributes:
        file: The log's name; of several runs in a single log which of them it is: "run 2".
        model: What the names of file and engine say besides precision and batch size.
        types: Precisions that the build was allowed besides FP32; empty if nothing states any.
        batch: Items in a query; None if nothing states it.
        throughput_qps: Throughput in qps; None if not stated.
        latency_ms: Median; None if not stated.
        latency_min_ms, latency_p99_ms, latency_max_ms: Of latency, too; None if not stated.
        compute_ms: Median GPU compute time; None if not stated.
        enqueue_ms: Median enqueue time; None if not stated.
        h2d_ms, d2h_ms: Median time of the input and output transfers; None if not stated.
        gpu_busy_percent: Total GPU compute time in percent of the wall time; None if not stated.
        gpu: The GPU; empty if not stated.
        options: Options of the measurement that change its times, such as "2 streams".
        is_shown: The report is about it.
    """

    file: str
    model: str
    types: tuple[str, ...]
    batch: int | None
    throughput_qps: float | None
    latency_ms: float | None
    compute_ms: float | None
    enqueue_ms: float | None = None
    h2d_ms: float | None = None
    d2h_ms: float | None = None
    gpu_busy_percent: float | None = None
    latency_min_ms: float | None = None
    latency_p99_ms: float | None = None
    latency_max_ms: float | None = None
    gpu: str = ""
    options: tuple[str, ...] = ()
    is_shown: bool = False

    @property
    def items_per_s(self) -> float | None:
        """Items per second; None where the batch size or the throughput is not known."""
        return self.throughput_qps * self.batch if self.throughput_qps and self.batch else None

    @property
    def time_ms(self) -> float:
        """Median GPU compute time, else median latency."""
        return self.compute_ms or self.latency_ms or 0.0

    @property
    def figures(self) -> tuple[float | None, ...]:
        """Everything that was measured."""
        return self.throughput_qps, self.latency_ms, self.compute_ms


def are_comparable(one: MeasuredLog, other: MeasuredLog) -> bool:
    """Return whether times of two logs may be compared: of one GPU, as far as known, in equal conditions."""
    return one.options == other.options and len({one.gpu, other.gpu} - {""}) <= 1


def fastest(logs: Sequence[MeasuredLog]) -> MeasuredLog:
    """Return the log with the most items per second, or queries where batch sizes are not known.

    Of logs of several batch sizes it is one of those whose batch size is known. Where none states its
    throughput, it is the one of the shortest time, for an item where all state their batch sizes; of equal
    ones the first.
    """
    sized = [log for log in logs if log.items_per_s]
    by_items = len(sized) == len(logs)
    if not by_items and len({log.batch for log in sized}) > 1:
        return fastest(sized)
    has_batches = all(log.batch for log in logs)

    def rank(log: MeasuredLog) -> tuple[float, float]:
        rate = log.items_per_s if by_items else log.throughput_qps
        return rate or 0.0, -(log.time_ms / log.batch if has_batches and log.batch else log.time_ms)

    return max(logs, key=rank)
