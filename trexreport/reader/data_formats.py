"""Understand the inspector's words for data types and memory layouts.

Source: the format descriptions of the engine inspector of TensorRT 8.2 to 11, and
nvinfer1::TensorFormat in NvInferRuntimeBase.h for the names in parentheses.
"""

from __future__ import annotations

import re
from functools import lru_cache

from trexreport.model import DataFormat
from trexreport.model.data_format import BITS, UNKNOWN, UNORDERED
from trexreport.regex import regex

#: Spellings that differ from the canonical name; the enumerators' "k" is left out.
_ALIASES = {
    "FLOAT": "FP32",
    "FLOAT32": "FP32",
    "HALF": "FP16",
    "FLOAT16": "FP16",
    "DOUBLE": "FP64",
    "BFLOAT16": "BF16",
    "FP8E4M3": "FP8",
    "FP8E5M2": "FP8",
    "E4M3": "FP8",
    "FP4E2M1": "FP4",
    "E2M1": "FP4",
    "FP8E8M0": "E8M0",
    "BOOLEAN": "BOOL",
}

#: TensorRT writes this where a dynamic shape is not resolved.
NOT_RESOLVED = "N/A due to dynamic shapes"
_WORD = regex(r"[A-Za-z][A-Za-z0-9]*")
_CHANNEL_MULTIPLE = regex(r"channel\s*(?:%|==)\s*(\d{1,4})\b")
#: As `verbose_layers` writes what a log states: "Half:8".
_GROUPS = regex(r"\w{1,20}:(\d{1,4})(?!\d)")
_WIDTHS = {"two": 2, "four": 4, "eight": 8, "sixteen": 16, "thirty-two": 32}
_WIDE = regex(r"^(two|four|eight|sixteen|thirty-two) wide", re.IGNORECASE)
#: Layout, channel multiple and spatial dimensions by the enumerator's name.
_ENUMERATORS = {
    "kLINEAR": ("linear", 1, 2),
    "kCHW2": ("NC/2HW2", 2, 2),
    "kCHW4": ("NC/4HW4", 4, 2),
    "kCHW16": ("NC/16HW16", 16, 2),
    "kCHW32": ("NC/32HW32", 32, 2),
    "kHWC": ("NHWC", 1, 2),
    "kHWC8": ("NHWC8", 8, 2),
    "kHWC16": ("NHWC16", 16, 2),
    "kDHWC": ("NDHWC", 1, 3),
    "kDHWC8": ("NDHWC8", 8, 3),
    "kCDHW32": ("NC/32DHW32", 32, 3),
    "kDLA_LINEAR": ("DLA linear", 1, 2),
    "kDLA_HWC4": ("DLA NHWC4", 4, 2),
}
_ENUMERATOR = regex(r"\b(k(?:DLA_)?[A-Z]+\d*)\b")


def canonical_data_type(text: str) -> str:
    """Return the canonical name of a data type such as "Half" or "Int8", else "unknown"."""
    word = text.strip().upper().replace("_", "").removeprefix("K")
    word = _ALIASES.get(word, word)
    return word if word in BITS else UNKNOWN


@lru_cache(maxsize=4096)
def parse_format(text: str, data_type: str = "") -> DataFormat:
    """Understand a format text; `data_type` is given where the file states it apart (TensorRT 11).

    What is not understood is kept: the text stays as it is and the data type is "unknown".
    """
    resolved = canonical_data_type(data_type) if data_type else _data_type_in(text)
    layout, multiple, spatial = _layout_in(text)
    joined = f"{text} {data_type}".strip() if data_type and text else text or data_type
    return DataFormat(joined, resolved, layout, multiple, spatial)


def _data_type_in(text: str) -> str:
    for word in _WORD.findall(text.replace(".", " ")):
        resolved = canonical_data_type(word)
        if resolved != UNKNOWN:
            return resolved
    return UNKNOWN


def _layout_in(text: str) -> tuple[str, int, int]:
    for name in _ENUMERATOR.findall(text):
        if name in _ENUMERATORS:
            return _ENUMERATORS[name]
    lowered = text.lower()
    volume = "3 spatial dim" in lowered
    depth, spatial = ("D", 3) if volume else ("", 2)
    if lowered.startswith("dla"):
        return ("DLA", 1, spatial)
    if lowered.startswith("channel major"):
        found = _CHANNEL_MULTIPLE.search(lowered)
        multiple = max(1, int(found.group(1))) if found else 1
        return (f"N{depth}HWC{multiple if multiple > 1 else ''}", multiple, spatial)
    if (groups := _GROUPS.match(text)) and int(groups[1]) > 1:
        return (f"{UNORDERED}{groups[1]}", int(groups[1]), spatial)
    wide = _WIDE.match(text)
    if wide:
        width = _WIDTHS[wide.group(1).lower()]
        return (f"NC/{width}{depth}HW{width}", width, spatial)
    if lowered.startswith("row major"):
        return ("linear", 1, spatial)
    return ("", 1, spatial)
