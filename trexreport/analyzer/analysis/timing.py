"""The time of the whole engine and how far the measurement can be trusted."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Percentiles:
    """A distribution in milliseconds.

    Attributes:
        source: Where the figures are from.
        count: How many values, if known.
        percentiles: Percentage, as a text such as "99.9", to milliseconds, in ascending order.
    """

    source: str
    count: int | None
    min_ms: float
    mean_ms: float
    median_ms: float
    max_ms: float
    percentiles: dict[str, float] = field(default_factory=dict)

    @property
    def p99_ms(self) -> float | None:
        """The 99th percentile, if it is known."""
        return self.percentiles.get("99")


@dataclass
class Latency:
    """The time of the whole engine beside the sum of its layers.

    Attributes:
        end_to_end: As trtexec reports it, else from the query times.
        throughput_qps: Queries a second.
        layer_sum_ms: Sum of the layers' mean times.
        is_held_back_by_host: Queuing the work takes about as long as the GPU computes.
        gap_reasons: Why the sum and the end-to-end time differ, one sentence each.
    """

    end_to_end: Percentiles | None = None
    gpu_compute: Percentiles | None = None
    enqueue: Percentiles | None = None
    h2d: Percentiles | None = None
    d2h: Percentiles | None = None
    throughput_qps: float | None = None
    layer_sum_ms: float | None = None
    profiled_layers: int = 0
    profiled_iterations: int | None = None
    gap_percent: float | None = None
    gap_reasons: list[str] = field(default_factory=list)
    is_held_back_by_host: bool = False


@dataclass
class TwoModes:
    """Two groups that the query times fall into.

    Attributes:
        fast_ms, slow_ms: Median time of each.
        slow_percent: Part of the queries in the slow one.
        changes: How often a query is in another group than the one before it.
    """

    fast_ms: float
    slow_ms: float
    slow_percent: float
    changes: int


@dataclass
class Stability:
    """How far the single queries can be trusted.

    Attributes:
        variation_percent: Standard deviation of GPU compute time over its mean.
        can_judge: There are enough queries to say how steady the times are.
        is_steady: They vary little enough to trust small differences.
        drift_percent: Median of the last tenth of the queries over that of the first, minus one.
        times_ms: Queries in order, thinned out to at most 1,200 with the extremes kept.
        positions: The query number of each of `times_ms`.
        histogram_edges_ms, histogram_counts: The distribution; the last bin also holds all above it.
        two_modes: The two groups that the times fall into; None if they form one.
    """

    queries: int
    variation_percent: float
    drift_percent: float
    percentiles: Percentiles
    positions: list[int]
    times_ms: list[float]
    histogram_edges_ms: list[float]
    histogram_counts: list[int]
    outliers: int
    can_judge: bool
    is_steady: bool
    two_modes: TwoModes | None = None
