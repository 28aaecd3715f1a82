"""Read trtexec's flags that shape a build: DLA, formats, types of layers, compatibility, tactics, tiling.

Source of the forms: parsers and help of trtexec's sampleOptions.cpp, 8.6 to 11.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

#: trtexec's words to the members of TensorRT's enumerations.
TYPES = {
    "fp32": "FLOAT",
    "fp16": "HALF",
    "bf16": "BF16",
    "int8": "INT8",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "bool": "BOOL",
    "fp8": "FP8",
    "int4": "INT4",
}
FORMATS = {
    "chw": "LINEAR",
    "chw2": "CHW2",
    "chw4": "CHW4",
    "chw16": "CHW16",
    "chw32": "CHW32",
    "hwc": "HWC",
    "hwc8": "HWC8",
    "hwc16": "HWC16",
    "dhwc": "DHWC",
    "dhwc8": "DHWC8",
    "cdhw32": "CDHW32",
    "dla_linear": "DLA_LINEAR",
    "dla_hwc4": "DLA_HWC4",
}
_HARDWARE = {
    "none": "NONE",
    "ampere+": "AMPERE_PLUS",
    "sameComputeCapability": "SAME_COMPUTE_CAPABILITY",
}
_PREVIEWS = {
    "profileSharing0806": "PROFILE_SHARING_0806",
    "fasterDynamicShapes0805": "FASTER_DYNAMIC_SHAPES_0805",
    "disableExternalTacticSourcesForCore0805": "DISABLE_EXTERNAL_TACTIC_SOURCES_FOR_CORE_0805",
    "aliasedPluginIO1003": "ALIASED_PLUGIN_IO_10_03",
    "runtimeActivationResize": "RUNTIME_ACTIVATION_RESIZE_10_10",
}
_SOURCES = {
    name: name for name in ("CUBLAS", "CUBLAS_LT", "CUDNN", "EDGE_MASK_CONVOLUTIONS", "JIT_CONVOLUTIONS")
}
_TILINGS = {"0": "NONE", "1": "FAST", "2": "MODERATE", "3": "FULL"}
_CONSTRAINTS = {"none": "", "obey": "OBEY_PRECISION_CONSTRAINTS", "prefer": "PREFER_PRECISION_CONSTRAINTS"}
_DEVICES = {"GPU": "GPU", "DLA": "DLA"}
# A name in quotes may hold commas.
_PART = regex(r"(?:'[^']*'|[^,'])+")
_BUDGET = regex(r"(\d+(?:\.\d*)?)([BKMG%]?)", re.ASCII)
_UNITS = {"": 1, "B": 1, "K": 2**10, "M": 2**20, "G": 2**30}
_WHOLE_PERCENT = 100


@dataclass(frozen=True)
class IoFormat:
    """How an input or output may be laid out; the type is empty where the model decides it."""

    type: str
    formats: tuple[str, ...]


@dataclass(frozen=True)
class StreamingBudget:
    """How many bytes of weights may be on the GPU: a number, a part of the streamable ones, or a way.

    Attributes:
        way: "bytes", "percent", "auto" or "off".
    """

    way: str
    amount: float = 0.0


@dataclass(frozen=True)
class BuildOptions:
    """What shapes a build; all names are TensorRT's.

    Attributes:
        hardware: Member of HardwareCompatibilityLevel; empty for the default, as are the others.
        tiling: Member of TilingOptimizationLevel.
        constraints: Builder flag of the precision constraints.
        l2_limit_bytes: L2 cache for tiling.
        dla_core: Index of the DLA core that layers run on by default.
        sources: Tactic source to whether it is used.
        previews: Preview feature to whether it is on.
        inputs, outputs: Formats, one for all or one for each.
        precisions: Pattern of layer names to their type.
        output_types: Pattern of layer names to the types of their outputs.
        devices: Pattern of layer names to GPU or DLA.
        streaming: Budget of streamed weights.
    """

    hardware: str = ""
    tiling: str = ""
    constraints: str = ""
    l2_limit_bytes: int | None = None
    dla_core: int | None = None
    sources: tuple[tuple[str, bool], ...] = ()
    previews: tuple[tuple[str, bool], ...] = ()
    inputs: tuple[IoFormat, ...] = ()
    outputs: tuple[IoFormat, ...] = ()
    precisions: tuple[tuple[str, str], ...] = ()
    output_types: tuple[tuple[str, tuple[str, ...]], ...] = ()
    devices: tuple[tuple[str, str], ...] = ()
    streaming: StreamingBudget | None = None


def with_option(options: BuildOptions, flag: str, value: str) -> BuildOptions:
    """Return the options with what one flag says.

    Args:
        options: So far.
        flag: One of `FLAGS`, without dashes.
        value: Of the flag.

    Raises:
        UsageError: The value can't be read, or means nothing in any version.
    """
    attribute, read = _READERS[flag]
    change: dict[str, Any] = {attribute: read(flag, value)}
    return replace(options, **change)


def matching(patterns: tuple[tuple[str, Any], ...], name: str) -> tuple[Any, bool]:
    """Return what is stated for a layer, and whether by its own name; (None, False) if nothing is.

    A pattern may have one "*". As in trtexec, the name itself comes before patterns.
    """
    for pattern, value in patterns:
        if pattern == name:
            return value, True
    for pattern, value in patterns:
        before, star, after = pattern.partition("*")
        fits = name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after)
        if star and fits:
            return value, False
    return None, False


def _word(words: Mapping[str, str], flag: str, value: str) -> str:
    if value not in words:
        raise UsageError(f"--{flag}={value} is none of {', '.join(words)}.", "Correct it.")
    return words[value]


def _one_of(words: Mapping[str, str]) -> Callable[[str, str], str]:
    return lambda flag, value: _word(words, flag, value)


def _count(flag: str, value: str) -> int:
    if not (value.isascii() and value.isdecimal()) or len(value) > 18:
        raise UsageError(f"--{flag}={value} is not a number of at least 0.", "Correct it.")
    return int(value)


def _signed(words: Mapping[str, str]) -> Callable[[str, str], tuple[tuple[str, bool], ...]]:
    """Return a reader of "+A,-B"."""

    def read(flag: str, value: str) -> tuple[tuple[str, bool], ...]:
        found = []
        for part in value.split(","):
            if part[:1] not in ("+", "-"):
                raise UsageError(f"--{flag}: '{part}' has no sign.", "Write +NAME or -NAME.")
            found.append((_word(words, flag, part[1:]), part[0] == "+"))
        return tuple(found)

    return read


def _formats(flag: str, value: str) -> tuple[IoFormat, ...]:
    """Read "fp16:chw+chw2,fp32:chw", or "chw16" where the model decides the types."""
    found = []
    for part in value.split(","):
        kind, colon, names = part.rpartition(":")
        formats = tuple(_word(FORMATS, flag, name) for name in names.split("+"))
        found.append(IoFormat(_word(TYPES, flag, kind) if colon else "", formats))
    return tuple(found)


def _layers(flag: str, value: str, words: Mapping[str, str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Read "conv1:fp16,'a,b':fp32+fp16,*:int8"."""
    found = []
    for part in _PART.findall(value):
        name, colon, kinds = part.rpartition(":")
        if not (colon and name.strip("'")):
            raise UsageError(f"--{flag}: '{part}' names no layer.", "Write it as LAYER:VALUE.")
        found.append((name.strip("'"), tuple(_word(words, flag, kind) for kind in kinds.split("+"))))
    if not found:
        raise UsageError(f"--{flag} names no layer.", "Write it as LAYER:VALUE.")
    return tuple(found)


