"""Merge what Polygraphy compared of one tensor, over iterations and functions of comparison."""

from __future__ import annotations

import math
from dataclasses import field
from typing import Any

from trexreport.lazy_dataclass import dataclass
from trexreport.model.accuracy import TensorAccuracy
from trexreport.reader.accuracy.values import any_number, error_of_snr, figure, similarity
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.values import mapping

_OLD_MARK = "__polygraphy_encoded_"


def class_of(value: Any) -> str:
    """Return the class of an object of Polygraphy; "" for anything else."""
    if not isinstance(value, dict):
        return ""
    stated = value.get("polygraphy_class")
    if isinstance(stated, str):
        return stated
    return next((key.removeprefix(_OLD_MARK) for key in value if key.startswith(_OLD_MARK)), "")


@dataclass
class MergedResults:
    """The figures of one tensor over iterations and functions of comparison."""

    name: str
    values: ImpossibleValues = field(repr=False)
    squares: list[float] = field(default_factory=list)
    differences: list[float] = field(default_factory=list)
    similarities: list[float] = field(default_factory=list)
    max_abs: list[float] = field(default_factory=list)
    mean_abs: list[float] = field(default_factory=list)
    is_non_finite: bool = False
    has_other_shape: bool = False

    def add(self, result: Any) -> None:
        """Add what one function found in one iteration."""
        if result is False:
            self.has_other_shape = True
            return
        record = mapping(result)
        if not record and result is not None and result is not True:
            self.values.refuse(quoted(self.name), result, "is not a result")
        kind = class_of(record)
        if kind == "SnrResult":
            self._append(self.squares, error_of_snr(record.get("snr")), record.get("snr"))
        elif kind == "CosineSimilarityResult":
            stated = record.get("cosine_similarity")
            self._append(self.similarities, similarity(stated), stated)
        elif kind == "OutputCompareResult":
            for kept, key in (
                (self.max_abs, "max_absdiff"),
                (self.mean_abs, "mean_absdiff"),
                (self.differences, "mean_reldiff"),
            ):
                self._append(kept, figure(record.get(key)), record.get(key))

    def _append(self, kept: list[float], value: float | None, stated: Any) -> None:
        if value is not None:
            kept.append(value)
            return
        number = any_number(stated)
        # A signal of zero has no ratio, and a difference to zero no quotient; NaN comes of NaN alone.
        self.is_non_finite |= number is not None and math.isnan(number)
        if stated is not None and (number is None or math.isfinite(number)):
            self.values.refuse(quoted(self.name), stated, "is not possible")

    def result(self, name: str) -> TensorAccuracy:
        """Return the figures of the tensor."""
        square = math.fsum(each * each for each in self.squares) / max(len(self.squares), 1)
        return TensorAccuracy(
            name,
            relative_error=math.sqrt(square) if self.squares and not self.is_non_finite else None,
            relative_difference=None if self.is_non_finite else _mean(self.differences),
            cosine_similarity=None if self.is_non_finite else min(self.similarities, default=None),
            max_abs_error=None if self.is_non_finite else max(self.max_abs, default=None),
            mean_abs_error=None if self.is_non_finite else _mean(self.mean_abs),
            candidate_non_finite=self.is_non_finite or None,
            has_other_shape=self.has_other_shape,
        )


def _mean(values: list[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
