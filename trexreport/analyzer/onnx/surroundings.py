"""What is around nodes and layers: the nodes that a node reads, and the layers that may compute them.

Of nodes with one name, those can be computed of which everything that they read is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.onnx.flat_graph import FlatGraph
from trexreport.analyzer.onnx.stated_nodes import Choice, StatedNodes

#: How far is looked through nodes that no layer names, and layers that name nothing.
_MAX_SEEN = 256

#: What is the same for all layers that can compute some nodes with one name.
NodesKey = tuple[int, int, int]


class Surroundings:
    """Finds them in a model and an engine.

    Attributes:
        named: Nodes that layers name, without those that are computed while building.
        places: By node, the layers that may compute it, as far as they are known.
    """

    def __init__(
        self,
        graph: FlatGraph,
        layers: Sequence[LayerFacts],
        tensors: Sequence[TensorFacts],
        stated: Sequence[StatedNodes],
        constant: Callable[[int], bool],
    ) -> None:
        self._graph, self._layers, self._tensors, self._stated = graph, layers, tensors, stated
        self._consumers = graph.consumers()
        self._all = set(range(len(layers)))
        self.places: dict[int, set[int]] = {}
        for at, own in enumerate(stated):
            for index in (*own.nodes, *(index for end in own.ends for index in end)):
                self.places.setdefault(index, set()).add(at)
        several = {choice.name: choice.nodes for each in stated for choice in each.choices}.values()
        named = self.places.keys() | {index for nodes in several for index in nodes}
        self.named = {index for index in named if not constant(index)}
        self._around_of: dict[tuple[int, bool], tuple[set[int], set[str]]] = {}
        self._near_of: dict[tuple[int, bool], tuple[set[int], set[str]]] = {}

    def possible(self, index: int, layer: int, *, is_ahead: bool) -> set[int]:
        """Return the layers that may compute what a node of a layer reads, or what reads it."""
        near = self.near(layer, is_ahead=is_ahead)[0]
        if near is self._all:
            return near
        # A node may be divided into several layers.
        others = (each for each in near if each in self.places.get(index, ()))
        return near.union({layer}, *(self.near(each, is_ahead=is_ahead)[0] for each in others))

    def around(self, index: int, *, is_ahead: bool) -> tuple[set[int], set[str]]:
        """Return the nearest named nodes before or after a node, and the model's inputs that it reads."""
        key = (index, is_ahead)
        if key not in self._around_of:
            found, seen, given = set[int](), {index}, set[str]()
            waiting = [index]
            while waiting and len(seen) < _MAX_SEEN:
                node = self._graph.nodes[waiting.pop()]
                others: Iterable[int] = (
                    self._consumers[node.index] if is_ahead else self._graph.producers_of(node)
                )
                if not is_ahead:
                    given |= {
                        name
                        for number, name in node.inputs
                        # The inputs of a loop's body are those of no engine.
                        if number == 0
                        and (number, name) not in self._graph.producer
                        and (number, name) not in self._graph.constants
                    }
                for other in others:
                    if other in self.named:
                        found.add(other)
                    elif other not in seen:
                        seen.add(other)
                        waiting.append(other)
            self._around_of[key] = found - {index}, given
        return self._around_of[key]

    def near(self, layer: int, *, is_ahead: bool = False) -> tuple[set[int], set[str]]:
        """Return the nearest layers before or after a layer that name nodes, and the tensors on the way."""
        key = (layer, is_ahead)
        if key not in self._near_of:
            found, seen, names = set[int](), {layer}, set[str]()
            waiting = [layer]
            while waiting and len(seen) < _MAX_SEEN:
                for name, others in self._edges(self._layers[waiting.pop()], is_ahead=is_ahead):
                    names.add(name)
                    for other in others:
                        own = self._stated[other]
                        if own.nodes or own.choices or own.ends:
                            found.add(other)
                        elif other not in seen:
                            seen.add(other)
                            waiting.append(other)
            # With too many on the way, any layer may be near.
            is_open = len(seen) >= _MAX_SEEN
            self._near_of[key] = self._all if is_open else found - {layer}, names
        return self._near_of[key]

    def _edges(self, layer: LayerFacts, *, is_ahead: bool) -> Iterator[tuple[str, Sequence[int]]]:
        for use in layer.outputs if is_ahead else layer.inputs:
            tensor = self._tensors[use.tensor]
            yield tensor.name, tensor.consumers if is_ahead else tensor.producers


@dataclass(slots=True)
class OpenChoice:
    """A choice of a layer, and what is left of it.

    Attributes:
        is_spelled: The counters show the nodes.
        is_counted: All layers together state the name as often as nodes have it: each is stated once.
    """

    layer: int
    choice: Choice
    left: list[int] = field(default_factory=list)
    is_inferred: bool = False
    is_spelled: bool = False
    is_counted: bool = False

    @property
    def nodes(self) -> tuple[int, ...]:
        """All nodes that it can be."""
        return self.choice.possible or self.choice.nodes

    @property
    def key(self) -> NodesKey:
        """What is the same for all layers that can compute these nodes."""
        return self.nodes[0], self.nodes[-1], len(self.nodes)

    @property
    def is_decided(self) -> bool:
        """Whether the layer computes all that is left."""
        times = self.choice.times
        return self.is_spelled or (len(self.left) == times and (self.is_counted or times == 1))


class ReadyNodes:
    """Finds them, layer by layer.

    Attributes:
        ready: By the nodes of a name, those that can be computed.
        keys: Of each node.
        readers: By node, those that read it.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self.ready: dict[NodesKey, set[int]] = {}
        self.keys: dict[int, list[NodesKey]] = {}
        self.readers: dict[int, list[int]] = {}
        self._missing: dict[int, int] = {}
        self._available: set[int] = set()

    def add(self, choices: Iterable[OpenChoice]) -> None:
        """Prepare which nodes can be computed: those of which all that they read is."""
        for each in choices:
            if each.key not in self.ready and not each.is_spelled:
                self.ready[each.key] = set()
                for index in each.nodes:
                    self.keys.setdefault(index, []).append(each.key)
        for index, keys in self.keys.items():
            before = self._around.around(index, is_ahead=False)[0]
            self._missing[index] = len(before)
            for other in before:
                self.readers.setdefault(other, []).append(index)
            if not before:
                for key in keys:
                    self.ready[key].add(index)

    def make_available(self, index: int) -> None:
        """Note that a node is computed, or may be."""
        if index not in self._available:
            self._available.add(index)
            for reader in self.readers.get(index, ()):
                self._missing[reader] -= 1
                if not self._missing[reader]:
                    for key in self.keys[reader]:
                        self.ready[key].add(reader)
