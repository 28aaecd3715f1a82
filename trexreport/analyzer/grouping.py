"""Add up layers that share a property."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Literal, TypeVar, get_args

from trexreport.analyzer.analysis import NOT_STATED, Group, LayerFacts
from trexreport.analyzer.analysis.layers import TypeAndPrecision

KeyT = TypeVar("KeyT")
ItemT = TypeVar("ItemT")
#: What layers are grouped by.
Property = Literal["type", "precision", "output_precision", "tactic", "stream"]
_PROPERTIES = get_args(Property)
_KIND = attrgetter(*_PROPERTIES)
#: The name of a group, times and shares of layers in it.
_Figures = tuple[str, list[float | None], list[float | None]]


def group_by(items: Iterable[ItemT], key: Callable[[ItemT], KeyT]) -> dict[KeyT, list[ItemT]]:
    """Return the items by key, in the order in which the keys first occur."""
    found: defaultdict[KeyT, list[ItemT]] = defaultdict(list)
    for item in items:
        found[key(item)].append(item)
    return dict(found)


def sum_known(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are known, or None where none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


class LayerGroups:
    """The layers of an engine by what they have in common, each time in the order of time, count and name.

    Structural layers count only where they took time: a no-op that costs nothing is not part of any total.
    The layers are looked at once: an engine has few kinds of them, and a group is made of these.
    """

    def __init__(self, layers: Iterable[LayerFacts]) -> None:
        kinds = group_by((each for each in layers if each.avg_ms or not each.structural), _KIND)
        self._kinds = [
            (kind, [each.avg_ms for each in alike], [each.share_percent for each in alike])
            for kind, alike in kinds.items()
        ]

    def by(self, property_name: Property) -> list[Group]:
        """Return one group for each value of a property."""
        place = _PROPERTIES.index(property_name)
        return _groups((_name(kind[place]), times_ms, shares) for kind, times_ms, shares in self._kinds)

    def by_type_and_precision(self) -> list[TypeAndPrecision]:
        """Return a group for each pair of type and input precision."""
        of_type: dict[str, list[_Figures]] = {}
        for (kind, precision, *_), times_ms, shares in self._kinds:
            of_type.setdefault(_name(kind), []).append((_name(precision), times_ms, shares))
        return [
            TypeAndPrecision(each.name, group.name, group)
            for each in self.by("type")
            for group in _groups(of_type[each.name])
        ]


def group_layers(layers: Iterable[LayerFacts], name_of: Callable[[LayerFacts], str]) -> list[Group]:
    """Return one group for each value of what a function returns, as `LayerGroups` does."""
    counted = [layer for layer in layers if layer.avg_ms or not layer.structural]
    return _groups((_name(name_of(each)), [each.avg_ms], [each.share_percent]) for each in counted)


def _name(value: str | int | None) -> str:
    """Return what a group is called; a number is that of a stream."""
    return f"stream {value}" if isinstance(value, int) else value or NOT_STATED


def _groups(found: Iterable[_Figures]) -> list[Group]:
    figures: dict[str, tuple[list[float | None], list[float | None]]] = {}
    for name, times_ms, shares in found:
        known = figures.setdefault(name, ([], []))
        known[0].extend(times_ms)
        known[1].extend(shares)
    groups = [
        Group(name, len(times_ms), sum_known(times_ms), sum_known(shares))
        for name, (times_ms, shares) in figures.items()
    ]
    return sorted(groups, key=lambda group: (-(group.time_ms or 0.0), -group.count, group.name))
