"""The flags of trtexec's build that state types, and the version that no longer has them.

Source: trtexec's option parsers, sampleOptions.cpp of 8.4 to 11.1.
"""

from __future__ import annotations

import re
from fnmatch import translate
from typing import NamedTuple

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.model.commands import STRONGLY_TYPED
from trexreport.regex import regex

#: Requested type to the trtexec flag that requests it.
FLAG_OF_TYPE = {"FP16": "--fp16", "BF16": "--bf16", "INT8": "--int8", "FP8": "--fp8", "INT4": "--int4"}
#: Flags that state types of single layers.
LAYER_FLAGS = frozenset({"--layerPrecisions", "--layerOutputTypes", "--precisionConstraints"})
#: Flags that state types.
TYPE_FLAGS = frozenset({*FLAG_OF_TYPE.values(), "--best", "--calib"}) | LAYER_FLAGS
#: Options of a model that trtexec builds an engine from.
_READS_MODEL = regex(r"--(?:onnx|deploy|uff)=")

#: A workspace with a unit, and a flag without a value that is given one.
WORKSPACE_WITH_UNIT = regex(r"--memPoolSize=(?:\S{0,400},)?workspace:([0-9.]+)([A-Za-z]+)", re.ASCII)
FLAG_WITH_VALUE = regex(
    r"(--(?:fp16|bf16|int8|fp8|int4|best|noTF32|useCudaGraph|noDataTransfers|useSpinWait))=\S+"
)

#: Types of single layers; a name may have a wildcard.
_LAYER_TYPES = regex(r"(--layer(?:Precisions|OutputTypes))=[\"']?([^\"'\s]+)")
_NODES = regex(r" (?:\+|\|\|) ")

#: Any flag of a command line.
FLAG = regex(r"--[A-Za-z0-9]+")
_OFF = frozenset({"", "disabled", "none", "0", "-1", "false"})
#: The first version of TensorRT without these flags.
FIRST_WITHOUT = (11, 0)


def constraints(context: Context) -> str:
    """Return how binding types of single layers are: "obey" or "prefer"; empty where they have no effect."""
    stated = f"{context.build_option('Precision')} {context.analysis.identity.precisions}"
    value = stated_value(context, "", "--precisionConstraints")
    return next((each for each in ("obey", "prefer") if value == each or f"({each} " in stated), "")


def types_stated(context: Context, layer: LayerFacts) -> list[str]:
    """Return what binds a layer to types in commands or logs: "--layerPrecisions=/head/*:fp32"."""
    stated = context.cached(_layer_types) if context.cached(constraints) else _LayerTypes({}, {})
    nodes = dict.fromkeys([layer.name, *_NODES.split(layer.name), *layer.origins])
    found = {order: text for node in nodes for order, text in stated.by_name.get(node, ())}
    for (order, text), name in stated.by_pattern.items():
        if any(map(name.fullmatch, nodes)):
            found[order] = text
    return list(dict.fromkeys(found[order] for order in sorted(found)))


class _LayerTypes(NamedTuple):
    """What flags state of single layers, numbered in their order: by name, and with the pattern of names."""

    by_name: dict[str, list[tuple[int, str]]]
    by_pattern: dict[tuple[int, str], re.Pattern[str]]


def _layer_types(context: Context) -> _LayerTypes:
    """Return what the flags of commands state of the types of single layers, without any those of logs."""
    found = [
        match.groups() for command in context.analysis.commands for match in _LAYER_TYPES.finditer(command)
    ]
    options = (("--layerPrecisions", "LayerPrecisions"), ("--layerOutputTypes", "LayerOutputTypes"))
    logged = [(flag, context.build_option(option)) for flag, option in options]
    stated = _LayerTypes({}, {})
    values = [(flag, each) for flag, text in found or logged if not is_off(text) for each in text.split(",")]
    for order, (flag, value) in enumerate(values):
        name, _, types = value.rpartition(":")
        text = order, f"{flag}={name}:{types}"
        if "*" in name or "?" in name:
            stated.by_pattern[text] = re.compile(translate(name.replace("[", "[[]")))
        elif name:
            stated.by_name.setdefault(name, []).append(text)
    return stated


def states_no_layer_types(context: Context) -> bool:
    """Return whether trtexec built the engine without a flag that states types of single layers.

    Nothing else can state them then. A command that loads an engine does not show how it was built.
    """
    builds = [each for each in context.analysis.commands if "trtexec" in each and _READS_MODEL.search(each)]
    return bool(builds) and not any(flag in each for each in builds for flag in LAYER_FLAGS)


def is_strongly_typed(context: Context) -> bool | None:
    """Return whether the types of the network decide; None where neither version nor command shows it."""
    if context.version is not None and not (9, 0) <= context.version < FIRST_WITHOUT:
        return context.version >= FIRST_WITHOUT
    if context.analysis.identity.precisions == STRONGLY_TYPED:
        return True
    builds = [each for each in context.analysis.commands if "--onnx" in each]
    return False if builds and context.version is not None else None


def stated_value(context: Context, option: str, flag: str) -> str:
    """Return the value of a build option, that of a command's flag before that of a file of metadata.

    Args:
        context: The engine.
        option: Its name in metadata and logs; empty if they do not have it.
        flag: That of trtexec.

    Returns:
        "Enabled" for a flag without a value; empty if nothing states the option.
    """
    value = context.build_option(option).strip() if option else ""
    for command in context.analysis.commands:
        words = [word.partition("=") for word in command.split() if FLAG.match(word)]
        value = next((given or "Enabled" for name, _, given in words if name == flag), value)
    return value


def is_off(value: str) -> bool:
    """Return whether the value of a build option says that it is off, or nothing."""
    return value.lower() in _OFF


def flags_used(context: Context) -> set[str]:
    """Return the flags of trtexec's command lines."""
    return {flag for command in context.analysis.commands for flag in FLAG.findall(command)}
