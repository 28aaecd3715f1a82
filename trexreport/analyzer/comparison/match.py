"""Hold what two lists of rows have been matched by; the stages of alignment fill it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from trexreport.analyzer.analysis.alignment import MATCH_KEYS
from trexreport.analyzer.comparison.align_order import rising
from trexreport.analyzer.comparison.names import is_parameter
from trexreport.analyzer.comparison.side import LayerSignature, Side
from trexreport.lazy_dataclass import bulk_facts, dataclass

METADATA, PARTS, TENSORS, FLOW, ORDER = range(len(MATCH_KEYS))

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
        named: How many operations its names name.
        kernel: The operations that the name of its kernel states, if it does.
    """

    signature: LayerSignature
    model: dict[str, bool] = field(default_factory=dict)
    serial: dict[str, bool] = field(default_factory=dict)
    written: dict[str, None] = field(default_factory=dict)
    written_serial: dict[str, None] = field(default_factory=dict)
    previous: list[int] = field(default_factory=list)
    following: list[int] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    named: int = 0
    kernel: tuple[str, ...] = ()


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
        return (
            tied_right is None or has_room(one, self.right[tied_right], self.found_left[left], other)
        ) and (tied_left is None or has_room(other, self.left[tied_left], self.found_right[right], one))

    def is_named(self, item: Item) -> bool:
        """Return whether an item has names that can be compared."""
        return bool(item.model or (self.trusts_serial and item.serial))

    def note_whether_names_are_shared(self) -> None:
        """Find out after names were matched whether the two engines call most layers the same."""
        shared = []
        counts = [
            Counter(name for item in items for name in self.names(item)) for items in (self.left, self.right)
        ]
        for items, partners, (own, others), renamed in (
            (self.left, self.left_partner, counts, self.renamed_left),
            (self.right, self.right_partner, counts[::-1], self.renamed_right),
        ):
            named = [at for at, item in enumerate(items) if self.is_named(item)]
            matched = sum(partners[at] is not None for at in named)
            shared.append(matched > 0 and 2 * matched >= len(named))
            # Of copies that have one name, those that the other engine lacks.
            renamed.update(
                at for at in named if all(own[name] > others[name] for name in self.names(items[at]))
            )
        self.shares_names = all(shared)

    def names(self, item: Item) -> Iterable[str]:
        """Return the names of an item that mean the same in both engines."""
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


def has_room(fused: Item, main: Item, found: int, item: Item) -> bool:
    """Return whether a layer may do an item's work beside that of its counterpart.

    Its names say so, in one of three ways: they name as many operations as those of all that it is tied to
    and of the item; the operations of the item are among them and not among the counterpart's; or the item
    is called after its counterpart. What an exporter calls an operation changes, how many there are does not.

    Args:
        fused: The layer.
        main: Its counterpart.
        found: How many operations the names of all that it is tied to name.
        item: What may be fused into it.
    """
    look, own = fused.signature, item.signature
    if own.heavy and look.rough == main.signature.rough and not look.opaque:
        return False  # the product that it computes is the counterpart's
    if fused.kernel and fused.kernel == main.kernel:
        return False
    if not (fused.named and item.named) or fused.named >= found + item.named:
        return True
    if not Counter(own.operations) - (Counter(look.operations) - Counter(main.signature.operations)):
        return True
    mains = tuple(f"{name}{mark}" for name in (*main.model, *main.serial) for mark in "_+")
    return any(name.startswith(mains) for name in (*item.model, *item.serial))


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
    looks = [side.looks[index] for index in row[first]]
    item = Item(next((look for look in looks if look.heavy), looks[0]))
    for engine, layers in row.items():
        for names in (sides[engine].names[index] for index in layers):
            for known, found in ((item.model, names.model), (item.serial, names.serial)):
                for name in found:
                    known[name] = name in names.stated or known.get(name, False)
            item.written.update(dict.fromkeys(names.written))
            item.written_serial.update(dict.fromkeys(names.written_serial))
    item.named = sum(not is_parameter(name) for name in (*item.model, *item.serial))
    for index in row[first]:
        item.kernel += tuple(side.layers[index].operations)
        item.previous += [positions[each] for each in side.previous[index]]
        item.following += [positions[each] for each in side.following[index]]
        item.reads += side.reads[index]
    if len(row[first]) > 1:
        # Layers of one row read from each other.
        item.previous = [each for each in dict.fromkeys(item.previous) if each != position]
        item.following = [each for each in dict.fromkeys(item.following) if each != position]
    return item
