"""On which GPU the files say that the engine ran, and for which one its kernels were built."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from trexreport.model import Engine, FileFacts, Tensor
from trexreport.reader.contradictions.stated import Fact, Stated, graph_file, option_values
from trexreport.reader.impossible import quoted
from trexreport.regex import regex

#: Words of a GPU's name that another file may leave out.
_IDLE = frozenset(
    {"nvidia", "geforce", "tesla", "quadro", "jetson", "gpu", "graphics", "generation", "nvgpu", "device"}
)
#: Words that make it another GPU.
_DISTINCT = frozenset({"ti", "super", "laptop", "mobile", "ada", "max", "q", "d", "s", "nvl"})
#: Parts have names of their own: "A100-SXM4-40GB MIG 1g.5gb", and of vGPU "GRID T4-16Q".
_PART = regex(r"\bMIG\b|\bGRID\b|-\d{1,3}[ABCQ]\b", re.IGNORECASE)
#: Of the list of devices in a log: "NVIDIA A100-SXM4-80GB" UUID: GPU-1f...
_LISTED = regex(r"\s*\"([^\"]{1,200})\"")
_NUMBER = regex(r"\s*(\d+(?:\.\d+)?)", re.ASCII)
_KERNEL = regex(r"(?:^|_)(?:sm_?(\d{2,3})[af]?|(volta|turing|ampere|hopper|blackwell))_", re.ASCII)
_FAMILIES = {"volta": 70, "turing": 75, "ampere": 80, "hopper": 90, "blackwell": 100}
#: Parts of a GPU (MIG) state their own multiprocessors and memory, and memory may be reserved by the driver.
_MEMORY_TOLERANCE = 0.12
#: vGPU divides a GPU into at most 48 parts, MIG into 7, and MPS by whole percent.
_SMALLEST_PART = 0.01
#: Clocks of one GPU that were rounded: in all captures seen equal.
_CLOCK_TOLERANCE = 0.02
_MIB = 2**20


class _Amount(NamedTuple):
    """A property of a GPU with the words of its name.

    Attributes:
        is_part: The name may be that of a part of a GPU.
    """

    amount: float
    words: frozenset[str]
    is_part: bool


@lru_cache(maxsize=256)
def words_of_gpu(name: str) -> frozenset[str]:
    """Return the words of a GPU's name by which it differs from another GPU."""
    # "NVIDIA A100-SXM4-80GB MIG 3g.40gb" is a part of "NVIDIA A100-SXM4-80GB".
    whole = re.sub(r"\bmig\b.*|\(.*?\)", "", name.casefold())
    words = re.findall(r"[a-z0-9]+", re.sub(r"(\d+) ?gb\b", r"\1gb", whole))
    return frozenset(re.sub(r"^(sxm|hbm)\d[a-z]?$", r"\1", word) for word in words) - _IDLE


