"""Find the ONNX model that an engine was built from among the files beside its capture."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.model.fused_names import (
    is_nameless,
    is_reformat_name,
    name_parts,
    region_ends,
    spellings,
)
from trexreport.model.onnx import OnnxModel, OnnxNode
from trexreport.numbers import counted
from trexreport.reader import layer_names
from trexreport.reader.capture import Capture
from trexreport.reader.files import file_sha256, read_bytes, read_head
from trexreport.reader.graph_file import read_graph
from trexreport.reader.json_text import decode_text, json_object
from trexreport.reader.onnx.model import read_onnx
from trexreport.reader.onnx.structure import SCHEMA, SUFFIX, write_structure
from trexreport.reader.roles import split_name
from trexreport.reader.values import mapping, text

_Read = TypeVar("_Read")

#: The part of an engine's layers that must name nodes of a model for it to be taken without being asked to.
_ENOUGH = 0.9
#: How many models are read of those beside a capture, and of those in a folder that the user names.
_MOST_MODELS, _MOST_OF_FOLDER = 8, 200
_HEAD_BYTES = 200


def onnx_source(path: Path) -> Source:
    """Return the structure of a model as a file of a capture.

    Raises:
        InputError: The file is unreadable, or no ONNX model and no structure of one.
    """
    if f'"{SCHEMA}"'.encode() in read_head(path, _HEAD_BYTES):
        return Source("onnx", path.name, read_bytes(path))
    return _structure(path, read_onnx(path))


def _structure(path: Path, model: OnnxModel) -> Source:
    written = write_structure(replace(model, sha256=file_sha256(path)))
    return Source("onnx", f"{path.stem}{SUFFIX}", written)


def with_model(capture: Capture) -> Capture:
    """Return a capture with the model beside it, or in the named folder, that the engine was built from.

    It is the one whose hash the manifest states. Else at least 90% of the layers that name nodes name nodes
    of it; of several, it is the one that has the most of all names, then the one with the fewest other nodes:
    a model with Q/DQ has the nodes of the one without.

    Raises:
        InputError: The user named a folder, and none of its models is that of the engine.
    """
    capture = replace(capture, sources=tuple(_named(each, capture.sources) for each in capture.sources))
    if any(source.role == "onnx" for source in capture.sources):
        return capture
    if not capture.models:
        if capture.model_folder:
            raise InputError(f"{capture.model_folder} has no ONNX files.", "Name the model or its folder.")
        return capture
    models = capture.models[: _MOST_OF_FOLDER if capture.model_folder else _MOST_MODELS]
    notes: list[InputWarning] = []
    path, is_stated = _stated_model(capture.sources, models, notes), True
    if path is None:
        path, is_stated = _model_of_names(capture.sources, models, notes), False
    if path is not None:
        source = _named(onnx_source(path), capture.sources)
        where = "in the named folder" if capture.model_folder else "beside the capture"
        why = "its hash is the recorded one" if is_stated else "it has the nodes that the layers name"
        message = f"The model was found {where}: {why}."
        notes.append(InputWarning("info", "model-found", message, path.name))
        capture = replace(capture, sources=(*capture.sources, source))
    elif capture.model_folder:
        # A damaged model may be the one.
        unread = f" {notes[0].source} can't be read." if notes else ""
        raise InputError(
            f"{capture.model_folder}: the engine's nodes are in none of {counted(len(models), 'ONNX file')}."
            f"{unread}",
            "Name the file that the engine was built from.",
        )
    if len(capture.models) > len(models) and not (path and is_stated):
        message = (
            f"The folder has {len(capture.models):,} ONNX files, of which {len(models)} were compared with "
            "the engine. Give its model with --onnx."
        )
        notes.append(InputWarning("info", "models-not-read", message, capture.models[len(models)].name))
    return replace(capture, notes=(*capture.notes, *notes))


def _stated_model(
    sources: Sequence[Source], models: Sequence[Path], notes: list[InputWarning]
) -> Path | None:
    """Return the model whose hash the manifest states."""
    stated_hash = _stated_hash(sources)
    paths = models if stated_hash else ()
    found = next((path for path in paths if _tried(file_sha256, path, notes) == stated_hash), None)
    return found if found and _tried(read_onnx, found, notes) else None


def _tried(read: Callable[[Path], _Read], path: Path, notes: list[InputWarning]) -> _Read | None:
    """Return what is read of a file; if it can't be, that is noted, once."""
    try:
        return read(path)
    except InputError as error:
        # Neither the folder, which may name a user, nor the file that a missing one may be meant as.
        hint = "" if isinstance(error.__context__, FileNotFoundError) else error.hint
        message = f"{error.args[0].replace(str(path), path.name)} {hint}".rstrip()
        note = InputWarning("info", "model-left-out", message, path.name)
        notes += [note] * (path.name not in {each.source for each in notes})
        return None


def _model_of_names(
    sources: Sequence[Source], models: Sequence[Path], notes: list[InputWarning]
) -> Path | None:
    """Return the model that has the nodes which the layers name."""
    names = list(_layer_names(sources))
    found: list[tuple[float, int, Path]] = []
    for path in models:
        model = _tried(read_onnx, path, notes)
        if model is None:
            continue
        functions = (node for function in model.functions for node in function.nodes)
        known = set(_node_names((*model.graph.nodes, *functions)))
        layers = [each for each in (_names_known(name, origins, known) for name, origins in names) if each]
        if layers and sum(map(any, layers)) >= _ENOUGH * len(layers):
            part = sum(map(sum, layers)) / sum(map(len, layers))
            found.append((-part, len(known), path))
    return min(found, key=lambda each: each[:2])[2] if found else None


def _named(source: Source, sources: Sequence[Source]) -> Source:
    """Give the structure the name that the files of its engine have, so that it stays with them."""
    if source.role != "onnx":
        return source
    prefixes = (split_name(each.name)[0] for each in sources if each.role == "graph")
    prefix = next(filter(None, prefixes), None)
    return replace(source, name=f"{prefix}{SUFFIX}") if prefix else source


def _stated_hash(sources: Sequence[Source]) -> str:
    manifests = (json_object(source.data) for source in sources if source.role == "manifest")
    hashes = (text(mapping(mapping(each).get("source")).get("sha256")) for each in manifests)
    return next(filter(None, hashes), "")


def _layer_names(sources: Sequence[Source]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the name of each layer, and those in its Metadata."""
    source = next((each for each in sources if each.role == "graph"), None)
    if source is None:
        return
    try:
        graph = read_graph(decode_text(source.data, source.name)[0], source.name)
    except InputError:
        return
    for layer in graph.layers:
        origins = layer_names.origins(text(layer.record.get("Metadata")))
        if origins or not is_reformat_name(layer.name):
            yield layer.name, origins


def _names_known(name: str, origins: tuple[str, ...], known: Container[str]) -> list[bool]:
    """Return for each name of a node that a layer states whether a model has it."""
    if origins:
        return [each in known for each in origins]

    def is_known(part: str) -> bool:
        return any(each in known for each in spellings(part))

    parts = [each for end in region_ends(name) or (name,) for each in name_parts(end, is_known)]
    return [is_found for part, is_found in parts if is_found or not is_nameless(part)]


def _node_names(nodes: Sequence[OnnxNode]) -> Iterator[str]:
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        yield node.parser_name
        for graph in node.graphs.values():
            waiting.extend(graph.nodes)
