"""What the files call the model, the engine and the version of TensorRT, and how large the engine is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, InputWarning
from trexreport.numbers import middle_ellipsis
from trexreport.reader.contradictions.stated import (
    Fact,
    Stated,
    base_name,
    flag_values,
    graph_file,
    option_values,
    states_nodes,
)
from trexreport.regex import regex

_SIZE = regex(r"([0-9.]{1,20}) (MiB|MB|bytes)", re.ASCII)
_MIB = {"MiB": 1.0, "MB": 1.0, "bytes": 2.0**-20}
_SIZE_FACTS = ("Engine file size", "Engine size", "Loaded engine size")
#: trtexec writes "Loaded engine size" without its fraction of a MiB.
_SIZE_TOLERANCE_MIB, _SIZE_TOLERANCE = 1.5, 0.02
#: Words of file names that name no model.
_GENERIC = frozenset(
    {"engine", "plan", "model", "onnx", "trt", "tensorrt", "best", "last", "final", "test", "tmp", "temp"}
    | {"fp32", "fp16", "bf16", "fp8", "fp4", "int8", "int4", "tf32", "mixed", "quantized", "quant", "qat"}
    | {"ptq", "sim", "simplified", "batch", "dynamic", "static", "serialized", "optimized", "output", "out"}
    | {"build", "gpu", "dla", "cuda", "max", "min", "opt", "prod", "dev", "new", "old", "copy"}
)
_LONGEST = 80
_RENAMED_HINT = "Give the file that was written with this engine, or name the file after its model."
#: The versions of TensorRT that the engine inspector, the ONNX nodes of layers and a list of inputs and
#: outputs came with; all are in the first version of TensorRT for RTX.
_FIRST_WITH_LAYERS, _FIRST_WITH_NODES, _FOR_RTX = (8,), (8, 6), 1
_WORD = regex(r"[a-z]+\d*|\d+")


class _ModelName(NamedTuple):
    """What a file calls the model, or what the file's own name calls it."""

    name: str
    is_of_file_name: bool


