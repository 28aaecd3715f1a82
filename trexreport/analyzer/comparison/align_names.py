"""Match layers by what metadata, names and tensors call them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import product

from trexreport.analyzer.comparison.align_looks import open_groups, unique_pairs
from trexreport.analyzer.comparison.align_order import IN_ORDER, are_in_turns, rising
from trexreport.analyzer.comparison.align_renames import with_renames, with_wholes
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import METADATA, PARTS, TENSORS, Match, Names
from trexreport.analyzer.comparison.names import is_heavy

#: A name that more pairs of layers share is weak evidence; one that more than this share is none.
_DISTINCTIVE_PAIRS = 4
_MAX_PAIRS = 64
#: Numbers in names are trusted if this part of the layers that share one look the same, and most are in
#: order: fusion changes which branch comes first.
_TRUSTED_SHARE = 0.9
#: This many numbered names, all of them in both engines, show one network.
_MIN_SAME = 20
#: Items belong together if they share at least so much of one of them. A product with weights counts as many
#: operations: an addition that moved from one convolution to another does not make the two the same.
SHARED_PART = 0.5
HEAVY_WEIGHT = 10.0

Totals = tuple[Mapping[int, float], Mapping[int, float]]


def match_names(match: Match) -> None:
    """Match items of equal names, then the others to those that share some of their names."""
    match.trusts_serial = _serial_means_the_same(match)
    match.trusts_metadata = all(map(_has_metadata, (match.left, match.right)))
    names = with_renames(match, with_wholes(match.names()))
    _tie_equals(match, names)
    _tie_sharers(match, names)
    match.note_whether_names_are_shared(names)


def match_tensors(match: Match) -> None:
    """Match items that write the same tensor."""
    lefts, rights = (
        _holders([_written(match, item) for item in items]) for items in (match.left, match.right)
    )
    for name, (left, *others) in lefts.items():
        found = rights.get(name, [])
        if others or len(found) != 1:
            continue
        if match.has_open(left, found[0]):
            match.tie(left, found[0], TENSORS)


def match_readers(match: Match) -> None:
    """Match the only items of their looks that read the same input of the engine."""
    readers = [_holders([item.reads for item in items]) for items in (match.left, match.right)]
    for name, left_readers in readers[0].items():
        for left, right in unique_pairs(match, left_readers, readers[1].get(name, [])):
            match.tie(left, right, TENSORS)


def _written(match: Match, item: Item) -> Iterable[str]:
    return (*item.written, *item.written_serial) if match.trusts_serial else item.written


def _has_metadata(items: Sequence[Item]) -> bool:
    """Return whether most items that have names have some of metadata."""
    named = [item for item in items if item.model or item.serial]
    stated = sum(any(item.model.values()) or any(item.serial.values()) for item in named)
    return 2 * stated > len(named)


def _serial_means_the_same(match: Match) -> bool:
    """Return whether layers of the same number look the same and are in the same order.

    Two exports of one model number their operations differently, so that "Conv_84" of one is another
    convolution than that of the other, often of the same shape. Where both have the very same names, they are
    of one network, also if one is pruned.
    """
    lefts, rights = (_holders([item.serial for item in items]) for items in (match.left, match.right))
    if lefts.keys() == rights.keys() and len(lefts) >= _MIN_SAME:
        return True
    pairs = sorted(
        {
            (group[0], rights[name][0])
            for name, group in lefts.items()
            if len(group) == 1 and len(rights.get(name, ())) == 1
        }
    )
    judged = [agrees for pair in pairs if (agrees := _agree(match, *pair)) is not None]
    order = [right for _, right in pairs]
    in_order = are_in_turns(order) or len(rising(order)) >= IN_ORDER * len(order)
    return bool(pairs) and sum(judged) >= _TRUSTED_SHARE * len(judged) and in_order


def _agree(match: Match, left: int, right: int) -> bool | None:
    """Return whether two items can be the same by other evidence; None if there is none."""
    one, other = match.left[left], match.right[right]
    if one.model and other.model:
        return not one.model.keys().isdisjoint(other.model)
    if one.signature.heavy and other.signature.heavy:
        return one.signature.rough == other.signature.rough
    return None


def _tie_equals(match: Match, names: Names) -> None:
    lefts, rights = (_by_names(of_items) for of_items in names)
    for key, group in lefts.items():
        others = rights.get(key)
        if not key or not others:
            continue
        if len(group) == len(others) == 1:
            _tie_named(match, group[0], others[0])
            continue
        for looks in (lambda item: item.signature.exact, lambda item: item.signature.family):
            _tie_in_order(match, group, others, looks)


def _by_names(names: Sequence[Sequence[str]]) -> dict[frozenset[str], list[int]]:
    found: dict[frozenset[str], list[int]] = {}
    for at, key in enumerate(map(frozenset, names)):
        found.setdefault(key, []).append(at)
    return found


def _tie_in_order(
    match: Match, lefts: Sequence[int], rights: Sequence[int], looks: Callable[[Item], Hashable]
) -> None:
    """Match those that look alike one by one, if both sides have equally many of them."""
    for ours, theirs in open_groups(match, lefts, rights, looks):
        if len(ours) == len(theirs):
            for left, right in zip(ours, theirs, strict=True):
                _tie_named(match, left, right)


def _tie_sharers(match: Match, names: Names) -> None:
    """Match each item without partner to those with which it shares the most distinctive names."""
    if not (match.open_left or match.open_right):
        return
    lefts, rights = (_holders(of_items) for of_items in names)
    weights: defaultdict[tuple[int, int], float] = defaultdict(float)
    vague: defaultdict[tuple[int, int], float] = defaultdict(float)
    for name in _open_names(match, names):
        group, others = lefts.get(name, ()), rights.get(name, ())
        count = len(group) * len(others)
        shared = weights if count <= _DISTINCTIVE_PAIRS else vague
        for left, right in product(group, others) if count <= _MAX_PAIRS else ():
            if match.has_open(left, right):
                shared[left, right] += _worth(name)

    def total(of_item: Iterable[str]) -> float:
        """Return the worth of what an item has in common with any of the other side."""
        counts = ((name, len(lefts.get(name, ())) * len(rights.get(name, ()))) for name in of_item)
        return sum(_worth(name) for name, count in counts if 0 < count <= _DISTINCTIVE_PAIRS)

    lefts_total = {left: total(names[0][left]) for left, _ in weights}
    totals = lefts_total, {right: total(names[1][right]) for _, right in weights}
    tie_by_part(match, _for_open(match, weights), totals, PARTS)
    still_open = {pair: weight for pair, weight in vague.items() if match.has_open(*pair)}
    for (left, right), weight in _first_of_best(match, still_open).items():
        _tie(match, left, right, PARTS, weight / _MAX_PAIRS)


def _open_names(match: Match, names: Names) -> set[str]:
    """Return the names of the items without partner."""
    sides = zip(names, (match.left_partner, match.right_partner), strict=True)
    return {
        name
        for of_items, partners in sides
        for of_item, partner in zip(of_items, partners, strict=True)
        if partner is None
        for name in of_item
    }


def _worth(name: str) -> float:
    return HEAVY_WEIGHT if is_heavy(name) else 1.0


def _for_open(match: Match, weights: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Return the pairs without those of an item with a partner where one without shares as much.

    What has a partner so far has all of its names. Where two layers name one operation and a part was split
    off, the part is that of the one that lacks it.
    """
    best: tuple[dict[int, float], dict[int, float]] = ({}, {})
    for (left, right), weight in weights.items():
        if match.is_open(left, right):
            best[0][left] = max(weight, best[0].get(left, 0.0))
            best[1][right] = max(weight, best[1].get(right, 0.0))
    return {
        (left, right): weight
        for (left, right), weight in weights.items()
        if match.is_open(left, right)
        or weight
        > (best[1].get(right, 0.0) if match.right_partner[right] is None else best[0].get(left, 0.0))
    }


