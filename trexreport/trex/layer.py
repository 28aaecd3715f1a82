"""A layer and its tensors under the attribute names of TREx."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trexreport.model import Layer, LayerTime, Tensor
from trexreport.model.data_format import UNKNOWN
from trexreport.reader.values import text

#: TREx writes these data types in mixed case; notebooks compare with them.
_WORDS = {
    name.upper(): name
    for name in ("Bool", "Int4", "Int8", "Int16", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}
#: What is drawn elsewhere, or says the same as another key.
_NOT_IN_TOOLTIP = {"InputRegions", "OutputRegions", "Inputs", "Outputs", "ParameterType", "LayerName"}
_SEPARATORS = str.maketrans({"\x1e": "+", "\x1f": "+"})


def readable(name: str) -> str:
    """Return the name with "+" for TensorRT's invisible separators, and without halves of characters."""
    return name.translate(_SEPARATORS).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@dataclass(frozen=True)
class Activation:
    """A tensor as one layer reads or writes it.

    Attributes:
        shape: Dimensions; -1 if known only at run time.
        format: Data type and layout in TREx's words, such as "Int8 NC/32HW32".
        precision: Canonical data type such as "BF16", or "Unknown".
        data_size: Bytes of one element; 0.5 for 4-bit types, 0 if unknown.
        size_bytes: Bytes without the padding of the layout; 0 where type or shape is unknown.
        version: Counts the values that pass through one name.
    """

    name: str
    shape: list[int]
    format: str
    precision: str
    data_size: float
    size_bytes: int
    version: int = 0

    @classmethod
    def of(cls, tensor: Tensor) -> Activation:
        """Return the TREx view of a tensor."""
        bits = tensor.format.bits or 0
        known = bits > 0 and all(extent >= 0 for extent in tensor.dimensions)
        return cls(
            name=readable(tensor.name),
            shape=list(tensor.dimensions),
            format=_format(tensor),
            precision="Unknown" if tensor.format.data_type == UNKNOWN else tensor.format.data_type,
            data_size=bits / 8,
            size_bytes=-(-math.prod(tensor.dimensions) * bits // 8) if known else 0,
            version=tensor.version,
        )

    def tooltip(self) -> str:
        """Return shape, format and size on one line each."""
        return f"{self.shape}\n{self.format}\n{self.size_bytes} bytes"


def _format(tensor: Tensor) -> str:
    data_type, layout = tensor.format.data_type, tensor.format.layout
    if data_type == UNKNOWN:
        return "Unknown format"
    if layout == "linear":
        layout = "NCDHW" if tensor.format.spatial_dimensions == 3 else "NCHW"
    return f"{_WORDS.get(data_type, data_type)} {layout}".strip()


@dataclass(frozen=True)
class Port:
    """A tensor beside the file's record of it."""

    tensor: Tensor
    raw: dict[str, Any]

    @property
    def value(self) -> tuple[str, int]:
        """Name and version, which together identify one value."""
        return self.tensor.name, self.tensor.version


class PlanLayer:
    """One layer of an `EnginePlan`, its sizes in bytes and without padding.

    Attributes:
        name: Unique in the plan: a second layer of the same name ends in "_2".
        type: ParameterType, else LayerType; `subtype` is the LayerType.
        inputs, outputs: After folding of no-ops.
        raw_inputs, raw_outputs: The same as the file has them.
        index: Position in `EnginePlan.all_layers`.
        model: The layer as the reader made it, no-ops not folded.
    """

    def __init__(
        self, name: str, layer: Layer, inputs: Sequence[Port], outputs: Sequence[Port], index: int = 0
    ) -> None:
        self.name = name
        self.index = index
        self.model = layer
        self.type = layer.type
        self.subtype = layer.subtype
        self.tactic = layer.tactic or "TensorRT"
        self.metadata = readable(text(layer.attributes.get("Metadata")))
        self.inputs = [Activation.of(port.tensor) for port in inputs]
        self.outputs = [Activation.of(port.tensor) for port in outputs]
        self.raw_inputs = [port.raw for port in inputs]
        self.raw_outputs = [port.raw for port in outputs]
        self.weights_cnt, self.weights_type, self.weights_size = _owned(layer, "weights")
        self.bias_cnt, self.bias_type, self.bias_size = _owned(layer, "bias")

    @property
    def raw_dict(self) -> Mapping[str, Any]:
        """The file's whole record of the layer."""
        return self.model.attributes

    @property
    def time(self) -> LayerTime | None:
        """The profiler's figures, or None if the layer was not profiled."""
        return self.model.time

    @property
    def precision(self) -> str | None:
        """Data type of the first input, or None without inputs."""
        return self.inputs[0].precision if self.inputs else None

    @property
    def output_precision(self) -> str | None:
        """Data type of the first output, or None without outputs."""
        return self.outputs[0].precision if self.outputs else None

    @property
    def inputs_size_bytes(self) -> int:
        """Bytes of all inputs."""
        return sum(tensor.size_bytes for tensor in self.inputs)

    @property
    def outputs_size_bytes(self) -> int:
        """Bytes of all outputs."""
        return sum(tensor.size_bytes for tensor in self.outputs)

    @property
    def total_io_size_bytes(self) -> int:
        """Bytes of all inputs and outputs."""
        return self.inputs_size_bytes + self.outputs_size_bytes

    @property
    def total_footprint_bytes(self) -> int:
        """Bytes of inputs, outputs and weights; the bias is left out, as TREx does."""
        return self.total_io_size_bytes + self.weights_size

    def tooltip(self) -> str:
        """Return every raw attribute but the tensors, sorted, one a line."""
        shown = sorted(self.raw_dict.keys() - _NOT_IN_TOOLTIP)
        return "\n".join(f"{key}: {self.raw_dict[key]}" for key in shown)

    def __repr__(self) -> str:
        return f"PlanLayer({self.name!r}, type={self.type!r})"


def _owned(layer: Layer, role: str) -> tuple[int, str, int]:
    """Return elements, data type and bytes of the constant data of one role."""
    owned = [each for each in layer.weights if each.role == role]
    data_type = owned[0].data_type if owned else ""
    return sum(each.count or 0 for each in owned), data_type, sum(each.size_bytes or 0 for each in owned)
