"""How TensorRT writes the names of what it fused into one layer: in the layer's name and in its Metadata.

Names may contain what separates them, so a name is looked up before it is divided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from trexreport.regex import regex

_Found = TypeVar("_Found")

#: Copies to and from a DLA, "x to nvm", and waits for them, "x copy finish".
_OF_DLA = r" (?:to|from) nvm$|^nvm |(?: copy| \d+) finish$"
_DLA_TRANSFER = regex(_OF_DLA, re.ASCII)
#: Reformats are named after the layer that they serve; they and such copies compute no node of their own.
_REFORMAT = regex(
    r"^Reformatting CopyNode |^Forced Cast | (?:in|out)put reformatter \d+$| copy$|_copy_(?:in|out)put$|"
    + _OF_DLA,
    re.ASCII,
)
#: "{ForeignNode[first...last]}": a region that Myelin compiled.
_REGION = regex(r"^\{ForeignNode\[(.*?)\]\}(?:_myl\d.*)?$", re.DOTALL)
#: Layers that the parser adds without a node, and names that TensorRT makes up.
_NAMELESS = regex(
    r"^(?:\(Unnamed Layer\* \d+\) |__my(?:l|e\d)|(?:entry|exit)\^bb\^|ONNXTRT_|\[trainStation\d+\]$"
    r"|dummy_shape_call|.*_InputLayer$)",
    re.ASCII,
)
#: Torch-TensorRT builds without an ONNX model: "[CONVOLUTION]-[aten_ops.convolution.default]-[/conv1]".
_OF_TORCH = regex(r"^\[[A-Z_]+\][-_]\[\w+_ops[._]", re.ASCII)
_SEPARATOR = regex(r" \+ | \|\| |, ")
#: A node's name may itself hold a separator; this many parts are tried together.
_MAX_JOINED = 4
#: What TensorRT adds to the name of a node.
_PREFIX = regex(r"^(?:(?:copied_)?(?:reshape|squeeze|unsqueeze)_(?:node_)?(?:before|after)_|PWN\()", re.ASCII)
_SUFFIX = regex(
    r"(?:_myl\d+(?:_\d+)*|_(?:de)?quantize_scale_node|_OutputLayer|_clone_\d+| \[profile \d+\]|\))$", re.ASCII
)
#: Of a name that is damaged or hostile; real ones have a few.
_MOST_ADDITIONS = 64
#: U+001E separates the layers of a fusion, U+001F operations in a Myelin kernel; some writers have neither.
_BRACKETED = regex(r"(?<=\])[\x1e\x1f]+|[\x1e\x1f]+(?=\[[A-Za-z_]+ Layer: )|(?<=\])(?=\[[A-Za-z_]+ Layer: )")
_PLAIN = regex(r"[\x1e\x1f]")
_ONNX = "[ONNX Layer: "
_NEXT_ONNX = f"]\x1f{_ONNX}"
_ENTRY = regex(r"^\[[A-Za-z_]+ Layer: (.*)\]$", re.DOTALL)
#: "name | Local Function: f": what the parser adds to a name (importerUtils.cpp, processMetadata).
_PROPERTIES = regex(r" \| [A-Z][A-Za-z ]{0,40}: .*", re.DOTALL)
_FUNCTION = " | Local Function: "


def is_dla_transfer(name: str) -> bool:
    """Return whether a layer copies to or from a DLA, or waits for it, by its name."""
    # Nearly all names are others, and there are tens of thousands.
    may_be = name.endswith((" nvm", " finish")) or name.startswith("nvm ")
    return may_be and _DLA_TRANSFER.search(name) is not None


def is_reformat_name(name: str) -> bool:
    """Return whether a layer is a reformat, which no node asked for, by its name."""
    return bool(_REFORMAT.search(name))


def is_torch_name(name: str) -> bool:
    """Return whether Torch-TensorRT made a layer: names beside it are not those of ONNX nodes either."""
    return bool(_OF_TORCH.match(name))


def is_nameless(text: str) -> bool:
    """Return whether a part of a layer's name is none of an ONNX node in any model."""
    return any(_NAMELESS.match(each) or _OF_TORCH.match(each) for each in spellings(text))


def region_ends(name: str) -> tuple[str, ...]:
    """Return the first and the last name of a region, or its only one; () if the layer is none."""
    region = _REGION.match(name)
    if not region:
        return ()
    first, dots, last = region[1].partition("...")
    return (first, last) if dots else (first,)


def name_parts(name: str, find: Callable[[str], _Found]) -> Iterator[tuple[str, _Found]]:
    """Yield the names in the name of a fused layer, each with what was found of it.

    Args:
        name: Of a layer, or of an end of a region, which may be fused too.
        find: Looks up one name; what it returns is false if there is no such name.
    """
    whole = find(name)
    if whole:
        yield name, whole
        return
    parts, separators = _SEPARATOR.split(name), _SEPARATOR.findall(name)
    at = 0
    while at < len(parts):
        joined, found = parts[at], find(parts[at])
        for count in range(min(_MAX_JOINED, len(parts) - at), 1, -1):
            longer = parts[at] + "".join(
                separators[at + more] + parts[at + more + 1] for more in range(count - 1)
            )
            if of_longer := find(longer):
                joined, found = longer, of_longer
                at += count - 1
                break
        at += 1
        yield joined, found


def spellings(text: str) -> Iterator[str]:
    """Yield a name, and what is left without each of the additions of TensorRT."""
    for _ in range(_MOST_ADDITIONS):
        yield text
        shorter = _PREFIX.sub("", text)
        if shorter == text:
            shorter = _SUFFIX.sub("", text)
        if shorter == text:
            return
        text = shorter


def metadata_texts(metadata: str) -> list[str]:
    """Return the text of each entry of a layer's "Metadata", in its order, with properties."""
    # Nearly all have entries of ONNX nodes alone.
    is_plain = "][" not in metadata and "\x1e" not in metadata
    if is_plain and metadata.startswith(_ONNX) and metadata.endswith("]"):
        texts = metadata[len(_ONNX) : -1].split(_NEXT_ONNX)
        if len(texts) - 1 == metadata.count("\x1f"):
            return texts
    return [_name_of(text) for entry in _entries(metadata) if (text := entry.strip())]


def _entries(metadata: str) -> list[str]:
    # As nearly all layers have it: each entry in brackets, and U+001F between two.
    ends = metadata.count("]\x1f")
    if "][" not in metadata and "\x1e" not in metadata and ends == metadata.count("\x1f"):
        return metadata.split("\x1f")
    separators = _BRACKETED if metadata.lstrip().startswith("[") else _PLAIN
    return separators.split(metadata)


def _name_of(entry: str) -> str:
    if entry.startswith(_ONNX) and entry.endswith("]"):
        return entry[len(_ONNX) : -1]
    found = _ENTRY.match(entry)
    return found[1] if found else entry


def without_properties(text: str) -> str:
    """Return the name that an entry of "Metadata" states."""
    return _PROPERTIES.sub("", text) if " | " in text else text


def metadata_readings(text: str) -> list[tuple[str, str]]:
    """Return what an entry of "Metadata" may state, the likeliest first: name, and innermost local function.

    Nothing marks the end of a name, which may hold what looks like a property.
    """
    name, mark, function = text.rpartition(_FUNCTION)
    readings = [(name, function), (without_properties(text), function)] if mark else []
    return [*readings, (text, "")]
