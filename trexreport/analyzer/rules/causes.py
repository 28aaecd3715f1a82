"""Join the places of different rules that one change resolves: a cause and its consequences.

A rule states which other rules' places its own explain, and where (`Rule.explains`). A place that several
explain belongs to the nearest: the one that affects its layers rather than their neighbors, then that of the
rule that most others explain in turn, then the first. So a chain (residual Add → convolution with float
output → conversion) leads to its first cause, and every place has at most one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import SEVERITIES, LayerFacts, Severity
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import is_conversion
from trexreport.analyzer.rules.replaced import Replaced
from trexreport.analyzer.rules.rule import Where
from trexreport.analyzer.rules.rule_depths import rule_depths
from trexreport.analyzer.rules.rule_place import RulePlace

#: Share of a summary's layers, by time, that causes must explain.
_MOSTLY = 0.6
#: A warning that sums up at least this share of layer time, in percent, is a finding of its own if it takes
#: longer than the rule that explains most of it, and causes explain less than this share of it.
_LARGE_PERCENT, _NEARLY_ALL = 10.0, 0.8
#: What no cause explains is a finding of its own from this share of layer time on, in percent.
_LARGE_REST_PERCENT = 5.0
#: The nearest first.
_NEAREST: tuple[Where, ...] = ("layers", "between", "neighbors", "engine")


class Cause(NamedTuple):
    """What explains a place.

    Attributes:
        first: Index of the first cause: nothing else explains it.
        in_part: Others explain the place as well, which sums up layers of several.
        is_replaced: The cause's remedy removes or replaces the layers of the place.
        is_shared: Several places of the cause's rule explain it, each a part of its layers.
    """

    first: int
    in_part: bool
    is_replaced: bool = False
    is_shared: bool = False


def causes_of(places: Sequence[RulePlace], context: Context) -> dict[int, Cause]:
    """Return the cause of each place that another one explains, by its index in `places`.

    A place never explains one that is more severe, so that what fails a run is always a finding; but what
    removes the layers of a warning does, and is one then, too.
    """
    return _Causes(places, context).found()


class _Causes:
    def __init__(self, places: Sequence[RulePlace], context: Context) -> None:
        self.places, self.context = places, context
        self.depth = rule_depths({each.rule.code: each.rule for each in places})
        self.parent: dict[int, int] = {}
        #: Of each rule that others explain where they do, and the places that explain it in the whole engine.
        self.wheres: defaultdict[str, set[Where]] = defaultdict(set)
        self.of_engine: defaultdict[str, list[int]] = defaultdict(list)
        self.affecting: defaultdict[int, list[int]] = defaultdict(list)
        for index, each in enumerate(places):
            for code, where in each.rule.explains.items():
                self.wheres[code].add(where)
                if where == "engine":
                    self.of_engine[code].append(index)
            if each.rule.explains:
                for layer in each.affected:
                    self.affecting[layer].append(index)
        self.own = list(map(self._computing, places))

    def found(self) -> dict[int, Cause]:
        shares, shared = [], set()
        for index, each in enumerate(self.places):
            candidates = [
                (_NEAREST.index(where), -self.depth[self.places[cause].rule.code], cause)
                for cause, where in self._candidates(index)
            ]
            if candidates:
                self._explain(index, (cause for *_, cause in sorted(candidates)))
            elif together := self._together(index):
                self._explain(index, together)
                shared.add(index)
            elif each.rule.code in self.wheres:
                shares.append(index)
        for index in shares:
            self._explain(index, self._largest_shares(index))
        in_part = self.parent.keys() & set(shares)
        left = Counter(each.rule.code for index, each in enumerate(self.places) if index not in self.parent)
        for index, each in enumerate(self.places):
            if index not in self.parent and left[each.rule.code] == 1:
                self._explain(index, self._of_single(index))
        replaced = self._explain_replaced()
        in_part |= {index for index, is_whole in replaced.items() if not is_whole}
        return {
            index: Cause(self._first(index), index in in_part, index in replaced, index in shared)
            for index in self.parent
        }

    def _explain_replaced(self) -> dict[int, bool]:
        """Note the causes of places whose layers another remedy replaces, the smallest place first.

        Returns:
            The places to whether all their layers are replaced.
        """
        replaced = Replaced(self.places, self.context)
        found = {}
        left = (
            [index for index in range(len(self.places)) if index not in self.parent]
            if replaced.layers
            else []
        )
        for index in sorted(left, key=lambda each: (self._amount(self.places[each].place.layers), each)):
            self._explain(index, (each for each in replaced.causes(index) if self._may_replace(each, index)))
            if index in self.parent:
                found[index] = replaced.is_whole(index, self.parent[index])
        return found

    def _may_replace(self, cause: int, index: int) -> bool:
        each = self.places[index]
        is_free = each.severity != "error" and not each.is_severity_stated
        return self._may_explain(cause, each) or (is_free and not self.places[cause].is_severity_stated)

    def _explain(self, index: int, causes: Iterable[int]) -> None:
        """Note the first of some causes that is not a consequence of the place itself."""
        cause = next((each for each in causes if self._first(each) != index), None)
        if cause is not None:
            self.parent[index] = cause

    def _first(self, index: int) -> int:
        while index in self.parent:
            index = self.parent[index]
        return index

    def _candidates(self, index: int) -> Iterable[tuple[int, Where]]:
        """Yield the places that explain one, and where."""
        code = self.places[index].rule.code
        for cause in self._near(index):
            where = self.places[cause].rule.explains[code]
            if where not in ("share", "single") and self._explains(cause, index, where):
                # What also states the layers themselves is nearer.
                yield cause, "layers" if self._explains(cause, index, "layers") else where

    def _together(self, index: int) -> list[int]:
        """Return the places of one rule that affect all layers of a place only together, the first first."""
        code, own = self.places[index].rule.code, self.own[index]
        of_rule: defaultdict[str, list[int]] = defaultdict(list)
        for cause in dict.fromkeys(each for layer in own for each in self.affecting.get(layer, ())):
            rule = self.places[cause].rule
            if rule.explains.get(code) == "layers" and self._may_explain(cause, self.places[index]):
                of_rule[rule.code].append(cause)
        for causes in of_rule.values():
            if set(own) <= {layer for cause in causes for layer in self.places[cause].affected}:
                return causes
        return []

    def _of_single(self, index: int) -> Iterable[int]:
        """Yield the places that explain the only place of a rule that nothing else explains."""
        code = self.places[index].rule.code
        for cause in self._near(index):
            if self.places[cause].rule.explains[code] == "single" and self._explains(cause, index, "layers"):
                yield cause

    def _near(self, index: int) -> list[int]:
        """Return the places that may explain one: at its first layer, next to it, or of the whole engine."""
        each, code = self.places[index], self.places[index].rule.code
        wheres = self.wheres.get(code)
        if not wheres:
            return []
        around = set(self.own[index][:1])
        if not wheres.isdisjoint({"between", "neighbors"}):
            around.update(*(side for layer in tuple(around) for side in self._sides(layer)))
        near = set(self.of_engine.get(code, ()))
        near.update(*(self.affecting.get(layer, ()) for layer in around))
        return [
            cause
            for cause in sorted(near)
            if code in self.places[cause].rule.explains and self._may_explain(cause, each)
        ]

    def _may_explain(self, cause: int, each: RulePlace) -> bool:
        other = self.places[cause]
        severities = [other.severity]
        if not self.context.total_ms and not other.is_severity_stated:
            # Where nothing was measured it may inform only for that reason; `settled` makes it as severe.
            severities.append(other.rule.severity)
        as_severe = min(map(SEVERITIES.index, severities)) <= SEVERITIES.index(each.severity)
        return as_severe and other.rule.code != each.rule.code

    def _explains(self, cause: int, index: int, where: Where) -> bool:
        if where == "engine":
            return True
        affected, layers = self.places[cause].affected, self.own[index]
        if not layers:
            return False
        if affected.issuperset(layers):
            return True
        if where == "layers":
            return False
        sides = [side for layer in layers if layer not in affected for side in self._sides(layer)]
        if where == "between":
            return all(side and affected.issuperset(side) for side in sides)
        return all(
            layer in affected or any(not affected.isdisjoint(side) for side in self._sides(layer))
            for layer in layers
        )

    def _computing(self, each: RulePlace) -> Sequence[int]:
        """Return the layers of a place that compute, else those that change the type, else all."""
        layers = [self.context.layers[layer] for layer in each.place.layers]
        computing = [layer.index for layer in layers if not is_conversion(self.context, layer)]
        changing = [layer.index for layer in layers if layer.precision != layer.output_precision]
        return computing or changing or each.place.layers

    def _sides(self, layer: int) -> tuple[set[int], set[int]]:
        """Return the neighbors of a layer before and after it, looking through conversions and reshapes."""

        def indices(layers: Iterable[LayerFacts]) -> set[int]:
            return {each.index for each in layers}

        context, at = self.context, self.context.layers[layer]

        def passes(other: LayerFacts) -> bool:
            # TensorRT's Shuffle reshapes and transposes.
            return other.type == "Shuffle" or is_conversion(context, other)

        return (
            indices(context.predecessors(at, passes)),
            indices(context.successors(at, passes)),
        )

    def _largest_shares(self, index: int) -> list[int]:
        """Return the places that explain most of a summary's layers, the one with the most first."""
        each = self.places[index]
        of_cause: defaultdict[tuple[str, Severity], float] = defaultdict(float)
        of_place: defaultdict[int, float] = defaultdict(float)
        explained = []
        for layer in each.place.layers:
            causes = [
                cause
                for cause in self.affecting.get(layer, ())
                if self.places[cause].rule.explains.get(each.rule.code) == "share"
                and self._may_explain(cause, each)
            ]
            if not causes:
                continue
            explained.append(layer)
            first = self._first(min(causes, key=self._first))
            amount = self._amount([layer])
            of_cause[self.places[first].rule.code, self.places[first].severity] += amount
            of_place[first] += amount
        if self._amount(explained) < _MOSTLY * self._amount(each.place.layers) or not explained:
            return []
        rest_ms = self._amount([layer for layer in each.place.layers if not self._is_reported(layer, each)])
        if each.rule.rest_of and self.context.share_percent(rest_ms) >= _LARGE_REST_PERCENT:
            return []  # Asked again it says what is left.
        if self._outweighs(each, explained, max(of_cause, key=lambda key: of_cause[key])):
            return []

        def rank(cause: int) -> tuple[float, float, int]:
            key = self.places[cause].rule.code, self.places[cause].severity
            return -of_cause[key], -of_place[cause], cause

        return sorted(of_place, key=rank)

    def _is_reported(self, layer: int, each: RulePlace) -> bool:
        """Return whether a rule that explains a summary reports a layer, however severe that is."""
        return any(
            self.places[cause].rule.explains.get(each.rule.code) == "share"
            for cause in self.affecting.get(layer, ())
        )

    def _outweighs(self, each: RulePlace, explained: Collection[int], key: tuple[str, Severity]) -> bool:
        """Return whether a large summary says more than the rule that explains most of its layers."""
        time_ms = self._amount(each.place.layers)
        if each.severity == "info" or self.context.share_percent(time_ms) < _LARGE_PERCENT:
            return False
        of_rule = {
            layer
            for other in self.places
            if (other.rule.code, other.severity) == key
            for layer in other.place.layers
        }
        return self._amount(explained) < _NEARLY_ALL * time_ms and self._amount(of_rule) < time_ms

    def _amount(self, layers: Collection[int]) -> float:
        """Return the time of layers, or their number without a profile."""
        return self.context.time_of(layers) if self.context.total_ms else len(layers)