def is_one_gpu(one: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether one name only says more than the other."""
    return (one <= other or other <= one) and one & _DISTINCT == other & _DISTINCT


def _files(engine: Engine) -> list[FileFacts]:
    """Return the files that state a GPU; of an engine for several kinds, not that of the build."""
    texts = " ".join(
        text
        for file in engine.files
        for text in (*file.setup.commands, *option_values(file.setup.build_options, "Hardware Compatibility"))
    )
    is_portable = "hardwareCompatibilityLevel" in texts or "ampere" in texts.casefold()
    return [file for file in engine.files if file.setup.device and not (is_portable and file.is_build)]


def stated_gpus(engine: Engine) -> Iterator[Stated]:
    """Yield the name of the GPU in each file that has one, as its words."""
    for file in _files(engine):
        device = file.setup.device
        listed = _LISTED.match(device.get(f"Device {device.get('Selected Device ID', '')}", ""))
        for name in (device.get("Selected Device", "").strip(), listed[1] if listed else ""):
            if words := words_of_gpu(name):
                yield Stated(file.file, words, name)


def _uuids(engine: Engine) -> Iterator[Stated]:
    for file in engine.files:
        uuid = file.setup.device.get("Selected Device UUID", "").strip()
        # An engine may be built on one GPU and run on another one of the same kind.
        if uuid and not file.is_build:
            yield Stated(file.file, uuid.casefold(), uuid)


def _is_one_uuid(one: str, other: str) -> bool:
    """Return whether two identifiers can be one GPU's; a part of a GPU has one of its own."""
    return one == other or one.startswith("mig") != other.startswith("mig")


def _property(key: str) -> Callable[[Engine], Iterator[Stated]]:
    def stated(engine: Engine) -> Iterator[Stated]:
        for file in _files(engine):
            text = file.setup.device.get(key, "").strip()
            found = _NUMBER.match(text)
            if found and float(found[1]):
                name = file.setup.device.get("Selected Device", "")
                is_part = not name or bool(_PART.search(name))
                yield Stated(file.file, _Amount(float(found[1]), words_of_gpu(name), is_part), text)

    return stated


def _is_one_amount(one: _Amount, other: _Amount) -> bool:
    """Return whether two amounts agree, or parts of one GPU (MIG, MPS, vGPU) may differ in them."""
    least, most = sorted((one.amount, other.amount))
    if most - least <= _MEMORY_TOLERANCE * most:
        return True
    is_part = bool(one.words and other.words) and is_one_gpu(one.words, other.words)
    return is_part and least >= _SMALLEST_PART * most


def _is_equal(one: _Amount, other: _Amount) -> bool:
    return one.amount == other.amount


def _is_one_bus(one: _Amount, other: _Amount) -> bool:
    """Return whether two widths agree; MPS gives fewer multiprocessors, and only parts another bus."""
    return one.amount == other.amount or ((one.is_part or other.is_part) and _is_one_amount(one, other))


def _clock(part: str) -> Callable[[Engine], Iterator[Stated]]:
    """Return what yields the clock that each file of a run states; that of a build may differ."""
    properties = [_property(f"{prefix}{part} Clock Rate") for prefix in ("Application ", "")]

    def stated(engine: Engine) -> Iterator[Stated]:
        builds = {file.file for file in engine.files if file.is_build}
        found = (each for of_property in properties for each in of_property(engine))
        yield from (each for each in found if each.file not in builds)

    return stated


def _is_one_clock(one: _Amount, other: _Amount) -> bool:
    return math.isclose(one.amount, other.amount, rel_tol=_CLOCK_TOLERANCE)


class _Architecture(NamedTuple):
    """Compute capability times ten: of a GPU, or that kernels need at least."""

    number: int
    is_needed: bool


def stated_architectures(engine: Engine) -> Iterator[Stated]:
    """Yield what kernels need, as layers, a trace and counts name them, and what GPUs have."""
    trace, counters = engine.kernels, engine.counters
    named = [(graph_file(engine), {layer.tactic for layer in engine.layers})]
    named += [(trace.file, {each.name for each in trace.configs})] if trace else []
    named += [(counters.file, {each.name for each in counters.kernels})] if counters else []
    for file, kernels in named:
        needed = [each for kernel in kernels for each in _KERNEL.findall(kernel)]
        newest = max([_FAMILIES[family] if family else int(number) for number, family in needed], default=0)
        if newest and file:
            yield Stated(file, _Architecture(newest, is_needed=True), f"kernels for sm{newest}")
    for each in _files(engine):
        major, dot, minor = each.setup.device.get("Compute Capability", "").strip().partition(".")
        if dot and major.isdecimal() and minor.isdecimal() and len(major) < 4:
            number = 10 * int(major) + int(minor[0])
            yield Stated(
                each.file, _Architecture(number, is_needed=False), f"compute capability {major}.{minor}"
            )


def _can_run(one: _Architecture, other: _Architecture) -> bool:
    if one.is_needed == other.is_needed:
        return True
    needed, there = sorted((one, other), key=lambda each: not each.is_needed)
    return needed.number <= there.number


class _Size(NamedTuple):
    """Bytes of the largest tensor or weights of a layer, or of the memory that must hold them."""

    size_bytes: float
    is_needed: bool


def _sizes(engine: Engine) -> Iterator[Stated]:
    file = graph_file(engine)
    largest, name = _largest(engine) if file else (0, "")
    if largest and file:
        text = f"{largest / _MIB:,.0f} MiB for {quoted(name)}"
        yield Stated(file, _Size(largest, is_needed=True), text)
    for each in _property("Device Global Memory")(engine):
        yield Stated(each.file, _Size(each.value.amount * _MIB, is_needed=False), each.text)


def _largest(engine: Engine) -> tuple[int, str]:
    """Return the bytes of the largest tensor or weights with its name: of several, the last by name."""
    # Of each shape and format, of which there are few, the last by name.
    last: dict[tuple[Sequence[int], int], Tensor] = {}
    for layer in engine.layers:
        for use in layer.inputs + layer.outputs:
            known = last.setdefault((use.dimensions, id(use.format)), use)
            if use.name > known.name:
                last[use.dimensions, id(use.format)] = use
    used = ((each.size_bytes or 0, each.name) for each in last.values())
    owned = ((each.size_bytes or 0, layer.name) for layer in engine.layers for each in layer.weights)
    return max([(0, ""), *used, *owned])


def _holds(one: _Size, other: _Size) -> bool:
    if one.is_needed == other.is_needed:
        return True
    needed, there = sorted((one, other), key=lambda each: not each.is_needed)
    return needed.size_bytes <= there.size_bytes * (1 + _MEMORY_TOLERANCE)


GPU_FACTS = (
    Fact("gpu-name", "GPU", stated_gpus, is_one_gpu, "gpu"),
    Fact("gpu-uuid", "GPU", _uuids, _is_one_uuid, "gpu"),
    Fact("compute-capability", "compute capability", _property("Compute Capability"), _is_equal, "gpu"),
    Fact("sms", "number of SMs", _property("SMs"), _is_one_amount, "gpu"),
    Fact("gpu-memory", "GPU memory", _property("Device Global Memory"), _is_one_amount, "gpu"),
    Fact("memory-bus", "memory bus width", _property("Memory Bus Width"), _is_one_bus, "gpu"),
    Fact("compute-clock", "compute clock of the GPU", _clock("Compute"), _is_one_clock, "gpu"),
    Fact("memory-clock", "memory clock of the GPU", _clock("Memory"), _is_one_clock, "gpu"),
    Fact("tensor-size", "size of a tensor and GPU memory", _sizes, _holds, "gpu"),
    Fact("kernels", "kernels and GPU", stated_architectures, _can_run, "gpu"),
)
