"""Hold what two lists of rows have been matched by; the stages of alignment fill it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

from trexreport.analyzer.analysis.alignment import MATCH_KEYS
from trexreport.analyzer.comparison.align_order import rising
from trexreport.analyzer.comparison.items import Item, has_room
from trexreport.analyzer.grouping import group_by
from trexreport.lazy_dataclass import bulk_facts

METADATA, PARTS, TENSORS, FLOW, ORDER = range(len(MATCH_KEYS))

#: The names of each left item and of each right one.
Names = tuple[list[list[str]], list[list[str]]]


@bulk_facts
class MatchEdge:
    """What speaks for two items being the same; `key` is an index into `MATCH_KEYS`."""

    left: int
    right: int
    key: int
    weight: float = 1.0


class Match:
    """Two lists of items, and the ties found between them.

    Attributes:
        left_partner, right_partner: For each item the position of what it is matched with, or None.
        open_left, open_right: How many items have no partner.
        trusts_serial: Whether numbers in names mean the same in both.
        trusts_metadata: Whether both state ONNX nodes, so that those decide where layers have them.
        shares_names: Whether most layers of both have names in common; what has names of the other engine but
            shares none is then not the same, wherever it is.
        renamed_left, renamed_right: Items whose names mean nothing to the other engine.
        found_left, found_right: For each item how many operations those name that it is tied to.
    """

    def __init__(self, left: Sequence[Item], right: Sequence[Item]) -> None:
        self.left, self.right = left, right
        self.left_partner: list[int | None] = [None] * len(left)
        self.right_partner: list[int | None] = [None] * len(right)
        self.open_left, self.open_right = len(left), len(right)
        self.edges: list[MatchEdge] = []
        self.found_left, self.found_right = [0] * len(left), [0] * len(right)
        self.trusts_serial = False
        self.trusts_metadata = False
        self.shares_names = False
        self.renamed_left: set[int] = set()
        self.renamed_right: set[int] = set()

    def tie(self, left: int, right: int, key: int, weight: float = 1.0) -> None:
        """Note a tie; the first that an item gets makes its partner."""
        self.edges.append(MatchEdge(left, right, key, weight))
        self.found_left[left] += self.right[right].named
        self.found_right[right] += self.left[left].named
        if self.left_partner[left] is None:
            self.left_partner[left] = right
            self.open_left -= 1
        if self.right_partner[right] is None:
            self.right_partner[right] = left
            self.open_right -= 1

    def may_be_one(self, left: int, right: int) -> bool:
        """Return whether names leave it possible that two items, which share none, are the same."""
        one, other = self.left[left], self.right[right]
        if not (self.shares_names and self.is_named(one) and self.is_named(other)):
            return True
        if left in self.renamed_left and right in self.renamed_right:
            return True
        # An operation that one model has more than the other moves the numbers of all that come after it.
        return not (one.model or other.model) and _kinds(one.serial) == _kinds(other.serial)

    def may_join(self, left: int, right: int) -> bool:
        """Return whether names allow that two items are the same, or one does part of the other's work."""
        if self.is_open(left, right):
            return self.may_be_one(left, right)
        one, other = self.left[left], self.right[right]
        tied_right, tied_left = self.left_partner[left], self.right_partner[right]
        ours, theirs = self._left_products, self._right_products
        return (
            tied_right is None
            or has_room(
                one,
                self.right[tied_right],
                self.found_left[left],
                other,
                runs_apart=_runs_apart(
                    self._right_products, self._left_products, self.right[tied_right], other
                ),
            )
        ) and (
            tied_left is None
            or has_room(
                other,
                self.left[tied_left],
                self.found_right[right],
                one,
                runs_apart=_runs_apart(ours, theirs, self.left[tied_left], one),
            )
        )

    @cached_property
    def _left_products(self) -> _Products:
        return _Products(self.left)

    @cached_property
    def _right_products(self) -> _Products:
        return _Products(self.right)

    def is_named(self, item: Item) -> bool:
        """Return whether an item has names that can be compared."""
        return bool(item.model or (self.trusts_serial and item.serial))

    def note_whether_names_are_shared(self, names: Names) -> None:
        """Find out after names were matched whether the two engines call most layers the same."""
        shared = []
        counts = [Counter(chain.from_iterable(of_items)) for of_items in names]
        # Of copies that have one name, the other engine lacks some.
        lacking = [
            {name for name, count in own.items() if count > others[name]}
            for own, others in (counts, counts[::-1])
        ]
        for items, of_items, partners, lacks, renamed in (
            (self.left, names[0], self.left_partner, lacking[0], self.renamed_left),
            (self.right, names[1], self.right_partner, lacking[1], self.renamed_right),
        ):
            named = [at for at, item in enumerate(items) if self.is_named(item)]
            matched = sum(partners[at] is not None for at in named)
            shared.append(matched > 0 and 2 * matched >= len(named))
            renamed.update(at for at in named if lacks.issuperset(of_items[at]))
        self.shares_names = all(shared)

    def names(self) -> Names:
        """Return the names of each item that mean the same in both engines."""
        left, right = ([self._names(item) for item in items] for items in (self.left, self.right))
        return left, right

    def _names(self, item: Item) -> list[str]:
        names = [*item.model, *item.serial] if self.trusts_serial else [*item.model]
        if self.trusts_metadata:
            stated = [name for name in names if item.model.get(name) or item.serial.get(name)]
            return stated or names
        return names

    def is_open(self, left: int, right: int) -> bool:
        """Return whether neither item has a partner."""
        return self.left_partner[left] is None and self.right_partner[right] is None

    def has_open(self, left: int, right: int) -> bool:
        """Return whether one of two items has no partner."""
        return self.left_partner[left] is None or self.right_partner[right] is None

    def tie_if_possible(self, left: int, right: int, key: int, weight: float = 1.0) -> None:
        """Note a tie unless names exclude it."""
        if self.may_be_one(left, right):
            self.tie(left, right, key, weight)

    def keep(self, edges: Sequence[MatchEdge]) -> None:
        """Take back all ties but these."""
        self.edges = []
        self.left_partner, self.open_left = [None] * len(self.left), len(self.left)
        self.right_partner, self.open_right = [None] * len(self.right), len(self.right)
        self.found_left, self.found_right = [0] * len(self.left), [0] * len(self.right)
        for edge in edges:
            self.tie(edge.left, edge.right, edge.key, edge.weight)

    def mutual(self) -> list[tuple[int, int]]:
        """Return the pairs that are each other's partners, in the order of the left list."""
        return [
            (left, right)
            for left, right in enumerate(self.left_partner)
            if right is not None and self.right_partner[right] == left
        ]

    def bounds(self) -> dict[int, tuple[int, int]]:
        """Return for each left item without partner which right ones it is between, by what is in order."""
        found = {}
        before = (-1, -1)
        for left, right in [*self.anchors(), (len(self.left), len(self.right))]:
            for between in range(before[0] + 1, left):
                if self.left_partner[between] is None:
                    found[between] = (before[1], right)
            before = (left, right)
        return found

    def anchors(self) -> list[tuple[int, int]]:
        """Return pairs that are each other's partners and in the same order on both sides."""
        pairs = self.mutual()
        return [pairs[position] for position in rising([right for _, right in pairs])]

    def stretches(self) -> Iterator[tuple[range, range]]:
        """Yield the items from one pair that is in the same order on both sides up to the next."""
        before = (0, 0)
        for anchor in [*self.anchors(), (len(self.left), len(self.right))]:
            yield range(before[0], anchor[0]), range(before[1], anchor[1])
            before = anchor

    def gaps(self) -> Iterator[tuple[list[int], list[int]]]:
        """Yield the items without partner between pairs that are in the same order on both sides."""
        for ours, theirs in self.stretches():
            lefts = [at for at in ours if self.left_partner[at] is None]
            rights = [at for at in theirs if self.right_partner[at] is None]
            if lefts or rights:
                yield lefts, rights


