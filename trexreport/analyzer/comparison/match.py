"""Hold what two lists of rows have been matched by; the stages of alignment fill it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import chain

from trexreport.analyzer.analysis.alignment import MATCH_KEYS
from trexreport.analyzer.comparison.align_order import rising
from trexreport.analyzer.comparison.side import LayerSignature, Side
from trexreport.lazy_dataclass import bulk_facts, dataclass

METADATA, PARTS, TENSORS, FLOW, ORDER = range(len(MATCH_KEYS))

#: The names of each left item and of each right one.
Names = tuple[list[list[str]], list[list[str]]]
#: Layers of some engines that were found to do the same: index of the engine to indices of its layers.
Row = dict[int, list[int]]


@dataclass(slots=True)
class Item:
    """One row as it is matched with others: names of all its layers, looks of one engine's.

    Attributes:
        model, serial: Names of the original model to whether metadata states them.
        written, written_serial: Names of the tensors it writes.
        previous, following: Positions in the list of the items it reads from, and that read from it.
        reads: Names of the engine's inputs that it reads.
    """

    signature: LayerSignature
    model: dict[str, bool] = field(default_factory=dict)
    serial: dict[str, bool] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    written_serial: dict[str, None] = field(default_factory=dict)
    previous: list[int] = field(default_factory=list)
    following: list[int] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)


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
    """

    def __init__(self, left: Sequence[Item], right: Sequence[Item]) -> None:
        self.left, self.right = left, right
        self.left_partner: list[int | None] = [None] * len(left)
        self.right_partner: list[int | None] = [None] * len(right)
        self.open_left, self.open_right = len(left), len(right)
        self.edges: list[MatchEdge] = []
        self.trusts_serial = False
        self.trusts_metadata = False
        self.shares_names = False
        self.renamed_left: set[int] = set()
        self.renamed_right: set[int] = set()

    def tie(self, left: int, right: int, key: int, weight: float = 1.0) -> None:
        """Note a tie; the first that an item gets makes its partner."""
        self.edges.append(MatchEdge(left, right, key, weight))
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
        for edge in edges:
            self.tie(edge.left, edge.right, edge.key, edge.weight)

    def mutual(self) -> list[tuple[int, int]]:
        """Return the pairs that are each other's partners, in the order of the left list."""
        return [
            (left, right)
            for left, right in enumerate(self.left_partner)
            if right is not None and self.right_partner[right] == left
        ]

    def stretches(self) -> Iterator[tuple[range, range]]:
        """Yield the items from one pair that is in the same order on both sides up to the next."""
        pairs = self.mutual()
        anchors = [pairs[position] for position in rising([right for _, right in pairs])]
        before = (0, 0)
        for anchor in [*anchors, (len(self.left), len(self.right))]:
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


def items_of(rows: Sequence[Row], sides: Sequence[Side]) -> list[Item]:
    """Return an item for each row; its looks and its flow of data are those of its first engine."""
    row_of: dict[int, dict[int, int]] = {}
    for position, row in enumerate(rows):
        for engine, layers in row.items():
            row_of.setdefault(engine, {}).update(dict.fromkeys(layers, position))
    items = [_item(position, row, sides, row_of) for position, row in enumerate(rows)]
    if len(row_of) > 1:
        _forget_ambiguous_numbers(items, rows, sides)
    return items


def _forget_ambiguous_numbers(items: Sequence[Item], rows: Sequence[Row], sides: Sequence[Side]) -> None:
    """Remove numbers that two engines have given to layers of which none are in one row.

    Else the next engine's "Conv_84" would join what is "Conv_84" in one engine with what is so in another.
    """
    holders: dict[str, dict[int, set[int]]] = {}
    for position, row in enumerate(rows):
        for engine, layers in row.items():
            for names in (sides[engine].names[index] for index in layers):
                for name in (*names.serial, *names.written_serial):
                    holders.setdefault(name, {}).setdefault(engine, set()).add(position)
    for name, of_engines in holders.items():
        if not set.intersection(*of_engines.values()):
            for position in set.union(*of_engines.values()):
                items[position].serial.pop(name, None)
                items[position].written_serial.pop(name, None)


def _item(position: int, row: Row, sides: Sequence[Side], row_of: dict[int, dict[int, int]]) -> Item:
    first = min(row)
    side, positions = sides[first], row_of[first]
    if len(row) == 1 and len(row[first]) == 1:
        return _item_of_layer(row[first][0], side, positions)
    looks = [side.looks[index] for index in row[first]]
    item = Item(next((look for look in looks if look.heavy), looks[0]))
    for engine, layers in row.items():
        for names in (sides[engine].names[index] for index in layers):
            for known, found in ((item.model, names.model), (item.serial, names.serial)):
                for name in found:
                    known[name] = name in names.stated or known.get(name, False)
            item.written.update(dict.fromkeys(names.written))
            item.written_serial.update(dict.fromkeys(names.written_serial))
    for index in row[first]:
        item.previous += [positions[each] for each in side.previous[index]]
        item.following += [positions[each] for each in side.following[index]]
        item.reads += side.reads[index]
    if len(row[first]) > 1:
        # Layers of one row read from each other.
        item.previous = [each for each in dict.fromkeys(item.previous) if each != position]
        item.following = [each for each in dict.fromkeys(item.following) if each != position]
    return item


def _item_of_layer(index: int, side: Side, positions: dict[int, int]) -> Item:
    """Return the item of a row that is one layer, as most are."""
    names = side.names[index]
    return Item(
        side.looks[index],
        {name: name in names.stated for name in names.model},
        {name: name in names.stated for name in names.serial},
        dict.fromkeys(names.written),
        dict.fromkeys(names.written_serial),
        [positions[each] for each in side.previous[index]],
        [positions[each] for each in side.following[index]],
        side.reads[index],
    )
