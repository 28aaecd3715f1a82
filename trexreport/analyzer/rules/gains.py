"""Make the savings of hits, and combine them without counting time twice."""

from __future__ import annotations

import dataclasses
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import chain

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis, GainBasisCode, GainKind, GainPart

#: A layer's index to the least and the most that its time becomes shorter, in ms.
Ranges = dict[int, tuple[float, float]]
_NOTHING = (0.0, 0.0)
#: Sums that differ by less are equal.
_ROUNDING_MS = 1e-9


def bound(ms: float, *bases: GainBasis | GainBasisCode) -> Gain:
    """Return savings of at most some ms; only for what is proven to hold in reality."""
    return Gain("bound", min(ms, 0.0), ms, _bases(bases))


def estimate(low_ms: float, high_ms: float, *bases: GainBasis | GainBasisCode) -> Gain:
    """Return savings that are likely between two figures in ms."""
    return Gain("estimate", low_ms, high_ms, _bases(bases))


def of_layers(
    kind: GainKind, ranges: Iterable[tuple[LayerFacts, float, float]], *bases: GainBasis | GainBasisCode
) -> Gain:
    """Return savings by layer: each one's least and most in ms; ranges of one layer are added.

    Several sources may limit one layer, so that its least exceeds its most: then the most counts.
    """
    added: Ranges = {}
    for layer, low, high in ranges:
        before = added.get(layer.index, _NOTHING)
        limit = layer.avg_ms or 0.0
        most = max(min(before[1] + high, limit), 0.0)
        added[layer.index] = min(before[0] + max(min(low, high), 0.0), most), most
    return _from_ranges(kind, added, _bases(bases))


def removed(layers: Iterable[LayerFacts], kind: GainKind = "bound") -> Gain:
    """Return the whole time of layers that a fix removes."""
    once = {layer.index: layer for layer in layers}.values()
    return of_layers(
        kind, ((each, each.avg_ms or 0.0, each.avg_ms or 0.0) for each in once), "removed-layers"
    )


def add(gains: Sequence[Gain], times_ms: Callable[[int], float], whole_ms: float) -> Gain | None:
    """Return the savings of several fixes together: those of one layer are added, up to its time.

    Args:
        gains: Of different fixes.
        times_ms: Time of the layer with an index.
        whole_ms: Limit of savings that are not the time of layers.

    Returns:
        A bound if all are bounds; None if there are none.
    """
    return _combined(gains, times_ms, whole_ms, lambda one, other: one + other)


def union(gains: Sequence[Gain], times_ms: Callable[[int], float], whole_ms: float) -> Gain | None:
    """Return the savings of one fix of which each gain describes a part: no time of a layer counts twice.

    The arguments and the result are those of `add`; of a layer's ranges the larger figures count.
    """
    return _combined(gains, times_ms, whole_ms, max)


def join_bases(bases: Sequence[GainBasis]) -> list[GainBasis]:
    """Return bases of which those of one kind and source are one, with the range of their factors."""
    if are_joined(bases):
        return list(bases)
    alike: dict[tuple[GainBasisCode, str], list[GainBasis]] = {}
    for basis in bases:
        alike.setdefault((basis.code, basis.source), []).append(basis)
    return [
        GainBasis(
            code,
            min([each.low_factor for each in found if each.low_factor is not None], default=None),
            max([each.high_factor for each in found if each.high_factor is not None], default=None),
            sorted(set(chain.from_iterable([each.references for each in found]))),
            source,
        )
        for (code, source), found in alike.items()
    ]


def are_joined(bases: Sequence[GainBasis]) -> bool:
    """Return whether each basis is the only one of its kind and source, with its references in order."""
    kinds = {(each.code, each.source) for each in bases}
    return len(kinds) == len(bases) and all(_are_in_order(each.references) for each in bases)


def _are_in_order(references: Sequence[int]) -> bool:
    """Return whether each is above the one before."""
    return all(map(operator.lt, references, references[1:]))


def from_zero(gain: Gain | None) -> Gain | None:
    """Return savings without their low end, as a faster kernel may not exist."""
    if gain is None:
        return None
    parts = [dataclasses.replace(each, low_ms=0.0) for each in gain.parts]
    bases = [
        each
        if each.low_factor is None
        else dataclasses.replace(each, low_factor=0.0 if each.code == "roof" else 1.0)
        for each in gain.bases
    ]
    return dataclasses.replace(gain, low_ms=0.0, parts=parts, bases=bases)


