"""Read an ONNX file.

State which engines an EPContext model of ONNX Runtime holds: no engine was built from it.

An execution provider writes it in place of the nodes that it compiled: nodes of type EPContext with the
engine itself (`embed_mode` 1) or its path. Source: onnx_ctx_model_helper.cc of the TensorRT execution
provider and the schema of EPContext in contrib_defs.cc (ONNX Runtime 1.17).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from trexreport.errors import InputError
from trexreport.garbage import collection_paused
from trexreport.input_file import open_input
from trexreport.model.onnx import OnnxFunction, OnnxModel, OnnxNode
from trexreport.numbers import counted, list_names
from trexreport.reader.files import explained_reading
from trexreport.reader.onnx.graphs import GraphParts, read_function, read_opset
from trexreport.reader.onnx.kinds import HEAD_BYTES, other_kind
from trexreport.reader.onnx.tensors import read_entry
from trexreport.reader.onnx.wire import Span, WireError, WireFile, signed

_TYPE = "EPContext"
#: Attribute to how it is named.
_FACTS = {
    "source": "provider",
    "ep_sdk_version": "TensorRT",
    "hardware_architecture": "compute capability",
    "partition_name": "partition",
    "onnx_model_filename": "built from",
}
_MOST_CHARACTERS = 80
_HINT = "Give the .onnx file that it was made from; where a GPU is, measure the engine with trexreport run."
_UNKNOWN_KIND = "Check that it is complete, with `onnx.load` or by its size."


@collection_paused()
def read_onnx(path: Path) -> OnnxModel:
    """Read the structure of a model, without its weights; files with external data are not opened.

    The hash is left out, as it takes all bytes of the file: `reader.files.file_sha256` computes it.

    Args:
        path: A file; a pipe can't be read in parts.

    Raises:
        InputError: It can't be read, is not an ONNX file, is damaged or too large, or holds
            engines in place of nodes.
    """
    with explained_reading(path), open_input(path) as file:
        size_bytes = os.fstat(file.fileno()).st_size
        try:
            model = _read(file, path.name, size_bytes)
        except WireError as error:
            file.seek(0)
            kind = other_kind(file.read(HEAD_BYTES))
            what, hint = kind or (f"is not an ONNX file, or is damaged: {error}", _UNKNOWN_KIND)
            raise InputError(f"{path} {what}.", hint) from None
    _refuse_context_model(model)
    return model


def _read(opened: BinaryIO, name: str, size_bytes: int) -> OnnxModel:
    file = WireFile(opened)
    texts = {0x12: "", 0x1A: "", 0x22: ""}
    ir_version = model_version = None
    graph: GraphParts | None = None
    parts = versions = 0
    functions: list[OnnxFunction] = []
    opsets: dict[str, int] = {}
    metadata: dict[str, str] = {}
    for tag, integer, value in file.fields(Span(0, size_bytes)):
        if tag == 0x3A:
            graph = graph or GraphParts()
            parts += 1
            graph.read(file, value)
        elif tag == 0xCA:
            functions.append(read_function(file, value))
        elif tag == 0x42:
            read_opset(file, value, opsets)
        elif tag == 0x72:
            file.keep()
            key, text = read_entry(file, value)
            metadata[key] = text
        elif tag in texts:
            texts[tag] = file.text(value)
        elif tag == 0x08:
            versions += 1
            ir_version = signed(integer)
        elif tag == 0x28:
            model_version = signed(integer)
    if graph is None:
        raise WireError("it has no graph")
    if parts > 1 and versions > 1:
        # protobuf would join them; a program that writes a graph in parts states the version once.
        raise WireError("it has several models, one after the other")
    producer, producer_version, domain = texts.values()
    return OnnxModel(
        file=name,
        size_bytes=size_bytes,
        ir_version=ir_version,
        producer=producer,
        producer_version=producer_version,
        domain=domain,
        model_version=model_version,
        opsets=opsets,
        metadata=metadata,
        graph=graph.graph(),
        functions=tuple(functions),
    )


def _refuse_context_model(model: OnnxModel) -> None:
    """Raise an InputError with the engines of the model if it is an EPContext model."""
    nodes = [node for node in model.graph.nodes if node.op_type == _TYPE]
    if not nodes:
        return
    facts = list(dict.fromkeys(fact for node in nodes for fact in _facts(node)))
    stated = f" ({list_names(facts, 6)})" if facts else ""
    others = len(model.graph.nodes) - len(nodes)
    beside = f" and {counted(others, 'node')} outside of them" if others else ""
    raise InputError(
        f"{model.file} is an EPContext model of ONNX Runtime: "
        f"{counted(len(nodes), 'engine')}{stated}{beside}.",
        _HINT,
    )


def _facts(node: OnnxNode) -> Iterator[str]:
    for key, name in _FACTS.items():
        value = node.attributes.get(key)
        if isinstance(value, str) and value.strip():
            yield f"{name} {' '.join(value.split())[:_MOST_CHARACTERS]}"
    if node.attributes.get("embed_mode") == 0:
        path = node.attributes.get("ep_cache_context")
        if isinstance(path, str) and path:
            yield f"engine file {' '.join(path.split())[-_MOST_CHARACTERS:]}"
