"""Tensors as a layer reads or writes them, under the attribute names of TREx."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from trexreport.model import Tensor
from trexreport.model.data_format import UNKNOWN
from trexreport.reader.graph_file import read_tensor
from trexreport.reader.values import records
from trexreport.trex._libraries import pass_on

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Activation", "create_activations"]
__getattr__ = pass_on(__name__, __all__, "Dict np pd")

#: TREx writes these data types in mixed case; notebooks compare with them.
_WORDS = {
    name.upper(): name
    for name in ("Bool", "Int4", "Int8", "Int16", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
}
_SEPARATORS = str.maketrans({"\x1e": "+", "\x1f": "+"})
#: Layouts that TREx calls by another name, or not at all.
_LAYOUTS = {"linear": "NCHW", "NC/16HW16": "NC16HW", "NC/32DHW32": "NC32DHW"}
#: Data types that TREx writes without the layout where it is linear.
_WITHOUT_LINEAR = {"BOOL", "FP4"}
#: Words that TREx keeps although no tensor of an engine has such elements.
_KEPT = {"DoubleComplex", "FloatComplex", "None"}
#: What TREx calls these two formats follows no rule.
_IRREGULAR = {
    "Row major FP16 format where column stride % 64 == 0": "FP16",
    "Two wide channel vectorized row major BFloat16 format": "BF16 NC2HW",
}


def readable(name: str) -> str:
    """Return the name with "+" for TensorRT's invisible separators, and without halves of characters."""
    return name.translate(_SEPARATORS).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


class Activation:
    """A tensor as one layer reads or writes it.

    Args:
        raw_dict: The file's record, with "Name", "Dimensions" and "Format/Datatype".

    Attributes:
        name: With "+" for invisible separators.
        shape: Dimensions; -1 if known only at run time.
        format: Data type and layout in TREx's words, such as "Int8 NC/32HW32".
        precision: Canonical data type such as "BF16", or "Unknown".
        data_size: Bytes of one element; 0.5 for 4-bit types, 0 if unknown.
        size_bytes: Bytes without the padding of the layout; 0 where type or shape is unknown.
        version: Counts the values that pass through one name.
    """

    def __init__(self, raw_dict: Mapping[str, Any]) -> None:
        self._take(read_tensor(dict(raw_dict)))

    @classmethod
    def of(cls, tensor: Tensor) -> Activation:
        """Return the view of a tensor that was read already."""
        activation = cls.__new__(cls)
        activation._take(tensor)  # noqa: SLF001
        return activation

    def _take(self, tensor: Tensor) -> None:
        bits = tensor.format.bits or 0
        known = bits > 0 and all(extent >= 0 for extent in tensor.dimensions)
        self.name = readable(tensor.name)
        self.shape = list(tensor.dimensions)
        self.format = _format(tensor)
        self.precision = _precision(tensor)
        self.data_size = bits // 8 if bits % 8 == 0 else bits / 8
        self.size_bytes = -(-math.prod(tensor.dimensions) * bits // 8) if known else 0
        self.version = tensor.version

    def tooltip(self) -> str:
        r"""Return shape and format, with Graphviz's line break "\n" between them."""
        return f"{self.shape}\\n{self.format}"

    def __repr__(self) -> str:
        return f"{self.name}: {self.shape}x{self.format}"


def _precision(tensor: Tensor) -> str:
    data_type = tensor.format.data_type
    if data_type == UNKNOWN:
        return tensor.format.text if tensor.format.text in _KEPT else "Unknown"
    return "Bool" if data_type == "BOOL" else data_type


def _format(tensor: Tensor) -> str:
    stated, data_type = tensor.format, tensor.format.data_type
    text = stated.text.replace(".", "")
    if data_type == UNKNOWN:
        return text if text in _KEPT else "Unknown format"
    if text in _IRREGULAR:
        return _IRREGULAR[text]
    if not stated.layout and stated.text.isalnum():
        # Kernels that Myelin generates state the data type alone, and TREx keeps its spelling.
        return "FP4" if data_type == "FP4" else stated.text
    layout = stated.layout
    if layout == "linear" and (data_type in _WITHOUT_LINEAR or stated.spatial_dimensions == 3):
        layout = "" if data_type in _WITHOUT_LINEAR else "NCDHW"
    if layout == "NHWC" and "column stride" in text:
        layout = "NHWC1"
    return f"{_WORDS.get(data_type, data_type)} {_LAYOUTS.get(layout, layout)}".strip()


def create_activations(layer: pd.Series[Any]) -> tuple[list[Activation], list[Activation]]:
    """Return the inputs and outputs of a row of `EnginePlan.df`, as the file has them."""
    inputs, outputs = ([Activation(raw) for raw in records(side)] for side in (layer.Inputs, layer.Outputs))
    return inputs, outputs
