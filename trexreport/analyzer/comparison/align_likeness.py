"""Say how alike two layers are by what they compute, whatever is around them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import Match

#: Evidence by what two items look like; products say more than others.
_EXACT_PRODUCT, _SAME_PRODUCT = 3.0, 2.0
_EXACT, _SAME_WORK, _SAME_RESULT, _OTHER_RESULT = 2.0, 1.0, 0.5, -0.5
_OTHER_FAMILY = -1.5
#: By the operations that both name: from none in common to all of them. With less than this part in common
#: they are not the same, though one may do some of the other's work.
_FEW_OPERATIONS, _ALL_OPERATIONS = -1.5, 1.5
_MIN_PART = 0.5
#: By what is fused with equal products.
_FUSED_ALIKE = 0.75
#: By the number of operations, by names in common, by inputs of the engine, and for each input more.
_SAME_COUNT, _SAME_NAME, _SAME_INPUT, _MORE_INPUTS = 0.4, 0.2, 2.0, -0.3
_MAX_MORE_INPUTS = 2


class Likeness:
    """How alike items of two engines are; what it was asked for is kept."""

    def __init__(self, match: Match) -> None:
        self._match = match
        sides = match.left, match.right
        words, families = (
            [{each for item in items for each in of(item)} for items in sides] for of in (_words, _families)
        )
        self._words, self._families = words[0] & words[1], families[0] & families[1]
        #: Whether names spell operations alike in both: a word of one alone says nothing else.
        self._share_words = all(
            2 * sum(word in self._words for word in spoken) >= len(spoken)
            for spoken in ([word for item in items for word in _words(item)] for items in sides)
        )
        self._known: dict[tuple[int, int], float | None] = {}

    def of(self, left: int, right: int) -> float | None:
        """Return the evidence that two items are the same, or None if they cannot be."""
        pair = left, right
        if pair not in self._known:
            possible = self._match.may_be_one(left, right)
            one, other = self._match.left[left], self._match.right[right]
            self._known[pair] = self._evidence(one, other) if possible else None
        return self._known[pair]

    def _evidence(self, one: Item, other: Item) -> float | None:
        look, its = one.signature, other.signature
        if look.heavy != its.heavy or (look.heavy and look.rough != its.rough):
            return None
        found = self._by_looks(one, other)
        by_operations = self._by_operations(one, other)
        if by_operations is None:
            return None
        found += by_operations
        found += _MORE_INPUTS * min(abs(look.inputs - its.inputs), _MAX_MORE_INPUTS)
        if one.named and one.named == other.named:
            found += _SAME_COUNT
        if not one.model.keys().isdisjoint(other.model):
            found += _SAME_NAME
        if one.reads and other.reads:
            found += -_SAME_INPUT if set(one.reads).isdisjoint(other.reads) else _SAME_INPUT
        return found

    def _by_looks(self, one: Item, other: Item) -> float:
        look, its = one.signature, other.signature
        if look.heavy:
            return _EXACT_PRODUCT if look.exact == its.exact else _SAME_PRODUCT
        if look.exact == its.exact:
            return _EXACT
        both_known = look.family in self._families and its.family in self._families
        other_family = _OTHER_FAMILY if look.family != its.family and both_known else 0.0
        if look.rough == its.rough:
            return _SAME_WORK
        return other_family + (_SAME_RESULT if look.result == its.result else _OTHER_RESULT)

    def _by_operations(self, one: Item, other: Item) -> float | None:
        """Return the evidence of the operations that two items name, or None if it is against them.

        Kernels spell them alike in all engines; of other names, words that both engines use are compared.
        """
        kernels = bool(one.kernel and other.kernel)
        ours, theirs = one.signature.operations, other.signature.operations
        if not kernels:
            ours, theirs = self._shared(ours), self._shared(theirs)
        if not (ours and theirs and (kernels or self._share_words)):
            return 0.0
        shared = sum((Counter(ours) & Counter(theirs)).values())
        part = shared / max(len(ours), len(theirs))
        if one.signature.heavy:
            return _FUSED_ALIKE * (2 * part - 1)
        if part < _MIN_PART:
            return None
        return _FEW_OPERATIONS + (_ALL_OPERATIONS - _FEW_OPERATIONS) * part

    def _shared(self, words: Sequence[str]) -> tuple[str, ...]:
        return tuple([word for word in words if word in self._words])


def _words(item: Item) -> Sequence[str]:
    return () if item.signature.heavy else item.signature.operations


def _families(item: Item) -> Sequence[str]:
    return (item.signature.family,)
