"""The layers of engines as alignment matches them, and which of them a fused layer may hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from trexreport.analyzer.comparison.layer_signature import LayerSignature
from trexreport.analyzer.comparison.names import is_parameter
from trexreport.analyzer.comparison.side import Side
from trexreport.lazy_dataclass import dataclass

#: Layers of some engines that were found to do the same: index of the engine to indices of its layers.
Row = dict[int, list[int]]


@dataclass(slots=True)
class Item:
    """One row as it is matched with others: names of all its layers, looks of one engine's.

    Attributes:
        model, serial: Names of the original model to whether metadata states them; all items of layers with
            these names may share them.
        written, written_serial: Names of the tensors it writes.
        previous, following: Positions in the list of the items it reads from, and that read from it.
        reads: Names of the engine's inputs that it reads.
        named: How many operations its names name.
        kernel: The operations that the name of its kernel states, if it does.
        complete: Whether its names, or its kernels', state all that it computes.
    """

    signature: LayerSignature
    model: Mapping[str, bool]
    serial: Mapping[str, bool]
    written: Sequence[str]
    written_serial: Sequence[str]
    previous: list[int] = field(default_factory=list)
    following: list[int] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    named: int = 0
    kernel: tuple[str, ...] = ()
    complete: bool = False


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
                item = items[position]
                item.serial = {each: is_stated for each, is_stated in item.serial.items() if each != name}
                item.written_serial = [each for each in item.written_serial if each != name]


def _item(position: int, row: Row, sides: Sequence[Side], row_of: dict[int, dict[int, int]]) -> Item:
    first = min(row)
    side, positions = sides[first], row_of[first]
    if len(row) == 1 and len(row[first]) == 1:
        return _item_of_layer(row[first][0], side, positions)
    looks = [side.looks[index] for index in row[first]]
    names = [sides[engine].names[index] for engine, layers in row.items() for index in layers]
    item = Item(
        next((look for look in looks if look.heavy), looks[0]),
        _joined(each.model for each in names),
        _joined(each.serial for each in names),
        list(dict.fromkeys(name for each in names for name in each.written)),
        list(dict.fromkeys(name for each in names for name in each.written_serial)),
    )
    item.named = sum(not is_parameter(name) for name in (*item.model, *item.serial))
    item.complete = all(_states_all(index, side) for index in row[first])
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


def _joined(names: Iterable[Mapping[str, bool]]) -> dict[str, bool]:
    """Return all names to whether any metadata states them."""
    found: dict[str, bool] = {}
    for of_layer in names:
        for name, is_stated in of_layer.items():
            found[name] = is_stated or found.get(name, False)
    return found


def _item_of_layer(index: int, side: Side, positions: dict[int, int]) -> Item:
    """Return the item of a row that is one layer, as most are."""
    names = side.names[index]
    return Item(
        side.looks[index],
        names.model,
        names.serial,
        names.written,
        names.written_serial,
        [positions[each] for each in side.previous[index]],
        [positions[each] for each in side.following[index]],
        side.reads[index],
        names.operations,
        tuple(side.layers[index].operations),
        _states_all(index, side),
    )


def _states_all(index: int, side: Side) -> bool:
    """Return whether a layer states all that it computes: by its kernel, or by names of the model."""
    names = side.names[index]
    return bool(side.layers[index].operations) or not (names.none or names.partial)


def has_room(fused: Item, main: Item, found: int, item: Item, *, runs_apart: bool = False) -> bool:
    """Return whether a layer may do an item's work beside that of its counterpart.

    Its names say so, in one of three ways: they name as many operations as those of all that it is tied to
    and of the item; the operations of the item are among them and not among the counterpart's; or the item
    is called after its counterpart. What an exporter calls an operation changes, how many there are does not.
    Names that leave out what is fused say nothing against it, where the other engine's state everything.

    Args:
        fused: The layer.
        main: Its counterpart.
        found: How many operations the names of all that it is tied to name.
        item: What may be fused into it.
        runs_apart: Whether the layer's engine runs such items as layers of their own elsewhere.
    """
    look, own = fused.signature, item.signature
    if own.heavy and look.rough == main.signature.rough and not look.opaque:
        return False  # the product that it computes is the counterpart's
    if fused.kernel and fused.kernel == main.kernel:
        return False
    are_stated = (fused.complete or runs_apart) and bool(main.named or main.kernel)
    if are_stated and not item.named and Counter(look.operations) == Counter(main.signature.operations):
        return False  # what has no names is not among what they state
    if fused.complete and fused.named == 1 and look.heavy and look.rough == main.signature.rough:
        # All that it names is the product, which the counterpart computes.
        return _is_called_after(item, main)
    hides = main.complete and not fused.complete
    if hides or not (fused.named and item.named) or fused.named >= found + item.named:
        return True
    if not Counter(own.operations) - (Counter(look.operations) - Counter(main.signature.operations)):
        return True
    return _is_called_after(item, main)


def _is_called_after(item: Item, main: Item) -> bool:
    mains = tuple(f"{name}{mark}" for name in (*main.model, *main.serial) for mark in "_+")
    return any(name.startswith(mains) for name in (*item.model, *item.serial))