def _kinds(numbered: Iterable[str]) -> set[str]:
    """Return which operations names with numbers mean: "Conv" of "Conv_84"."""
    return {name.rpartition("_")[0] for name in numbered}


class _Products:
    """The products of an engine by their looks, and what is computed behind them."""

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        products = [item for item in items if item.signature.heavy]
        self._of_look = group_by(products, lambda item: item.signature.rough)
        # Few looks are asked for.
        self._behind: dict[int, Counter[tuple[str, ...]]] = {}

    def count(self, look: int) -> int:
        """Return how many products have a look."""
        return len(self._of_look.get(look, ()))

    def count_before(self, look: int, operations: tuple[str, ...]) -> int:
        """Return how many products of a look are read by what computes given operations."""
        if look not in self._behind:
            self._behind[look] = Counter(
                found
                for product in self._of_look.get(look, ())
                for found in {self._items[at].signature.operations for at in product.following}
            )
        return self._behind[look][operations]


def _runs_apart(products: _Products, of_other: _Products, main: Item, item: Item) -> bool:
    """Return whether both engines run an item's operations as a layer behind products like its main one.

    Where one engine does so behind most of them, and the other at least half as often, the other would do so
    behind this one, too.

    Args:
        products: Those of the item's engine.
        of_other: Those of the engine that may have fused the item.
        main: What the item may be fused into, as the item's engine runs it.
        item: What has no counterpart.
    """
    look, operations = main.signature.rough, item.signature.operations
    found = products.count_before(look, operations)
    return 2 * found > products.count(look) and 2 * of_other.count_before(look, operations) >= found > 0
