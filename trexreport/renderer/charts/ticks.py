"""Round numbers along an axis."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import lru_cache

from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_fixed, format_number

#: With fewer ticks, an axis does not show its scale.
_FEWEST = 3
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Ticks:
    """Where the ticks of an axis stand and what is written at them."""

    values: tuple[float, ...]
    labels: tuple[str, ...]


def nice_step(span: float, count: int) -> Decimal:
    """Return the smallest of 1, 2 or 5 times a power of ten that cuts a span into at most `count` pieces."""
    exact = Decimal(repr(span)) / max(count, 1)
    power = Decimal(1).scaleb(exact.adjusted())
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= exact)


@lru_cache(maxsize=1024)
def nice_domain(low: float, high: float, count: int = 5) -> tuple[float, float]:
    """Widen a range to whole steps, so that the first and the last tick stand at its ends."""
    if not high > low:
        high = low + (abs(low) or 1.0)
    step = nice_step(high - low, count)
    first, last = _multiples(low, high, step)
    if float(step * first) > low:
        first -= 1
    if float(step * last) < high:
        last += 1
    return float(step * first), float(step * last)


@lru_cache(maxsize=1024)
def linear_ticks(low: float, high: float, count: int = 5) -> Ticks:
    """Return the multiples of a nice step from `low` to `high`."""
    if not high > low:
        return Ticks((low,), (format_number(low),))
    step = nice_step(high - low, count)
    first, last = _multiples(low, high, step)
    values = tuple(float(step * index) for index in range(first, last + 1))
    exponent = step.normalize().as_tuple().exponent
    decimals = max(0, -exponent) if isinstance(exponent, int) else 0
    if decimals > 6 or max(abs(low), abs(high)) >= 1e9:
        return Ticks(values, _distinct_labels(values))
    return Ticks(values, tuple(format_fixed(value, decimals) for value in values))


def _distinct_labels(values: tuple[float, ...]) -> tuple[str, ...]:
    """Write numbers with three digits, or as many more as make them differ; tiny ones with an exponent."""
    for digits in range(3, 18):
        labels = tuple(format_number(value, digits) for value in values)
        if len(set(labels)) == len(values):
            return labels
    return tuple(f"{value:.6g}" for value in values)


def log_ticks(low: float, high: float, count: int = 6) -> Ticks:
    """Return powers of ten between two positive numbers, with 2 and 5 between them where there is room.

    Where hardly any of these lies between them, which is within less than a decade, ticks are evenly spaced.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1, 2, 5) if (last - first) * 3 <= count + 3 else (1,)
    stride = max(1, -(-(last - first) // count)) if factors == (1,) else 1
    exact = [
        Decimal(factor).scaleb(exponent) for exponent in range(first, last + 1, stride) for factor in factors
    ]
    values = tuple(float(value) for value in exact if low <= float(value) <= high)
    if len(values) < _FEWEST and high < 10 * low:
        even = linear_ticks(low, high, count)
        inside = [at for at, value in enumerate(even.values) if low <= value <= high]
        return Ticks(tuple(even.values[at] for at in inside), tuple(even.labels[at] for at in inside))
    return Ticks(values, tuple(_power_label(value) for value in values))


#: Ranks of percentiles, and the one that is left out where there is little room.
_RANKS = (50, 90, 95, 99, 99.9, 99.99, 99.999)
_MINOR_RANK = 95


def percentile_ticks(low: float, high: float, count: int = 6) -> Ticks:
    """Return the usual percentiles between two numbers of queries of which one takes longer."""
    places = {rank: 100 / (100 - rank) for rank in _RANKS}
    ranks = [rank for rank, place in places.items() if low <= place <= high]
    if len(ranks) > count and _MINOR_RANK in ranks:
        ranks.remove(_MINOR_RANK)
    return Ticks(tuple(places[rank] for rank in ranks), tuple(f"p{rank:g}" for rank in ranks))


def _multiples(low: float, high: float, step: Decimal) -> tuple[int, int]:
    """Return the first and the last multiple in a range, forgiving errors of floats; last < first: none."""
    slack = Decimal("1e-9")
    first = math.ceil(Decimal(repr(low)) / step - slack)
    last = math.floor(Decimal(repr(high)) / step + slack)
    return first, last


def _power_label(value: float) -> str:
    exponent = round(math.log10(value))
    if -3 <= math.log10(value) < 6:
        return format_fixed(value, max(0, -math.floor(math.log10(value) + 1e-9)))
    power = "10" + str(exponent).translate(_SUPERSCRIPTS)
    return power if math.isclose(value, 10.0**exponent) else ""
