"""Add up layers that share a property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis import NOT_STATED, Group, LayerFacts

__all__ = ["NOT_STATED", "group_layers", "sort_groups"]


def group_layers(layers: Iterable[LayerFacts], name_of: Callable[[LayerFacts], str]) -> list[Group]:
    """Return one group for each value of a property, the most expensive first.

    Structural layers count only where they took time: a no-op that costs nothing is no part of any total.
    """
    members: dict[str, list[LayerFacts]] = {}
    for layer in layers:
        if not layer.structural or layer.avg_ms:
            members.setdefault(name_of(layer) or NOT_STATED, []).append(layer)
    return sort_groups(_group(name, found) for name, found in members.items())


def sort_groups(groups: Iterable[Group]) -> list[Group]:
    """Return the groups by time, then by count, then by name."""
    return sorted(groups, key=lambda group: (-(group.time_ms or 0.0), -group.count, group.name))


def _group(name: str, layers: Sequence[LayerFacts]) -> Group:
    times = [layer.avg_ms for layer in layers if layer.avg_ms is not None]
    shares = [layer.share_percent for layer in layers if layer.share_percent is not None]
    return Group(
        name=name,
        count=len(layers),
        time_ms=math.fsum(times) if times else None,
        share_percent=math.fsum(shares) if shares else None,
    )
