"""What a budget of weight streaming leaves on the host, and how fast the bus has to bring it."""

from __future__ import annotations

import re

from trexreport.analyzer.rules import Context
from trexreport.analyzer.rules.engine.workspace import gpu_memory_mib
from trexreport.model.stated_sizes import stated_bytes
from trexreport.regex import regex

_PERCENT = regex(r"([0-9]+(?:\.[0-9]*)?)%", re.ASCII)
_SIZE = regex(r"([0-9]+(?:\.[0-9]*)?) ?([BKMG])?(?:ytes)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 0, "B": 0, "K": 10, "M": 20, "G": 30}
#: From this version on a percentage is that of the weights that stay on the GPU. Source: trtexec --help.
_SINCE_RESIDENT = (10, 1)
#: What PCIe with 16 lanes moves in practice, in GB/s, by generation, and how near a rate is to it.
_LANES_GBS = {3: 12.5, 4: 25.0, 5: 50.0}
LOW, HIGH = 0.7, 1.15
#: Part of the GPU's memory that the driver, the CUDA context and other programs take.
_RESERVE = 0.05
_SIZES = ("Total Weights Memory", "Engine file size", "Engine size", "Loaded engine size")


def weights_of_engine(context: Context) -> int:
    """Return the bytes of all weights as layers state them, else about the engine's; 0 if not known."""
    memory = context.analysis.memory
    if memory.weights_bytes and not memory.weights_unknown and not memory.layers_without_weights:
        return memory.weights_bytes
    stated = (stated_bytes(memory.stated[name]) for name in _SIZES if name in memory.stated)
    return int(next(stated, None) or 0)


def shown_budget(budget: str) -> str:
    """Return a budget without the digits that trtexec adds to a percentage."""
    share = _PERCENT.fullmatch(budget)
    return f"{float(share[1]):g}%" if share else budget


def streamed_bytes(budget: str, weights_bytes: int, version: tuple[int, int] | None) -> float | None:
    """Return how many bytes of weights do not stay on the GPU with a budget; None where that is not known."""
    is_older = version is not None and version < _SINCE_RESIDENT
    share, size = _PERCENT.fullmatch(budget), _SIZE.fullmatch(budget)
    if share:
        resident = 100 - float(share[1]) if is_older else float(share[1])
        if resident >= 100:
            return 0.0
        return (1 - resident / 100) * weights_bytes if weights_bytes else None
    if size:
        amount = float(size[1]) * 2 ** _UNITS[(size[2] or "").upper()]
        if is_older and amount == 0:
            return 0.0  # In 10.0 a budget of 0 switches streaming off.
        return max(weights_bytes - amount, 0.0) if weights_bytes else None
    return None


def bus_of(rate_gbs: float) -> str:
    """Return the bus that moves about as much, such as "PCIe 4 with 16 lanes"; empty if none does."""
    near = (each for each, most in _LANES_GBS.items() if LOW * most <= rate_gbs <= HIGH * most)
    return next((f"PCIe {generation} with 16 lanes" for generation in near), "")


def exceeds_memory(context: Context) -> bool:
    """Return whether the weights alone surely need more memory than the GPU has."""
    memory_mib = gpu_memory_mib(context)
    return memory_mib is not None and weights_of_engine(context) > memory_mib << 20


def fits_memory(context: Context) -> bool:
    """Return whether all weights fit into the GPU's memory beside what a log states of activations."""
    return 0 < weights_of_engine(context) <= (room_for_weights(context) or 0.0)


def room_for_weights(context: Context) -> float | None:
    """Return about how many bytes of weights fit into the GPU's memory; None where it is not known.

    Activations need the rest, as far as a log states them, and a reserve.
    """
    memory_mib = gpu_memory_mib(context)
    activations = stated_bytes(context.build_fact("Execution context device memory"))
    if memory_mib is None or activations is None:
        return None
    return max((1 - _RESERVE) * (memory_mib << 20) - activations, 0.0)