def tie_by_part(
    match: Match,
    weights: Mapping[tuple[int, int], float],
    totals: Totals,
    key: int,
    may_join: Callable[[int, int], bool] | None = None,
) -> None:
    """Match items that share enough of one of them, the others that have no partner to their best.

    Args:
        match: Where the ties go to; items that both have partners get none.
        weights: Pairs of a left and a right item to the weight of what they share.
        totals: Weights of all that could have been shared of the left items, and of the right ones.
        key: By what they were matched, an index into `MATCH_KEYS`; named parts find out themselves.
        may_join: Whether a pair may be tied, given the ties before; any may if None.
    """
    ranked = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
    open_left = {left for left, _ in weights if match.left_partner[left] is None}
    open_right = {right for _, right in weights if match.right_partner[right] is None}
    for enough in (True, False):
        for (left, right), weight in ranked:
            needed = SHARED_PART * min(totals[0].get(left, weight), totals[1].get(right, weight))
            one_heavy = match.left[left].signature.heavy != match.right[right].signature.heavy
            if enough != (weight > needed or (weight == needed and not one_heavy)):
                continue
            wanting = (left in open_left) or (right in open_right)
            if (wanting if enough else match.has_open(left, right)) and (
                may_join is None or may_join(left, right)
            ):
                _tie(match, left, right, key, weight)


def _first_of_best(match: Match, weights: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """Return for each item without partner only its best pair: vague names must not join many rows."""
    ranked = sorted(
        weights.items(),
        key=lambda each: (
            -each[1],
            match.left[each[0][0]].signature.rough != match.right[each[0][1]].signature.rough,
            abs(each[0][0] / len(match.left) - each[0][1] / len(match.right)),
            each[0],
        ),
    )
    seen: set[tuple[str, int]] = set()
    chosen = {}
    for (left, right), weight in ranked:
        wanting = {("left", left)} if match.left_partner[left] is None else set()
        wanting |= {("right", right)} if match.right_partner[right] is None else set()
        if not wanting & seen:
            chosen[left, right] = weight
            seen |= wanting
    return chosen


def _tie(match: Match, left: int, right: int, key: int, weight: float) -> None:
    if key == PARTS:
        _tie_named(match, left, right, weight)
    else:
        match.tie(left, right, key, weight)


def _tie_named(match: Match, left: int, right: int, weight: float = 1.0) -> None:
    one, other = match.left[left], match.right[right]
    if one.model is other.model:
        # As with most, and what they share are all names of one layer.
        shared: Collection[str] = one.model.keys()
        stated = True in one.model.values()
    else:
        shared = one.model.keys() & other.model.keys()
        stated = any(one.model[name] and other.model[name] for name in shared)
    if not stated and match.trusts_serial:
        serial = one.serial.keys() & other.serial.keys()
        stated = any(one.serial[name] and other.serial[name] for name in serial)
    match.tie(left, right, METADATA if stated else PARTS, weight + len(shared))


def _holders(names: Iterable[Iterable[str]]) -> dict[str, list[int]]:
    """Return the positions of the items that have each name."""
    found: dict[str, list[int]] = {}
    for at, of_item in enumerate(names):
        for name in of_item:
            found.setdefault(name, []).append(at)
    return found
