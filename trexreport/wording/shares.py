"""Write percentages of the analysis, which are 0 to 100, as all outputs do."""

from __future__ import annotations

from trexreport.numbers import format_percent


def percent(value: float | None) -> str:
    """Return a percentage such as 24.2 as "24.2%"."""
    return format_percent(None if value is None else value / 100)
