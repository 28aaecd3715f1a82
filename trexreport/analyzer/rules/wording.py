"""How rules word what they found."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import Context
from trexreport.numbers import TIMES, format_ms, format_percent


def describe_cost(context: Context, layers: Iterable[LayerFacts]) -> str:
    """Return the time of layers and its share: "0.031 ms, 2.8 % of the time"."""
    time_ms = context.time_ms(layers)
    return f"{format_ms(time_ms)}, {format_percent(context.share_percent(time_ms) / 100)} of the time"


def describe_tensor(use: TensorUse) -> str:
    """Return a tensor's format and extents: "FP16 NHWC8 1×64×56×56"."""
    extents = TIMES.join("?" if extent < 0 else str(extent) for extent in use.dimensions)
    return f"{use.format} {extents or 'scalar'}"


def count(number: int, what: str) -> str:
    """Return a number with its noun: "1 reformat", "3 reformats"."""
    return f"{number} {what}{'' if number == 1 else 's'}"
