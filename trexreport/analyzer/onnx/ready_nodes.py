"""Which of the nodes with one name can be computed, as everything that they read is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from trexreport.analyzer.onnx.stated_nodes import Choice
from trexreport.analyzer.onnx.surroundings import Surroundings

#: What is the same for all layers that can compute some nodes with one name.
NodesKey = tuple[int, int, int]


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
