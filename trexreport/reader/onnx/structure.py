"""An ONNX model's structure as JSON (`X.onnx-structure.json`): what a report keeps of a model.

A model may hold gigabytes of weights. A capture, a report and an archive carry its structure instead, from
which the same analysis follows. Metadata of nodes is in "texts" once each, as nodes repeat it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from trexreport.model.onnx import (
    AttributeValue,
    Extent,
    OnnxFunction,
    OnnxGraph,
    OnnxInitializer,
    OnnxModel,
    OnnxNode,
    OnnxValue,
)
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import integer, items, mapping, records, text

SUFFIX = ".onnx-structure.json"
SCHEMA = "trexreport-onnx-structure"
SCHEMA_VERSION = 1


def write_structure(model: OnnxModel) -> bytes:
    """Return the model as JSON; the same model gives the same bytes."""
    texts: dict[str, int] = {}
    graph = _written_graph(model.graph, texts)
    functions = [
        _without_empty(
            domain=each.domain,
            name=each.name,
            overload=each.overload,
            opsets=each.opsets,
            inputs=each.inputs,
            outputs=each.outputs,
            nodes=[_written_node(node, texts) for node in each.nodes],
        )
        for each in model.functions
    ]
    document = _without_empty(
        file=model.file,
        sha256=model.sha256,
        size_bytes=model.size_bytes,
        ir_version=model.ir_version,
        producer=model.producer,
        producer_version=model.producer_version,
        opsets=model.opsets,
        metadata=model.metadata,
        texts=list(texts),
        graph=graph,
        functions=functions,
    )
    document = {SCHEMA: SCHEMA_VERSION, **document}
    return (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def read_structure(content: str, name: str) -> OnnxModel:
    """Read what `write_structure` wrote; what is of another kind than expected counts as absent.

    Raises:
        InputError: It is something else.
    """
    document, _ = parse_json(content, name, lambda value: isinstance(value, dict) and SCHEMA in value)
    texts = [text(each) for each in items(document.get("texts"))]
    return OnnxModel(
        file=text(document.get("file")),
        sha256=text(document.get("sha256")),
        size_bytes=integer(document.get("size_bytes")) or 0,
        ir_version=integer(document.get("ir_version")),
        producer=text(document.get("producer")),
        producer_version=text(document.get("producer_version")),
        opsets=_opsets(document.get("opsets")),
        metadata=_texts_of(document.get("metadata")),
        graph=_graph(mapping(document.get("graph")), texts),
        functions=tuple(
            OnnxFunction(
                domain=text(each.get("domain")),
                name=text(each.get("name")),
                inputs=_names(each.get("inputs")),
                outputs=_names(each.get("outputs")),
                nodes=tuple(_node(node, texts) for node in records(each.get("nodes"))),
                opsets=_opsets(each.get("opsets")),
                overload=text(each.get("overload")),
            )
            for each in records(document.get("functions"))
        ),
    )


def _without_empty(**members: Any) -> dict[str, Any]:
    return {key: value for key, value in members.items() if value or value == 0}


def _written_graph(graph: OnnxGraph, texts: dict[str, int]) -> dict[str, Any]:
    return _without_empty(
        name=graph.name,
        inputs=[_written_value(each) for each in graph.inputs],
        outputs=[_written_value(each) for each in graph.outputs],
        initializers=[_written_initializer(each) for each in graph.initializers],
        values=[_written_value(each) for each in graph.values],
        nodes=[_written_node(each, texts) for each in graph.nodes],
    )


def _written_value(value: OnnxValue) -> dict[str, Any]:
    members: dict[str, Any] = _without_empty(name=value.name, type=value.data_type)
    # A scalar's shape is empty, and known.
    return members if value.shape is None else {**members, "shape": value.shape}


def _written_initializer(value: OnnxInitializer) -> dict[str, Any]:
    # Almost all are inside the file: that is not written.
    external = {"is_external": True} if value.is_external else {}
    return {**_written_value(value), **_without_empty(size_bytes=value.size_bytes), **external}


def _written_node(node: OnnxNode, texts: dict[str, int]) -> dict[str, Any]:
    return _without_empty(
        name=node.name,
        op_type=node.op_type,
        domain=node.domain,
        overload=node.overload,
        inputs=node.inputs,
        outputs=node.outputs,
        # JSON has no infinity and no NaN.
        attributes={key: value for key, value in node.attributes.items() if _is_finite(value)},
        graphs={name: _written_graph(graph, texts) for name, graph in node.graphs.items()},
        metadata={key: texts.setdefault(value, len(texts)) for key, value in node.metadata.items()},
    )


def _is_finite(value: AttributeValue) -> bool:
    values = value if isinstance(value, tuple) else (value,)
    return all(not isinstance(each, float) or math.isfinite(each) for each in values)


def _graph(written: Mapping[str, Any], texts: Sequence[str]) -> OnnxGraph:
    return OnnxGraph(
        name=text(written.get("name")),
        nodes=tuple(_node(each, texts) for each in records(written.get("nodes"))),
        inputs=_values(written.get("inputs")),
        outputs=_values(written.get("outputs")),
        initializers=_initializers(written.get("initializers")),
        values=_values(written.get("values")),
    )


def _node(written: Mapping[str, Any], texts: Sequence[str]) -> OnnxNode:
    graphs = mapping(written.get("graphs"))
    return OnnxNode(
        name=text(written.get("name")),
        op_type=text(written.get("op_type")),
        domain=text(written.get("domain")),
        inputs=_names(written.get("inputs")),
        outputs=_names(written.get("outputs")),
        attributes={
            key: found
            for key, value in mapping(written.get("attributes")).items()
            if (found := _attribute(value)) is not None
        },
        graphs={key: _graph(mapping(value), texts) for key, value in graphs.items()},
        metadata={
            key: texts[index]
            for key, index in mapping(written.get("metadata")).items()
            if type(index) is int and 0 <= index < len(texts)
        },
        overload=text(written.get("overload")),
    )


def _values(written: Any) -> tuple[OnnxValue, ...]:
    return tuple(
        OnnxValue(text(each.get("name")), text(each.get("type")), _shape(each.get("shape")))
        for each in records(written)
    )


def _initializers(written: Any) -> tuple[OnnxInitializer, ...]:
    return tuple(
        OnnxInitializer(
            text(each.get("name")),
            text(each.get("type")),
            _shape(each.get("shape")),
            each.get("is_external") is True,
            integer(each.get("size_bytes")),
        )
        for each in records(written)
    )


def _shape(written: Any) -> tuple[Extent, ...] | None:
    if not isinstance(written, list):
        return None
    return tuple(each if isinstance(each, str) else integer(each) or 0 for each in written)


def _attribute(written: Any) -> AttributeValue | None:
    if isinstance(written, (int, float, str)) and not isinstance(written, bool):
        return written
    kinds: tuple[type, ...] = (int, float, str)
    for kind in kinds:
        if isinstance(written, list) and all(type(each) is kind for each in written):
            return tuple(written)
    return None


def _opsets(written: Any) -> dict[str, int]:
    versions = {domain: integer(value) for domain, value in mapping(written).items()}
    return {domain: version for domain, version in versions.items() if version is not None}


def _names(written: Any) -> tuple[str, ...]:
    return tuple(map(text, items(written)))


def _texts_of(written: Any) -> dict[str, str]:
    return {key: value for key, value in mapping(written).items() if isinstance(value, str)}
