"""Read what the engine inspector writes: trtexec's --exportLayerInfo, or any other runtime's.

Shapes that are read: `{"Layers", "Bindings"}` (TensorRT 8.2 to 10), `{"Layers", "I/O Tensors"}` (11), a bare
list of layers, layers one by one, and plain names (an engine built without detailed verbosity).
Source: IEngineInspector in NvInferRuntime.h, and printLayerInfo in trtexec's sampleInference.cpp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import lru_cache
from typing import Any

from trexreport.errors import InputError
from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.model import Binding, BindingMode, DataFormat, InputWarning, Tensor, Weights
from trexreport.reader.data_formats import NOT_RESOLVED, canonical_data_type, parse_format
from trexreport.reader.single_layers import parse_layers
from trexreport.reader.values import integer, known_extents, number, records, text

#: Engines of 20,000 layers have been seen, with three tensors each; beyond, a file is damaged or hostile.
MAX_LAYERS = 100_000
_MOST_TENSORS = 500_000
#: What a name that states an optimization profile holds, unless its characters are escaped.
_PROFILE_MARK = "[profile "
#: How characters of ASCII are escaped, and the one that TensorRT 10 writes so: between the nodes of a layer.
_ESCAPE, _SEPARATORS = "\\u00", ("\\u001e", "\\u001f")
#: Layers of one name that each further one is compared with.
_MOST_NAMESAKES = 16
_NOT_METADATA = {"Layers", "layers", "Bindings", "bindings", "I/O Tensors"}


@bulk_facts
class RawLayer:
    """One layer as the file has it: a record, of which a names-only file leaves just the name."""

    name: str
    record: dict[str, Any]


@dataclass(frozen=True)
class LayerGraph:
    """The content of one graph file.

    Attributes:
        layers: In the file's order, of all optimization profiles.
        binding_names: Names in the file's "Bindings", or None if it has no such list.
        io_tensors: Records of "I/O Tensors" (TensorRT 11), see `read_io_tensor`.
        metadata: Other top-level keys.
        mentions_profiles: A name in it may state an optimization profile.
    """

    layers: tuple[RawLayer, ...]
    binding_names: tuple[str, ...] | None = None
    io_tensors: tuple[dict[str, Any], ...] = ()
    names_only: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    notes: tuple[InputWarning, ...] = ()
    mentions_profiles: bool = True


def is_graph(document: Any) -> bool:
    """Return whether a JSON document has the shape of layer information."""
    if isinstance(document, dict):
        # What trexreport itself writes has layers too, in a form of its own.
        return document.get("generator") != "trexreport" and isinstance(
            document.get("Layers", document.get("layers")), list
        )
    if not isinstance(document, list) or not document:
        return False
    if all(isinstance(item, str) for item in document):
        return True
    return any(
        "Name" in item and ("LayerType" in item or "Inputs" in item) for item in records(document[:50])
    )


def read_graph(source_text: str, name: str) -> LayerGraph:
    """Read layer information.

    Raises:
        InputError: The text is not layer information in any known shape, or holds no layer at all.
    """
    document, notes = parse_layers(source_text, name, is_graph, MAX_LAYERS)
    wrapper = document if isinstance(document, dict) else {"Layers": document}
    items: list[Any] = wrapper.get("Layers", wrapper.get("layers")) or []
    # Each tensor is an object.
    may_be_many = source_text.count("{") > _MOST_TENSORS
    if len(items) > MAX_LAYERS or (may_be_many and _count_tensors(items) > _MOST_TENSORS):
        raise InputError(f"{name} holds more layers or tensors than an engine can.", "Is it the right file?")
    layers, odd = _layers(items)
    if odd:
        message = f"Entries in {name} that are not layers, and so were left out: {odd} of {len(items)}."
        notes.append(InputWarning("degraded", "graph-entries", message, name, ("layers",)))
    layers, twice = _distinct(layers)
    if twice:
        message = (
            f"Layers in {name} that are listed twice with the same tensors, and so were left out: {twice}."
        )
        hint = "Export the layer information again: the file was changed."
        notes.append(InputWarning("degraded", "layers-twice", message, name, ("layers",), hint))
    names = wrapper.get("Bindings", wrapper.get("bindings"))
    escapes, separators = source_text.count(_ESCAPE), sum(map(source_text.count, _SEPARATORS))
    if not layers and not names:
        raise InputError(
            f"{name} holds no layers.",
            "Build the engine with --profilingVerbosity=detailed and export again.",
        )
    return LayerGraph(
        layers=tuple(layers),
        binding_names=_binding_names(names),
        io_tensors=tuple(item for item in records(wrapper.get("I/O Tensors")) if text(item.get("Name"))),
        names_only=bool(layers) and all(not layer.record for layer in layers),
        metadata={key: value for key, value in wrapper.items() if key not in _NOT_METADATA},
        notes=tuple(notes),
        mentions_profiles=_PROFILE_MARK in source_text or escapes > separators,
    )


def _count_tensors(items: list[Any]) -> int:
    lists = [item.get(key) for item in records(items) for key in ("Inputs", "Outputs", "Constants")]
    return sum([len(each) for each in lists if isinstance(each, list)])


def _layers(items: list[Any]) -> tuple[list[RawLayer], int]:
    layers = []
    for position, item in enumerate(items):
        if isinstance(item, str):
            layers.append(RawLayer(item, {}))
        elif isinstance(item, dict):
            given = item.get("Name")
            name = given if isinstance(given, str) else f"(layer {position} has no name)"
            layers.append(RawLayer(name, item))
    return layers, len(items) - len(layers)


def _distinct(layers: list[RawLayer]) -> tuple[list[RawLayer], int]:
    """Return the layers without those whose whole record is there before, and how many those are.

    Several layers may have one name, but not write the same tensors alike; those without tensors are only
    known to be repeated where the whole list is.
    """
    half = len(layers) // 2
    if layers[half:] == layers[:half] and any(layer.record.get("Outputs") for layer in layers):
        return layers[:half], half
    if len({layer.name for layer in layers}) == len(layers):
        return layers, 0
    kept: list[RawLayer] = []
    by_name: dict[str, list[dict[str, Any]]] = {}
    for layer in layers:
        known = by_name.setdefault(layer.name, [])
        if layer.record.get("Outputs") and layer.record in known[:_MOST_NAMESAKES]:
            continue
        known.append(layer.record)
        kept.append(layer)
    return kept, len(layers) - len(kept)


def _binding_names(value: Any) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(item, (str, dict)) for item in value):
        return None
    names = (item if isinstance(item, str) else text(item.get("Name")) for item in value)
    return tuple(dict.fromkeys(filter(None, names)))


def read_io_tensor(item: dict[str, Any], optimization_profile: int) -> Binding:
    """Read one record of TensorRT 11's "I/O Tensors", with the shapes and format of one profile."""
    profiles = records(item.get("ProfileInfo"))
    chosen = profiles[optimization_profile] if optimization_profile < len(profiles) else {}
    shapes = [_extents(chosen.get(key)) for key in ("MinShape", "OptShape", "MaxShape")]
    layout = parse_format(
        text(chosen.get("Format") or item.get("Format")), text(item.get("DataType") or item.get("Datatype"))
    )
    tensor = _tensor(item, layout)
    stated = text(item.get("IOMode")).lower()
    mode: BindingMode = "input" if stated == "input" else "output" if stated == "output" else "unknown"
    return Binding(
        name=tensor.name,
        mode=mode,
        tensor=tensor,
        shape_range=(shapes[0], shapes[1], shapes[2]) if any(shapes) else None,
    )


