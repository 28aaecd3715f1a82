"""Match layers by their position: in the flow of data, and between layers that are matched already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property
from itertools import product

from trexreport.analyzer.comparison.align_absorb import GUESS, absorb, absorb_between_ends
from trexreport.analyzer.comparison.align_counts import match_counts
from trexreport.analyzer.comparison.align_cuts import settle
from trexreport.analyzer.comparison.align_kept import Open
from trexreport.analyzer.comparison.align_looks import equal_pairs, unique_pairs
from trexreport.analyzer.comparison.align_names import HEAVY_WEIGHT, match_readers, tie_by_part
from trexreport.analyzer.comparison.align_order import common
from trexreport.analyzer.comparison.align_spread import spread
from trexreport.analyzer.comparison.align_structure import alike, match_forms, match_structure, roughly_alike
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import FLOW, ORDER, Match

FindPairs = Callable[[Sequence[Item], Sequence[Item]], list[tuple[int, int]]]
#: Larger gaps without any common look between matched layers are left alone.
_MAX_IN_GAP = 8
#: Engines have nothing to do with each other if fewer of their layers with weights match, by names, flow or
#: shape: this part of the engine that has fewer of them, and of the one that has more.
_MIN_OF_FEWER = 0.5
_MIN_OF_MORE = 0.2
_MIN_HEAVY = 3
#: No other way is tried where one finds this part of what it could, or where there are more pairs of open
#: layers; another way must find so much more.
_ENOUGH, _MAX_TRIED, _BETTER = 0.97, 1_000_000, 1.02


def match_places(match: Match) -> None:
    """Match what names left open, along the flow of data.

    Where this finds too little of the looks and of the flow again, layers are matched where their neighbors
    are clearest instead, if that finds clearly more.
    """
    named = match_structure(match)
    match_forms(match)
    match_readers(match)
    absorb_between_ends(match)
    known, still_open = list(match.edges), Open.of(match)
    _follow_all(match)
    _finish(match, named)
    if not 0 < len(still_open.left) * len(still_open.right) <= _MAX_TRIED:
        return
    found, first = still_open.kept(match), list(match.edges)
    if found >= _ENOUGH * still_open.possible(match):
        return
    match.keep(known)
    spread(match, _in_order(match))
    _finish(match, named)
    if still_open.kept(match) <= _BETTER * found:
        match.keep(first)


def _finish(match: Match, named: int) -> None:
    """Match what the flow of data left open: by operations, then by the order of equal looks and by gaps."""
    if not _is_alike(match):
        match.keep(match.edges[:named])
        return
    match_counts(match)
    _share_operations(match)
    _tie_in_gaps(match, alike, heavy_only=False)
    _follow(match)
    _tie_in_gaps(match, roughly_alike, heavy_only=False)
    _follow(match)
    settle(match)
    _close_gaps(match)
    absorb(match)


def _follow_all(match: Match) -> None:
    """Match what follows matched layers, then products in the same order."""
    _follow(match)
    _tie_in_gaps(match, alike, heavy_only=True)
    _follow(match)
    _tie_in_gaps(match, roughly_alike, heavy_only=True)
    _follow(match)


def _in_order(match: Match) -> list[tuple[int, int]]:
    """Return open items that look alike between matched ones, in the same order."""
    found = []
    for lefts, rights in match.gaps():
        if lefts and rights:
            pairs = alike([match.left[at] for at in lefts], [match.right[at] for at in rights])
            found += [(lefts[one], rights[other]) for one, other in pairs]
    return found


def _follow(match: Match) -> None:
    """Match the neighbors of tied items, as far as there is only one pair of each look.

    A copy of a block looks like the block. So what follows tied items is matched first, as a layer computes
    what its inputs decide; then what goes before them, what is called or fused otherwise, and last what
    crosses items that are matched in the same order.
    """
    if not (match.open_left and match.open_right):
        return
    after, before = match.mutual(), list[tuple[int, int]]()
    forks, doubtful, crossing = (list[tuple[int, int]]() for _ in range(3))
    order = _Order(match)
    while after or forks or before or doubtful or crossing:
        found: Iterable[tuple[int, int]]
        if after:
            left, right = pair = after.pop()
            before.append(pair)
            forks.append(pair)
            found = _pairs(match, match.left[left].following, match.right[right].following)
        elif forks:
            left, right = forks.pop()
            found = equal_pairs(match, match.left[left].following, match.right[right].following)
        elif before:
            found = _previous(match, *before.pop())
        else:
            pair = doubtful.pop() if doubtful else crossing.pop()
            if match.is_open(*pair):
                match.tie(*pair, FLOW)
                after.append(pair)
            continue
        for pair in found:
            if not match.is_open(*pair):
                continue
            if order.is_crossed(*pair):
                crossing.append(pair)
            elif order.is_called_otherwise(*pair) or not _is_fused_alike(match, *pair):
                doubtful.append(pair)
            else:
                match.tie(*pair, FLOW)
                after.append(pair)


def _is_fused_alike(match: Match, left: int, right: int) -> bool:
    """Return whether two items name as many operations, as far as both name any."""
    one, other = match.left[left], match.right[right]
    return one.named == other.named or not (one.named and other.named)


def _pairs(match: Match, lefts: Sequence[int], rights: Sequence[int]) -> list[tuple[int, int]]:
    partners = match.left_partner
    for at in lefts:
        if partners[at] is None:
            return list(unique_pairs(match, lefts, rights))
    # As of most.
    return []


def _previous(match: Match, left: int, right: int) -> list[tuple[int, int]]:
    """Return which items that two tied ones read from are the same."""
    one, other = match.left[left], match.right[right]
    if one.signature.exact == other.signature.exact and len(one.previous) == len(other.previous):
        return [
            pair
            for pair in zip(one.previous, other.previous, strict=True)
            if match.is_open(*pair)
            and match.may_be_one(*pair)
            and match.left[pair[0]].signature.exact == match.right[pair[1]].signature.exact
        ]
    return _pairs(match, one.previous, other.previous)


class _Order:
    """What is matched in the same order on both sides, and how open items are called, as `_follow` begins."""

    def __init__(self, match: Match) -> None:
        self._match = match

    @cached_property
    def _bounds(self) -> dict[int, tuple[int, int]]:
        return self._match.bounds()

    @cached_property
    def _endings(self) -> tuple[set[Hashable], set[Hashable]]:
        match = self._match
        return _open_endings(match.left, match.left_partner), _open_endings(match.right, match.right_partner)

    def is_crossed(self, left: int, right: int) -> bool:
        """Return whether two items lie between other pairs of matched ones."""
        low, high = self._bounds[left]
        return not low < right < high

    def is_called_otherwise(self, left: int, right: int) -> bool:
        """Return whether two names end in different ways, and one of them as another open item's does."""
        one, other = self._match.left[left].signature, self._match.right[right].signature
        if not one.names or not other.names or one.endings == other.endings:
            return False
        return one.endings in self._endings[1] or other.endings in self._endings[0]


