"""Set several engines side by side: rows of layers that do the same part of the model."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import MATCH_KEYS, AlignedRow, Alignment, Change, MatchKey
from trexreport.analyzer.comparison.align_flow import match_places
from trexreport.analyzer.comparison.align_names import match_names, match_tensors
from trexreport.analyzer.comparison.align_rows import MergedRows
from trexreport.analyzer.comparison.items import Row, items_of
from trexreport.analyzer.comparison.match import Match, MatchEdge
from trexreport.analyzer.comparison.names import KnownParts
from trexreport.analyzer.comparison.side import Side
from trexreport.garbage import collection_paused
from trexreport.model.data_format import BITS


@collection_paused()
def align(analyses: Sequence[Analysis], baseline: int = 0, known: KnownParts | None = None) -> Alignment:
    """Return the engines aligned; each layer of each engine is in exactly one row.

    Layers are matched by the names that metadata states, then by the parts of their own names, by tensor
    names, by the flow of data, and last by order, type and shape between layers that are matched already.
    Engines after the second are matched with the rows so far, so that what the baseline lacks is aligned too.
    Two engines give the same rows in either order.

    Args:
        analyses: At least one.
        baseline: Index of the engine that the others are compared with.
        known: Where the names that are read are kept, for who reads them again.
    """
    known = KnownParts() if known is None else known
    sides = [Side(analysis, known) for analysis in analyses]
    found = _Found(baseline, [{baseline: [index]} for index in sides[baseline].in_order_of_data])
    for engine, side in enumerate(sides):
        if engine != baseline:
            found.add(engine, [{engine: [index]} for index in side.in_order_of_data], sides)
    return _alignment(sides, baseline, found)


@dataclass
class _Found:
    """The rows of the engines so far.

    Attributes:
        keys: For each row and engine by what the engine's layers were matched.
        cut_rows: Positions of rows at which ties were cut.
        cut: How many ties were cut.
    """

    baseline: int
    rows: list[Row]
    keys: dict[int, dict[int, set[MatchKey]]] = field(default_factory=dict)
    cut_rows: set[int] = field(default_factory=set)
    cut: int = 0

    def add(self, engine: int, added: list[Row], sides: Sequence[Side]) -> None:
        """Match another engine's layers with the rows so far."""
        joined = MergedRows(_match(self.rows, added, sides), self.rows, added)
        keys: dict[int, dict[int, set[MatchKey]]] = {
            position: {engine: found} for position, found in enumerate(joined.keys) if found
        }
        for before, of_engines in self.keys.items():
            merged = keys.setdefault(joined.position_of_left[before], {})
            for each, found in of_engines.items():
                merged.setdefault(each, set()).update(found)
        for position, found in enumerate(joined.keys):
            # A layer may show that rows of engines before it belong together.
            engines = sorted(joined.rows[position], key=lambda each: (each != self.baseline, each))
            for each in engines[1:] if found else ():
                keys.setdefault(position, {}).setdefault(each, set(found))
        self.cut_rows = {joined.position_of_left[at] for at in self.cut_rows} | joined.cut_rows
        self.rows, self.keys, self.cut = joined.rows, keys, self.cut + joined.cut


def _match(left: Sequence[Row], right: Sequence[Row], sides: Sequence[Side]) -> Match:
    """Match two lists of rows, always in the same order so that the result mirrors."""
    items = items_of(left, sides), items_of(right, sides)
    swapped = _is_before(right, left, sides)
    match = Match(items[1], items[0]) if swapped else Match(items[0], items[1])
    match_names(match)
    match_tensors(match)
    match_places(match)
    if swapped:
        turned = Match(*items)
        turned.edges = [MatchEdge(tie.right, tie.left, tie.key, tie.weight) for tie in match.edges]
        return turned
    return match


def _is_before(one: Sequence[Row], other: Sequence[Row], sides: Sequence[Side]) -> bool:
    """Return which of two lists of rows comes first, whichever of them was given first."""
    ours, theirs = (
        [sides[engine].layers[index] for row in rows for engine in row for index in row[engine]]
        for rows in (one, other)
    )
    if len(ours) != len(theirs):
        return len(ours) < len(theirs)
    for first, second in zip(map(_order, ours), map(_order, theirs), strict=True):
        if first != second:
            return first < second
    return False


def _order(layer: LayerFacts) -> tuple[str, str, str, list[Sequence[int]], list[str]]:
    dimensions = [use.dimensions for use in (*layer.inputs, *layer.outputs)]
    return layer.name, layer.type, layer.tactic, dimensions, list(layer.origins)


