"""Understand how the builder writes formats: a data type with strides, "Half(3136,1:8,112,4)".

A stride "1:8" is that of channels in groups of eight. Source: verbose logs of TensorRT 7 to 10.16.
"""

from __future__ import annotations

from functools import lru_cache

from trexreport.model.data_format import UNKNOWN, UNORDERED
from trexreport.reader.data_formats import canonical_data_type
from trexreport.regex import regex

_FORMAT = regex(r"([A-Za-z]\w{0,30})\(([-\d,: E()*]{0,400}?)\)(?=,|\s|$)")
_ARROW = " -> "
_LONGEST = 20_000


@lru_cache(maxsize=4096)
def read_combination(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return data type and layout of each input and output of "Half(…), Float(…) -> Half(…)"."""
    before, _, after = text[:_LONGEST].partition(_ARROW)
    if text.startswith("-> "):
        before, after = "", text.removeprefix("-> ")
    inputs, outputs = (
        tuple(_short(found[1], found[2]) for found in _FORMAT.finditer(side)) for side in (before, after)
    )
    return inputs, outputs


def _short(name: str, strides: str) -> str:
    data_type = canonical_data_type(name)
    layout = _layout(strides.split(","))
    return f"{name if data_type == UNKNOWN else data_type} {layout}".strip()


def _layout(strides: list[str]) -> str:
    """Return the layout of images and volumes whose strides show it; that of other tensors is not named."""
    if len(strides) not in (4, 5):
        return ""
    depth = "D" if len(strides) == 5 else ""
    at = next((at for at, each in enumerate(strides) if ":" in each), None)
    if at is not None:
        stride, _, width = (part.strip() for part in strides[at].partition(":"))
        if at != 1 or not width.isdecimal():
            return ""
        return f"N{depth}HWC{width}" if stride == "1" else f"{UNORDERED}{width}{depth}HW{width}"
    values = [int(stride) for stride in strides if stride.strip().lstrip("-").isdecimal()]
    if len(values) != len(strides):
        return ""
    if values == sorted(values, reverse=True):
        return "linear"
    return f"N{depth}HWC" if values[1] == 1 else ""