def _open_endings(items: Sequence[Item], partners: Sequence[int | None]) -> set[Hashable]:
    """Return how the names of items without partner end."""
    return {
        item.signature.endings
        for item, partner in zip(items, partners, strict=True)
        if partner is None and item.signature.names
    }


def _tie_in_gaps(match: Match, find: FindPairs, *, heavy_only: bool) -> None:
    """Match open items that look alike between matched ones, in the same order."""
    if not (match.open_left and match.open_right):
        return
    for lefts, rights in list(match.gaps()):
        if not lefts or not rights:
            continue
        some_lefts = [at for at in lefts if match.left[at].signature.heavy or not heavy_only]
        some_rights = [at for at in rights if match.right[at].signature.heavy or not heavy_only]
        pairs = find([match.left[at] for at in some_lefts], [match.right[at] for at in some_rights])
        for left, right in pairs:
            match.tie_if_possible(some_lefts[left], some_rights[right], ORDER)
        for left, right in list(unique_pairs(match, some_lefts, some_rights)):
            match.tie(left, right, ORDER)


def _share_operations(match: Match) -> None:
    """Match open items to those that compute the same operations in the same order, from anchor to anchor.

    Kernels name their operations even where no name of the model does; fusion only moves the borders.
    """
    if not (match.open_left or match.open_right):
        return
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    for lefts, rights in match.stretches():
        partners = [match.left_partner[at] for at in lefts] + [match.right_partner[at] for at in rights]
        if None not in partners:
            continue
        ours = [(each, at) for at in lefts for each in _steps(match.left[at])]
        theirs = [(each, at) for at in rights for each in _steps(match.right[at])]
        pairs = common([each for each, _ in ours], [each for each, _ in theirs])
        for one, other in pairs:
            left, right = ours[one][1], theirs[other][1]
            if match.has_open(left, right) and match.may_join(left, right):
                weights[left, right] += 1
        if len(pairs) > 1 and pairs[0] == (0, 0) and match.left[lefts[0]].signature.heavy:
            # A product does not name what is fused behind it: that is missing at the beginning.
            hidden_left, hidden_right = pairs[1]
            hidden = [(left, rights[0]) for _, left in ours[1:hidden_left]]
            hidden += [(lefts[0], right) for _, right in theirs[1:hidden_right]]
            for pair in hidden:
                if match.may_join(*pair):
                    weights[pair] += 1
    totals = (
        {left: _worth(match.left[left]) for left, _ in weights},
        {right: _worth(match.right[right]) for _, right in weights},
    )
    tie_by_part(match, weights, totals, ORDER, match.may_join)


def _steps(item: Item) -> tuple[Hashable, ...]:
    """Return the operations of an item; products are the same only with weights of the same shape."""
    operations = item.signature.operations
    return (item.signature.rough, *operations[1:]) if item.signature.heavy else operations


def _worth(item: Item) -> float:
    return len(item.signature.operations) + (HEAVY_WEIGHT - 1 if item.signature.heavy else 0)


def _is_alike(match: Match) -> bool:
    """Return whether the engines have enough in common for order and shapes to mean anything."""
    heavy = [sum(item.signature.heavy for item in items) for items in (match.left, match.right)]
    pairs = match.mutual()
    if min(heavy) < _MIN_HEAVY:
        return bool(pairs) or not any(heavy)
    found = sum(match.left[left].signature.heavy for left, _ in pairs)
    return found >= max(_MIN_OF_FEWER * min(heavy), _MIN_OF_MORE * max(heavy))


def _close_gaps(match: Match) -> None:
    """Match what is left between two matched pairs, if little is left on both sides and the results agree."""
    for lefts, rights in list(match.gaps()):
        if not lefts or not rights:
            continue
        ours = [match.left[at].signature.family for at in lefts]
        theirs = [match.right[at].signature.family for at in rights]
        # Equally many of equal kinds, one after the other: all that a plan of names only states.
        if max(len(lefts), len(rights)) > _MAX_IN_GAP and ours != theirs:
            continue
        if min(len(lefts), len(rights)) == 1:
            one, other = match.left[lefts[-1]].signature, match.right[rights[-1]].signature
            if one.result == other.result or one.opaque or other.opaque:
                for left, right in product(lefts, rights):
                    if match.may_join(left, right):
                        match.tie(left, right, ORDER, GUESS)
            continue
        for left, right in common(ours, theirs):
            match.tie_if_possible(lefts[left], rights[right], ORDER, GUESS)
