"""What the options of a command line of trtexec say of its run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from trexreport.model.measurement import Setup
from trexreport.regex import regex

#: The batch size that a command states.
BATCH = regex(r"--batch[= ]+[\"']?(\d{1,9})\b", re.ASCII)
_MEASURES_NOT = regex(r"--(?:buildOnly|skipInference)\b")
#: Up to a quote or a space: a path with spaces is quoted.
_MODEL = regex(r"--(?:onnx|uff|model)=(?:\"([^\"]{1,4000})\"|'([^']{1,4000})'|(\S{1,4000}))")
#: A Caffe or UFF model, which trtexec takes up to 8.6.
_OLD_MODEL = regex(r"--(?:deploy|uff)=\S")
#: A library of plugins, which may be given several times; as a path with spaces it is quoted.
_PLUGINS = regex(
    r"--(?:plugins|dynamicPlugins|staticPlugins)[= ]"
    r"(?:\"([^\"]{1,4000})\"|'([^']{1,4000})'|([^\s\"']{1,4000}))"
)
_LOADS = regex(r"--loadEngine\b")
_PROFILES = regex(r"--(?:export|dump)Profile\b")
_TYPE_FLAG = regex(r"(?<!\S)--(fp16|bf16|int8|fp8|int4|best|stronglyTyped)\b")
#: In the order in which trtexec prints them.
_TYPE_FLAGS = ("fp16", "bf16", "int8", "fp8", "int4")
#: From this version on the network states all types, and there are no such flags.
_ALWAYS_TYPED = 11
#: trtexec exports layer information from 8.2 on. The log of TensorRT 7 states no version, but this option of
#: the build, which 8.0 replaced.
_WITHOUT_LAYERS = regex(r"[5-7]\.|8\.[01](?!\d)", re.ASCII)
_OPTION_OF_7 = "Builder Cache"
#: The figure of a log that has the format of trtexec 7.
LOG_FORMAT, FORMAT_OF_7 = "Log format", "trtexec 7 or earlier"
_DETAILED = regex(r"--profilingVerbosity=[\"']?detailed\b")
#: What trtexec prints as "Precision" of such a network.
STRONGLY_TYPED = "Strongly Typed"


def exports_no_layers(version: str, build_options: Mapping[str, str], build_facts: Mapping[str, str]) -> bool:
    """Return whether the trtexec that built an engine is known to export no layer information.

    Args:
        version: Of TensorRT, as stated; may be empty.
        build_options: As the log of the build lists them.
        build_facts: Figures from the log.
    """
    if version:
        return _WITHOUT_LAYERS.match(version) is not None
    return _OPTION_OF_7 in build_options or build_facts.get(LOG_FORMAT) == FORMAT_OF_7


def builds_detailed(commands: Iterable[str]) -> bool:
    """Return whether a command builds an engine that keeps all layer information."""
    return any(_DETAILED.search(each) and not _LOADS.search(each) for each in commands)


def plugin_libraries(commands: Iterable[str]) -> list[str]:
    """Return the file names of the plugin libraries that commands load, each once."""
    paths = (next(filter(None, found)) for each in commands for found in _PLUGINS.findall(each))
    return list(dict.fromkeys(re.split(r"[/\\]", path)[-1] for path in paths))


def times_queries(command: str) -> bool:
    """Return whether a command times queries, and does not only build."""
    return _MEASURES_NOT.search(command) is None


def profiles_while_timing(command: str) -> bool:
    """Return whether a command profiles layers in the run that times the queries, which slows them down."""
    return _PROFILES.search(command) is not None and "--separateProfileRun" not in command


def always_profiles_while_timing(commands: Iterable[str]) -> bool:
    """Return whether each command that times queries profiles layers in the same run; False without any."""
    runs = [each for each in commands if times_queries(each)]
    return bool(runs) and all(map(profiles_while_timing, runs))


def model_of_commands(commands: Iterable[str]) -> str:
    """Return the model file that the commands build; empty if none does, or they build different ones."""
    found = (_MODEL.search(command) for command in commands if not _LOADS.search(command))
    models = {next(filter(None, each.groups()), "") for each in found if each}
    return models.pop() if len(models) == 1 else ""


def is_strongly_typed(setup: Setup) -> bool:
    """Return whether a file or a command says that the network states all types."""
    builds = (each for each in setup.commands if not _LOADS.search(each))
    return (
        setup.build_options.get("Strongly Typed") == "Enabled"
        or "trongly" in setup.build_options.get("Precision", "")
        or any("stronglyTyped" in _TYPE_FLAG.findall(each) for each in builds)
    )


def allowed_precisions(setup: Setup) -> str:
    """Return what types the builder was allowed, as trtexec prints them; empty if not stated.

    Args:
        setup: Up to TensorRT 10 its "Precision" says FP32 for a strongly typed network too, as no option
            allows a type.
    """
    if is_strongly_typed(setup):
        return STRONGLY_TYPED
    return setup.build_options.get("Precision", "") or precisions_of_commands(
        setup.commands, setup.tensorrt_version
    )


def precisions_of_commands(commands: Iterable[str], tensorrt_version: str = "") -> str:
    """Return what trtexec prints as "Precision" for the commands that build; empty if it is not certain.

    Args:
        commands: Command lines; those that load an engine allow the builder nothing.
        tensorrt_version: Such as "10.3.0"; empty if not known.
    """
    builds = [
        each
        for each in commands
        if (_MODEL.search(each) or _OLD_MODEL.search(each)) and not _LOADS.search(each)
    ]
    found = {_precisions(each, tensorrt_version) for each in builds}
    return found.pop() if len(found) == 1 else ""


def _precisions(command: str, tensorrt_version: str) -> str:
    flags = set(_TYPE_FLAG.findall(command))
    major = tensorrt_version.partition(".")[0]
    if "stronglyTyped" in flags:
        return STRONGLY_TYPED
    is_typed_by_flags = bool(_OLD_MODEL.search(command)) or (
        major.isascii() and major.isdecimal() and int(major[:3]) < _ALWAYS_TYPED
    )
    if not flags and not is_typed_by_flags:
        # Whether there is nothing but FP32 or everything that the network states depends on the version.
        return ""
    if "best" in flags:
        # From 9.3 on also BF16, where the GPU has it.
        flags |= {"fp16", "int8"}
    return "+".join(["FP32", *(each.upper() for each in _TYPE_FLAGS if each in flags)])
