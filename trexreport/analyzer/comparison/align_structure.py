"""Hold names against structure: where most that names leave alone has its place, only names have changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import compress
from operator import attrgetter, not_

from trexreport.analyzer.comparison.align_order import are_in_turns, common, common_wanted
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.layer_signature import LayerSignature
from trexreport.analyzer.comparison.match import ORDER, Match, MatchEdge

#: A stretch of the left list and one of the right list, with the pairs of equal looks in them.
_Stretch = tuple[range, range, list[tuple[int, int]]]
#: What items can have in common.
Detail = Callable[[LayerSignature], Hashable]
_EXACT: Detail = attrgetter("exact")
_FORM: Detail = attrgetter("form")
#: Structure prevails over names in a stretch of layers if it leaves at most this part as many alone.
_MAX_ALONE = 0.5
#: Names are paths if at least this part of them is, and decide if they agree in this part of the pairs.
_SPELLED = 0.75
#: Names are put together alike between two matched layers if this part of those on the shorter side are.
_SAME_FORM = 0.75


def match_structure(match: Match) -> int:
    """Match layers of equal looks in the same order where names leave many more without a partner.

    A stage that was renamed, and blocks whose numbers were moved on so that each has the name that another
    had: both sides have layers that names leave alone, and without names each has its counterpart. Where
    structure finds no more than names do, names decide: a block that was removed is the one that is missing.
    Names that lead to where structure prevails lead nowhere, which may make it prevail in other stretches.

    Returns:
        How many ties names made that are kept; they come first of the match's edges.
    """
    named = dict(match.mutual())
    if len(named) == len(match.left) == len(match.right):
        return len(match.edges)
    undecided = [each for each in _stretches(match, named) if not _are_exchanged(each, named)]
    by_names = {*named}, {*named.values()}
    contradicted: tuple[set[int], set[int]] = (set(), set())
    found: list[tuple[int, int]] = []
    while undecided:
        prevails = [_prevails(match, stretch, by_names) for stretch in undecided]
        if not any(prevails):
            break
        for lefts, rights, pairs in compress(undecided, prevails):
            found += pairs
            contradicted[0].update(lefts)
            contradicted[1].update(rights)
        for left, right in named.items():
            if left in contradicted[0] or right in contradicted[1]:
                by_names[0].discard(left)
                by_names[1].discard(right)
        undecided = [*compress(undecided, map(not_, prevails))]
    if not found:
        return len(match.edges)
    kept, doubted = list[MatchEdge](), list[MatchEdge]()
    for edge in match.edges:
        known = edge.left not in contradicted[0] and edge.right not in contradicted[1]
        (kept if known else doubted).append(edge)
    match.keep(kept)
    match.renamed_left |= contradicted[0]
    match.renamed_right |= contradicted[1]
    for pair in sorted(found):
        match.tie(*pair, ORDER)
    _tie_again(match, doubted, kept)
    return len(kept)


def _tie_again(match: Match, doubted: Sequence[MatchEdge], kept: Sequence[MatchEdge]) -> None:
    """Restore ties by names where structure found no other: of equal looks, and of parts of known layers."""
    known = {edge.left for edge in kept}, {edge.right for edge in kept}
    alone = match.left_partner[:], match.right_partner[:]
    for edge in doubted:
        left, right = alone[0][edge.left] is None, alone[1][edge.right] is None
        if left and right:
            again = match.left[edge.left].signature.exact == match.right[edge.right].signature.exact
        else:
            again = (left and edge.right in known[1]) or (right and edge.left in known[0])
        if again:
            match.tie(edge.left, edge.right, edge.key, edge.weight)


def _stretches(match: Match, named: Mapping[int, int]) -> list[_Stretch]:
    """Return what lies between layers that names and looks match alike, if names match any of it."""
    pairs = _as_named(match, named)
    pairs = _filled(pairs, match.left, match.right, _product_or_itself)
    agreed = [pair for pair in pairs if named.get(pair[0]) == pair[1]]
    found = []
    at, before = 0, (-1, -1)
    for end in [*agreed, (len(match.left), len(match.right))]:
        lefts, rights = range(before[0] + 1, end[0]), range(before[1] + 1, end[1])
        start = at
        while at < len(pairs) and pairs[at] < end:
            at += 1
        if any(match.left_partner[each] is not None for each in lefts) or any(
            match.right_partner[each] is not None for each in rights
        ):
            found.append((lefts, rights, pairs[start:at]))
        at, before = at + 1, end
    return found


def _are_exchanged(stretch: _Stretch, named: Mapping[int, int]) -> bool:
    """Return whether names show branches that one engine runs in another order, each of them in its own."""
    return are_in_turns([named[left] for left in stretch[0] if left in named])


def _as_named(match: Match, named: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return pairs of equal looks in the same order, as many as there are, and of these most as named.

    Equal layers in a row have a counterpart each, whichever of them is the first: names say which.
    """
    ours, theirs = (_looks(items, _EXACT) for items in (match.left, match.right))
    equal = {left: right for left, right in named.items() if ours[left] == theirs[right]}
    found: list[tuple[int, int]] = []
    i = j = 0
    for left, right in [*common_wanted(ours, theirs, equal), (len(ours), len(theirs))]:
        if left < len(ours) and equal.get(left) != right:
            continue
        if i < left and j < right:
            between = alike(match.left[i:left], match.right[j:right], spelled=False)
            found += [(i + a, j + b) for a, b in between]
        if left < len(ours):
            found.append((left, right))
        i, j = left + 1, right + 1
    return found