def limited(
    gain: Gain, layers: Sequence[LayerFacts], times_ms: Callable[[int], float], whole_ms: float
) -> Gain:
    """Return savings that do not exceed the time that they are part of.

    Args:
        gain: As a rule states it. If it does not state its parts it is divided among `layers` by their time.
        layers: Of the hit; none for the whole engine.
        times_ms: Time of the layer with an index.
        whole_ms: Limit of savings that are not the time of layers.
    """
    if _is_settled(gain, times_ms):
        return gain
    parts = list(gain.parts)
    if not parts and layers:
        total = math.fsum(times_ms(index) for index in {layer.index for layer in layers})
        if not total:
            return dataclasses.replace(gain, low_ms=0.0, high_ms=0.0)
        low, high = _clamped(float(gain.low_ms), float(gain.high_ms), total)
        for index in sorted({layer.index for layer in layers}):
            share = times_ms(index) / total
            parts.append(GainPart(index, low * share, high * share))
    if not parts:
        low, high = _clamped(float(gain.low_ms), float(gain.high_ms), whole_ms)
        return dataclasses.replace(gain, low_ms=low, high_ms=high)
    ranges = {each.layer: _clamped(each.low_ms, each.high_ms, times_ms(each.layer)) for each in parts}
    return _from_ranges(gain.kind, ranges, gain.bases)


def with_percent(gain: Gain, total_ms: float, query_ms: float) -> Gain:
    """Return savings with their share of total layer time, or of the query time if not all is of layers."""
    whole = total_ms if gain.parts and _beside_parts(gain) == _NOTHING else query_ms
    if not whole:
        return gain
    percents = 100 * gain.low_ms / whole, 100 * gain.high_ms / whole
    return Gain(gain.kind, gain.low_ms, gain.high_ms, gain.bases, gain.parts, *percents)


def _beside_parts(gain: Gain) -> tuple[float, float]:
    """Return the savings that are not the time of layers: all without parts, else what exceeds these."""
    if not gain.parts:
        return gain.low_ms, gain.high_ms
    high = gain.high_ms - math.fsum([part.high_ms for part in gain.parts])
    if high <= _ROUNDING_MS:
        return _NOTHING
    return max(gain.low_ms - math.fsum([part.low_ms for part in gain.parts]), 0.0), high


def _bases(bases: Iterable[GainBasis | GainBasisCode]) -> list[GainBasis]:
    return [each if isinstance(each, GainBasis) else GainBasis(each) for each in bases]


def _clamped(low: float, high: float, limit: float) -> tuple[float, float]:
    if 0.0 <= low <= high <= limit:
        return low, high
    high = min(max(high, 0.0), limit)
    return min(max(low, 0.0), high), high


def _from_ranges(kind: GainKind, ranges: Ranges, bases: Sequence[GainBasis]) -> Gain:
    return Gain(kind, *_sums(ranges), bases, _parts(ranges))


def _sums(ranges: Ranges) -> tuple[float, float]:
    return math.fsum([low for low, _ in ranges.values()]), math.fsum([high for _, high in ranges.values()])


def _parts(ranges: Ranges) -> list[GainPart]:
    return [GainPart(layer, low, high) for layer, (low, high) in sorted(ranges.items())]


def _combined(
    gains: Sequence[Gain],
    times_ms: Callable[[int], float],
    whole_ms: float,
    join: Callable[[float, float], float],
) -> Gain | None:
    if not gains:
        return None
    if len(gains) == 1 and _is_settled(gains[0], times_ms):
        # As of most places, whose savings were limited when they were found.
        only = gains[0]
        return Gain(only.kind, only.low_ms, only.high_ms, join_bases(only.bases), only.parts)
    ranges: Ranges = {}
    beside = _NOTHING
    bases: list[GainBasis] = []
    # The largest first, so that their bases come first.
    for gain in sorted(gains, key=lambda each: -each.ranking_ms):
        for part in gain.parts:
            layer = part.layer
            low, high = ranges.get(layer, _NOTHING)
            ranges[layer] = _clamped(join(low, part.low_ms), join(high, part.high_ms), times_ms(layer))
        low, high = _beside_parts(gain)
        if not gain.parts or high > 0:
            beside = _clamped(join(beside[0], low), join(beside[1], high), whole_ms)
        bases += gain.bases
    kind: GainKind = "bound" if all(gain.kind == "bound" for gain in gains) else "estimate"
    low, high = _sums(ranges)
    return Gain(kind, low + beside[0], high + beside[1], join_bases(bases), _parts(ranges))


def _is_settled(gain: Gain, times_ms: Callable[[int], float]) -> bool:
    """Return whether savings are those of their parts, which are in order and do not exceed their layers."""
    last = -1
    for part in gain.parts:
        if part.layer <= last or not 0.0 <= part.low_ms <= part.high_ms <= times_ms(part.layer):
            return False
        last = part.layer
    sums = math.fsum([part.low_ms for part in gain.parts]), math.fsum([part.high_ms for part in gain.parts])
    return bool(gain.parts) and sums == (gain.low_ms, gain.high_ms)
