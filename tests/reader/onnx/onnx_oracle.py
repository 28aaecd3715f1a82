"""What the `onnx` package reads of a model, as the model of trexreport."""

from __future__ import annotations

from pathlib import Path

import onnx
from onnx import AttributeProto, TensorProto

from trexreport.model.onnx import (
    OnnxFunction,
    OnnxGraph,
    OnnxInitializer,
    OnnxModel,
    OnnxNode,
    OnnxValue,
)
from trexreport.reader.onnx.wire import MAX_LIST, SMALL_BYTES


def read_with_onnx(path: Path) -> OnnxModel:
    """Return what `onnx.load` finds in a file."""
    model = onnx.load(path, load_external_data=False)
    return OnnxModel(
        file=path.name,
        size_bytes=path.stat().st_size,
        ir_version=model.ir_version if model.HasField("ir_version") else None,
        producer=_text(model.producer_name),
        producer_version=_text(model.producer_version),
        domain=_text(model.domain),
        model_version=model.model_version if model.HasField("model_version") else None,
        opsets=_opsets(model),
        metadata=_metadata(model),
        graph=_graph(model.graph),
        functions=tuple(map(_function, model.functions)),
    )


def _text(value):
    """Return a text; protobuf's Python gives the bytes of one that is not UTF-8."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _texts(values):
    return tuple(map(_text, values))


def _function(function) -> OnnxFunction:
    return OnnxFunction(
        _domain(function.domain),
        _text(function.name),
        _texts(function.input),
        _texts(function.output),
        tuple(map(_node, function.node)),
        _opsets(function),
        _text(function.overload),
    )


def _opsets(message):
    return {_domain(each.domain): each.version for each in message.opset_import}


def _metadata(message):
    return {_text(each.key): _text(each.value) for each in message.metadata_props}


def _domain(name):
    name = _text(name)
    return "" if name == "ai.onnx" else name


def _graph(graph) -> OnnxGraph:
    constant = {_text(each.name) for each in graph.initializer}
    constant |= {_text(each.values.name) for each in graph.sparse_initializer}
    return OnnxGraph(
        _text(graph.name),
        tuple(map(_node, graph.node)),
        tuple(_value(each) for each in graph.input if _text(each.name) not in constant),
        tuple(map(_value, graph.output)),
        (*map(_initializer, graph.initializer), *map(_sparse, graph.sparse_initializer)),
        tuple(map(_value, graph.value_info)),
    )


def _value(value) -> OnnxValue:
    kind = value.type.WhichOneof("value")
    if kind not in ("tensor_type", "sparse_tensor_type"):
        return OnnxValue(_text(value.name))
    tensor = getattr(value.type, kind)
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            _text(getattr(dim, dim.WhichOneof("value"))) if dim.WhichOneof("value") else ""
            for dim in tensor.shape.dim
        )
    return OnnxValue(_text(value.name), _data_type(tensor.elem_type), shape)


def _data_type(code):
    if code not in TensorProto.DataType.values():
        return f"type {code}"
    return TensorProto.DataType.Name(code) if code else ""


def _initializer(tensor) -> OnnxInitializer:
    is_external = tensor.data_location == TensorProto.EXTERNAL
    size = len(tensor.raw_data) if tensor.HasField("raw_data") else None
    if is_external:
        stated = {_text(each.key): _text(each.value) for each in tensor.external_data}.get("length", "")
        size = int(stated) if stated.isdecimal() and len(stated) < 19 else None
    return OnnxInitializer(
        _text(tensor.name), _data_type(tensor.data_type), tuple(tensor.dims), is_external, size
    )


def _sparse(tensor) -> OnnxInitializer:
    values = _initializer(tensor.values)
    return OnnxInitializer(values.name, values.data_type, tuple(tensor.dims), values.is_external)


def _node(node) -> OnnxNode:
    attributes, graphs = {}, {}
    for each in node.attribute:
        kind = each.type or _stated_type(each)
        if kind == AttributeProto.GRAPH:
            graphs[_text(each.name)] = _graph(each.g)
        elif kind == AttributeProto.GRAPHS:
            graphs.update(
                {f"{_text(each.name)}[{index}]": _graph(one) for index, one in enumerate(each.graphs)}
            )
        elif kind in _SMALL and not each.ref_attr_name:
            value = _SMALL[kind](each)
            if _is_small(value):
                attributes[_text(each.name)] = value
    return OnnxNode(
        _text(node.name),
        _text(node.op_type),
        _domain(node.domain),
        _texts(node.input),
        _texts(node.output),
        attributes,
        graphs,
        _metadata(node),
        _text(node.overload),
    )


def _stated_type(attribute):
    """Return the type of an attribute that states a value alone."""
    stated = {descriptor.name for descriptor, _ in attribute.ListFields()}
    return next((code for name, code in _TYPE_OF_FIELD.items() if name in stated), 0)


def _is_small(value):
    if isinstance(value, tuple):
        return len(value) <= MAX_LIST and all(map(_is_small, value))
    return not isinstance(value, str) or len(value.encode()) <= SMALL_BYTES


_TYPE_OF_FIELD = {"f": 1, "i": 2, "s": 3, "g": 5, "floats": 6, "ints": 7, "strings": 8, "graphs": 10}
_SMALL = {
    AttributeProto.FLOAT: lambda each: each.f,
    AttributeProto.INT: lambda each: each.i,
    AttributeProto.STRING: lambda each: _text(each.s),
    AttributeProto.FLOATS: lambda each: tuple(each.floats),
    AttributeProto.INTS: lambda each: tuple(each.ints),
    AttributeProto.STRINGS: lambda each: _texts(each.strings),
}
