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
from trexreport.reader.onnx.graphs import MAX_LIST
from trexreport.reader.onnx.wire import SMALL_BYTES


def read_with_onnx(path: Path) -> OnnxModel:
    """Return what `onnx.load` finds in a file."""
    model = onnx.load(path, load_external_data=False)
    return OnnxModel(
        file=path.name,
        size_bytes=path.stat().st_size,
        ir_version=model.ir_version if model.HasField("ir_version") else None,
        producer=model.producer_name,
        producer_version=model.producer_version,
        domain=model.domain,
        model_version=model.model_version if model.HasField("model_version") else None,
        opsets=_opsets(model),
        metadata=_metadata(model),
        graph=_graph(model.graph),
        functions=tuple(map(_function, model.functions)),
    )


def _function(function) -> OnnxFunction:
    return OnnxFunction(
        _domain(function.domain),
        function.name,
        tuple(function.input),
        tuple(function.output),
        tuple(map(_node, function.node)),
        _opsets(function),
        function.overload,
    )


def _opsets(message):
    return {_domain(each.domain): each.version for each in message.opset_import}


def _metadata(message):
    return {each.key: each.value for each in message.metadata_props}


def _domain(name):
    return "" if name == "ai.onnx" else name


def _graph(graph) -> OnnxGraph:
    constant = {each.name for each in graph.initializer}
    constant |= {each.values.name for each in graph.sparse_initializer}
    return OnnxGraph(
        graph.name,
        tuple(map(_node, graph.node)),
        tuple(_value(each) for each in graph.input if each.name not in constant),
        tuple(map(_value, graph.output)),
        (*map(_initializer, graph.initializer), *map(_sparse, graph.sparse_initializer)),
        tuple(map(_value, graph.value_info)),
    )


def _value(value) -> OnnxValue:
    kind = value.type.WhichOneof("value")
    if kind not in ("tensor_type", "sparse_tensor_type"):
        return OnnxValue(value.name)
    tensor = getattr(value.type, kind)
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            getattr(dim, dim.WhichOneof("value")) if dim.WhichOneof("value") else ""
            for dim in tensor.shape.dim
        )
    return OnnxValue(value.name, _data_type(tensor.elem_type), shape)


def _data_type(code):
    if code not in TensorProto.DataType.values():
        return f"type {code}"
    return TensorProto.DataType.Name(code) if code else ""


def _initializer(tensor) -> OnnxInitializer:
    is_external = tensor.data_location == TensorProto.EXTERNAL
    size = len(tensor.raw_data) if tensor.HasField("raw_data") else None
    if is_external:
        stated = {each.key: each.value for each in tensor.external_data}.get("length")
        size = None if stated is None else int(stated)
    return OnnxInitializer(tensor.name, _data_type(tensor.data_type), tuple(tensor.dims), is_external, size)


def _sparse(tensor) -> OnnxInitializer:
    values = _initializer(tensor.values)
    return OnnxInitializer(values.name, values.data_type, tuple(tensor.dims), values.is_external)


def _node(node) -> OnnxNode:
    attributes, graphs = {}, {}
    for each in node.attribute:
        if each.type == AttributeProto.GRAPH:
            graphs[each.name] = _graph(each.g)
        elif each.type == AttributeProto.GRAPHS:
            graphs.update({f"{each.name}[{index}]": _graph(one) for index, one in enumerate(each.graphs)})
        elif each.type in _SMALL and not each.ref_attr_name:
            value = _SMALL[each.type](each)
            if _is_small(value):
                attributes[each.name] = value
    return OnnxNode(
        node.name,
        node.op_type,
        _domain(node.domain),
        tuple(node.input),
        tuple(node.output),
        attributes,
        graphs,
        _metadata(node),
        node.overload,
    )


def _is_small(value):
    if isinstance(value, tuple):
        return len(value) <= MAX_LIST and all(map(_is_small, value))
    return not isinstance(value, str) or len(value.encode()) <= SMALL_BYTES


_SMALL = {
    AttributeProto.FLOAT: lambda each: each.f,
    AttributeProto.INT: lambda each: each.i,
    AttributeProto.STRING: lambda each: each.s.decode("utf-8", "replace"),
    AttributeProto.FLOATS: lambda each: tuple(each.floats),
    AttributeProto.INTS: lambda each: tuple(each.ints),
    AttributeProto.STRINGS: lambda each: tuple(one.decode("utf-8", "replace") for one in each.strings),
}
