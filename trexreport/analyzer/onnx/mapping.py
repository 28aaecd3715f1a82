"""Decide which nodes each layer computes, from the surest evidence to the least sure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import LayerFacts, TensorFacts
from trexreport.analyzer.analysis.onnx import NodeEvidence
from trexreport.analyzer.onnx.calls import Resolved, resolve_calls
from trexreport.analyzer.onnx.flat_graph import FlatGraph
from trexreport.analyzer.onnx.names import NodeNames
from trexreport.analyzer.onnx.stated_nodes import StatedNodes, stated_nodes
from trexreport.analyzer.onnx.vanished import Vanishing
from trexreport.analyzer.onnx.verdict import MOVING, ModelVerdict, compare_model, has_more
from trexreport.lazy_dataclass import dataclass
from trexreport.model.fused_names import is_reformat_name, is_torch_name

#: How many nodes are looked at before those that a layer names.
_MAX_IMPLIED = 64


@dataclass(frozen=True)
class Mapping:
    """Nodes of each layer, each with its evidence.

    Attributes:
        layer_nodes: For each layer, node to evidence, in the order in which they were found.
        stated, matched: Numbers of distinct names of nodes that the engine states, and of those in the model.
    """

    verdict: ModelVerdict
    stated: int
    matched: int
    layer_nodes: Sequence[dict[int, NodeEvidence]]


def map_nodes(
    graph: FlatGraph,
    names: NodeNames,
    layers: Sequence[LayerFacts],
    tensors: Sequence[TensorFacts],
    vanishing: Vanishing,
    *,
    has_other_ends: bool = False,
) -> Mapping:
    """Map the nodes of a model to the layers of an engine, unless it has other inputs or outputs."""
    stated = _all_stated(layers, names)
    written = [_written_nodes(layer, tensors, names) for layer in layers]
    matched = {name for each in stated for name in each.matched}
    unmatched = {name for each in stated for name in each.unmatched}
    if any(is_torch_name(layer.name) for layer in layers):
        unmatched.clear()
    calls = resolve_calls(graph, layers, tensors, stated, vanishing.is_constant)
    for at, call in calls.items():
        stated[at] = _with_call(stated[at], call)
    found = [dict.fromkeys(each.nodes, each.evidence) if each.evidence else {} for each in stated]
    by_order = {(at, index) for at, call in calls.items() for index in call.inferred}
    for at, index in by_order:
        found[at].update({index: "inferred"} if index in found[at] else {})
    taken = {index for each in found for index in each}.union(*(each.ambiguous for each in calls.values()))
    implied = [
        _implied(graph, each.nodes, nodes, taken) if each.nodes else ()
        for each, nodes in zip(stated, written, strict=True)
    ]
    pairs = [
        ({*each.nodes, *after}, nodes)
        for each, nodes, after in zip(stated, written, implied, strict=True)
        if each.nodes and nodes and not each.ends
    ]
    io_names = {tensor.name for tensor in tensors if tensor.role in ("input", "output")}
    holds_ends = any(map(names.is_tensor, io_names)) if io_names else None
    verdict = compare_model(
        graph,
        layers,
        stated,
        pairs,
        names=(matched, unmatched),
        holds_ends=holds_ends,
        has_other_ends=has_other_ends,
    )
    counts = (len(matched) + len(unmatched), len(matched))
    if verdict.match == "other":
        return Mapping(verdict, *counts, [{} for _ in layers])
    for nodes, between in zip(found, implied, strict=True):
        # What vanishes, such as the Q of the next layer, is not computed by this one.
        computed = (index for index in between if vanishing.reason(graph.nodes[index]) is None)
        nodes.update(dict.fromkeys((index for index in computed if index not in taken), "inferred"))
        taken.update(nodes)
    for at, (layer, nodes, each, producers) in enumerate(zip(layers, found, stated, written, strict=True)):
        if not nodes and layer.type not in MOVING and not is_reformat_name(layer.name):
            nodes.update(_ends_and_producers(at, each, producers, by_order, taken))
    taken |= {index for each in found for index in each}
    if verdict.match == "unknown" and any(found):
        verdict = ModelVerdict("same")
    for at, call in calls.items():
        found[at].update(
            dict.fromkeys((each for each in call.ambiguous if each not in found[at]), "ambiguous")
        )
    inferring = _Inferring(graph, names, taken)
    for layer, nodes, each in zip(layers, found, stated, strict=True):
        if nodes and not each.nodes:
            inferring.add_between(nodes, each.ends, _read_tensors(layer, tensors))
    if verdict.match == "same" and has_more(graph, layers, stated, found, vanishing):
        verdict = ModelVerdict("partly", "not-executed")
    return Mapping(verdict, *counts, found)


def _ends_and_producers(
    at: int,
    each: StatedNodes,
    producers: Sequence[int],
    by_order: Container[tuple[int, int]],
    taken: Container[int],
) -> dict[int, NodeEvidence]:
    """Return the nodes of a layer that states none: the ends of its region, and what writes its tensors."""
    found: dict[int, NodeEvidence] = {
        index: "inferred" if (at, index) in by_order else "name"
        for end in each.ends
        for index in end
        if index not in taken
    }
    for index in producers:
        if index not in taken:
            found.setdefault(index, "tensor")
    return found


def _all_stated(layers: Sequence[LayerFacts], names: NodeNames) -> list[StatedNodes]:
    """Return what each layer states; "name_12" is only "name" where another layer has that name."""
    stated = [stated_nodes(layer, names) for layer in layers]
    known = {name for each in stated for name in each.matched}
    for at, each in enumerate(stated):
        other = [choice for choice in each.choices if len(choice.nodes) == 1 and choice.name not in known]
        if other:
            spelled = (f"{choice.name}_{choice.counters[0] - 1}" for choice in other)
            rest = tuple(choice for choice in each.choices if choice not in other)
            stated[at] = replace(each, unmatched=(*each.unmatched, *spelled), choices=rest)
    return stated


def _with_call(each: StatedNodes, call: Resolved) -> StatedNodes:
    """Add what a layer computes of the names that several nodes have."""
    ends = tuple(
        (*nodes, *(index for end, index in call.nodes if end == at)) for at, nodes in enumerate(each.ends)
    )
    nodes = dict.fromkeys((*each.nodes, *(index for end, index in call.nodes if end is None)))
    return replace(each, nodes=tuple(nodes), ends=ends)


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
    # Of a name that several nodes write, in calls of a function, it is not known which one it is.
    writers = (found for found in map(names.writers, outputs) if len(found) == 1)
    return tuple(dict.fromkeys(index for found in writers for index in found))


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
