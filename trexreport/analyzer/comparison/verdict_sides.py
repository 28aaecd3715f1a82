"""The usable times of one side of a comparison."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import dropwhile

from trexreport.analyzer.analysis.verdict import Reason, ReasonCode, Role, TimesUsed
from trexreport.analyzer.percentiles import median, percentile
from trexreport.analyzer.thresholds import MIN_QUERIES
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import is_measured

#: A nanosecond and eleven days: no inference takes less or more.
SHORTEST_MS, LONGEST_MS = 1e-6, 1e9
#: Times at two clocks differ by less than this factor; first queries above the median by more are cold.
_CLOCKS = 1.5
#: Fewer iterations may all be at one of two clocks.
_FEWEST = 10


@dataclass(frozen=True)
class Side:
    """One side's runs: sorted, so that their order does not matter, and each only once.

    Attributes:
        runs: None of them is empty, all times are usable.
        left_out: How many times could not be used.
        repeated: How many runs were duplicates.
    """

    role: Role
    runs: tuple[tuple[float, ...], ...]
    left_out: int = 0
    repeated: int = 0

    @property
    def iterations(self) -> int:
        """Of all runs together."""
        return sum(len(run) for run in self.runs)

    def reasons(self) -> list[Reason]:
        """Return what was left out."""
        found = []
        if self.left_out:
            total = self.iterations + self.left_out
            found.append(
                Reason("unusable-times", self.role, figures={"left_out": self.left_out, "total": total})
            )
        if self.repeated:
            found.append(Reason("repeated-runs", self.role))
        return found

    def summary(self) -> TimesUsed:
        """Return the counts and the median."""
        if not self.runs:
            return TimesUsed()
        middle = geometric_mean([median(sorted(run)) for run in self.runs])
        return TimesUsed(runs=len(self.runs), iterations=self.iterations, median_ms=middle)

    def range_ms(self, others: int) -> tuple[float, float]:
        """Return between which times all runs lie, of which there are some, but for outliers and cold ones.

        Args:
            others: How many iterations the other side has. As many of a longer run may be of its warm-up.
        """
        ends = [end for run in self.runs for end in (*_ends(run), *_middle_half(run[:others]))]
        return min(ends), max(ends)


def few_obstacle(one: Side, other: Side) -> ReasonCode | None:
    """Return why the times of two sides, of which one has few, show no difference; None if they show it."""
    if not one.runs or not other.runs:
        return None
    (low, high), (other_low, other_high) = one.range_ms(other.iterations), other.range_ms(one.iterations)
    gap = max(low / other_high, other_low / high)
    if gap <= 1:
        # Few iterations may be at one of two levels by chance, of which one may be in a single time.
        return "times-overlap"
    is_short = min(one.iterations, other.iterations) < _FEWEST
    return "few-times-of-one-clock" if is_short and gap < _CLOCKS else None


def _middle_half(run: Sequence[float]) -> tuple[float, float]:
    ordered = sorted(run)
    return percentile(ordered, 25), percentile(ordered, 75)


def _ends(run: Sequence[float]) -> tuple[float, float]:
    cold = _CLOCKS * median(sorted(run))
    kept = sorted(dropwhile(lambda time: time > cold, run))
    outliers = len(kept) // MIN_QUERIES
    return kept[outliers], kept[-1 - outliers]


def is_usable(time_ms: float) -> bool:
    """Return whether this can be the time of an inference."""
    return is_measured(time_ms) and SHORTEST_MS <= time_ms <= LONGEST_MS


def make_side(role: Role, runs: Sequence[Sequence[float]]) -> Side:
    """Return a side of the usable times of its runs."""
    kept = [tuple(float(time) for time in run if is_usable(time)) for run in runs]
    filled = [run for run in kept if run]
    distinct = tuple(sorted(set(filled)))
    left_out = sum(len(run) for run in runs) - sum(len(run) for run in kept)
    return Side(role, distinct, left_out, len(filled) - len(distinct))


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean, which of one value is exactly that."""
    known = list(values)
    return known[0] if len(known) == 1 else statistics.geometric_mean(known)
