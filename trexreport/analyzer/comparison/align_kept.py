"""Say how much of the looks of layers and of the flow of data a match finds again."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import Match
from trexreport.lazy_dataclass import dataclass

#: A result that is exchanged between the same layers, or that one fused layer hides; an equal look, and an
#: equal product.
_EXCHANGED, _HIDDEN, _LOOK, _PRODUCT = 1.0, 0.7, 0.5, 0.5

_Partners = list[set[int]]


@dataclass(frozen=True)
class Open:
    """Items without partner by names, whose looks and exchanged results a match should find again."""

    left: Sequence[int]
    right: Sequence[int]

    @classmethod
    def of(cls, match: Match) -> Open:
        """Return the items that are open now."""
        return cls(
            *(
                [at for at, partner in enumerate(partners) if partner is None]
                for partners in (match.left_partner, match.right_partner)
            )
        )

    def possible(self, match: Match) -> float:
        """Return what is kept of items if all of it is."""
        return sum(
            _LOOK + _PRODUCT * items[at].signature.heavy + _EXCHANGED * len(_around(items[at]))
            for open_items, items in ((self.left, match.left), (self.right, match.right))
            for at in open_items
        )

    def kept(self, match: Match) -> float:
        """Return what a match finds again of the items."""
        lefts: _Partners = [set() for _ in match.left]
        rights: _Partners = [set() for _ in match.right]
        for edge in match.edges:
            lefts[edge.left].add(edge.right)
            rights[edge.right].add(edge.left)
        return _found(self.left, match.left, match.right, lefts) + _found(
            self.right, match.right, match.left, rights
        )


def _found(
    open_items: Sequence[int], items: Sequence[Item], others: Sequence[Item], partners: _Partners
) -> float:
    found = 0.0
    for at in open_items:
        look, ours = items[at].signature, partners[at]
        its = [others[each].signature for each in ours]
        found += _LOOK * any(each.exact == look.exact for each in its)
        found += _PRODUCT * (look.heavy and any(each.rough == look.rough for each in its))
        behind = {each for one in ours for each in others[one].following}
        before = {each for one in ours for each in others[one].previous}
        for beside, beyond in ((items[at].following, behind), (items[at].previous, before)):
            for each in beside:
                if not beyond.isdisjoint(partners[each]):
                    found += _EXCHANGED
                elif not ours.isdisjoint(partners[each]):
                    found += _HIDDEN
    return found


def _around(item: Item) -> Sequence[int]:
    return [*item.previous, *item.following]
