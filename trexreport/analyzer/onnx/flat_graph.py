"""Flatten an ONNX model: local functions where they are called, subgraphs behind the node that owns them."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trexreport.model.onnx import OnnxFunction, OnnxGraph, OnnxInitializer, OnnxModel, OnnxNode

#: Functions that call functions can multiply a small file into any number of nodes.
MAX_NODES = 1_000_000
MAX_DEPTH = 100

#: What connects nodes: the number of a scope and a name in it.
TensorId = tuple[int, str]
TensorAlias = tuple[str, TensorId]


@dataclass(frozen=True, slots=True)
class FlatNode:
    """A node where it is executed.

    Attributes:
        name: As TensorRT's parser names it.
        functions: Local functions around it, outermost first.
        inputs, outputs: Tensors; optional ones that are left out are missing here.
    """

    index: int
    name: str
    node: OnnxNode
    functions: tuple[str, ...]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]


@dataclass
class FlatGraph:
    """All nodes in an order in which they can be computed, but for nodes before their subgraphs.

    Attributes:
        producer: Node that writes a tensor.
        constants: Initializers, each with its shape; None if that is not stated.
        results: Outputs of the model.
        aliases: Names that calls of functions give their results, each with the tensor.
        is_complete: False if functions call each other without an end.
    """

    nodes: list[FlatNode] = field(default_factory=list)
    producer: dict[TensorId, int] = field(default_factory=dict)
    constants: dict[TensorId, OnnxInitializer] = field(default_factory=dict)
    results: tuple[TensorId, ...] = ()
    aliases: list[TensorAlias] = field(default_factory=list)
    is_complete: bool = True

    def producers_of(self, node: FlatNode) -> Iterator[int]:
        """Yield the nodes whose outputs a node reads."""
        yield from (self.producer[tensor] for tensor in self.reads_of(node))

    def reads_of(self, node: FlatNode) -> Iterator[TensorId]:
        """Yield the outputs of other nodes that a node reads."""
        for tensor in node.inputs:
            if self.producer.get(tensor, node.index) != node.index:
                yield tensor

    def consumers(self) -> list[list[int]]:
        """Return for each node those that read an output of it."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for node in self.nodes:
            for producer in dict.fromkeys(self.producers_of(node)):
                found[producer].append(node.index)
        return found


def flatten(model: OnnxModel) -> FlatGraph:
    """Return the model without functions and subgraphs."""
    flattening = _Flattening(model.functions)
    scope = _Scope(0, ChainMap())
    flattening.add_graph(model.graph, scope)
    flattening.graph.results = tuple(scope.resolve(value.name) for value in model.graph.outputs)
    return flattening.graph


@dataclass(frozen=True, slots=True)
class _Scope:
    """Names that are visible: a graph's own, and those of the graphs around it."""

    number: int
    visible: ChainMap[str, TensorId]
    functions: tuple[str, ...] = ()

    def resolve(self, name: str) -> TensorId:
        return self.visible.get(name, (self.number, name))


class _Flattening:
    def __init__(self, functions: Sequence[OnnxFunction]) -> None:
        self.graph = FlatGraph()
        self._functions: Mapping[tuple[str, str, str], OnnxFunction] = {
            (each.domain, each.name, each.overload): each for each in functions
        }
        self._scopes = 0
        # Calls of functions too: those without nodes of their own can call each other without an end.
        self._visited = 0

    def add_graph(self, graph: OnnxGraph, scope: _Scope, depth: int = 0) -> None:
        for initializer in graph.initializers:
            tensor = scope.visible[initializer.name] = (scope.number, initializer.name)
            self.graph.constants[tensor] = initializer
        for value in graph.inputs:
            scope.visible[value.name] = (scope.number, value.name)
        self._add_nodes(graph.nodes, scope, depth)

    def _add_nodes(self, nodes: Sequence[OnnxNode], scope: _Scope, depth: int) -> None:
        for node in nodes:
            self._visited += 1
            if self._visited > MAX_NODES:
                self.graph.is_complete = False
                return
            function = self._functions.get((node.domain, node.op_type, node.overload))
            if function is None:
                self._add_node(node, scope, depth)
            elif depth < MAX_DEPTH:
                self._add_call(node, function, scope, depth)
            else:
                self.graph.is_complete = False

    def _add_node(self, node: OnnxNode, scope: _Scope, depth: int) -> None:
        index = len(self.graph.nodes)
        inputs = [scope.resolve(name) for name in node.inputs if name]
        outputs = tuple((scope.number, name) for name in node.outputs if name)
        # Its subgraphs see its inputs, but not its outputs.
        flat = FlatNode(index, node.parser_name, node, scope.functions, tuple(inputs), outputs)
        self.graph.nodes.append(flat)
        if depth < MAX_DEPTH:
            # The parser reads the branch of an If that is taken first.
            for _, graph in sorted(node.graphs.items(), key=lambda each: each[0] == "else_branch"):
                inner = _Scope(self._new_scope(), scope.visible.new_child(), scope.functions)
                self.add_graph(graph, inner, depth + 1)
                inputs += [inner.resolve(value.name) for value in graph.outputs]
        elif node.graphs:
            self.graph.is_complete = False
        if node.graphs:
            self.graph.nodes[index] = FlatNode(
                index, flat.name, node, scope.functions, tuple(dict.fromkeys(inputs)), outputs
            )
        for name, tensor in zip(filter(None, node.outputs), outputs, strict=True):
            scope.visible[name] = tensor
            self.graph.producer[tensor] = index

    def _add_call(self, node: OnnxNode, function: OnnxFunction, scope: _Scope, depth: int) -> None:
        """Add the body of a function; its inputs and outputs are the tensors of the call."""
        given = zip(function.inputs, node.inputs, strict=False)
        visible = ChainMap({inner: scope.resolve(outer) for inner, outer in given if outer})
        body = _Scope(self._new_scope(), visible, (*scope.functions, function.name))
        self._add_nodes(function.nodes, body, depth + 1)
        for inner, outer in zip(function.outputs, node.outputs, strict=False):
            if outer:
                scope.visible[outer] = body.resolve(inner)
                self.graph.aliases.append((outer, scope.visible[outer]))

    def _new_scope(self) -> int:
        self._scopes += 1
        return self._scopes
