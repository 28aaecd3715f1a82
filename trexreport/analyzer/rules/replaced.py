"""What the remedies of findings remove or replace: what other rules report of these layers goes with them.

A rule states whether its remedy does so with the layers of its places (`Rule.replaces`). Their reformats go
with them: those that only they read, and those of what they alone write.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts, Severity
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.caches import appending
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.copy_kinds import shifts_rows
from trexreport.analyzer.rules.patterns import is_conversion, only_copies
from trexreport.analyzer.rules.reformat.reformat_places import reformat_places
from trexreport.analyzer.rules.rule_place import RulePlace

#: Part of a place's time from which on it goes with the layers of another finding.
_MOST = 0.8
#: What another change saves of the same layers in percent of layer time, from which on it is worth a finding.
_MUCH_PERCENT = 10.0
#: A rule and the severity of its places, which become one finding.
Key = tuple[str, Severity]


class Replaced:
    """The layers that each finding's remedy removes or replaces.

    Args:
        places: Of all rules.
        context: The engine.
    """

    def __init__(self, places: Sequence[RulePlace], context: Context) -> None:
        self.places, self.context = places, context
        removing = [index for index, each in enumerate(places) if each.rule.replaces]
        self.members: Mapping[Key, Sequence[int]] = group_by(removing, self._key)
        self.layers = {key: self._with_reformats(members) for key, members in self.members.items()}
        self._affecting: dict[Key, defaultdict[int, list[int]]] = {}
        for index in removing:
            of_key = self._affecting.setdefault(self._key(index), defaultdict(list))
            for layer in places[index].affected:
                of_key[layer].append(index)
        self._amounts = {key: self._amount(layers) for key, layers in self.layers.items()}

    def causes(self, index: int) -> list[int]:
        """Return the places whose remedies replace most of what a place is about, the largest finding first.

        None of a measurement or a file, and none where a place states no layers.
        """
        each = self.places[index]
        if not each.place.layers or each.rule.section == "notes" or each.rule.family == "measurement":
            return []
        amount = self._amount(each.place.layers)
        found = [
            (self._amounts[key], key)
            for key, layers in self.layers.items()
            if key[0] != each.rule.code
            and self._amount(layers.intersection(each.place.layers)) >= _MOST * amount > 0
        ]
        nearest = (self._nearest(index, key) for _, key in sorted(found, reverse=True))
        return [cause for cause in nearest if not self._is_alternative(each, self.places[cause])]

    def _is_alternative(self, each: RulePlace, cause: RulePlace) -> bool:
        """Return whether a place saves much of layers for which the remedy of another may save nothing."""
        gain, other = each.place.gain, cause.place.gain
        if gain is None or other is None or other.low_ms or each.severity != "warning":
            return False
        is_much = self.context.share_percent(gain.high_ms) >= _MUCH_PERCENT
        return is_much and set(cause.place.layers).issuperset(each.place.layers)

    def is_whole(self, index: int, cause: int) -> bool:
        """Return whether all layers of a place go with those of a cause."""
        return self.layers[self._key(cause)].issuperset(self.places[index].place.layers)

    def _nearest(self, index: int, key: Key) -> int:
        """Return the place that has most of the layers of another one, else the one beside it."""
        layers = set(self.places[index].place.layers)
        around = layers | {near for layer in layers for near in self._around(layer)}

        def rank(member: int) -> tuple[float, float, int]:
            own = self.places[member].affected
            return -self._amount(own & layers), -self._amount(own & around), member

        # Of those that have none of these layers it is the first.
        near = {member for layer in around for member in self._affecting[key].get(layer, ())}
        return min({self.members[key][0], *near}, key=rank)

    def _with_reformats(self, members: Iterable[int]) -> frozenset[int]:
        own = {layer for member in members for layer in self.places[member].affected}
        stays = {layer.index for layer, _ in self.context.cached(reformat_places).at_io_tensors}
        stays |= self.context.cached(appending)
        beside: set[int] = set()
        for near in {near for layer in own for near in self._around(layer)} - own - stays:
            layer = self.context.layers[near]
            if not is_conversion(self.context, layer) or shifts_rows(self.context, layer):
                continue  # No kernel reads rows that are shifted in place.
            converts = layer.precision != layer.output_precision
            if any(
                sides
                and own.issuperset(each.index for each in sides)
                # Without a copy its data still needs the other type.
                and not (converts and all(map(only_copies, sides)))
                for sides in (self.context.predecessors(layer), self.context.successors(layer))
            ):
                beside.add(near)
        return frozenset(own | beside)

    def _around(self, layer: int) -> list[int]:
        at: LayerFacts = self.context.layers[layer]
        return [each.index for each in (*self.context.predecessors(at), *self.context.successors(at))]

    def _key(self, index: int) -> Key:
        return self.places[index].rule.code, self.places[index].severity

    def _amount(self, layers: Collection[int]) -> float:
        """Return the time of layers, or their number without a profile."""
        return self.context.time_of(layers) if self.context.total_ms else len(layers)
