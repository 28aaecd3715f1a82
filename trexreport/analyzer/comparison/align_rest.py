"""Match layers next to matched ones by operations that their own counterparts leave over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from trexreport.analyzer.comparison.align_likeness import Likeness
from trexreport.analyzer.comparison.align_names import SHARED_PART
from trexreport.analyzer.comparison.match import FLOW, Match, MatchEdge

#: For the items of each side the operations that no tie explains.
_Rests = Sequence[Sequence[Counter[str]]]
#: What is tied so is joined last.
_WEIGHT = 0.5


def match_rests(match: Match) -> None:
    """Match a layer to those next to its counterpart that name what it names beside this.

    Fusion only moves the borders between layers: what one layer has more than its counterpart is in the layer
    before that one or behind it.
    """
    unequal = [
        edge
        for edge in match.edges
        if match.left[edge.left].signature.operations != match.right[edge.right].signature.operations
    ]
    if not unequal:
        return
    if any(edge.key >= FLOW and _overlap(match, edge) for edge in unequal):
        match.keep([edge for edge in match.edges if edge.key < FLOW or not _overlap(match, edge)])
    words = Likeness(match).comparable
    sides = match.left, match.right
    rests = [[Counter(words(item)) for item in items] for items in sides]
    for edge in match.edges:
        _settle(rests, edge.left, edge.right)
    by_names = [edge for edge in match.edges if edge.key < FLOW]
    named = {edge.left for edge in by_names}, {edge.right for edge in by_names}
    waiting = list(match.edges)
    while waiting:
        edge = waiting.pop()
        for left, right in _beside(match, edge, rests):
            if _may_share(match, left, right, rests, named):
                _settle(rests, left, right)
                match.tie(left, right, FLOW, _WEIGHT)
                waiting.append(match.edges[-1])


def _overlap(match: Match, edge: MatchEdge) -> bool:
    """Return whether two kernels both do what the other does not: which belong together is open."""
    one, other = match.left[edge.left], match.right[edge.right]
    if not (one.kernel and other.kernel):
        return False
    ours, theirs = Counter(one.signature.operations), Counter(other.signature.operations)
    return bool(ours - theirs) and bool(theirs - ours)


def _may_share(match: Match, left: int, right: int, rests: _Rests, named: tuple[set[int], set[int]]) -> bool:
    """Return whether what two items have both left over makes them part of one row.

    That of two with counterparts must be half of what one of them does, and names must not say otherwise.
    """
    one, other = match.left[left], match.right[right]
    if one.signature.heavy and other.signature.heavy:
        return False
    if match.has_open(left, right):
        return match.may_join(left, right)
    if left in named[0] or right in named[1]:
        return False
    shared = sum((rests[0][left] & rests[1][right]).values())
    return shared >= SHARED_PART * min(len(one.signature.operations), len(other.signature.operations))


def _settle(rests: _Rests, left: int, right: int) -> None:
    """Take what two items share from the rests of both."""
    shared = rests[0][left] & rests[1][right]
    rests[0][left] -= shared
    rests[1][right] -= shared


def _beside(match: Match, edge: MatchEdge, rests: _Rests) -> Iterator[tuple[int, int]]:
    """Yield pairs of one of two matched items and of a neighbor of the other that share what is left over."""
    one, other = match.left[edge.left], match.right[edge.right]
    if rests[0][edge.left]:
        for at in dict.fromkeys((*other.previous, *other.following)):
            if rests[0][edge.left] & rests[1][at]:
                yield edge.left, at
    if rests[1][edge.right]:
        for at in dict.fromkeys((*one.previous, *one.following)):
            if rests[0][at] & rests[1][edge.right]:
                yield at, edge.right
