"""What a layer computes, by the types that the engine inspector states."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from trexreport.reader.values import text
from trexreport.regex import regex

#: What the types of implementations end with: what they compute, as the engine inspector calls it.
_COMPUTED = (
    *("Deconvolution", "ConvActPool", "Convolution", "Pooling", "SoftMax", "Normalization"),
    *("PointWise", "ElementWise", "FullyConnected", "MatrixMultiply"),
)
#: What implementations end in that were revised, such as "CaskSoftMaxV2".
_REVISION = regex(r"V\d$", re.ASCII)


def layer_type(record: dict[str, Any]) -> str:
    """Return what the layer computes: its ParameterType, else what its LayerType implements, or that.

    A deconvolution has "Convolution" as its ParameterType; only LayerType differs.
    """
    return _layer_type(text(record.get("LayerType")), text(record.get("ParameterType")))


# An engine has few different types.
@lru_cache(maxsize=1024)
def _layer_type(subtype: str, parameters: str) -> str:
    if subtype.startswith("CaskDeconvolution"):
        return "Deconvolution"
    if parameters.casefold() == subtype.casefold():
        return subtype  # Where both say the same, as "gemm" and "Gemm", the names of TensorRT's layers count.
    return parameters or computed_type(subtype) or subtype


def computed_type(implementation: str) -> str:
    """Return what an implementation such as "CaskGemmConvolution" computes; "" if its name does not say."""
    name = _REVISION.sub("", implementation)
    return next((computed for computed in _COMPUTED if name.endswith(computed)), "")