def _alignment(sides: Sequence[Side], baseline: int, found: _Found) -> Alignment:
    order = _in_order_of_execution(sides, baseline, found.rows)
    row_of = [[-1] * len(side.layers) for side in sides]
    for position, at in enumerate(order):
        for engine, indices in found.rows[at].items():
            for index in indices:
                row_of[engine][index] = position
    helpers: list[list[list[int]]] = [[[] for _ in sides] for _ in order]
    for engine, side in enumerate(sides):
        for index, served in sorted(side.serves.items()):
            row_of[engine][index] = row_of[engine][served]
            helpers[row_of[engine][served]][engine].append(index)
    aligned, layers_of = [], [side.layers for side in sides]
    for at, beside in zip(order, helpers, strict=True):
        of_engines = found.keys.get(at, {})
        layers = [found.rows[at].get(engine, []) for engine in range(len(sides))]
        keys = [_in_order_of_strength(of_engines.get(engine, ())) for engine in range(len(sides))]
        row = AlignedRow(layers, beside, keys, [], at in found.cut_rows)
        row.changes = changes(row, baseline, layers_of)
        aligned.append(row)
    return Alignment(baseline, aligned, row_of, found.cut)


def _in_order_of_strength(keys: Collection[MatchKey]) -> list[MatchKey]:
    return [key for key in MATCH_KEYS if key in keys] if len(keys) > 1 else [*keys]


def _in_order_of_execution(sides: Sequence[Side], baseline: int, rows: Sequence[Row]) -> list[int]:
    """Return the positions of the rows as the baseline runs them; others follow what runs before them."""
    row_of: list[dict[int, int]] = [{} for _ in sides]
    for at, row in enumerate(rows):
        for engine, indices in row.items():
            row_of[engine].update(dict.fromkeys(indices, at))
    #: Of each row the baseline's layer that it follows, and a number among those that follow the same.
    places: dict[int, tuple[int, int]] = {}
    for engine in (baseline, *(each for each in range(len(sides)) if each != baseline)):
        before = -1
        for index in sides[engine].primaries:
            at = row_of[engine][index]
            if at not in places:
                places[at] = (index, 0) if engine == baseline else (before, len(places))
            before = places[at][0]
    return sorted(places, key=lambda at: places[at])


def changes(row: AlignedRow, baseline: int, engines: Sequence[Sequence[LayerFacts]]) -> list[list[Change]]:
    """Return for each engine what is different from the baseline; see `AlignedRow.changes`."""
    return [
        [] if engine == baseline else _changes(row, baseline, engine, engines)
        for engine in range(len(engines))
    ]


def _changes(
    row: AlignedRow, baseline: int, engine: int, engines: Sequence[Sequence[LayerFacts]]
) -> list[Change]:
    ours = [engines[engine][index] for index in row.layers[engine]]
    theirs = [engines[baseline][index] for index in row.layers[baseline]]
    if not ours:
        return ["baseline only"] if theirs else []
    if not theirs:
        return ["candidate only"]
    found: list[Change] = []
    if len(ours) == len(theirs) == 1 and _are_alike(ours[0], theirs[0]):
        # As most: what follows would find nothing.
        return _changed_helpers(row, baseline, engine, engines)
    if len(ours) != len(theirs):
        found.append("fused" if len(ours) < len(theirs) else "split")
    if _precisions(ours) != _precisions(theirs) or _other_types(ours, theirs):
        found.append("precision changed")
    if {layer.tactic for layer in ours} != {layer.tactic for layer in theirs}:
        found.append("tactic changed")
    return found + _changed_helpers(row, baseline, engine, engines)


def _are_alike(one: LayerFacts, other: LayerFacts) -> bool:
    """Return whether two layers have one tactic, and the same types and layouts of all tensors."""
    return (
        one.tactic == other.tactic
        and one.precision == other.precision
        and one.output_precision == other.output_precision
        and [use.format for use in one.inputs] == [use.format for use in other.inputs]
        and [use.format for use in one.outputs] == [use.format for use in other.outputs]
    )


def _changed_helpers(
    row: AlignedRow, baseline: int, engine: int, engines: Sequence[Sequence[LayerFacts]]
) -> list[Change]:
    if not row.helpers[engine] and not row.helpers[baseline]:
        # As of most.
        return []
    # A no-op costs nothing: only what converts counts.
    now, then = (
        [index for index in row.helpers[each] if not engines[each][index].structural]
        for each in (engine, baseline)
    )
    more = len(now) - len(then)
    if not more:
        return []
    return ["reformats added" if more > 0 else "reformats removed"]


def _precisions(layers: Sequence[LayerFacts]) -> set[tuple[str, str]]:
    """Return the precisions of inputs and outputs; an output that no file states has that of the inputs."""
    return {(layer.precision, layer.output_precision or layer.precision) for layer in layers}


def _other_types(ours: Sequence[LayerFacts], theirs: Sequence[LayerFacts]) -> bool:
    """Return whether inputs or outputs after the first have other types, as the residual input of an Add."""

    def formats(layers: Sequence[LayerFacts]) -> list[list[str]]:
        return [[use.format for use in uses] for layer in layers for uses in (layer.inputs, layer.outputs)]

    def types(formats: Sequence[Sequence[str]]) -> list[list[str]]:
        return [sorted([each.partition(" ")[0] for each in of_uses]) for of_uses in formats]

    one, other = formats(ours), formats(theirs)
    if one == other:
        return False
    one, other = types(one), types(other)
    if [len(each) for each in one] != [len(each) for each in other]:
        return False  # other tensors: what differs may be a constant that only one file lists
    pairs = zip(one, other, strict=True)
    return any(mine != its for mine, its in pairs if BITS.keys() >= {*mine, *its})
