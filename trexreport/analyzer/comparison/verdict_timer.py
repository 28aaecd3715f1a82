"""Recognize the step of a timer that is coarser than CUDA's, by the times that it measured.

What was measured in whole steps has no values in between: the times are multiples of the smallest difference
between two of them. trtexec's times come from CUDA's events, whose steps are about a microsecond, and are
written with six digits; other producers write tenths of a millisecond, or whole ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from trexreport.analyzer.thresholds import MIN_QUERIES

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

#: Smaller steps are those of CUDA's events, which `describe_run` allows for.
_LEAST_STEP_MS = 0.002
#: Smaller steps, over the median, are hardly larger than the last of six digits, and move a ratio by 0.01%.
_LEAST_PART = 2e-4
#: Times are written with this number of digits: equal ones differ by at most this part of their value.
_DIGITS, _WRITTEN_DIGITS = 6, 1e-5
#: At least this part of the iterations are multiples of the step, within this part of it.
_MOST_ITERATIONS, _NEAR_MULTIPLE = 0.95, 0.1
#: How many of the smallest differences are tried: a few odd times may be closer than a step.
_MAX_TRIED = 32

Runs = Sequence[Sequence[float]]


def timer_steps(baseline: Runs, candidate: Runs) -> tuple[float | None, float | None]:
    """Return the step of the timer of each side in milliseconds, None where times show none that is coarse.

    The runs of one side are taken together, and those of both where one side alone shows none: a run whose
    times are all equal says little by itself.

    Args:
        baseline: The times of its runs, in milliseconds.
        candidate: Likewise.
    """
    found = _step_of(baseline), _step_of(candidate)
    if None not in found:
        return found
    together = _step_of([*baseline, *candidate])
    return (found[0] or together or _round_step(baseline), found[1] or together or _round_step(candidate))


def _step_of(runs: Runs) -> float | None:
    """Return the smallest difference between times of which nearly all of them are multiples."""
    import numpy as np

    values, counts = _distinct(runs)
    total = int(counts.sum())
    if len(values) < 2 or total < MIN_QUERIES:
        return None
    median = float(values[np.searchsorted(np.cumsum(counts), total / 2)])
    least = max(_LEAST_STEP_MS, _LEAST_PART * median)
    gaps = np.unique(np.diff(values))
    for step in gaps[gaps >= least * (1 - _WRITTEN_DIGITS)][:_MAX_TRIED].tolist():
        multiples = values / step
        # The step is as uncertain as the two times between which it was found.
        allowed = np.minimum(_WRITTEN_DIGITS * multiples * (1 + multiples), _NEAR_MULTIPLE)
        is_multiple = np.abs(multiples - np.round(multiples)) <= allowed + _WRITTEN_DIGITS
        if int(counts[is_multiple].sum()) >= _MOST_ITERATIONS * total:
            return float(f"{step:.{_DIGITS}g}")
    return None


def _distinct(runs: Runs) -> tuple[NDArray[float64], NDArray[int64]]:
    """Return the times that differ by more than their digits, in ascending order, and how often each is."""
    import numpy as np

    values, counts = np.unique(np.concatenate([np.asarray(run) for run in runs]), return_counts=True)
    starts = np.flatnonzero(np.diff(values, prepend=0.0) > _WRITTEN_DIGITS * values)
    return values[starts], np.add.reduceat(counts, starts)


def _round_step(runs: Runs) -> float | None:
    """Return the largest of 1, 2 and 5 times a power of ten that divides the only value of all times.

    What runs on a GPU never takes equally long twice, so that the timer's step is larger than what differs.
    """
    values, counts = _distinct(runs)
    if len(values) > 1 or int(counts.sum()) < MIN_QUERIES:
        return None
    digits, exponent = Decimal(f"{values[0]:.{_DIGITS}g}").normalize().as_tuple()[1:]
    factor = 5 if digits[-1] == 5 else 1 + (digits[-1] % 2 == 0)
    step = float(Decimal(factor).scaleb(int(exponent)))
    return step if step >= _LEAST_STEP_MS else None
