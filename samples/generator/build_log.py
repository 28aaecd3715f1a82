"""Write what TensorRT logs of a build: its layers at the end, in each of the forms of its versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

#: How the three forms of a tensor are written: up to 8.5, from 8.6 on.
_TENSOR_FORMS = {"8.5": "{name}[{type}({extents})]", "8.6": "{name} ({type}[{extents}])"}
#: Data types as the builder writes them, by what the inspector's descriptions contain.
_TYPES = {
    "FP16": "Half",
    "Half": "Half",
    "Int8": "Int8",
    "INT8": "Int8",
    "Int32": "Int32",
    "INT32": "Int32",
    "Int64": "Int64",
    "Bool": "Bool",
    "BF16": "BFloat16",
    "FP8": "FP8",
}


def one_line_layers(graph: Mapping[str, Any], stamp: str = "[11/20/2026-10:00:09] [I] ") -> list[str]:
    """Return the lines of `LayerInformationFormat.ONELINE`, as trtexec's --dumpLayerInfo prints them."""
    return [
        f"{stamp}Layer Information:",
        f"{stamp}Layers:",
        *(_one_line(layer) for layer in graph["Layers"]),
        "",
        "Bindings:",
        *graph.get("Bindings", ()),
    ]


def verbose_layers(
    graph: Mapping[str, Any], version: str, stamp: str = "[11/20/2026-10:00:08] [V] [TRT] "
) -> list[str]:
    """Return the lines of layers that end a verbose build.

    Args:
        graph: Layer information with records.
        version: "7" (a prefix on each line), "8.5" or "8.6" (the form of 8.6 to 10).
        stamp: What precedes a message.
    """
    form = _TENSOR_FORMS["8.6" if version == "8.6" else "8.5"]
    each = stamp if version == "7" else ""
    return [f"{stamp}Engine Layer Information:", *(each + _verbose(layer, form) for layer in graph["Layers"])]


def _one_line(layer: Mapping[str, Any] | str) -> str:
    if isinstance(layer, str):
        return layer
    return ", ".join(f"{key}: {_one_line_value(value)}" for key, value in layer.items())


def _one_line_value(value: Any) -> str:
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return "[ " + ", ".join("{ " + _one_line(item) + " }" for item in value) + "]"
    if isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":")) if isinstance(value, list) else json.dumps(value)


def _verbose(layer: Mapping[str, Any], form: str) -> str:
    tactic = layer.get("TacticValue", "0x0000000000000000")
    read, written = (_tensors(layer.get(key, ()), form) for key in ("Inputs", "Outputs"))
    return f"Layer({layer['LayerType']}): {layer['Name']}, Tactic: {tactic}, {read} -> {written}"


def _tensors(tensors: Iterable[Mapping[str, Any]], form: str) -> str:
    return ", ".join(
        form.format(
            name=tensor["Name"],
            type=data_type(tensor["Format/Datatype"]),
            extents=extents(tensor["Dimensions"]),
        )
        for tensor in tensors
    )


def data_type(description: str) -> str:
    """Return the data type that the inspector describes, as the builder writes it."""
    return next((name for part, name in _TYPES.items() if part in description), "Float")


def extents(dimensions: Sequence[int]) -> str:
    """Return extents as the builder writes them."""
    return ",".join(map(str, dimensions))
