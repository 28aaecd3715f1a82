"""Hold a made-up engine and write it in the words of TensorRT's engine inspector."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from typing import Any

SYNTHETIC_NOTE = "Written by trexreport's samples/make_samples.py; no GPU measured this."

ELEMENT_BYTES = {
    "Float": 4.0,
    "Half": 2.0,
    "BFloat16": 2.0,
    "FP8": 1.0,
    "Int8": 1.0,
    "UInt8": 1.0,
    "Bool": 1.0,
    "Int4": 0.5,
    "Int32": 4.0,
    "Int64": 8.0,
}

# Between the TensorRT layers of a fusion, and between the operations inside a Myelin kernel.
FUSION_SEPARATOR = "\u001e"
MYELIN_SEPARATOR = "\u001f"


@dataclass(frozen=True)
class Tensor:
    """One use of a tensor: `layout` is the inspector's long format text, empty inside Myelin."""

    name: str
    dimensions: tuple[int, ...]
    datatype: str
    layout: str = ""

    def size_bytes(self, dynamic_extent: int) -> float:
        """Return the size with every dynamic dimension taken as `dynamic_extent`."""
        extents = (dynamic_extent if extent < 0 else extent for extent in self.dimensions)
        return prod(extents) * ELEMENT_BYTES[self.datatype]

    def as_json(self, *, split_format: bool) -> dict[str, Any]:
        """Return the inspector's record; TensorRT 11 splits the format from the data type."""
        record: dict[str, Any] = {"Name": self.name}
        if self.layout:
            record["Location"] = "Device"
        record["Dimensions"] = list(self.dimensions)
        if not split_format:
            record["Format/Datatype"] = self.layout or self.datatype
            return record
        if self.layout:
            record["Format"] = self.layout
        record["Datatype"] = self.datatype
        return record


@dataclass(frozen=True)
class Work:
    """What a layer has to do, as far as its running time depends on it."""

    multiply_adds: float = 0.0
    datatype: str = "Half"
    weight_bytes: float = 0.0
    slowdown: float = 1.0  # how much worse than its roofline this kind of kernel runs


@dataclass(frozen=True)
class Layer:
    """One entry of the plan; without `work` it takes no time."""

    name: str
    kind: str
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    constants: tuple[Tensor, ...] = ()
    parameters: dict[str, Any] = field(default_factory=dict)
    work: Work | None = None
    profiled: bool = True

    def as_json(self, *, split_format: bool) -> dict[str, Any]:
        """Return the inspector's record, keys in its order."""

        def records(tensors: Iterable[Tensor]) -> list[dict[str, Any]]:
            return [tensor.as_json(split_format=split_format) for tensor in tensors]

        record: dict[str, Any] = {"Name": self.name, "LayerType": self.kind, "Inputs": records(self.inputs)}
        if self.constants:
            record["Constants"] = records(self.constants)
        record["Outputs"] = records(self.outputs)
        return record | self.parameters


@dataclass(frozen=True)
class Engine:
    """A plan: its layers and what closes the file (`Bindings`, or TensorRT 11's `I/O Tensors`)."""

    layers: tuple[Layer, ...]
    closing: dict[str, Any]
    split_format: bool = False
    dynamic_extent: int = 1

    def graph_json(self) -> str:
        """Return the layer information as text, one layer a line to stay small and diffable."""
        rows = [
            json.dumps(layer.as_json(split_format=self.split_format), separators=(",", ":"))
            for layer in self.layers
        ]
        closing = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in self.closing.items()]
        body = ',\n"Layers": [\n' + ",\n".join(rows) + "\n],\n" + ",\n".join(closing)
        return '{"Synthetic": ' + json.dumps(SYNTHETIC_NOTE) + body + "}\n"


def hexadecimal(text: str, digits: int = 16) -> str:
    """Return a stable hexadecimal number for `text`, as tactics are numbered."""
    return "0x" + hashlib.sha256(text.encode()).hexdigest()[:digits]


def onnx_metadata(names: Iterable[str], separator: str) -> str:
    """Return the `Metadata` text that names the ONNX nodes a layer came from."""
    return separator.join(f"[ONNX Layer: {name}]" for name in names)
