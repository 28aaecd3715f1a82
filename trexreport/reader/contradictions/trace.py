"""Of which engine and on which GPU a trace was recorded, and of which engine tactics were timed.

A trace is recorded in a run of its own, so that the export of another engine is easily taken. Its ranges have
the names of the layers; a part of them may be unknown, as regions of Myelin and other libraries mark what
they like. Another build of the model has the same layers, and other kernels in them. The log of a build names
the layers that it timed.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from trexreport.model import Engine
from trexreport.numbers import counted, format_ms
from trexreport.reader.contradictions.gpu import is_one_gpu, stated_gpus, words_of_gpu
from trexreport.reader.contradictions.stated import Fact, Stated, graph_file
from trexreport.reader.contradictions.times import measured, stated_time
from trexreport.reader.impossible import quoted
from trexreport.reader.layer_names import without_profile
from trexreport.regex import regex

#: Fewer names may all be of something else than layers of the engine.
_FEWEST_NAMES = 3
_KNOWN_SHARE = 0.1
#: Part of the layers whose kernel is that of the plan; one build has all but a few that start others besides.
_SAME_KERNELS = 0.8
#: Time of a query with the largest shapes over that with the smallest ones.
_OTHER_SHAPES = 100.0
#: What names its architecture or generator names the kernel itself, as TensorRT does for its own.
_NAMED_KERNEL = regex(r"(?:sm\d{2,3}_|(?:volta|turing|ampere|hopper|blackwell)_)", re.ASCII)
#: A word that states types of what a kernel reads, computes and writes, which no library leaves out.
_TYPES = regex(r"(?:[bt]?[fisu]p?\d{1,2}|e\dm\d)+", re.ASCII)
#: What TensorRT calls a region of Myelin, of which the layer information lists the layers inside.
_REGION = ("{ForeignNode[", "ForeignNode[")


class _Names(NamedTuple):
    """Names of layers.

    Attributes:
        is_whole: They are all layers of the engine.
        share: Which part of them must be known, and one at least.
    """

    names: frozenset[str]
    is_whole: bool
    share: float = 0.0


def _traced_layers(engine: Engine) -> Iterator[Stated]:
    trace = engine.kernels
    if trace is None:
        return
    used = {run.range for run in trace.runs}
    timed = used | {each.range for each in trace.sums if each.place == "layer"}
    marked = [each.name for number, each in enumerate(trace.ranges) if number in timed and not each.is_region]
    # Sums count a kernel in every range around it: many of them may be of the program that runs the engine.
    yield from _named(engine, marked, trace.file, _KNOWN_SHARE if used - {None} else 0.0)


def _timed_layers(engine: Engine) -> Iterator[Stated]:
    tactics = engine.tactics
    if tactics is not None:
        timed = [each.name for each in tactics.layers if not each.is_operation]
        # A builder times layers, too, that are none in the end.
        yield from _named(engine, timed, tactics.file, 0.0)


def _named(engine: Engine, names: Iterable[str], file_name: str, share: float) -> Iterator[Stated]:
    """Yield the layers of the engine, and those that another file names."""
    for file in engine.files:
        if file.role == "graph" and file.layer_times:
            listed = [name for name, _ in file.layer_times]
            yield Stated(
                file.file, _Names(frozenset(map(without_profile, listed)), is_whole=True), _text(listed)
            )
    named = [name for name in dict.fromkeys(names) if not name.startswith(_REGION)]
    if len(named) >= _FEWEST_NAMES:
        stated = _Names(frozenset(map(without_profile, named)), is_whole=False, share=share)
        yield Stated(file_name, stated, _text(named))


def _text(names: list[str]) -> str:
    return f"{counted(len(names), 'layer')} beginning with {quoted(names[0])}"


def _are_of_one_engine(one: _Names, other: _Names) -> bool:
    if one.is_whole == other.is_whole:
        return True
    named, layers = sorted((one, other), key=lambda each: each.is_whole)
    return len(named.names & layers.names) >= max(1, named.share * len(named.names))


class _Kernels(NamedTuple):
    """Names of the kernels of layers: as the plan states them, or those that the trace has in their ranges.

    Attributes:
        by_layer: For each layer its tactic, or all kernels that ran in its range.
    """

    by_layer: Mapping[str, tuple[str, ...]]
    is_trace: bool


def _traced_kernels(engine: Engine) -> Iterator[Stated]:
    trace, file = engine.kernels, graph_file(engine)
    if trace is None or not file:
        return
    names = Counter(without_profile(layer.name) for layer in engine.layers)
    tactics = {
        name: (layer.tactic,)
        for layer in engine.layers
        if names[name := without_profile(layer.name)] == 1 and _NAMED_KERNEL.match(layer.tactic)
    }
    pairs: list[tuple[int | None, int | None]] = [(run.range, run.config) for run in trace.runs]
    pairs += [(each.range, each.config) for each in trace.sums if each.place == "layer"]
    ran: dict[str, set[str]] = {}
    for range_, config in dict.fromkeys(pairs):
        if range_ is not None and config is not None and not trace.ranges[range_].is_region:
            name = without_profile(trace.ranges[range_].name)
            if name in tactics:
                ran.setdefault(name, set()).add(trace.configs[config].name)
    # A layer whose kernels are of a library without such names shows nothing.
    found = {name: tuple(sorted(each)) for name, each in ran.items() if any(map(_NAMED_KERNEL.search, each))}
    if len(found) < _FEWEST_NAMES:
        return
    planned = {name: tactics[name] for name in found}
    first = next(
        (name for name in found if not _is_of_tactic(found[name], planned[name][0])), next(iter(found))
    )
    shown = f"of {quoted(first)}"
    yield Stated(file, _Kernels(planned, is_trace=False), f"the kernel {planned[first][0]} {shown}")
    yield Stated(trace.file, _Kernels(found, is_trace=True), f"the kernel {found[first][0]} {shown}")


def _is_of_tactic(kernels: Iterable[str], tactic: str) -> bool:
    """Return whether one of some kernels is that of a tactic: libraries append words, and may lack one."""
    words = set(tactic.split("_"))
    missing = (words - set(kernel.split("_")) for kernel in kernels)
    return any(len(each) <= 1 and not any(map(_TYPES.fullmatch, each)) for each in missing)


def _are_of_one_build(one: _Kernels, other: _Kernels) -> bool:
    """Return whether most layers ran the kernel that the plan has; another build has others."""
    if one.is_trace == other.is_trace:
        return True
    traced, planned = sorted((one, other), key=lambda each: not each.is_trace)
    same = sum(_is_of_tactic(kernels, planned.by_layer[name][0]) for name, kernels in traced.by_layer.items())
    others = len(traced.by_layer) - same
    return others < _FEWEST_NAMES or same >= _SAME_KERNELS * len(traced.by_layer)


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


class _Time(NamedTuple):
    """Time of a query, in ms."""

    time_ms: float
    is_trace: bool


def _traced_times(engine: Engine) -> Iterator[Stated]:
    trace = engine.kernels
    if trace is None:
        return
    if trace.queries:
        times = [each.end_ns - each.begin_ns for each in trace.runs if each.query is not None]
        time_ms = sum(times) / len(trace.queries) / 1e6
    else:
        sums = [each for each in trace.sums if each.place == "query" and each.range_runs]
        time_ms = math.fsum(each.total_ns / (each.range_runs or 1) for each in sums) / 1e6
    if not time_ms:
        return
    for file, times_ms in measured(engine):
        if times_ms.compute_ms:
            yield Stated(
                file.file, _Time(times_ms.compute_ms, is_trace=False), stated_time(file, times_ms).text
            )
    yield Stated(trace.file, _Time(time_ms, is_trace=True), f"kernels of {format_ms(time_ms)} in a query")


def _may_be_one_query(one: _Time, other: _Time) -> bool:
    # Both may have other shapes; times in another unit have a factor of 1,000.
    return one.is_trace == other.is_trace or max(one.time_ms, other.time_ms) <= _OTHER_SHAPES * min(
        one.time_ms, other.time_ms
    )


TRACE_FACTS = (
    Fact("timed-layers", "layers of the build", _timed_layers, _are_of_one_engine),
    Fact("traced-layers", "layers of the trace", _traced_layers, _are_of_one_engine, "trace"),
    Fact("traced-kernels", "kernels of the trace", _traced_kernels, _are_of_one_build, "trace"),
    Fact("traced-gpu", "GPU of the trace", _gpus, _are_one_gpu, "trace"),
    Fact("traced-times", "times of the trace", _traced_times, _may_be_one_query, "trace"),
)
