"""Recognize modules that repeat, and which of them differ from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.blocks import Block, BlockDifference, DifferenceCode, Series
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.module_paths import stem

_MIN_MEMBERS = 3
#: A member's time is unusual beyond this part of the median, and beyond this many median deviations.
_ODD_TIME, _ODD_DEVIATIONS = 0.2, 4.0
#: A tactic is the usual one where this part of the members have it.
_USUAL_TACTIC = 0.75


def find_series(
    items: Sequence[Block], layers: Sequence[LayerFacts], numbers: Sequence[int]
) -> tuple[list[Series], dict[int, list[BlockDifference]]]:
    """Return the series among the blocks, and by block in which respects it differs from the others.

    Args:
        items: All blocks of the engine.
        layers: All layers of the engine.
        numbers: For each layer the number of its structure.
    """
    comparer = _Comparer(items, layers, numbers)
    found = []
    for block in items:
        children = _members(items, block) if block.kind != "group" else ()
        numbered = [child for child in children if stem(items[child].label) != items[child].label]
        for label, members in group_by(numbered, lambda child: stem(items[child].label)).items():
            if series := comparer.series(label, block.id, members):
                found.append(series)
    return sorted(found, key=lambda series: series.members[0]), comparer.differences


def _members(items: Sequence[Block], block: Block) -> Iterator[int]:
    """Return the modules and units in a block, also those inside of its groups."""
    for child in block.children:
        if items[child].kind == "group":
            yield from _members(items, items[child])
        elif items[child].kind in ("module", "unit"):
            yield child


class _Comparer:
    """Compares blocks of the same name but the number."""

    def __init__(self, items: Sequence[Block], layers: Sequence[LayerFacts], numbers: Sequence[int]) -> None:
        self._items = items
        self._layers = layers
        self._numbers = numbers
        self.differences: dict[int, list[BlockDifference]] = {}

    def series(self, label: str, parent: int, members: list[int]) -> Series | None:
        """Compare the members with those that are alike; None if those are not most of them."""
        if len(members) < _MIN_MEMBERS:
            return None
        own = {member: self._items[member].layers for member in members}
        structures = {
            member: tuple(self._numbers[index] for index in indices) for member, indices in own.items()
        }
        usual, _ = Counter(structures.values()).most_common(1)[0]
        alike = [member for member in members if structures[member] == usual]
        if len(alike) * 2 <= len(members):
            return None
        times = [time for time in (self._items[member].time_ms for member in alike) if time is not None]
        usual_time = _spread(times) if len(times) >= _MIN_MEMBERS else None
        tactics = _usual_tactics([own[member] for member in alike], self._layers)
        odd = []
        for member in members:
            if structures[member] != usual:
                differs = _differences(own[member], own[alike[0]], self._layers)
            else:
                differs = _other_tactics(own[member], tactics, self._layers)
                differs += _unusual_time(self._items[member].time_ms, usual_time)
            if differs:
                self.differences[member] = differs
                odd.append(member)
        return Series(label, parent, members, len(alike), median(times) if times else None, odd)


def _differences(own: list[int], reference: list[int], layers: Sequence[LayerFacts]) -> list[BlockDifference]:
    """Return in which respects the structure differs from that of the others."""
    if len(own) != len(reference):
        return [BlockDifference("layer-count", len(own), len(reference))]
    pairs = [(layers[one], layers[other]) for one, other in zip(own, reference, strict=True)]
    types = sum(one.type != other.type for one, other in pairs)
    precisions = Counter(
        (one.precision, other.precision)
        for one, other in pairs
        if one.type == other.type and one.precision != other.precision
    )
    found = [BlockDifference("layer-types", types)] if types else []
    found += [
        BlockDifference("precision", count, precision=precision, usual_precision=usual)
        for (precision, usual), count in precisions.items()
    ]
    return found or [BlockDifference("shapes-or-formats")]


def _usual_tactics(members: list[list[int]], layers: Sequence[LayerFacts]) -> list[str | None]:
    """Return the tactic that nearly all members have at each position; None where they differ anyway."""
    usual: list[str | None] = []
    for position in zip(*members, strict=True):
        tactic, count = Counter(layers[index].tactic for index in position).most_common(1)[0]
        usual.append(tactic if count >= _USUAL_TACTIC * len(position) else None)
    return usual


def _other_tactics(
    own: list[int], usual: list[str | None], layers: Sequence[LayerFacts]
) -> list[BlockDifference]:
    others = sum(
        tactic is not None and layers[index].tactic != tactic
        for index, tactic in zip(own, usual, strict=True)
    )
    return [BlockDifference("tactics", others)] if others else []


def _spread(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the median deviation from it."""
    middle = median(times)
    return middle, median(abs(each - middle) for each in times)


def _unusual_time(time_ms: float | None, usual: tuple[float, float] | None) -> list[BlockDifference]:
    """Return by how much a time differs, if that is more than the members vary among each other."""
    if time_ms is None or usual is None:
        return []
    middle, deviation = usual
    if abs(time_ms - middle) <= max(_ODD_TIME * middle, _ODD_DEVIATIONS * deviation):
        return []
    code: DifferenceCode = "longer-time" if time_ms > middle else "shorter-time"
    return [BlockDifference(code, time_ms=time_ms, usual_ms=middle)]