def read_tensor(item: dict[str, Any]) -> Tensor:
    """Read one tensor of a layer."""
    return _tensor(item, read_format(item))


def read_format(item: dict[str, Any]) -> DataFormat:
    """Read the data type and layout of one tensor."""
    combined = item.get("Format/Datatype")
    if isinstance(combined, str):
        return _inspected_format(combined)
    return parse_format(text(item.get("Format")), text(item.get("Datatype") or item.get("DataType")))


def _tensor(
    item: dict[str, Any], layout: DataFormat, version_of: Callable[[str], int] = lambda _: 0
) -> Tensor:
    name, location = item.get("Name"), item.get("Location")
    # Without `text`, as it would be called twice for each of tens of thousands of tensors.
    name = name if isinstance(name, str) else ""
    location = location if isinstance(location, str) else ""
    return Tensor(name, _dimensions(item.get("Dimensions")), layout, location, version_of(name))


@lru_cache(maxsize=4096)
def _inspected_format(combined: str) -> DataFormat:
    # The data type may still stand after it.
    return parse_format(combined.replace(NOT_RESOLVED, "").strip() or combined)


def _dimensions(value: Any) -> tuple[int, ...]:
    """Return extents; without a list even their number is unknown, which counts as one unknown extent."""
    if not isinstance(value, list):
        return (-1,)
    known = known_extents(value)
    return tuple(map(_extent, value)) if known is None else known


def _extents(value: Any) -> tuple[int, ...]:
    return _dimensions(value) if isinstance(value, list) else ()


def _extent(value: Any) -> int:
    extent = integer(value)
    return extent if extent is not None and extent >= 0 else -1


def read_weights(record: dict[str, Any]) -> tuple[Weights, ...]:
    """Read the constant data that a layer owns, whichever way its type spells it."""
    if _WEIGHT_NAMES.isdisjoint(record):
        # As of most.
        return ()
    found = []
    for key, role in _WEIGHT_KEYS:
        value = record.get(key)
        if isinstance(value, dict):
            count = integer(value.get("Count"))
            if count is None or count > 0:
                found.append(Weights(role, canonical_data_type(text(value.get("Type"))), count))
    return tuple(found)


_WEIGHT_KEYS = (
    ("Weights", "weights"),
    ("ConvWeights", "weights"),
    ("Bias", "bias"),
    ("ConvBias", "bias"),
    ("weights", "constant"),
)
_WEIGHT_NAMES = frozenset(key for key, _ in _WEIGHT_KEYS)


def read_tensors(
    record: dict[str, Any], key: str, version_of: Callable[[str], int] = lambda _: 0
) -> tuple[Tensor, ...]:
    """Read a list of tensors as `read_tensor` does; `version_of` counts the versions of a name."""
    items = record.get(key)
    if not items or not isinstance(items, list):
        return ()
    return tuple([_tensor(item, read_format(item), version_of) for item in items if isinstance(item, dict)])


def stream(record: dict[str, Any]) -> int | None:
    """Return the stream that the layer runs on, if the file says so."""
    stated = record.get("StreamId")
    index = None if stated is None else number(stated)
    return int(index) if index is not None and 0 <= index < 1e6 else None
