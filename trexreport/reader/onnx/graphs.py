"""Nodes, graphs and local functions. Field numbers: onnx.proto of ONNX 1.23."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from trexreport.model.onnx import (
    AttributeValue,
    OnnxFunction,
    OnnxGraph,
    OnnxInitializer,
    OnnxNode,
    OnnxValue,
)
from trexreport.reader.onnx.tensors import read_entry, read_initializer, read_sparse_initializer, read_value
from trexreport.reader.onnx.wire import MAX_LIST, Sized, Span, WireFile, enumerator, floats, integers, signed

#: AttributeProto.AttributeType.
_FLOAT, _INT, _STRING, _GRAPH, _FLOATS, _INTS, _STRINGS, _GRAPHS = 1, 2, 3, 5, 6, 7, 8, 10
_LAST_TYPE = 14
#: The tag of an integer of a list that is not packed.
_ONE_INT = 0x40
#: The type of a value by the tag of its field.
_TYPE_OF_TAG = {
    0x15: _FLOAT,
    0x18: _INT,
    0x22: _STRING,
    0x32: _GRAPH,
    0x3A: _FLOATS,
    0x3D: _FLOATS,
    _ONE_INT: _INTS,
    0x42: _INTS,
    0x4A: _STRINGS,
    0x5A: _GRAPHS,
}
#: The values of types whose field is not written.
_DEFAULTS: dict[int, Any] = {_FLOAT: 0.0, _INT: 0, _STRING: "", _FLOATS: (), _INTS: (), _STRINGS: ()}
#: What most nodes have no entries in.
_EMPTY: dict[str, Any] = {}


@dataclass(slots=True)
class GraphParts:
    """What was read of a graph: a file may state it in several parts."""

    name: str = ""
    nodes: list[OnnxNode] = field(default_factory=list)
    inputs: list[OnnxValue] = field(default_factory=list)
    outputs: list[OnnxValue] = field(default_factory=list)
    initializers: list[OnnxInitializer] = field(default_factory=list)
    sparse_initializers: list[OnnxInitializer] = field(default_factory=list)
    values: list[OnnxValue] = field(default_factory=list)

    def read(self, file: WireFile, message: Sized) -> None:
        """Read a GraphProto, or a part of one.

        Raises:
            WireError: It is not a message.
        """
        for tag, _, value in file.fields(message):
            if tag == 0x0A:
                self.nodes.append(read_node(file, value))
            elif tag == 0x2A:
                self.initializers.append(read_initializer(file, value))
            elif tag == 0x6A:
                self.values.append(read_value(file, value))
            elif tag == 0x5A:
                self.inputs.append(read_value(file, value))
            elif tag == 0x62:
                self.outputs.append(read_value(file, value))
            elif tag == 0x7A:
                self.sparse_initializers.append(read_sparse_initializer(file, value))
            elif tag == 0x12:
                self.name = file.text(value)

    def graph(self) -> OnnxGraph:
        """Return the graph. Up to IR version 3, each initializer is an input too."""
        initializers = (*self.initializers, *self.sparse_initializers)
        constant = {each.name for each in initializers}
        inputs = (each for each in self.inputs if each.name not in constant)
        return OnnxGraph(
            self.name,
            tuple(self.nodes),
            tuple(inputs),
            tuple(self.outputs),
            initializers,
            tuple(self.values),
        )


def read_node(file: WireFile, message: Sized) -> OnnxNode:
    """Read a NodeProto.

    Raises:
        WireError: It is not a message.
    """
    file.keep()
    name = op_type = domain = overload = ""
    inputs: list[str] = []
    outputs: list[str] = []
    attributes: dict[str, AttributeValue] = {}
    graphs: dict[str, OnnxGraph] = {}
    metadata: dict[str, str] = {}
    for tag, _, value in file.fields(message):
        if tag == 0x0A:
            inputs.append(file.text(value))
        elif tag == 0x12:
            outputs.append(file.text(value))
        elif tag == 0x2A:
            _read_attribute(file, value, attributes, graphs)
        elif tag == 0x4A:
            file.keep()
            key, text = read_entry(file, value)
            metadata[key] = text
        elif tag == 0x1A:
            name = file.text(value)
        elif tag == 0x22:
            op_type = file.text(value)
        elif tag == 0x3A:
            domain = domain_name(file.text(value))
        elif tag == 0x42:
            overload = file.text(value)
    return OnnxNode(
        name,
        op_type,
        domain,
        tuple(inputs),
        tuple(outputs),
        attributes or _EMPTY,
        graphs or _EMPTY,
        metadata or _EMPTY,
        overload,
    )


def read_function(file: WireFile, message: Sized) -> OnnxFunction:
    """Read a FunctionProto.

    Raises:
        WireError: It is not a message.
    """
    file.keep()
    name = domain = overload = ""
    inputs: list[str] = []
    outputs: list[str] = []
    nodes: list[OnnxNode] = []
    opsets: dict[str, int] = {}
    for tag, _, value in file.fields(message):
        if tag == 0x3A:
            nodes.append(read_node(file, value))
        elif tag == 0x22:
            inputs.append(file.text(value))
        elif tag == 0x2A:
            outputs.append(file.text(value))
        elif tag == 0x4A:
            read_opset(file, value, opsets)
        elif tag == 0x0A:
            name = file.text(value)
        elif tag == 0x52:
            domain = domain_name(file.text(value))
        elif tag == 0x6A:
            overload = file.text(value)
    return OnnxFunction(domain, name, tuple(inputs), tuple(outputs), tuple(nodes), opsets, overload)


def read_opset(file: WireFile, message: Sized, opsets: dict[str, int]) -> None:
    """Add an OperatorSetIdProto to the versions by domain.

    Raises:
        WireError: It is not a message.
    """
    file.keep()
    domain, version = "", 0
    for tag, integer, value in file.fields(message):
        if tag == 0x0A:
            domain = domain_name(file.text(value))
        elif tag == 0x10:
            version = signed(integer)
    opsets[domain] = version


def domain_name(domain: str) -> str:
    """Return the one name of a domain: that of ONNX itself has two."""
    return "" if domain == "ai.onnx" else domain


def _read_attribute(
    file: WireFile, message: Sized, attributes: dict[str, AttributeValue], graphs: dict[str, OnnxGraph]
) -> None:
    """Add an AttributeProto to the attributes or the graphs of its node, if its value is small."""
    file.keep()
    name, kind, is_reference = "", 0, False
    found: dict[int, Any] = {}
    for tag, integer, value in file.fields(message):
        if tag == 0x0A:
            name = file.text(value)
        elif tag == 0xA0:
            kind = enumerator(integer, _LAST_TYPE, kind)
        elif tag == 0xAA:
            is_reference = value != b""
        elif tag in _TYPE_OF_TAG:
            _take_value(file, tag, integer, value, found)
    # The versions of ONNX before 2017 do not write the type.
    kind = kind or min((each for each, values in found.items() if values != []), default=0)
    if kind == _GRAPH:
        graphs[name] = found.get(_GRAPH, GraphParts()).graph()
    elif kind == _GRAPHS:
        for index, each in enumerate(found.get(_GRAPHS, ())):
            graphs[f"{name}[{index}]"] = each.graph()
    elif kind in _DEFAULTS and not is_reference:
        small = found.get(kind, _DEFAULTS[kind])
        if small is not None:
            attributes[name] = tuple(small) if isinstance(small, list) else small


def _take_value(file: WireFile, tag: int, integer: int, value: Sized, found: dict[int, Any]) -> None:
    """Add what a field holds to the values by type; None is one that is not small."""
    kind = _TYPE_OF_TAG[tag]
    if kind == _GRAPH:
        found.setdefault(kind, GraphParts()).read(file, value)
    elif kind == _GRAPHS:
        parts = GraphParts()
        parts.read(file, value)
        found.setdefault(kind, []).append(parts)
    elif kind == _INT:
        found[kind] = signed(integer)
    elif isinstance(value, Span):
        found[kind] = None
    elif kind == _FLOAT:
        found[kind] = floats(value)[0]
    elif kind == _STRING:
        found[kind] = file.text(value)
    elif found.setdefault(kind, []) is not None:
        more: list[Any] | None
        if kind == _STRINGS:
            more = [file.text(value)]
        elif kind == _FLOATS:
            more = floats(value)
        else:
            more = [signed(integer)] if tag == _ONE_INT else integers(value)
        if more is None or len(found[kind]) + len(more) > MAX_LIST:
            found[kind] = None
        else:
            found[kind].extend(more)
