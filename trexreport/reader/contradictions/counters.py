"""Of which engine and on which GPU Nsight Compute counted.

Its CSV names kernels and no layers. They are kernels of the engine's tactics, or of a trace of it: where none
of several is known, the CSV is of another engine. The names of some tactics are not those of kernels, so that
few of either show nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import Engine
from trexreport.model.kernel_names import SHORTEST_TACTIC, possible_tactics
from trexreport.numbers import counted
from trexreport.reader.contradictions.gpu import stated_architectures
from trexreport.reader.contradictions.stated import Fact, Stated, graph_file
from trexreport.reader.impossible import quoted

#: Fewer names may all be of kernels that no file lists.
_FEWEST_NAMES = 3


class _Kernels(NamedTuple):
    """Names of kernels: those that were counted, with what layers may call them; or those of the engine."""

    names: frozenset[str]
    is_counted: bool


def _counted_kernels(engine: Engine) -> Iterator[Stated]:
    counters, trace = engine.counters, engine.kernels
    if counters is None:
        return
    names = list(dict.fromkeys(each.name for each in counters.kernels))
    possible = frozenset(tactic for name in names for tactic in possible_tactics(name))
    tactics = dict.fromkeys(
        layer.tactic
        for layer in engine.layers
        if len(layer.tactic) >= SHORTEST_TACTIC and not layer.tactic.startswith("0x")
    )
    configs = trace.configs if trace else ()
    traced = {name for config in configs for name in (config.name, config.full_name)}
    known, file = list(dict.fromkeys((*tactics, *sorted(traced)))), graph_file(engine)
    if len(names) < _FEWEST_NAMES or len(known) < _FEWEST_NAMES or not file:
        return
    yield Stated(file, _Kernels(frozenset(known), is_counted=False), _text(known))
    yield Stated(counters.file, _Kernels(possible, is_counted=True), _text(names))


def _text(names: list[str]) -> str:
    return f"{counted(len(names), 'kernel')} beginning with {quoted(names[0])}"


def _are_of_one_engine(one: _Kernels, other: _Kernels) -> bool:
    return one.is_counted == other.is_counted or not one.names.isdisjoint(other.names)


class _Capability(NamedTuple):
    number: int
    is_counted: bool


def _gpus(engine: Engine) -> Iterator[Stated]:
    counters = engine.counters
    if counters is None or counters.compute_capability is None:
        return
    for each in stated_architectures(engine):
        if not each.value.is_needed:
            yield Stated(each.file, _Capability(each.value.number, is_counted=False), each.text)
    number = counters.compute_capability
    text = f"compute capability {number // 10}.{number % 10}"
    yield Stated(counters.file, _Capability(number, is_counted=True), text)


def _are_one_gpu(one: _Capability, other: _Capability) -> bool:
    # What the other files state is compared as a fact of its own.
    return one.is_counted == other.is_counted or one.number == other.number


COUNTER_FACTS = (
    Fact("counted-kernels", "kernels that were counted", _counted_kernels, _are_of_one_engine, "counters"),
    Fact("counted-gpu", "GPU of the counts", _gpus, _are_one_gpu, "counters"),
)
