"""Decide which nodes each layer computes, from the surest evidence to the least sure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Container, Iterator, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.onnx import ModelMatch, NodeEvidence
from trexreport.analyzer.onnx.flat_graph import FlatGraph
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.analyzer.onnx.stated_nodes import StatedNodes, is_of_torch, is_reformat, stated_nodes
from trexreport.analyzer.onnx.vanished import Vanishing

#: Layers that move data between others, whatever their tensors are called.
_MOVING = frozenset({"Reformat", "NoOp", "Constant", "signal", "wait", "shape_call"})
#: Nodes that no optimization of a build leaves out, unless their result is constant or unused.
_COMPUTING = frozenset({"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "Gemm", "MatMul"})
#: Of the nodes that an engine names, the part that the model must have to be the same, and not another;
#: and of the nodes above, the part that an engine whose layers are all known must have.
SAME_MODEL, OTHER_MODEL = 0.9, 0.5
#: Of the tensors that the layers of matched nodes write, the part that these nodes must write.
_OTHER_TENSORS, _ENOUGH_TENSORS = 0.1, 8
#: How many nodes are looked at before those that a layer names.
_MAX_IMPLIED = 64


@dataclass(frozen=True)
class Mapping:
    """Nodes of each layer, each with its evidence.

    Attributes:
        layer_nodes: For each layer, node to evidence, in the order in which they were found.
        stated, matched: Numbers of distinct names of nodes that the engine states, and of those in the model.
    """

    match: ModelMatch
    stated: int
    matched: int
    layer_nodes: Sequence[dict[int, NodeEvidence]]


def map_nodes(
    graph: FlatGraph,
    names: NodeNames,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    vanishing: Vanishing,
) -> Mapping:
    """Map the nodes of a model to the layers of an engine."""
    stated = [stated_nodes(layer, names) for layer in layers]
    found: list[dict[int, NodeEvidence]] = [
        dict.fromkeys(each.nodes, each.evidence) if each.evidence else {} for each in stated
    ]
    written = [_written_nodes(layer, tensors, names) for layer in layers]
    matched = {name for each in stated for name in each.matched}
    unmatched = {name for each in stated for name in each.unmatched}
    if any(map(is_of_torch, layers)):
        unmatched.clear()
    taken = {index for each in found for index in each}
    implied = [
        _implied(graph, each.nodes, nodes, taken) if each.nodes else ()
        for each, nodes in zip(stated, written, strict=True)
    ]
    match = _model_match(len(matched), len(unmatched), stated, written, implied)
    counts = (len(matched) + len(unmatched), len(matched))
    if match == "other":
        return Mapping(match, *counts, [{} for _ in layers])
    for nodes, between in zip(found, implied, strict=True):
        # What vanishes, such as the Q of the next layer, is not computed by this one.
        computed = (index for index in between if vanishing.reason(graph.nodes[index]) is None)
        nodes.update(dict.fromkeys((index for index in computed if index not in taken), "inferred"))
        taken.update(nodes)
    for layer, nodes, each, producers in zip(layers, found, stated, written, strict=True):
        if not nodes and layer.type not in _MOVING and not is_reformat(layer):
            ends = (index for end in each.ends for index in end)
            nodes.update(dict.fromkeys((index for index in ends if index not in taken), "name"))
            for index in producers:
                if index not in taken:
                    nodes.setdefault(index, "tensor")
    taken |= {index for each in found for index in each}
    if match == "unknown" and any(found):
        match = "same"
    inferring = _Inferring(graph, names, taken)
    for layer, nodes, each in zip(layers, found, stated, strict=True):
        if nodes and not each.nodes:
            inferring.add_between(nodes, each.ends, _read_tensors(layer, tensors))
    if match == "same" and _has_more(graph, layers, stated, found, vanishing):
        match = "partly"
    return Mapping(match, *counts, found)


def _has_more(
    graph: FlatGraph,
    layers: Sequence[LayerFacts],
    stated: Sequence[StatedNodes],
    found: Sequence[Collection[int]],
    vanishing: Vanishing,
) -> bool:
    """Return whether a model computes what no layer does: ResNet34 has all the nodes of a ResNet18.

    Layers whose nodes are not known may compute anything: with such a layer it is not decided.
    """
    for layer, each in zip(layers, stated, strict=True):
        if not each.nodes and layer.type not in _MOVING and not is_reformat(layer):
            return False
    inside = {index for nodes in found for index in nodes}
    computing = [
        node.index
        for node in graph.nodes
        if not node.node.domain and node.node.op_type in _COMPUTING and vanishing.reason(node) is None
    ]
    return sum(index in inside for index in computing) < SAME_MODEL * len(computing)


def _model_match(
    matched: int,
    unmatched: int,
    stated: Sequence[StatedNodes],
    written: Sequence[Sequence[int]],
    implied: Sequence[Sequence[int]],
) -> ModelMatch:
    """Compare what the engine states with the model; names alone may be those of any model of an exporter."""
    if not matched + unmatched:
        return "unknown"
    if matched < OTHER_MODEL * (matched + unmatched):
        return "other"
    pairs = [
        ({*each.nodes, *after}, nodes)
        for each, nodes, after in zip(stated, written, implied, strict=True)
        if each.nodes and nodes and not each.ends
    ]
    agreeing = sum(any(node in own for node in nodes) for own, nodes in pairs)
    if len(pairs) >= _ENOUGH_TENSORS and agreeing < _OTHER_TENSORS * len(pairs):
        return "other"
    return "same" if matched >= SAME_MODEL * (matched + unmatched) else "partly"


def _implied(
    graph: FlatGraph, own: Sequence[int], written: Sequence[int], taken: Container[int]
) -> tuple[int, ...]:
    """Return the nodes in no layer that lead from nodes that a layer names to others, or to what it writes.

    Names are not complete: an engine may name a convolution and its pooling, and not the activation between
    or the Q behind. A layer computes them too, as it could not wait for another one in between.
    """
    own_nodes = set(own)
    starts = [*own, *(index for index in written if index not in taken)]
    behind: dict[int, list[int]] = {index: [] for index in starts}
    waiting = deque(starts)
    reached: list[int] = []
    while waiting and len(behind) <= len(starts) + _MAX_IMPLIED:
        index = waiting.popleft()
        for producer in graph.producers_of(graph.nodes[index]):
            if producer in own_nodes:
                reached.append(index)
            elif producer in behind:
                behind[producer].append(index)
            elif producer not in taken:
                behind[producer] = [index]
                waiting.append(producer)
    found = dict[int, None]()
    while reached:
        index = reached.pop()
        if index not in found:
            found[index] = None
            reached += behind[index]
    return tuple(index for index in found if index not in own_nodes)


def _written_nodes(layer: LayerFacts, tensors: Sequence[TensorFacts], names: NodeNames) -> tuple[int, ...]:
    """Return the nodes that write the tensors that a layer writes."""
    outputs = (tensors[use.tensor].name for use in layer.outputs)
    return tuple(dict.fromkeys(index for name in outputs for index in names.writers(name)))


def _read_tensors(layer: LayerFacts, tensors: Sequence[TensorFacts]) -> list[str]:
    return [tensors[use.tensor].name for use in layer.inputs]


class _Inferring:
    """Finds the nodes that must be in a layer because those around them are."""

    def __init__(self, graph: FlatGraph, names: NodeNames, taken: set[int]) -> None:
        self._graph = graph
        self._names = names
        self._taken = taken
        self._consumers: list[list[int]] | None = None
        self._given: set[str] | None = None

    def add_between(
        self, nodes: dict[int, NodeEvidence], ends: Sequence[Sequence[int]], read: Sequence[str]
    ) -> None:
        """Add the nodes between the ends of a region, and between the tensors that a layer reads and writes.

        Args:
            nodes: Those of the layer that are known.
            ends: The first and the last nodes, where the layer states them.
            read: Names of the tensors that it reads.
        """
        results = [index for index, evidence in nodes.items() if evidence == "tensor"]
        # Without ends, a tensor of unknown origin would leave the beginning of the model as the only limit.
        is_bounded = bool(ends) or all(self._is_known(name) for name in read)
        within = self._bounded(results, nodes, read) if is_bounded else set()
        if ends:
            first, last = ends[0], ends[-1]
            if first and last:
                within |= self._between(first, last, nodes)
        for index in sorted(within):
            if index not in self._taken:
                nodes.setdefault(index, "inferred")
        self._taken.update(nodes)

    def _is_known(self, tensor: str) -> bool:
        if self._given is None:
            graph = self._graph
            inputs = (tensor for node in graph.nodes for tensor in node.inputs)
            self._given = {name for number, name in inputs if (number, name) not in graph.producer}
        return tensor in self._given or bool(self._names.writers(tensor))

    def _between(self, first: Sequence[int], last: Sequence[int], own: Container[int]) -> set[int]:
        """Return the nodes on the ways from the first to the last; nodes are in topological order."""
        if self._consumers is None:
            self._consumers = self._graph.consumers()
        consumers, nodes = self._consumers, self._graph.nodes
        low, high = min(first), max(last)
        ahead = self._reached(first, own, lambda index: (each for each in consumers[index] if each <= high))
        back = self._reached(
            last, own, lambda index: (each for each in self._graph.producers_of(nodes[index]) if each >= low)
        )
        return ahead & back

    def _bounded(self, results: Sequence[int], own: Container[int], read: Sequence[str]) -> set[int]:
        """Return what computes the results from the tensors that are read and from what others compute."""
        nodes = self._graph.nodes
        borders = {index for name in read for index in self._names.writers(name)} - set(results)
        return self._reached(
            results,
            own,
            lambda index: (each for each in self._graph.producers_of(nodes[index]) if each not in borders),
        )

    def _reached(
        self, ends: Sequence[int], own: Container[int], next_of: Callable[[int], Iterator[int]]
    ) -> set[int]:
        """Return what is reached without nodes of other layers."""
        reached = set(ends)
        waiting = list(ends)
        while waiting:
            for index in next_of(waiting.pop()):
                if index not in reached and (index not in self._taken or index in own):
                    reached.add(index)
                    waiting.append(index)
        return reached
