"""Write percentages of the analysis, which are 0 to 100, as all outputs do, and times beside each other."""

from __future__ import annotations

from trexreport.numbers import format_number, format_percent, with_unit

#: How many significant digits are tried.
_DIGITS = range(3, 7)


def percent(value: float | None) -> str:
    """Return a percentage such as 24.2 as "24.2%"."""
    return format_percent(None if value is None else value / 100)


def distinct_ms(ms: float, other_ms: float) -> str:
    """Write a duration with as many digits as it takes to see that it differs from another beside it."""
    digits = (digits for digits in _DIGITS if format_number(ms, digits) != format_number(other_ms, digits))
    return with_unit(format_number(ms, next(digits, _DIGITS[0])), "ms")
