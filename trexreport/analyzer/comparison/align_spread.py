"""Spread matches through the flow of data: what is beside matched layers is matched where it fits best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush

from trexreport.analyzer.comparison.align_likeness import Likeness
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import FLOW, ORDER, Match

#: What a neighbor that is matched alike is worth, by how many layers without partner are between on one side;
#: and if such are on both sides.
_NEAR = (2.0, 1.3, 0.9)
_FAR = 0.6
#: A neighbor that is matched with something elsewhere; the same place among the inputs; how much farther one
#: neighbor is than the other, by the longest ways; a pair that is supposed.
_ELSEWHERE, _SAME_PLACE, _FARTHER, _SUPPOSED = -0.8, 0.7, -1.0, 0.6
_MIN_FARTHER = 4
#: No more neighbors of an item are looked at, none of what nearly all read, and less evidence than this is
#: none.
_MAX_NEAR, _MAX_FAN = 12, 32
_MIN_EVIDENCE = 1.5
#: Where another counterpart is about as good, all that is clearer comes first.
_MIN_MARGIN, _DOUBTFUL = 0.25, -4.0

Pairs = Iterable[tuple[int, int]]
#: The depths of the items of both sides, in each direction.
_Depths = Sequence[tuple[list[int], list[int]]]
#: Neighbors of an item to how many layers without partner are between.
_Neighbors = dict[int, int]


def spread(match: Match, supposed: Pairs) -> None:
    """Match what is beside matched items, starting from pairs of which most may be the same."""
    if match.open_left and match.open_right:
        depths = [*zip(_depths(match.left), _depths(match.right), strict=True)]
        _Spread(match, Likeness(match), depths, supposed).run()


def _depths(items: Sequence[Item]) -> tuple[list[int], list[int]]:
    """Return how many layers the longest ways take to each item, from the first and from the last ones."""
    from_start, from_end = [0] * len(items), [0] * len(items)
    for at, item in enumerate(items):
        from_start[at] = 1 + max([from_start[each] for each in item.previous], default=0)
    for at in reversed(range(len(items))):
        from_end[at] = 1 + max([from_end[each] for each in items[at].following], default=0)
    return from_start, from_end


class _Spread:
    """Matches the neighbors of matched items, those first whose counterpart is clearest."""

    def __init__(self, match: Match, likeness: Likeness, depths: _Depths, supposed: Pairs) -> None:
        self._match, self._likeness, self._depths = match, likeness, depths
        self._supposed = set(supposed)
        #: For each open item the evidence of its possible counterparts.
        self._evidence: tuple[dict[int, dict[int, float]], dict[int, dict[int, float]]] = ({}, {})
        #: Pairs by their rank, the highest first.
        self._waiting: list[tuple[float, float, int, int]] = []
        self._near_now: dict[tuple[int, int, int], _Neighbors] = {}

    def run(self) -> None:
        """Match as long as there is evidence."""
        match = self._match
        self._tie_unchanged()
        for left, right in self._edge():
            self._look_around(left, right)
        for pair in sorted(self._supposed):
            self._weigh(*pair)
        while self._waiting:
            rank, evidence, left, right = heappop(self._waiting)
            if not match.is_open(left, right) or self._evidence[0].get(left, {}).get(right) != -evidence:
                continue
            now = self._rank(left, right)
            if now < -rank:
                heappush(self._waiting, (-now, evidence, left, right))
                continue
            match.tie(left, right, ORDER if (left, right) in self._supposed else FLOW)
            self._forget(left, right)
            self._look_around(left, right)

    def _tie_unchanged(self) -> None:
        """Match pairs that are supposed and equal, with all around them."""
        match, supposed = self._match, dict(self._supposed)
        around = {**dict(match.mutual()), **supposed}
        for left, right in sorted(supposed.items()):
            one, other = match.left[left], match.right[right]
            if (
                match.is_open(left, right)
                and one.signature.exact == other.signature.exact
                and [around.get(at) for at in one.previous] == other.previous
                and sorted([around.get(at, -1) for at in one.following]) == sorted(other.following)
                and self._likeness.of(left, right) is not None
            ):
                match.tie(left, right, ORDER)

    def _edge(self) -> list[tuple[int, int]]:
        """Return the matched pairs beside items without partner."""
        match = self._match
        if not (match.open_left and match.open_right):
            return []
        beside: set[int] = set()
        for at, item in enumerate(match.left):
            if match.left_partner[at] is None:
                beside.update(item.previous, item.following)
        rights: set[int] = set()
        for at, item in enumerate(match.right):
            if match.right_partner[at] is None:
                rights.update(item.previous, item.following)
        return [(left, right) for left, right in match.mutual() if left in beside or right in rights]

    def _rank(self, left: int, right: int) -> float:
        """Return when a pair is matched: by its evidence, unless another one of its items has as much."""
        evidence = self._evidence[0][left][right]
        for other, its in self._evidence[0][left].items():
            if its > evidence - _MIN_MARGIN and other != right:
                return evidence + _DOUBTFUL
        for other, its in self._evidence[1][right].items():
            if its > evidence - _MIN_MARGIN and other != left:
                return evidence + _DOUBTFUL
        return evidence

    def _forget(self, left: int, right: int) -> None:
        """Remove a matched pair from the possible counterparts of others, which may be clearer now."""
        for side, at in ((0, left), (1, right)):
            for rival in self._evidence[side].pop(at, {}):
                left_over = self._evidence[1 - side].get(rival)
                if left_over is None:
                    continue
                left_over.pop(at, None)
                if left_over:
                    best = max(left_over, key=left_over.__getitem__)
                    self._wait(*((rival, best) if side else (best, rival)))

    def _wait(self, left: int, right: int) -> None:
        evidence = self._evidence[0][left][right]
        heappush(self._waiting, (-self._rank(left, right), -evidence, left, right))

    def _near(self, side: int, at: int, forward: int) -> _Neighbors:
        """Return what is beside an item on its side, and behind what has no partner."""
        key = side, at, forward
        found = self._near_now.get(key)
        if found is not None:
            return found
        items = self._match.right if side else self._match.left
        partner = self._match.right_partner if side else self._match.left_partner
        found, edge = {}, [at]
        if len(items[at].following if forward else items[at].previous) > _MAX_FAN:
            edge = []
        for distance in range(len(_NEAR)):
            ahead = []
            for each in edge:
                for other in items[each].following if forward else items[each].previous:
                    if other not in found:
                        found[other] = distance
                        if partner[other] is None:
                            ahead.append(other)
            if len(found) > _MAX_NEAR or not ahead:
                break
            edge = ahead
        self._near_now[key] = found
        return found

    def _look_around(self, left: int, right: int) -> None:
        """Weigh the pairs of what is beside a matched pair."""
        match = self._match
        self._near_now = {}
        for forward in (0, 1):
            lefts = [at for at in self._near(0, left, forward) if match.left_partner[at] is None]
            rights = [at for at in self._near(1, right, forward) if match.right_partner[at] is None]
            pairs = {(one, other) for one in lefts for other in rights}
            pairs.update([(one, other) for one in lefts for other in self._evidence[0].get(one, ())])
            pairs.update([(one, other) for other in rights for one in self._evidence[1].get(other, ())])
            for one, other in sorted(pairs):
                self._weigh(one, other)

    def _weigh(self, left: int, right: int) -> None:
        if not self._match.is_open(left, right):
            return
        likeness = self._likeness.of(left, right)
        if likeness is None:
            return
        evidence = likeness + self._of_flow(left, right) + _SUPPOSED * ((left, right) in self._supposed)
        if evidence >= _MIN_EVIDENCE:
            self._evidence[0].setdefault(left, {})[right] = evidence
            self._evidence[1].setdefault(right, {})[left] = evidence
            self._wait(left, right)
        elif right in self._evidence[0].get(left, ()):
            del self._evidence[0][left][right], self._evidence[1][right][left]

    def _of_flow(self, left: int, right: int) -> float:
        """Return the evidence of the neighbors that are matched."""
        left_partner, right_partner = self._match.left_partner, self._match.right_partner
        found = 0.0
        for forward in (0, 1):
            lefts, rights = self._near(0, left, forward), self._near(1, right, forward)
            for at, distance in lefts.items():
                partner = left_partner[at]
                if partner is None:
                    continue
                its = rights.get(partner)
                if its is not None:
                    found += _FAR if distance and its else _NEAR[distance or its]
                    found += self._farther(left, at, right, partner)
                    if not (distance or its or forward):
                        found += _SAME_PLACE * self._same_place(left, at, right, partner)
                elif not distance:
                    found += _ELSEWHERE
            for at, distance in rights.items():
                partner = right_partner[at]
                if not distance and partner is not None and partner not in lefts:
                    found += _ELSEWHERE
        return found

    def _farther(self, left: int, at: int, right: int, partner: int) -> float:
        """Return what speaks against neighbors of which one is much farther: beside a block, or behind it."""
        found = 0.0
        for ours, theirs in self._depths:
            one, other = abs(ours[left] - ours[at]), abs(theirs[right] - theirs[partner])
            if one != other:
                found += abs(one - other) / (_MIN_FARTHER + max(one, other) / 2)
        return _FARTHER * found

    def _same_place(self, left: int, at: int, right: int, partner: int) -> bool:
        ours, theirs = self._match.left[left].previous, self._match.right[right].previous
        return ours.index(at) == theirs.index(partner)
