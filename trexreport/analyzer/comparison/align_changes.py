"""How the layers of a row differ in structure from the baseline's."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow, Change
from trexreport.model.data_format import BITS


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
