"""The times of one side of a comparison, as far as they can be used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis.verdict import TimesUsed
from trexreport.analyzer.percentiles import median
from trexreport.numbers import format_count, is_measured

#: A nanosecond and eleven days: no inference takes less or more.
SHORTEST_MS, LONGEST_MS = 1e-6, 1e9


@dataclass(frozen=True)
class Side:
    """One side's runs: sorted, so that their order does not matter, and each only once.

    Attributes:
        runs: None of them is empty, all times are usable.
        left_out: How many times could not be used.
        repeated: How many runs were there already.
    """

    name: str
    runs: tuple[tuple[float, ...], ...]
    left_out: int = 0
    repeated: int = 0

    @property
    def iterations(self) -> int:
        """Of all runs together."""
        return sum(len(run) for run in self.runs)

    def remarks(self) -> list[str]:
        """Say what was left out."""
        found = []
        if self.left_out:
            total = format_count(self.iterations + self.left_out)
            count = format_count(self.left_out)
            found.append(f"What cannot be a time is left out of the {self.name}: {count} of {total}.")
        if self.repeated:
            found.append(f"Runs of the {self.name} that are exactly the same count once.")
        return found

    def summary(self) -> TimesUsed:
        """Return the counts and the median."""
        if not self.runs:
            return TimesUsed()
        middle = geometric_mean([median(sorted(run)) for run in self.runs])
        return TimesUsed(runs=len(self.runs), iterations=self.iterations, median_ms=middle)


def is_usable(time_ms: float) -> bool:
    """Tell whether this can be the time of an inference."""
    return is_measured(time_ms) and SHORTEST_MS <= time_ms <= LONGEST_MS


def make_side(name: str, runs: Sequence[Sequence[float]]) -> Side:
    """Return a side of what can be used of its runs."""
    kept = [tuple(float(time) for time in run if is_usable(time)) for run in runs]
    filled = [run for run in kept if run]
    distinct = tuple(sorted(set(filled)))
    left_out = sum(len(run) for run in runs) - sum(len(run) for run in kept)
    return Side(name, distinct, left_out, len(filled) - len(distinct))


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean, which of one value is exactly that."""
    if len(values) == 1:
        return values[0]
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))
