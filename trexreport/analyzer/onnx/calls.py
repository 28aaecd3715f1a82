"""Decide which of several nodes with one name a layer computes: those of a function that is called twice.

The parser writes the same Metadata for each call. It makes the names of layers unique by a counter, which
grows in its order ("relu", "relu_12"). Else the order of execution and the tensors show which call it is: a
node is computed after those that it reads, in a layer that gets their results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.onnx.flat_graph import FlatGraph
from trexreport.analyzer.onnx.stated_nodes import StatedNodes
from trexreport.analyzer.onnx.surroundings import NodesKey, OpenChoice, ReadyNodes, Surroundings

_ROUNDS = 4
#: Where more nodes of one name can be computed, it is left open which of them are.
_MAX_LEFT = 64


@dataclass(slots=True)
class Resolved:
    """What a layer computes of the names that several nodes have.

    Attributes:
        nodes: By the ends of a region, or None: nodes that are certain.
        inferred: Those of them that only the order of execution shows.
        ambiguous: Nodes of which it is not known whether this layer computes them.
    """

    nodes: list[tuple[int | None, int]] = field(default_factory=list)
    inferred: set[int] = field(default_factory=set)
    ambiguous: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Computed:
    """The nodes that the layers so far compute."""

    surely: set[int] = field(default_factory=set)
    perhaps: set[int] = field(default_factory=set)


def resolve_calls(
    graph: FlatGraph,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    stated: Sequence[StatedNodes],
    constant: Callable[[int], bool],
) -> dict[int, Resolved]:
    """Return for each layer with such names what it computes.

    Args:
        graph: The model.
        layers: In the order of execution.
        tensors: Of the engine.
        stated: What each layer states.
        constant: Whether a node is computed while building.
    """
    if not any(each.choices for each in stated):
        return {}
    return _Resolving(Surroundings(graph, layers, tensors, stated, constant), layers, stated).resolved()


class _Resolving:
    def __init__(
        self, around: Surroundings, layers: Sequence[LayerFacts], stated: Sequence[StatedNodes]
    ) -> None:
        self._around, self._places, self._layers, self._stated = around, around.places, layers, stated
        self._open = [OpenChoice(at, choice) for at, each in enumerate(stated) for choice in each.choices]
        self._by_layer: dict[int, list[OpenChoice]] = {}
        for each in self._open:
            self._by_layer.setdefault(each.layer, []).append(each)
        # Nodes that any layer that names them may compute.
        self._lost: set[int] = set()
        self._lost_keys: set[NodesKey] = set()
        self._nodes = ReadyNodes(around)

    def resolved(self) -> dict[int, Resolved]:
        self._use_counters()
        self._simulate()
        for each in self._open:
            for index in each.left:
                self._places.setdefault(index, set()).add(each.layer)
        for at in range(_ROUNDS):
            if not self._narrow(self._open if at % 2 else list(reversed(self._open)), is_ahead=not at % 2):
                break
        self._eliminate()
        found: dict[int, Resolved] = {}
        for each in self._open:
            own = found.setdefault(each.layer, Resolved())
            if each.is_decided:
                own.nodes += ((each.choice.end, index) for index in each.left)
                if each.is_inferred:
                    own.inferred.update(each.left)
            else:
                own.ambiguous += (index for index in each.left if index not in own.ambiguous)
        return found

    def _use_counters(self) -> None:
        """Use the names of layers: if there are as many as nodes, they are in the order of the parser."""
        spelled: dict[str, set[int]] = {}
        for each in self._open:
            spelled.setdefault(each.choice.name, set()).update(each.choice.counters)
        counts = Counter[NodesKey]()
        unchanged = Counter[str]()
        for each in self._open:
            counts[each.key] += each.choice.times
            unchanged[each.choice.name] += 0 in each.choice.counters
        ranks: dict[str, dict[int, int]] = {}
        for each in self._open:
            name, nodes, own = each.choice.name, each.choice.nodes, dict.fromkeys(each.choice.counters)
            if name not in ranks:
                ranks[name] = {}
                if 0 in spelled[name] and len(spelled[name]) == len(nodes):
                    ranks[name] = dict(zip(sorted(spelled[name]), nodes, strict=True))
            if len(nodes) == 1 or (list(own) == [0] and not ranks[name] and unchanged[name] == 1):
                each.left = [nodes[0]]
            else:
                each.left = [ranks[name][counter] for counter in own if counter in ranks[name]]
            each.is_spelled = bool(each.left)
            each.is_counted = counts[each.key] == len(each.nodes)

    def _simulate(self) -> None:
        """Go through the layers in their order: a node is computed after those that it reads."""
        computed = _Computed()
        self._nodes.add(self._open)
        for at, own in enumerate(self._stated):
            here = set(own.nodes).union(*own.ends)
            waiting = []
            for each in self._by_layer.get(at, ()):
                if each.is_spelled:
                    here.update(each.left)
                else:
                    waiting.append(each)
            self._fill(waiting, here, computed)
            waiting = [each for each in waiting if each.left]
            is_changed = bool(waiting)
            while is_changed:
                is_changed = False
                of_node = {index: each for each in waiting for index in each.left}
                for each in list(waiting):
                    fitting = [index for index in each.left if self._fits(index, at, of_node, here, computed)]
                    if not fitting:
                        each.is_inferred = True
                    elif len(fitting) < len(each.left):
                        each.left, is_changed = fitting, True
                    if len(fitting) == len(each.left) and each.is_decided:
                        each.is_inferred = not self._layers[at].inputs
                        here.update(fitting)
                        waiting.remove(each)
                        is_changed = True
            computed.surely |= here
            computed.perhaps.update(*(each.left for each in waiting))
            for index in here.union(*(each.left for each in waiting)):
                self._places.setdefault(index, set()).add(at)
                self._nodes.make_available(index)

    def _fill(self, waiting: Sequence[OpenChoice], here: Iterable[int], computed: _Computed) -> None:
        """Set what is left of the choices of a layer: what can be computed, and what reads only that."""
        waiting = [each for each in waiting if each.key not in self._lost_keys]
        for index in here if waiting else ():
            self._nodes.make_available(index)
        found: dict[NodesKey, set[int]] = {}
        for each in waiting:
            ready = self._nodes.ready[each.key]
            ready -= {index for index in ready if self._is_finished(index, each, computed.surely)}
            found[each.key] = set(ready)
        newest = set[int]().union(*found.values())
        for _ in range(sum(each.choice.times for each in waiting)):
            if not newest:
                break
            readers = {reader for index in newest for reader in self._nodes.readers.get(index, ())}
            newest = set()
            for index in readers:
                for key in self._nodes.keys[index]:
                    if key in found and index not in found[key]:
                        found[key].add(index)
                        newest.add(index)
        for each in waiting:
            left = found[each.key]
            if len(each.nodes) <= _MAX_LEFT:
                each.left = sorted(left) or list(each.nodes)
            elif 0 < len(left) <= _MAX_LEFT:
                each.left = sorted(left)
            else:
                # Any of them may be meant.
                self._lost_keys.add(each.key)
                self._lost.update(each.nodes)
                for index in each.nodes:
                    self._nodes.make_available(index)

    def _is_finished(self, index: int, each: OpenChoice, surely: AbstractSet[int]) -> bool:
        if index not in surely:
            return False
        return each.is_counted or not self._around.around(index, is_ahead=True)[0].isdisjoint(surely)

    def _fits(
        self, index: int, layer: int, of_node: Mapping[int, OpenChoice], here: set[int], computed: _Computed
    ) -> bool:
        """Return whether a layer may compute a node: it names what is missing for that, often enough."""
        if self._is_finished(index, of_node[index], computed.surely):
            return False
        needed, waiting = {index}, [index]
        while waiting:
            node = waiting.pop()
            before, given = self._around.around(node, is_ahead=False)
            for other in before - here - needed:
                if not self._gets(other, node, layer, computed):
                    if other not in of_node:
                        return False
                    needed.add(other)
                    waiting.append(other)
            if (
                given
                and not before
                and self._layers[layer].inputs
                and not given & self._around.near(layer)[1]
            ):
                return False
        counts = Counter(of_node[each].key for each in needed if each in of_node)
        return all(
            counts[of_node[each].key] <= of_node[each].choice.times for each in needed if each in of_node
        )

    def _gets(self, index: int, reader: int, layer: int, computed: _Computed) -> bool:
        """Return whether a layer that computes the reader of a node gets what another one computes of it."""
        if index in self._lost:
            return True
        if index not in computed.surely and index not in computed.perhaps:
            return False
        if not self._layers[layer].inputs:
            return True
        return bool(self._places.get(index, set()) & self._around.possible(reader, layer, is_ahead=False))

    def _narrow(self, choices: Iterable[OpenChoice], *, is_ahead: bool) -> bool:
        """Leave out nodes whose readers, or what they read, no layer beside theirs computes."""
        is_changed = False
        for each in choices:
            if each.is_decided or not self._around.near(each.layer, is_ahead=is_ahead)[0]:
                continue
            kept = [
                index
                for index in each.left
                if all(
                    other in self._lost
                    or not self._places.get(other)
                    or self._places[other] & self._around.possible(index, each.layer, is_ahead=is_ahead)
                    for other in self._around.around(index, is_ahead=is_ahead)[0]
                )
            ]
            if kept and len(kept) < len(each.left):
                for index in set(each.left) - set(kept):
                    self._places[index].discard(each.layer)
                each.left, is_changed = kept, True
        return is_changed

    def _eliminate(self) -> None:
        """Leave out what another layer computes, where there are no more layers than nodes."""
        by_name: dict[NodesKey, list[OpenChoice]] = {}
        for each in self._open:
            by_name.setdefault(each.key, []).append(each)
        for group in by_name.values():
            if sum(each.choice.times for each in group) <= len(group[0].nodes):
                taken = {index for each in group if each.is_decided for index in each.left}
                for each in group:
                    rest = [index for index in each.left if index not in taken]
                    if not each.is_decided and len(rest) >= each.choice.times and len(rest) < len(each.left):
                        each.left = rest
                        each.is_inferred = each.is_decided
