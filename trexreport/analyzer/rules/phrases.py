"""How rules word what they found."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import Context
from trexreport.numbers import TIMES, format_ms, format_percent


def for_time(context: Context, layers: Iterable[LayerFacts]) -> str:
    """Return " for 0.031 ms, 2.8% of the time", or an empty text where none of the layers was measured."""
    time_ms = context.time_ms(layers)
    if time_ms <= 0:
        return ""
    return f" for {format_ms(time_ms)}, {format_percent(context.share_percent(time_ms) / 100)} of the time"


def describe_tensor(use: TensorUse) -> str:
    """Return a tensor's format and extents: "FP16 NHWC8 1×64×56×56"."""
    return f"{use.format} {describe_shape(use.dimensions)}"


def describe_shape(dimensions: Iterable[int]) -> str:
    """Return extents as "1×64×56×56", with a question mark for what only run time tells."""
    return TIMES.join("?" if extent < 0 else str(extent) for extent in dimensions) or "scalar"
