"""Pair items without partner that look alike, where it is clear which belong together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import Match
from trexreport.analyzer.grouping import group_by


def unique_pairs(match: Match, lefts: Iterable[int], rights: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs without partner of which each is the only one on its side that looks as it does."""
    groups = open_groups(
        match, dict.fromkeys(lefts), dict.fromkeys(rights), lambda item: item.signature.exact
    )
    for ours, theirs in groups:
        if len(ours) == len(theirs) == 1 and match.may_be_one(ours[0], theirs[0]):
            yield ours[0], theirs[0]


def equal_pairs(match: Match, lefts: Iterable[int], rights: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield pairs without partner that look alike, of which both sides have equally many, in their order."""
    groups = open_groups(match, sorted({*lefts}), sorted({*rights}), lambda item: item.signature.exact)
    for ours, theirs in groups:
        if len(ours) == len(theirs):
            yield from (pair for pair in zip(ours, theirs, strict=True) if match.may_be_one(*pair))


def open_groups(
    match: Match, lefts: Iterable[int], rights: Iterable[int], looks: Callable[[Item], Hashable]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the items without partner that look alike, of the left list and of the right one."""
    open_lefts = [at for at in lefts if match.left_partner[at] is None]
    open_rights = [at for at in rights if match.right_partner[at] is None] if open_lefts else []
    if open_rights:
        by_look = group_by(open_rights, lambda at: looks(match.right[at]))
        for look, group in group_by(open_lefts, lambda at: looks(match.left[at])).items():
            yield group, by_look.get(look, [])