def match_forms(match: Match) -> None:
    """Match, in plans of names only, what lies beside matched layers and has names of the same form.

    A stage that was renamed has as many parts in each fused name as before. What both engines know by the
    operations that its name ends with, and differs in these, is not the same; engines of which nothing is
    matched have nothing in common.
    """
    if not any(item.signature.form for item in match.left):
        return
    if not match.mutual():
        return
    known = {item.signature.exact for item in match.left}, {item.signature.exact for item in match.right}
    for lefts, rights in list(match.gaps()):
        ours, theirs = [match.left[at] for at in lefts], [match.right[at] for at in rights]
        if not ours or not theirs or not all(item.signature.form for item in (*ours, *theirs)):
            continue
        pairs = common(_looks(ours, _EXACT), _looks(theirs, _EXACT))
        pairs = max(
            _filled(pairs, ours, theirs, _FORM), common(_looks(ours, _FORM), _looks(theirs, _FORM)), key=len
        )
        if len(pairs) < _SAME_FORM * min(len(ours), len(theirs)):
            continue
        for one, other in pairs:
            exact, its_exact = ours[one].signature.exact, theirs[other].signature.exact
            if exact == its_exact or exact not in known[1] or its_exact not in known[0]:
                match.tie(lefts[one], rights[other], ORDER)


def _product_or_itself(look: LayerSignature) -> Hashable:
    """Return what products have in common whatever their resolution; what else there is equals nothing."""
    return look.rough if look.heavy else look


def _prevails(match: Match, stretch: _Stretch, by_names: tuple[set[int], set[int]]) -> bool:
    """Return whether looks leave much less of a stretch alone than names do: of its products, or of all.

    What is fused behind products comes and goes. What has no names, names cannot match.
    """
    *places, pairs = stretch
    by_looks = {left for left, _ in pairs}, {right for _, right in pairs}
    alone = [[0, 0], [0, 0]]  # of products and of all: by names, by looks
    for side, items in enumerate((match.left, match.right)):
        for at in places[side]:
            for number, paired in enumerate((by_names[side], by_looks[side])):
                if at not in paired and match.is_named(items[at]):
                    alone[0][number] += items[at].signature.heavy
                    alone[1][number] += 1
    return any(looks < names and looks <= _MAX_ALONE * names for names, looks in alone)


def alike(lefts: Sequence[Item], rights: Sequence[Item], *, spelled: bool = True) -> list[tuple[int, int]]:
    """Return positions of items of equal looks in the same order.

    What else two builds have in common decides which of several equal looks is meant: if `spelled`, the last
    words of their names, and how these end, at any cost where nearly all agree in these; else, if it costs no
    pair, these, tactics and the number of names, the operations, and the number of inputs.
    """
    details: list[Detail] = [
        lambda look: look.build,
        lambda look: (look.exact, look.inputs, look.operations),
        lambda look: (look.exact, look.inputs),
        _EXACT,
    ]
    of_names: list[Detail] = []
    if spelled:
        of_names.append(lambda look: (look.build, look.endings))
        if _are_spelled(lefts) and _are_spelled(rights):
            of_names.insert(0, lambda look: (look.exact, look.spelling))
    most = len(common(_looks(lefts, _EXACT), _looks(rights, _EXACT)))
    found: list[tuple[int, int]] = []
    are_called_so = False
    for detail in of_names:
        found = common(_looks(lefts, detail), _looks(rights, detail))
        are_called_so = len(found) >= _SPELLED * most
        if are_called_so:
            break
    for detail in details:
        if len(found) == most:
            return found
        found = _filled(found, lefts, rights, detail)
    if are_called_so or len(found) == most:
        return found
    return common(_looks(lefts, _EXACT), _looks(rights, _EXACT), dict(found))


def _are_spelled(items: Sequence[Item]) -> bool:
    """Return whether the names of nearly all items are paths."""
    return sum(bool(each.signature.spelling) for each in items) >= max(_SPELLED * len(items), 1)


def _filled(
    pairs: list[tuple[int, int]], lefts: Sequence[Item], rights: Sequence[Item], detail: Detail
) -> list[tuple[int, int]]:
    """Return the pairs, and between them those of items that are equal in a detail."""
    found = []
    i = j = 0
    for left, right in [*pairs, (len(lefts), len(rights))]:
        if i < left and j < right:
            between = common(_looks(lefts[i:left], detail), _looks(rights[j:right], detail))
            found += [(i + a, j + b) for a, b in between]
        found.append((left, right))
        i, j = left + 1, right + 1
    return found[:-1]


def roughly_alike(lefts: Sequence[Item], rights: Sequence[Item]) -> list[tuple[int, int]]:
    """Return positions of items of the same work in the same order, whatever their resolution."""
    return common([each.signature.rough for each in lefts], [each.signature.rough for each in rights])


def _looks(items: Sequence[Item], detail: Detail) -> list[Hashable]:
    return [detail(each.signature) for each in items]
