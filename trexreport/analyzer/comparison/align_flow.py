"""Match layers by their position: in the flow of data, and between layers that are matched already."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from itertools import product

from trexreport.analyzer.comparison.align_absorb import GUESS, absorb
from trexreport.analyzer.comparison.align_counts import match_counts
from trexreport.analyzer.comparison.align_cuts import settle
from trexreport.analyzer.comparison.align_looks import open_groups
from trexreport.analyzer.comparison.align_names import HEAVY_WEIGHT, match_readers, tie_by_part
from trexreport.analyzer.comparison.align_order import common
from trexreport.analyzer.comparison.align_rest import match_rests
from trexreport.analyzer.comparison.align_spread import spread
from trexreport.analyzer.comparison.align_structure import alike, match_forms, match_structure, tie_again
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import ORDER, Match

#: Larger gaps without any common look between matched layers are left alone.
_MAX_IN_GAP = 8
#: Engines have nothing to do with each other if fewer of their layers with weights match, by names, flow or
#: shape: this part of the engine that has fewer of them, and of the one that has more.
_MIN_OF_FEWER = 0.5
_MIN_OF_MORE = 0.2
_MIN_HEAVY = 3


def match_places(match: Match) -> None:
    """Match what names left open: by looks and the flow of data, then what is fused or split otherwise."""
    kept, doubted = match_structure(match)
    match_forms(match)
    match_readers(match)
    spread(match, (_in_order, _by_count, lambda _: ()))
    tie_again(match, kept, doubted)
    if not _is_alike(match):
        match.keep(kept)
        return
    match_counts(match)
    match_rests(match)
    _share_operations(match)
    settle(match)
    _close_gaps(match)
    absorb(match)


def _in_order(match: Match) -> list[tuple[int, int]]:
    """Return open items that look alike between matched ones, in the same order."""
    found = []
    for lefts, rights in match.gaps():
        if lefts and rights:
            pairs = alike([match.left[at] for at in lefts], [match.right[at] for at in rights])
            found += [(lefts[one], rights[other]) for one, other in pairs]
    return found


def _by_count(match: Match) -> list[tuple[int, int]]:
    """Return open items that look alike one by one, where both engines have equally many of them."""
    groups = open_groups(
        match, range(len(match.left)), range(len(match.right)), lambda item: item.signature.rough
    )
    return [
        pair for ours, theirs in groups if len(ours) == len(theirs) for pair in zip(ours, theirs, strict=True)
    ]


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
