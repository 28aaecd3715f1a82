"""How the values of an axis are shown: in which unit, and written how."""

from __future__ import annotations

from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import byte_unit, format_bytes, format_count, format_number, is_measured, with_unit
from trexreport.renderer.charts.chart import Axis
from trexreport.renderer.charts.text import clean

#: What lies beyond is an error of the writer, and would break the arithmetic of an axis.
_LARGEST = 1e100
_SMALLEST = 1e-100


@dataclass(frozen=True)
class Measure:
    """How the values of an axis are shown: divided by `divisor` they are in `unit`."""

    title: str
    unit: str
    divisor: float
    log: bool
    raw_unit: str = ""
    counted: bool = False
    percentile: bool = False

    @property
    def heading(self) -> str:
        """The axis' title with its unit."""
        return f"{self.title} ({self.unit})" if self.title and self.unit else self.title or self.unit

    def shown(self, value: float) -> float:
        """Return a value in the unit that is shown."""
        small = float(value) / self.divisor
        return 0.0 if abs(small) < _SMALLEST else small

    def text(self, value: float) -> str:
        """Write a value that is already in the unit shown; whole numbers without decimals."""
        if self.raw_unit == "bytes":
            return format_bytes(value * self.divisor)
        return with_unit(self.number(value), self.unit)

    def number(self, value: float) -> str:
        """Write a value that is already in the unit shown, without the unit."""
        return format_count(value) if value == int(value) else format_number(value)


def measure_of(axis: Axis, values: list[Any]) -> Measure:
    """Choose the unit in which an axis reads best."""
    unit, divisor = clean(axis.unit), 1.0
    if unit == "bytes":
        largest = max((abs(value) for value in values if drawable(value)), default=0)
        unit, divisor = byte_unit(largest)
    counted, percentile = (axis.scale == scale for scale in ("count", "percentile"))
    log = percentile or axis.scale == "log"
    return Measure(clean(axis.title), unit, divisor, log, clean(axis.unit), counted, percentile)


def drawable(value: Any) -> bool:
    """Return whether a value is a number that an axis can hold."""
    return is_measured(value) and abs(value) <= _LARGEST
