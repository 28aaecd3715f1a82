"""Hold names against structure: where most that names leave alone has its place, only names have changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from operator import attrgetter

from trexreport.analyzer.comparison.align_order import common, rising
from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.layer_signature import LayerSignature
from trexreport.analyzer.comparison.match import ORDER, Match
from trexreport.analyzer.grouping import group_by

#: What items can have in common.
Detail = Callable[[LayerSignature], Hashable]
_EXACT: Detail = attrgetter("exact")
_FORM: Detail = attrgetter("form")
#: Structure prevails over names in a stretch of layers if it leaves at most this part as many alone.
_MAX_ALONE = 0.5
#: Details of a build are used if looks with them match at least this part of what looks match without.
_SAME_BUILD = 0.75
#: Names are put together alike between two matched layers if this part of those on the shorter side are.
_SAME_FORM = 0.75


def match_structure(match: Match) -> int:
    """Match layers of equal looks in the same order where names leave many more without a partner.

    A stage that was renamed, and blocks whose numbers were moved on so that each has the name that another
    had: both sides have layers that names leave alone, and without names each has its counterpart. Where
    structure finds no more than names do, names decide: a block that was removed is the one that is missing.

    Returns:
        How many ties names made that are kept; they come first of the match's edges.
    """
    named = dict(match.mutual())
    if len(named) == len(match.left) == len(match.right):
        return len(match.edges)
    pairs = _as_named(match, named, alike(match.left, match.right, spelled=False))
    agreed = [pair for pair in pairs if named.get(pair[0]) == pair[1]]
    found: list[tuple[int, int]] = []
    contradicted: tuple[set[int], set[int]] = (set(), set())
    at, before = 0, (-1, -1)
    for end in [*agreed, (len(match.left), len(match.right))]:
        lefts, rights = range(before[0] + 1, end[0]), range(before[1] + 1, end[1])
        if not lefts and not rights:
            # As between most.
            at, before = at + 1, end
            continue
        stretch = []
        while at < len(pairs) and pairs[at] < end:
            stretch.append(pairs[at])
            at += 1
        at += 1
        before = end
        paired = [left for left in lefts if named.get(left, -1) in rights]
        by_names = _count_named(match, lefts, rights) - 2 * len(paired)
        by_looks = _count_named(
            match,
            {*lefts}.difference(left for left, _ in stretch),
            {*rights}.difference(right for _, right in stretch),
        )
        tied = any(match.left_partner[each] is not None for each in lefts) or any(
            match.right_partner[each] is not None for each in rights
        )
        if tied and by_looks < by_names and by_looks <= _MAX_ALONE * by_names:
            found += stretch
            contradicted[0].update(lefts)
            contradicted[1].update(rights)
    if not found:
        return len(match.edges)
    kept = [
        edge for edge in match.edges if edge.left not in contradicted[0] and edge.right not in contradicted[1]
    ]
    match.keep(kept)
    match.renamed_left |= contradicted[0]
    match.renamed_right |= contradicted[1]
    for pair in found:
        match.tie(*pair, ORDER)
    return len(kept)


def _as_named(match: Match, named: Mapping[int, int], pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return pairs of equal looks as names have them, where these leave no more without a counterpart.

    Equal layers in a row have a counterpart each, whichever of them is the first.
    """
    ours, theirs = (_looks(items, _EXACT) for items in (match.left, match.right))
    # `named` is in the order of the left list.
    equal = [(left, right) for left, right in named.items() if ours[left] == theirs[right]]
    in_order = [equal[at] for at in rising([right for _, right in equal])]
    found = _filled(in_order, match.left, match.right, _EXACT)
    return found if len(found) >= len(pairs) else pairs


def match_spelling(match: Match) -> None:
    """Match what names left open where only one layer of each side has the same last words and does the same.

    Another exporter separates the words of a path in another way, and a stage that was renamed keeps what is
    below it. Paths of too few words are left to structure.
    """
    ours = _open_by_spelling(match.left, match.left_partner)
    theirs = _open_by_spelling(match.right, match.right_partner)
    for key, lefts in ours.items():
        rights = theirs.get(key, [])
        if len(lefts) == len(rights) == 1:
            match.tie_if_possible(lefts[0], rights[0], ORDER)


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


def _open_by_spelling(
    items: Sequence[Item], partners: Sequence[int | None]
) -> dict[tuple[Hashable, ...], list[int]]:
    """Return the positions of items without a partner by their work and the last words of their names."""
    found = [at for at, item in enumerate(items) if partners[at] is None and item.signature.spelling]
    return group_by(found, lambda at: (items[at].signature.rough, *items[at].signature.spelling))


def _count_named(match: Match, lefts: Iterable[int], rights: Iterable[int]) -> int:
    """Return how many of the items have names: what has none, names cannot match."""
    items = [*[match.left[at] for at in lefts], *[match.right[at] for at in rights]]
    return sum(match.is_named(item) for item in items)


def alike(lefts: Sequence[Item], rights: Sequence[Item], *, spelled: bool = True) -> list[tuple[int, int]]:
    """Return positions of items of equal looks in the same order.

    What else two builds have in common decides which of several equal looks is meant, from the first detail
    on that nearly all have: the last words of their names if `spelled`, how these end, tactics and the number
    of names, the operations, and the number of inputs.
    """
    pairs = common(_looks(lefts, _EXACT), _looks(rights, _EXACT))
    details: list[Detail] = [
        lambda look: look.build,
        lambda look: (look.exact, look.inputs, look.operations),
        lambda look: (look.exact, look.inputs),
    ]
    if spelled:
        details.insert(0, lambda look: (look.build, look.endings))
        if _are_spelled(lefts) and _are_spelled(rights):
            details.insert(0, lambda look: (look.exact, look.spelling))
    found: list[tuple[int, int]] = []
    for detail in details if pairs else ():
        if len(found) == min(len(lefts), len(rights)):
            break
        if found:
            found = _filled(found, lefts, rights, detail)
        else:
            some = common(_looks(lefts, detail), _looks(rights, detail))
            found = some if len(some) >= _SAME_BUILD * len(pairs) else []
    return _filled(found, lefts, rights, _EXACT) if found else pairs


def _are_spelled(items: Sequence[Item]) -> bool:
    """Return whether the names of nearly all items are paths."""
    return sum(bool(each.signature.spelling) for each in items) >= max(_SAME_BUILD * len(items), 1)


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
