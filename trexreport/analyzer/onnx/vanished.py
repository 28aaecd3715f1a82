"""Why a node is in no layer, as far as the model shows."""

from __future__ import annotations

from collections.abc import Collection, Container

from trexreport.analyzer.analysis.onnx import VanishReason
from trexreport.analyzer.onnx.flat_graph import FlatGraph, FlatNode
from trexreport.analyzer.onnx.quantization import QUANTIZATION

#: They do nothing when a network is executed, as the operators' documentation states
#: (https://onnx.ai/onnx/operators/).
_NO_OPS = frozenset({"Identity", "Dropout"})
#: They change the shape of a tensor, and not its data; a transpose may become a layout that is read as it is.
_VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Expand"})
#: Multiplications and additions for each channel, which TensorRT merges into the weights of a convolution.
_MERGED = frozenset({"BatchNormalization"})
_SHAPES = frozenset({"Shape", "Size"})
_RANDOM = frozenset(
    {"RandomNormal", "RandomUniform", "RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli"}
)


class Vanishing:
    """Finds the reasons; made once for a model."""

    def __init__(self, graph: FlatGraph) -> None:
        self._constant: set[int] = set()
        self._shape: set[int] = set()
        for node in graph.nodes:
            self._add(node, graph)
        self._used = _reached(graph)

    def _add(self, node: FlatNode, graph: FlatGraph) -> None:
        """Sort a node in; those before it in topological order are. A graph inside may read anything."""
        if node.node.graphs or node.node.op_type in _RANDOM:
            return
        rest = [tensor for tensor in node.inputs if tensor not in graph.constants]
        sources = [graph.producer.get(tensor) for tensor in rest]
        if all(source in self._constant for source in sources):
            self._constant.add(node.index)
        elif node.node.op_type in _SHAPES or all(
            source in self._shape or source in self._constant for source in sources
        ):
            self._shape.add(node.index)

    def is_constant(self, index: int) -> bool:
        """Return whether a node is computed while building."""
        return index in self._constant

    def computing(self, nodes: Collection[int]) -> tuple[int, ...]:
        """Return those of a layer's nodes that take time: not those of constants, unless it has no others."""
        rest = tuple(index for index in nodes if index not in self._constant)
        return rest or tuple(nodes)

    def reason(self, node: FlatNode) -> VanishReason | None:
        """Return why a node that is in no layer is in none; None if the model does not show it."""
        is_used = node.index in self._used
        kinds: tuple[tuple[VanishReason, bool], ...] = (
            # Q/DQ of weights have constant inputs, and the layer that reads them computes with their scales.
            ("quantization", is_used and _is(node, QUANTIZATION)),
            ("constant", node.index in self._constant),
            ("unused", not is_used),
            ("shape", node.index in self._shape),
            ("no-op", _is(node, _NO_OPS)),
            ("view", _is(node, _VIEWS)),
            ("weights", _is(node, _MERGED)),
        )
        return next((reason for reason, holds in kinds if holds), None)


def _is(node: FlatNode, op_types: Container[str]) -> bool:
    return not node.node.domain and node.node.op_type in op_types


def _reached(graph: FlatGraph) -> set[int]:
    """Return the nodes that the outputs of the model depend on."""
    waiting = [graph.producer[tensor] for tensor in graph.results if tensor in graph.producer]
    found = set(waiting)
    while waiting:
        for index in graph.producers_of(graph.nodes[waiting.pop()]):
            if index not in found:
                found.add(index)
                waiting.append(index)
    return found
