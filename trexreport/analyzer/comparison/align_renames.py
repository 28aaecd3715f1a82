"""Find names of one engine that the other has below another module, or as another exporter spells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable
from itertools import chain

from trexreport.analyzer.comparison.match import Match, Names
from trexreport.analyzer.grouping import group_by
from trexreport.regex import regex

#: How many last words of a path stay when what is above them is renamed, from most to fewest.
_LAST_WORDS = (8, 7, 6, 5, 4)
_WORD = regex(r"[a-z]+|\d+", re.ASCII)
#: A module that the next one in a path repeats: "/layer1/layer1_0".
_REPEATED = regex(r"/([^/]+)(?=/\1_)")
#: What a piece of a split layer is called after the whole: "Conv_3_part0", "Conv_3.b", "Conv_3_tail".
_PIECE = regex(r"^(.+?)[_.:-](?:[a-z]+[_-]?)?(?:[0-9]+|[a-z])$", re.ASCII)
#: What two names mean is the same if this part of the products that have them look alike.
_ALIKE = 0.9

#: The words of a path and its numbers.
_Path = tuple[tuple[str, ...], tuple[str, ...]]


def with_wholes(names: Names) -> Names:
    """Return the names with those that several pieces of a layer have as the other side calls it whole.

    "Conv_3_part0" and "Conv_3_part1" are pieces of "Conv_3", if neither side knows the other's names.
    """
    left, right = ({*chain.from_iterable(side)} for side in names)
    wholes = _wholes(left - right, right - left), _wholes(right - left, left - right)
    if not any(wholes):
        return names
    ours, theirs = (
        [[called.get(name, name) for name in of_item] for of_item in side]
        for side, called in zip(names, wholes, strict=True)
    )
    return ours, theirs


def _wholes(pieces: Iterable[str], others: Collection[str]) -> dict[str, str]:
    """Return names to the one of the other side that all of several add a word to."""
    found: dict[str, list[str]] = {}
    for name in pieces if others else ():
        piece = _PIECE.match(name)
        if piece and piece[1] in others:
            found.setdefault(piece[1], []).append(name)
    return {name: whole for whole, names in found.items() if len(names) > 1 for name in names}


def with_renames(match: Match, names: Names) -> Names:
    """Return the names with those of the right side that only it has as the left calls the same.

    Both end with the same words, else with the same operation, and have the same numbers, which say of
    equal blocks which is meant; on each side no other new name is like it.
    """
    left, right = (dict.fromkeys(chain.from_iterable(side)) for side in names)
    ours = _paths(name for name in left if name not in right)
    theirs = _paths(name for name in right if name not in left)
    called: dict[str, str] = {}
    for key in (*map(_ending, _LAST_WORDS), _operation):
        olds = group_by(ours, lambda name: key(ours[name]))  # noqa: B023
        for found, news in group_by(theirs, lambda name: key(theirs[name])).items():  # noqa: B023
            if found and len(news) == len(olds.get(found, ())) == 1:
                called[news[0]] = olds[found][0]
                del ours[olds[found][0]], theirs[news[0]]
    if not (called and _look_alike(match, names, called)):
        return names
    return names[0], [[called.get(name, name) for name in of_item] for of_item in names[1]]


def _look_alike(match: Match, names: Names, called: dict[str, str]) -> bool:
    """Return whether the products that are called so look alike; forget the names of those that do not."""
    holders: list[dict[str, list[int]]] = [{}, {}]
    for holds, side, items in zip(holders, names, (match.left, match.right), strict=True):
        for at, of_item in enumerate(side):
            for name in of_item if items[at].signature.heavy else ():
                holds.setdefault(name, []).append(at)
    judged = {
        new: match.left[left[0]].signature.rough == match.right[right[0]].signature.rough
        for new, old in called.items()
        if len(left := holders[0].get(old, [])) == len(right := holders[1].get(new, [])) == 1
    }
    for new in [new for new, agrees in judged.items() if not agrees]:
        del called[new]
    if not judged:
        # A plan of names only states no products, and says nothing of one that does.
        products = [any(item.signature.heavy for item in items) for items in (match.left, match.right)]
        return products[0] == products[1]
    return sum(judged.values()) >= _ALIKE * len(judged)


def _paths(names: Iterable[str]) -> dict[str, _Path]:
    """Return the words and the numbers of names that are paths."""
    found = {}
    for name in names:
        words = tuple(_WORD.findall(_REPEATED.sub("", name).lower()))
        if len(words) >= _LAST_WORDS[-1]:
            found[name] = words, tuple([word for word in words if word.isdigit()])
    return found


def _ending(count: int) -> Callable[[_Path], Hashable]:
    return lambda path: len(path[0]) >= count and (path[0][-count:], path[1])


def _operation(path: _Path) -> Hashable:
    words, numbers = path
    return numbers and (next((word for word in reversed(words) if not word.isdigit()), ""), numbers)