def _one_each(words: Mapping[str, str]) -> Callable[[str, str], tuple[tuple[str, str], ...]]:
    def read(flag: str, value: str) -> tuple[tuple[str, str], ...]:
        found = _layers(flag, value, words)
        if any(len(kinds) != 1 for _, kinds in found):
            raise UsageError(f"--{flag} takes one value for each layer.", "Write it as LAYER:VALUE.")
        return tuple((name, kinds[0]) for name, kinds in found)

    return read


def _budget(flag: str, value: str) -> StreamingBudget:
    """Read "-2" (off), "-1" (automatic), "50%", "300M" or bytes."""
    ways = {"-2": "off", "-1": "auto"}
    if value in ways:
        return StreamingBudget(ways[value])
    match = _BUDGET.fullmatch(value)
    if match is None or (match[2] == "%" and float(match[1]) > _WHOLE_PERCENT):
        raise UsageError(f"--{flag}={value} is not a budget.", "Write bytes, 300M, 50%, -1 or -2.")
    if match[2] == "%":
        return StreamingBudget("percent", float(match[1]))
    return StreamingBudget("bytes", float(match[1]) * _UNITS[match[2]])


_READERS: Mapping[str, tuple[str, Callable[[str, str], Any]]] = {
    "hardwareCompatibilityLevel": ("hardware", _one_of(_HARDWARE)),
    "inputIOFormats": ("inputs", _formats),
    "l2LimitForTiling": ("l2_limit_bytes", _count),
    "layerDeviceTypes": ("devices", _one_each(_DEVICES)),
    "layerOutputTypes": ("output_types", lambda flag, value: _layers(flag, value, TYPES)),
    "layerPrecisions": ("precisions", _one_each(TYPES)),
    "outputIOFormats": ("outputs", _formats),
    "precisionConstraints": ("constraints", _one_of(_CONSTRAINTS)),
    "preview": ("previews", _signed(_PREVIEWS)),
    "tacticSources": ("sources", _signed(_SOURCES)),
    "tilingOptimizationLevel": ("tiling", _one_of(_TILINGS)),
    "useDLACore": ("dla_core", _count),
    "weightStreamingBudget": ("streaming", _budget),
}
#: The flags that are read here, without dashes.
FLAGS = frozenset(_READERS)
