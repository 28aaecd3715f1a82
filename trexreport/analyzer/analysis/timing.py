"""The time of the whole engine and how far the measurement can be trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

#: Why the total layer time and the time of the whole engine differ.
GapCode = Literal[
    "agreement",
    "profiling-overhead",
    "slow-iteration",
    "concurrent-streams",
    "unprofiled-layers",
    "transfers-included",
    "enqueue-bound",
    "gpu-gaps",
    "changing-times",
    "single-iteration",
]


#: The source of figures of a log that states only averages of several queries each.
FROM_AVERAGES = "averages in trtexec's log"


@dataclass(frozen=True)
class Percentiles:
    """A distribution in milliseconds.

    Attributes:
        source: Where the figures are from.
        count: Number of values, or of the queries that they are averages of, if known.
        percentiles: Percentage, as a text such as "99.9", to milliseconds, in ascending order.
    """

    source: str
    count: int | None
    min_ms: float
    mean_ms: float
    median_ms: float
    max_ms: float
    percentiles: Mapping[str, float] = field(default_factory=dict)

    @property
    def of_averages(self) -> bool:
        """True if each value is the average of several queries, which vary more."""
        return self.source == FROM_AVERAGES

    @property
    def p99_ms(self) -> float | None:
        """The 99th percentile, if it is known."""
        return self.percentiles.get("99")

    @property
    def tail_percent(self) -> float:
        """How far p99, else the maximum, is above the median, in percent."""
        high = self.p99_ms or self.max_ms
        return 100 * (high / self.median_ms - 1) if self.median_ms else 0.0


@dataclass(frozen=True)
class GapReason:
    """A reason why the total layer time and the time of the whole engine differ.

    Attributes:
        code: Which reason.
        count: Number of streams ("concurrent-streams") or of layers ("unprofiled-layers"); else null.
    """

    code: GapCode
    count: int | None = None


@dataclass(frozen=True)
class SlowAverages:
    """Averages that are slower than all others, which agree.

    Attributes:
        count: How many.
        max_ms: The slowest one.
        others_ms: Median of the others.
        are_first: They are those at the beginning of the run.
        are_few: They are few; else they agree, too, so that there are two groups.
    """

    count: int
    max_ms: float
    others_ms: float
    are_first: bool
    are_few: bool


@dataclass(frozen=True)
class LoggedAverages:
    """Averages of GPU compute time over queries that follow each other, as trtexec's log states them.

    Attributes:
        queries: How many queries each is the average of.
        count: How many averages there are.
        variation_percent: Their coefficient of variation, at most that of single queries.
        step_after: After how many averages the time changes once, from one level to another; null where it
            does not.
        before_ms, after_ms: The levels, medians; those of both ends where the time changes gradually, which
            has no `step_after`; null where it does neither.
        copies_ms: Median latency minus median GPU compute time of the averages, for transfers; null where
            latency is not stated.
        slow: Those that make the variation; null where there are none, or levels one after the other make it.
    """

    queries: int
    count: int
    variation_percent: float
    step_after: int | None = None
    before_ms: float | None = None
    after_ms: float | None = None
    copies_ms: float | None = None
    slow: SlowAverages | None = None


@dataclass(frozen=True)
class Latency:
    """The time of the whole engine beside the total layer time.

    Attributes:
        end_to_end: As trtexec reports it, else from the query times.
        throughput_qps: Throughput in qps, as trtexec reports it, else queries over the time in which they
            begin; null where the size of the implicit batches that it counts is not known.
        throughput_samples: How many samples the throughput that trtexec states counts for each query; null
            where that is not known.
        gpu_busy_percent: Total GPU compute time in percent of the wall time of the run; above 100 where
            queries on several streams share the GPU.
        layer_sum_ms: Total layer time: the layers' average times, added, and of a profile that lacks rows
            also the time of these.
        slowest_half_layers: Number of the slowest layers that together take half of the layer time.
        gap_percent: By how much layer_sum_ms exceeds the median GPU compute time, else the median latency.
        gap_reasons: Why they differ.
        averages: Averages of queries in trtexec's log; null without.
        kernels_percent: For which part of the timed run kernels ran, by samples of the GPU that show them to
            leave it waiting; null otherwise.
        is_enqueue_bound: Enqueuing the work takes the host about as long as the GPU computes, and it neither
            waits for the GPU nor for a profiler.
    """

    end_to_end: Percentiles | None = None
    gpu_compute: Percentiles | None = None
    enqueue: Percentiles | None = None
    h2d: Percentiles | None = None
    d2h: Percentiles | None = None
    throughput_qps: float | None = None
    throughput_samples: int | None = 1
    gpu_busy_percent: float | None = None
    layer_sum_ms: float | None = None
    profiled_layers: int = 0
    profiled_iterations: int | None = None
    slowest_half_layers: int | None = None
    gap_percent: float | None = None
    gap_reasons: Sequence[GapReason] = ()
    is_enqueue_bound: bool = False
    averages: LoggedAverages | None = None
    kernels_percent: float | None = None


@dataclass(frozen=True)
class TwoModes:
    """Two groups that the query times fall into.

    Attributes:
        fast_ms, slow_ms: Median time of each.
        slow_percent: Part of the queries in the slow one.
        changes: How often a query is in another group than the one before it; 1 for a lasting step, whatever
            queries on its ramp do.
        step_after: After how many queries the times change for good; null if they change to and fro.
        gets_slower: They change from fast to slow for good.
    """

    fast_ms: float
    slow_ms: float
    slow_percent: float
    changes: int
    step_after: int | None = None
    gets_slower: bool = False


@dataclass(frozen=True)
class LastingChange:
    """A change of the query times from one level to another for good.

    Attributes:
        begins, ends: How many queries come before it and before its end: equal for a step, apart for a ramp.
        before_ms, after_ms: Median time of the queries before it, and of those after it.
        after_p5_ms, after_p95_ms: Percentiles of those after it.
        begins_s, ends_s: When it begins and ends, in seconds after the first query; null if not known.
        before_qps, after_qps: Queries over the time in which they began; null if not known.
    """

    begins: int
    ends: int
    before_ms: float
    after_ms: float
    after_p5_ms: float
    after_p95_ms: float
    begins_s: float | None = None
    ends_s: float | None = None
    before_qps: float | None = None
    after_qps: float | None = None

    @property
    def is_gradual(self) -> bool:
        """Whether times change over many queries."""
        return self.ends > self.begins


@dataclass(frozen=True)
class Stability:
    """How far the single queries can be trusted.

    Attributes:
        variation_percent: Coefficient of variation: standard deviation of GPU compute time over its mean.
        can_judge: There are enough queries to judge how stable the times are.
        is_steady: They vary little enough to trust small differences, a few outliers aside.
        drift_percent: Median of the last tenth of the queries over that of the first, minus one.
        positions: The query number of each of `times_ms`.
        times_ms: Queries in order, downsampled to at most 1,200 with the extremes kept.
        histogram_edges_ms, histogram_counts: The distribution; the last bin also holds all above it.
        includes_warm_up: This version of trtexec also writes the times of the warm-up queries.
        is_drifting: That difference is certain, and neither chance nor a change between two groups.
        two_modes: The two groups that the times fall into; None if they form one.
        change: Where times in two groups change from one to the other for good; null if they do not.
        steps_ms: The levels of times in two groups that rise or fall in several steps, in order; else empty.
        enqueue_correlation: Of the GPU compute time of queries with the time of enqueuing them; null if not
            known.
    """

    queries: int
    variation_percent: float
    drift_percent: float
    percentiles: Percentiles
    positions: Sequence[int]
    times_ms: Sequence[float]
    histogram_edges_ms: Sequence[float]
    histogram_counts: Sequence[int]
    outliers: int
    can_judge: bool
    is_steady: bool
    includes_warm_up: bool = False
    is_drifting: bool = False
    two_modes: TwoModes | None = None
    change: LastingChange | None = None
    steps_ms: Sequence[float] = ()
    enqueue_correlation: float | None = None


_STATED_VARIATION = regex(
    r"unstable, with coefficient of variance = (\d{1,9}(?:\.\d{1,9})?(?:e[+-]\d\d)?)%", re.ASCII
)


def stated_variation(warnings: Iterable[str]) -> float | None:
    """Return the coefficient of variation of GPU compute time in trtexec's warnings, in percent.

    trtexec 8.4 and later print it where it exceeds their limit; None without such a warning. Of several, the
    largest counts.
    """
    found = (_STATED_VARIATION.search(warning) for warning in warnings)
    return max((float(each.group(1)) for each in found if each), default=None)
