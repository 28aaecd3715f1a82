"""Look up the nodes of a model by their names and by the names of their tensors, as an engine spells them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from trexreport.analyzer.onnx.flat_graph import FlatGraph
from trexreport.regex import regex

#: Myelin replaces what is not a letter, digit, "/" or "_" in the names of tensors, and adds numbers.
_SANITIZED = regex(r"[^\w/:]", re.ASCII)
_MYELIN_NUMBER = regex(r"'?\.\d+(?:_\d+)?$|'$", re.ASCII)
#: Names as long as this may be cut in an engine; this many characters of their beginning are kept.
_LONG, _KEPT = 3900, 1900
#: Names that TensorRT gives tensors around a layer.
_REFORMATTED = regex(r"^Reformatted |_copy_(?:in|out)put$", re.ASCII)


class NodeNames:
    """The names of a model."""

    def __init__(self, graph: FlatGraph) -> None:
        by_name: dict[str, list[int]] = defaultdict(list)
        self._by_tensor: dict[str, list[int]] = defaultdict(list)
        self._by_sanitized: dict[str, list[int]] = defaultdict(list)
        for node in graph.nodes:
            by_name[node.name].append(node.index)
            for _, tensor in node.outputs:
                self._by_tensor[tensor].append(node.index)
                self._by_sanitized[_SANITIZED.sub("_", tensor)].append(node.index)
        self._by_name = {name: tuple(nodes) for name, nodes in by_name.items()}
        self._by_function: dict[tuple[str, str], tuple[int, ...]] = {}
        for name, tensor_id in graph.aliases:
            if tensor_id in graph.producer and name != tensor_id[1]:
                self._by_tensor[name].append(graph.producer[tensor_id])
                self._by_sanitized[_SANITIZED.sub("_", name)].append(graph.producer[tensor_id])
        self._constants = {name for _, name in graph.constants}
        self._graph = graph
        self._constant_readers: dict[str, list[int]] | None = None
        self._read: set[str] | None = None
        self._long: dict[str, list[str]] = defaultdict(list)
        for name in self._by_name:
            if len(name) >= _LONG:
                self._long[name[:_KEPT]].append(name)

    def nodes(self, name: str) -> tuple[int, ...]:
        """Return the nodes with a name; several where a local function is called several times."""
        return self._by_name.get(name, ())

    def name_of(self, index: int) -> str:
        """Return the name of a node."""
        return self._graph.nodes[index].name

    def of_function(self, name: str, function: str) -> tuple[int, ...]:
        """Return the nodes with a name that are in a local function, or, of "", in none."""
        key = (name, function)
        if key not in self._by_function:
            own = ((index, self._graph.nodes[index].functions) for index in self.nodes(name))
            self._by_function[key] = tuple(
                index for index, around in own if (around or ("",))[-1] == function
            )
        return self._by_function[key]

    def cut(self, beginning: str, ending: str) -> Sequence[int]:
        """Return the nodes whose names begin and end so."""
        found = (name for name in self._long.get(beginning[:_KEPT], ()) if name.endswith(ending))
        return [index for name in found if name.startswith(beginning) for index in self._by_name[name]]

    def is_constant(self, name: str) -> bool:
        """Return whether a name is that of an initializer."""
        return name in self._constants

    def is_tensor(self, name: str) -> bool:
        """Return whether a name is that of a tensor: an output of a node, or what nodes read."""
        if self._read is None:
            self._read = {tensor for node in self._graph.nodes for _, tensor in node.inputs}
        return name in self._read or bool(self.writers(name))

    def end(self, name: str) -> Sequence[int]:
        """Return the nodes that an end of a region names: by name, by an output, or by a constant."""
        found = self.nodes(name) or self.writers(name)
        if found or name not in self._constants:
            return found
        if self._constant_readers is None:
            self._constant_readers = defaultdict(list)
            for node in self._graph.nodes:
                for tensor in node.inputs:
                    if tensor in self._graph.constants:
                        self._constant_readers[tensor[1]].append(node.index)
        return self._constant_readers.get(name, ())

    def writers(self, tensor: str) -> Sequence[int]:
        """Return the nodes that write a tensor of the engine, of which the name may be altered."""
        if _REFORMATTED.search(tensor):
            return ()
        plain = _MYELIN_NUMBER.sub("", tensor, count=1)
        for names, name in (
            (self._by_tensor, tensor),
            (self._by_tensor, plain),
            (self._by_sanitized, _SANITIZED.sub("_", plain)),
        ):
            if name in names:
                return names[name]
        return ()
