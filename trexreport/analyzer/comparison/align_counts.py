"""Match layers of renamed stages by how many operations their names state: fusion only moves the borders."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import accumulate

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import FLOW, ORDER, Match, MatchEdge

#: Of items of each side those of the other that names tie them to.
_Named = tuple[dict[int, list[int]], dict[int, list[int]]]


def match_counts(match: Match) -> None:
    """Match, between two products of which all is known, layers by the numbers of their operations.

    Where both sides name as many operations, the first ones of one side are the first ones of the other,
    whatever they are called and however they are fused. This prevails over the flow of data and over looks,
    which may take a part that was split off for the layer that comes next.
    """
    by_names = [edge for edge in match.edges if edge.key < FLOW]
    settled = {edge.left for edge in by_names}, {edge.right for edge in by_names}
    if len(settled[0]) == len(match.left) and len(settled[1]) == len(match.right):
        return
    tied: _Named = {}, {}
    for edge in by_names:
        tied[0].setdefault(edge.left, []).append(edge.right)
        tied[1].setdefault(edge.right, []).append(edge.left)
    found: list[tuple[int, int]] = []
    runs: tuple[set[int], set[int]] = (set(), set())
    for lefts, rights in _runs(match, settled):
        pairs = _pairs(match, lefts, rights, tied)
        if pairs:
            found += pairs
            runs[0].update(lefts)
            runs[1].update(rights)
    if not found:
        return
    named = {(edge.left, edge.right) for edge in by_names}
    kept = [
        edge
        for edge in match.edges
        if edge.key < FLOW or (edge.left not in runs[0] and edge.right not in runs[1])
    ]
    match.keep(kept + [MatchEdge(*pair, ORDER) for pair in found if pair not in named])


def _runs(match: Match, settled: tuple[set[int], set[int]]) -> Iterator[tuple[range, range]]:
    """Yield what lies between products that are matched and name as many operations, if fusion changed it."""
    before = (-1, -1)
    for left, right in [*match.anchors(), (len(match.left), len(match.right))]:
        if left < len(match.left) and not _is_known(match.left[left], match.right[right]):
            continue
        lefts, rights = range(before[0] + 1, left), range(before[1] + 1, right)
        if not (settled[0].issuperset(lefts) and settled[1].issuperset(rights)) and not (
            len(lefts) == len(rights)
            and all(
                match.left_partner[one] == other and match.right_partner[other] == one
                for one, other in zip(lefts, rights, strict=True)
            )
        ):
            yield lefts, rights
        before = (left, right)


def _is_known(one: Item, other: Item) -> bool:
    return one.signature.heavy and one.signature.exact == other.signature.exact and one.named == other.named


def _pairs(match: Match, lefts: range, rights: range, named: _Named) -> list[tuple[int, int]]:
    """Return which layers have operations in common by their numbers, nothing if something contradicts."""
    ours, theirs = [match.left[at] for at in lefts], [match.right[at] for at in rights]
    ends, its_ends = list(accumulate(map(_count, ours))), list(accumulate(map(_count, theirs)))
    if not (ends and its_ends) or ends[-1] != its_ends[-1] or not (_are_known(ours) and _are_known(theirs)):
        return []
    found = []
    one = other = begin = its_begin = 0
    while one < len(ours) and other < len(theirs):
        found.append((lefts[one], rights[other]))
        end, its_end = ends[one], its_ends[other]
        one, other = one + (end <= its_end), other + (its_end <= end)
        if end == its_end:
            if not _may_be_one(ours[begin:one], theirs[its_begin:other]):
                return []
            begin, its_begin = one, other
    return [] if _is_contradicted(match, found, lefts, rights, named) else found


def _is_contradicted(
    match: Match, found: Sequence[tuple[int, int]], lefts: range, rights: range, named: _Named
) -> bool:
    """Return whether names say otherwise, or a product or kernel that both sides have is another's pair."""
    pairs = {*found}
    if any((at, other) not in pairs for at in lefts for other in named[0].get(at, ())) or any(
        (other, at) not in pairs for at in rights for other in named[1].get(at, ())
    ):
        return True
    ours = {at: _computed(match.left[at]) for at in lefts}
    theirs = {at: _computed(match.right[at]) for at in rights}
    common = {*ours.values()} & {*theirs.values()} - {()}
    same = [(left, right) for left, right in found if ours[left] == theirs[right]]
    paired = {left for left, _ in same} | {~right for _, right in same}
    return any(each in common and at not in paired for at, each in ours.items()) or any(
        each in common and ~at not in paired for at, each in theirs.items()
    )


def _computed(item: Item) -> Hashable:
    """Return what a layer states that it computes."""
    return item.signature.rough if item.signature.heavy else item.kernel


def _may_be_one(ours: Sequence[Item], theirs: Sequence[Item]) -> bool:
    """Return whether layers may do the same together: they have the same products and the same result."""
    one, other = (
        [item.signature.rough for item in items if item.signature.heavy] for items in (ours, theirs)
    )
    hidden = any(item.signature.opaque for item in (*ours, *theirs))
    return (hidden or sorted(one) == sorted(other)) and (
        ours[-1].signature.result == theirs[-1].signature.result
    )


def _count(item: Item) -> int:
    return item.named or len(item.kernel)


def _are_known(items: Sequence[Item]) -> bool:
    return all(item.complete and _count(item) for item in items)
