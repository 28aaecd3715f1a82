"""Which part of layer time the findings concern, and how fast the rest is."""

from __future__ import annotations

import math
from collections.abc import Iterable

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.findings import with_consequences
from trexreport.wording.shares import percent

#: From this part of the roofline on, in percent, a layer is about as fast as kernels are.
_NEAR_PERCENT = 50.0


def codes_by_layer(analysis: Analysis) -> dict[int, list[str]]:
    """Return by index of a layer the rules that report it, in the order of the findings on the engine."""
    found: dict[int, list[str]] = {}
    on_engine = (each for each in analysis.lint.findings if not each.is_apart)
    for each in with_consequences(on_engine):
        for layer in each.layers:
            found.setdefault(layer, []).append(each.code)
    return found


def coverage_sentence(analysis: Analysis) -> str:
    """Return how much time findings concern, and how much of the rest is near the roofline; or nothing."""
    reported = codes_by_layer(analysis)
    if not reported or not (whole := _time_ms(analysis, range(len(analysis.layers)))):
        return ""
    others = [index for index in range(len(analysis.layers)) if index not in reported]
    near = [index for index in others if _is_near(analysis, index)]
    shares = [100 * _time_ms(analysis, each) / whole for each in (reported, near)]
    rest = max(100 - math.fsum(shares), 0.0)
    found = f"The findings concern layers that take {percent(shares[0])} of layer time"
    if not near:
        return f"{found}."
    return (
        f"{found}; {percent(shares[1])} is in others that reach at least half of the roofline, and "
        f"{percent(rest)} in neither."
    )


def _is_near(analysis: Analysis, index: int) -> bool:
    roof = analysis.layers[index].roof
    return roof is not None and (roof.reached_percent or 0.0) >= _NEAR_PERCENT


def _time_ms(analysis: Analysis, indices: Iterable[int]) -> float:
    return math.fsum(analysis.layers[index].avg_ms or 0.0 for index in indices)
