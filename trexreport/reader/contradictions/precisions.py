"""Which precisions a build was allowed to use, and which ones the layers compute in.

A builder that may not use a type refuses a network that asks for it, except where the network states all
types itself (strongly typed). DLA builds without INT8 use FP16 unasked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine, FileFacts, Layer
from trexreport.model.commands import is_strongly_typed, precisions_of_commands
from trexreport.numbers import join_names
from trexreport.reader.contradictions.stated import Fact, Stated, graph_file, option_values

#: Types that a builder only uses where it is allowed to.
_ASKED_FOR = frozenset({"INT8", "FP8", "INT4", "FP4", "FP16", "BF16"})
_HALF = frozenset({"FP16", "BF16"})
#: Layers that multiply: types of native layers, and of those inside regions of Myelin.
_PRODUCTS = frozenset(
    {"Convolution", "Deconvolution", "FullyConnected", "MatrixMultiply", "Gemm", "gemm", "conv", "fmha"}
)


class _Precisions(NamedTuple):
    """Data types that a build was allowed to use, or that it used."""

    types: frozenset[str]
    are_used: bool


def _precisions(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    used = frozenset().union(*(_used_types(layer) for layer in engine.layers))
    if used and file:
        yield Stated(file, _Precisions(used, are_used=True), _used_text(engine, used))
    if any(map(_is_of_dla, engine.files)):
        return
    for each in engine.files:
        # A strongly typed network states its types itself.
        if is_strongly_typed(each.setup):
            continue
        stated = [*option_values(each.setup.build_options, "Precision")]
        # From 9.3 on --best allows what the GPU supports.
        if not stated and not any("--best" in command for command in each.setup.commands):
            stated = [precisions_of_commands(each.setup.commands, engine.setup.tensorrt_version)]
        for text in stated:
            allowed = frozenset(re.findall(r"\b(?:FP|INT|BF|TF)\d+\b", text))
            if "FP32" in allowed:
                yield Stated(each.file, _Precisions(allowed, are_used=False), text)


def _is_of_dla(file: FileFacts) -> bool:
    sections = (file.setup.build_options, file.setup.device)
    cores = (core for each in sections for core in option_values(each, "DLACore", "DLA Core"))
    return any("--useDLACore" in each for each in file.setup.commands) or any(map(str.isdecimal, cores))


def _used_types(layer: Layer) -> frozenset[str]:
    """Return the types of a layer's weights, and those in which one without weights multiplies."""
    if layer.weights:
        return _ASKED_FOR.intersection(each.data_type for each in layer.weights if each.role == "weights")
    if layer.type not in _PRODUCTS:
        return frozenset()
    types = {each.format.data_type for each in (*layer.inputs, *layer.outputs)}
    # A tensor of another type is converted, and the kernel may multiply in either.
    return _HALF & types if len(types) == 1 else frozenset()


def _used_text(engine: Engine, used: frozenset[str]) -> str:
    of_weights = {
        each.data_type for layer in engine.layers for each in layer.weights if each.role == "weights"
    }
    what = "weights" if used <= of_weights else "layers"
    return f"{join_names(sorted(used))} {what}"


def _are_allowed(one: _Precisions, other: _Precisions) -> bool:
    if one.are_used == other.are_used:
        return one.types == other.types
    used, allowed = sorted((one, other), key=lambda each: not each.are_used)
    return used.types <= allowed.types


PRECISION_FACTS = (Fact("precisions", "precisions", _precisions, _are_allowed),)