def _models(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        named = [
            *option_values(file.setup.model_options, "Model"),
            *flag_values(file, "onnx", "uff", "deploy"),
            *([file.paths["model"]] if "model" in file.paths else []),
        ]
        # TREx's own convention puts the whole name of the model before its endings.
        prefix, ending, _ = file.file.partition(".onnx.engine.")
        shown = [f"{prefix}.onnx"] if ending and prefix else []
        for is_of_file_name, paths in ((False, named), (True, shown)):
            for name in filter(None, map(base_name, paths)):
                yield Stated(file.file, _ModelName(name.casefold(), is_of_file_name), name)


def _is_one_model(one: _ModelName, other: _ModelName) -> bool:
    """Return whether two names can be one model's: all files of a capture may be renamed together."""
    return one.name == other.name or one.is_of_file_name != other.is_of_file_name


def renamed_files(engine: Engine) -> Iterator[InputWarning]:
    """Yield a note for each file whose own name states another model than its content.

    That is not a contradiction, as all files of a capture may have been renamed.
    """
    by_file: dict[str, list[Stated]] = {}
    for each in _models(engine):
        by_file.setdefault(each.file, []).append(each)
    for file, stated in by_file.items():
        named = {each.value.name: each.text for each in stated if not each.value.is_of_file_name}
        shown = {each.value.name: each.text for each in stated if each.value.is_of_file_name}
        # A name such as "m" or "best" is of no model.
        shown = {name: text for name, text in shown.items() if _words(name)}
        is_longer = any(_words(one) and _words(one) <= _words(other) for one in named for other in shown)
        if named and shown and not named.keys() & shown.keys() and not is_longer:
            inside, outside, where = (
                middle_ellipsis(each, _LONGEST)
                for each in (next(iter(named.values())), next(iter(shown.values())), file)
            )
            message = (
                f"{where} states the model {inside}, and its name {outside}: it was renamed, or is of "
                "another engine."
            )
            yield InputWarning("degraded", "renamed-file", message, file, ("build",), _RENAMED_HINT)


class _EngineName(NamedTuple):
    """What an engine's file is called where it was saved, or where it was loaded."""

    name: str
    words: frozenset[str]
    is_saved: bool


def _engines(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        loaded = [*option_values(file.setup.build_options, "Load engine"), *flag_values(file, "loadEngine")]
        loaded += [file.paths["engine"]] if "engine" in file.paths else []
        saved = [*option_values(file.setup.build_options, "Save engine"), *flag_values(file, "saveEngine")]
        for is_saved, paths in ((True, saved), (False, loaded)):
            for name in filter(None, map(base_name, paths)):
                yield Stated(file.file, _EngineName(name.casefold(), _words(name), is_saved), name)


def _words(name: str) -> frozenset[str]:
    stem = name.rpartition(".")[0] or name
    words = _WORD.findall(stem.casefold())
    return frozenset(word for word in words if len(word) > 2 and not word.isdecimal()) - _GENERIC


def _is_one_engine(one: _EngineName, other: _EngineName) -> bool:
    """Return whether two names can be one engine's: a saved file may be renamed, a loaded one not."""
    if one.name == other.name:
        return True
    return one.is_saved != other.is_saved and (
        not one.words or not other.words or bool(one.words & other.words) or _is_part(one.words, other.words)
    )


def _is_part(one: frozenset[str], other: frozenset[str]) -> bool:
    return any(word in longer or longer in word for word in one for longer in other)


def _sizes(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        for key in _SIZE_FACTS:
            found = _SIZE.match(file.setup.build_facts.get(key, ""))
            size = float(found[1]) * _MIB[found[2]] if found and found[1].count(".") < 2 else 0.0
            # An engine that was not built in this run is stated to have 0 MiB.
            if size and found:
                yield Stated(file.file, size, found[0])


def _is_one_size(one: float, other: float) -> bool:
    return abs(one - other) <= _SIZE_TOLERANCE_MIB + _SIZE_TOLERANCE * max(one, other)


class _Version(NamedTuple):
    """The numbers of a version of TensorRT, or those of the first one that writes what a file holds."""

    numbers: tuple[int, ...]
    is_least: bool = False


def _versions(engine: Engine) -> Iterator[Stated]:
    yield from _least_versions(engine)
    # Such an engine may run in another version than the one that built it.
    options = [key for file in engine.files for key in _enabled(file.setup.build_options)]
    flags = " ".join(command for file in engine.files for command in file.setup.commands)
    is_portable = "Version Compatible" in options or re.search(
        r"--(versionCompatible|vc|useRuntime)\b", flags
    )
    for file in engine.files:
        # Patches that differ within a run are not of two runs.
        releases = {_numbers(version)[:2] for version in file.setup.run_versions}
        of_one_run = file.setup.run_versions if len(releases) > 1 else ()
        for version in of_one_run or (file.setup.tensorrt_version,):
            numbers = _numbers(version)
            if len(numbers) > 1 and (of_one_run or not is_portable):
                text = f"TensorRT {version}"
                yield Stated(file.file, _Version(numbers), text, is_of_one_run=bool(of_one_run))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(each[:9]) for each in re.findall(r"\d+", version)[:4])


def _least_versions(engine: Engine) -> Iterator[Stated]:
    """Yield since when TensorRT writes what the layer information holds; the inspector came in 8."""
    file = graph_file(engine)
    if not file or not any("LayerType" in layer.attributes for layer in engine.layers):
        return
    has_nodes = states_nodes(engine)
    least: tuple[int, ...] = _FIRST_WITH_NODES if has_nodes else _FIRST_WITH_LAYERS
    what = "ONNX nodes of layers" if has_nodes else "layer information"
    text = f"{what}, as TensorRT {'.'.join(map(str, least))} and later write it"
    yield Stated(file, _Version(least, is_least=True), text)


def _enabled(options: dict[str, str] | object) -> list[str]:
    return [key for key, value in options.items() if value == "Enabled"] if isinstance(options, dict) else []


def _is_one_version(one: _Version, other: _Version) -> bool:
    """Return whether the numbers that both state are equal; builds and patches may be left out.

    TensorRT for RTX has versions of its own, from 1.0 on.
    """
    if one.is_least or other.is_least:
        least, stated = sorted((one, other), key=lambda each: not each.is_least)
        is_enough = stated.numbers[: len(least.numbers)] >= least.numbers or stated.numbers[0] == _FOR_RTX
        return is_enough or (one.is_least and other.is_least)
    common = min(len(one.numbers), len(other.numbers), 3)
    return one.numbers[:common] == other.numbers[:common]


NAME_FACTS = (
    Fact("model", "model", _models, _is_one_model),
    Fact("engine-file", "engine", _engines, _is_one_engine),
    Fact("engine-size", "engine size", _sizes, _is_one_size),
    Fact("tensorrt-version", "TensorRT version", _versions, _is_one_version),
)
