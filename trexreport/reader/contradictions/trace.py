"""Of which engine and on which GPU the kernels of a trace were recorded.

A trace is recorded in a run of its own, so that the export of another engine is easily taken. Its ranges have
the names of the layers; a part of them may be unknown, as regions of Myelin and other libraries mark what
they like.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine
from trexreport.numbers import counted
from trexreport.reader.contradictions.gpu import is_one_gpu, stated_gpus, words_of_gpu
from trexreport.reader.contradictions.stated import Fact, Stated
from trexreport.reader.layer_names import without_profile

#: Fewer ranges may all be of something else than layers.
_FEWEST_RANGES = 3
_KNOWN_SHARE = 0.1
#: What TensorRT calls a region of Myelin, of which the layer information lists the layers inside.
_REGION = ("{ForeignNode[", "ForeignNode[")


class _Names(NamedTuple):
    names: frozenset[str]
    is_trace: bool


def _layers(engine: Engine) -> Iterator[Stated]:
    trace = engine.kernels
    if trace is None:
        return
    for file in engine.files:
        if file.role == "graph" and file.layer_times:
            listed = [name for name, _ in file.layer_times]
            names = frozenset(without_profile(name) for name in listed)
            yield Stated(file.file, _Names(names, is_trace=False), _text(listed))
    used = {run.range for run in trace.runs}
    marked = [
        each.name
        for number, each in enumerate(trace.ranges)
        if number in used and not each.is_region and not each.name.startswith(_REGION)
    ]
    marked = list(dict.fromkeys(marked))
    if len(marked) >= _FEWEST_RANGES:
        names = frozenset(map(without_profile, marked))
        yield Stated(trace.file, _Names(names, is_trace=True), _text(marked))


def _text(names: list[str]) -> str:
    return f"{counted(len(names), 'layer')} beginning with {names[0][:40]!r}"


def _are_of_one_engine(one: _Names, other: _Names) -> bool:
    if one.is_trace == other.is_trace:
        return True
    layers, traced = sorted((one, other), key=lambda each: each.is_trace)
    return len(traced.names & layers.names) >= _KNOWN_SHARE * len(traced.names)


class _Gpu(NamedTuple):
    words: frozenset[str]
    is_trace: bool


def _gpus(engine: Engine) -> Iterator[Stated]:
    trace = engine.kernels
    if trace is None or not words_of_gpu(trace.device):
        return
    for each in stated_gpus(engine):
        yield Stated(each.file, _Gpu(each.value, is_trace=False), each.text)
    yield Stated(trace.file, _Gpu(words_of_gpu(trace.device), is_trace=True), trace.device)


def _are_one_gpu(one: _Gpu, other: _Gpu) -> bool:
    # What the other files state is compared as a fact of its own.
    return one.is_trace == other.is_trace or is_one_gpu(one.words, other.words)


TRACE_FACTS = (
    Fact("traced-layers", "layers of the trace", _layers, _are_of_one_engine, "trace"),
    Fact("traced-gpu", "GPU of the trace", _gpus, _are_one_gpu, "trace"),
)
