"""A histogram of query times whose bins agree with the steps of the GPU's clock."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.percentiles import percentile

_MAX_BINS = 60
#: Steps of the times that trtexec writes, in milliseconds: the GPU's clock has steps of 1.024 µs or half of
#: it, and a time stamp as float32, in milliseconds since the begin, powers of two that grow with it.
_STEPS_MS = (2**-9, 0.001024, 2**-10, 0.000512, 2**-11)
#: Bins of more steps than this differ little in how many they have.
_MAX_STEPS = 8
#: Few clocks step faster; a finer step is that of the float32.
_MIN_WIDTH_MS = 2**-10
#: How far times must agree with a step: 1 if all are multiples of it apart, 0 if they are spread evenly.
_MIN_AGREEMENT = 0.85
#: This many times show a step.
_MAX_TESTED = 4096


def histogram(times: Sequence[float]) -> tuple[list[float], list[int], int]:
    """Return bin edges and counts up to a little above the 99th percentile, and how many lie beyond.

    The bin width follows Freedman and Diaconis (1981): twice the interquartile range over the cube root
    of the count. Where times have steps, a bin has a whole number of them: bins of fewer would be empty in
    turn, and bins of a broken number high and low in turn.

    Args:
        times: In milliseconds, at least one.
    """
    ordered = sorted(times)
    low, high = ordered[0], percentile(ordered, 99)
    high += 0.1 * (high - low)
    if high <= low:
        return [low, low + max(abs(low), 1e-6) * 1e-3], [len(ordered)], 0
    spread = percentile(ordered, 75) - percentile(ordered, 25)
    width = 2 * spread / len(ordered) ** (1 / 3)
    bins = min(_MAX_BINS, max(5, math.ceil((high - low) / width))) if width > 0 else _MAX_BINS
    begin, end = low, high
    stepped = _find_step(ordered)
    if stepped and (high - low) / bins < _MAX_STEPS * stepped[0]:
        step, center = stepped
        width = max(step, (high - low) / bins, _MIN_WIDTH_MS, (high - low) / (_MAX_BINS - 1))
        width = step * round(width / step)
        begin = center - step / 2 + math.floor((low - center) / step + 0.5) * step
        bins = max(1, math.ceil((high - begin) / width))
        end = begin + bins * width
    counts = [0] * bins
    for time in ordered:
        counts[max(0, min(bins - 1, int((time - begin) / (end - begin) * bins)))] += 1
    edges = [begin + (end - begin) * place / bins for place in range(bins + 1)]
    return edges, counts, sum(time > end for time in ordered)


def _find_step(ordered: Sequence[float]) -> tuple[float, float] | None:
    """Return the step that the times agree with best, and a place that they are multiples of it away from."""
    tested = ordered[:: math.ceil(len(ordered) / _MAX_TESTED)]
    found = []
    for step in _STEPS_MS:
        angles = [math.tau * math.fmod(time, step) / step for time in tested]
        across, up = math.fsum(map(math.cos, angles)), math.fsum(map(math.sin, angles))
        agreement = math.hypot(across, up) / len(tested)
        found.append((round(agreement, 2), step, step * math.atan2(up, across) / math.tau))
    agreement, step, center = max(found)
    return (step, center) if agreement >= _MIN_AGREEMENT else None
