"""Find out which GPU a capture was made on, and its peaks at the clock that the capture states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from trexreport.analyzer.analysis import Gpu, RooflineObstacle
from trexreport.analyzer.analysis.roofline import GpuMatch, GpuProperty
from trexreport.analyzer.roofline import table as tables
from trexreport.analyzer.roofline.classes import EXPLAINED_PERCENT
from trexreport.analyzer.roofline.device import Device, read_device
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

_MEMORY_WORD = regex(r"(\d+)gb")
_BYTES_PER_MIB = 2**20
#: Part of a board's memory that the driver may keep for itself, and by which GB differ from GiB.
_MEMORY_TOLERANCE = 0.12
#: Compute capability of the Jetson Orin modules, and how far clocks of the same module are apart.
_ORIN, _SAME_CLOCK = "8.7", 0.03
#: Compute capabilities of GPUs that share the CPU's memory: drivers misstate its clock and width.
_INTEGRATED = frozenset({"7.2", _ORIN, "11.0", "12.1"})
#: Boards of one name and number of SMs have memory buses that differ by less (RTX 3060: 128 and 192 bits).
_OTHER_BUS = 2
#: Memory clocks below this part of the board's are none; from this part on they are its own, rounded.
_LOWEST_MEMORY, _FULL_MEMORY = 0.2, 0.95
#: Memory that a user overclocks gains a fifth at most.
_HIGHEST_MEMORY = 1.3
#: Clocks outside of these parts of the boost clock are not clocks of that GPU.
_LOWEST_SCALE, _HIGHEST_SCALE = 0.05, 1.5
#: No board that a vendor or a user overclocks has a clock this many times the stated boost clock.
_HIGHEST_CLOCK = 1.4


@dataclass(frozen=True)
class GpuChoice:
    """What the user says of the GPU.

    Attributes:
        name: The entry to take; None leaves it to the capture.
        own: The user's own table, parsed from TOML, with the keys of `gpus.toml`.
        own_file: Its file, for messages.
        explained_percent: Below this part of a layer's time the roofline does not explain it.
    """

    name: str | None = None
    own: Mapping[str, Any] = field(default_factory=dict)
    own_file: str = "the table of GPUs"
    explained_percent: float = EXPLAINED_PERCENT


def choose_gpu(device: Mapping[str, str], choice: GpuChoice | None = None) -> Gpu | RooflineObstacle:
    """Return the GPU, or why it is not known.

    Args:
        device: trtexec's section "Device Information".
        choice: What the user says.

    Raises:
        UsageError: The user's choice is not a GPU of the tables, or the user's table can't be used.
    """
    choice = choice or GpuChoice()
    table = tables.with_own(choice.own, choice.own_file)
    found = read_device(device)
    if choice.name is not None:
        board = table.board(choice.name)
        # The capture's clock belongs to another GPU if the number of SMs differs.
        same = found.sms is not None and found.sms == board.sms
        return _gpu(board, "user", found if same else None)
    if not found.name and not found.compute_capability:
        return RooflineObstacle("gpu-not-stated")
    boards = [board for board in table.own if _fits(board, found)]
    if not boards and (differs := _contradicted(found, table)):
        return RooflineObstacle("gpu-contradicted", found.name, [differs])
    boards = boards or [board for board in table.boards if _fits(board, found)]
    if len(boards) == 1:
        board = _module(boards[0], found, table)
        return replace(_gpu(board, "name", found), device=found.name, agreed=_agreed(board, found))
    derived = _derived(found, table)
    if boards and isinstance(derived, RooflineObstacle):
        return RooflineObstacle("gpu-ambiguous", found.name, [board.name for board in boards])
    return derived


def check_choice(choice: GpuChoice, stated_in: str = "") -> None:
    """Check what the user says of the GPU, before any capture is known.

    Args:
        choice: What the user says.
        stated_in: What precedes messages where a file states the GPU.

    Raises:
        UsageError: The GPU is in no table, or the user's table is invalid.
    """
    table = tables.with_own(choice.own, choice.own_file)
    if choice.name is not None:
        table.board(choice.name, stated_in)


def _contradicted(device: Device, table: tables.Table) -> str:
    """Return what the capture states that no GPU of the stated name has; empty if there is nothing.

    A part of a GPU has fewer SMs, never more; with all of them it has all of the bus. Boards of one name may
    differ in a third of it. A compute capability never changes but for the newest GPUs, which CUDA renumbered
    (Thor: 10.1, then 11.0).
    """
    named = [board for board in table.boards if _is_named(board, device)]
    stated = device.compute_capability
    if not named or not stated or any(len(board.compute_capability) != 3 for board in named):
        return ""
    if all(board.compute_capability != stated for board in named):
        return f"compute capability {stated}"
    known = [board.sms for board in named if board.sms]
    if device.sms and len(known) == len(named) and device.sms > max(known):
        return f"{device.sms} SMs"
    whole = [board for board in named if board.sms and board.sms == device.sms]
    if device.bus_bits and whole and not any(_is_near(device.bus_bits, each.bus_bits) for each in whole):
        return f"a memory bus of {device.bus_bits} bits"
    if device.memory_gb and all(_is_larger(device.memory_gb, board) for board in named):
        return f"{device.memory_gb:.4g} GB of memory"
    boosts = [board.boost_ghz for board in named]
    if device.clock_ghz and all(boost and device.clock_ghz > _HIGHEST_CLOCK * boost for boost in boosts):
        return f"a clock of {device.clock_ghz:g} GHz"
    clock = device.memory_clock_ghz
    if clock and stated not in _INTEGRATED and all(_is_overclocked(clock, board) for board in whole or named):
        return f"a memory clock of {clock:g} GHz"
    return ""


def _is_larger(memory_gb: float, board: tables.Board) -> bool:
    return bool(board.memory_gb) and memory_gb > max(board.memory_gb) * (1 + _MEMORY_TOLERANCE)


def _is_overclocked(clock_ghz: float, board: tables.Board) -> bool:
    """Return whether a memory clock is higher than any that the memory of a board can have."""
    if board.bus_bits is None:
        return False
    return board.bus_bits / 8 * clock_ghz * 2 > _HIGHEST_MEMORY * board.bandwidth_gbs


def _is_near(stated: int, known: int | None) -> bool:
    return known is None or max(stated, known) <= _OTHER_BUS * min(stated, known)


def _fits(board: tables.Board, device: Device) -> bool:
    """Return whether the name fits with no word left over, and the stated figures do not contradict."""
    return _is_named(board, device) and _figures_fit(board, device)


def _is_named(board: tables.Board, device: Device) -> bool:
    if not set(board.words) <= device.words:
        return False
    rest = device.words - set(board.words)
    sizes = [match for word in rest if (match := _MEMORY_WORD.fullmatch(word))]
    rest -= {match.group() for match in sizes}
    if rest and not rest <= set(board.form):
        return False
    return all(_has_memory(board, float(match.group(1))) for match in sizes)


def _figures_fit(board: tables.Board, device: Device) -> bool:
    return (
        (device.sms is None or board.sms in (None, device.sms))
        and (device.bus_bits is None or board.bus_bits in (None, device.bus_bits))
        and (device.memory_gb is None or _has_memory(board, device.memory_gb))
    )


def _module(board: tables.Board, device: Device, table: tables.Table) -> tables.Board:
    """Return the Jetson Orin module or mode that the stated clock shows: all of them have one name."""
    if board.compute_capability != _ORIN or device.clock_ghz is None or device.sms is None:
        return board
    variants = (each for each in table.boards if set(board.words) < set(each.words))
    for each in variants:
        is_same = each.boost_ghz and abs(device.clock_ghz / each.boost_ghz - 1) <= _SAME_CLOCK
        if is_same and _figures_fit(each, device):
            return each
    return board


def _has_memory(board: tables.Board, memory_gb: float) -> bool:
    return not board.memory_gb or any(
        abs(memory_gb / size - 1) <= _MEMORY_TOLERANCE for size in board.memory_gb
    )


def _agreed(board: tables.Board, device: Device) -> list[GpuProperty]:
    """Return the properties that table and capture both state, and which therefore agree."""
    stated: dict[GpuProperty, object] = {
        "SMs": device.sms and board.sms,
        "memory": device.memory_gb and board.memory_gb,
        "bus width": device.bus_bits and board.bus_bits,
    }
    return [name for name, known in stated.items() if known]


def gpu_of_table(board: tables.Board) -> Gpu:
    """Return a GPU of the table at the clock that its peaks are for, whatever a capture states."""
    return _gpu(board, "user", None)


def _gpu(board: tables.Board, chosen_by: GpuMatch, device: Device | None) -> Gpu:
    scale = 1.0
    if device is not None and device.clock_ghz and board.boost_ghz:
        stated = device.clock_ghz / board.boost_ghz
        scale = stated if _LOWEST_SCALE <= stated <= _HIGHEST_SCALE else 1.0
    bandwidth_gbs = _bandwidth_gbs(board, device)
    l2_bytes = device.l2_bytes if device else None
    if l2_bytes is None and board.l2_mib is not None:
        l2_bytes = int(board.l2_mib * _BYTES_PER_MIB)
    return Gpu(
        name=board.name,
        chosen_by=chosen_by,
        tensor_tflops=_scaled(board.peaks, tables.TENSOR_KEYS, scale),
        vector_tflops=_scaled(board.peaks, tables.VECTOR_KEYS, scale),
        bandwidth_gbs=bandwidth_gbs,
        l2_bytes=l2_bytes,
        sms=board.sms,
        compute_capability=board.compute_capability,
        clock_scale=scale,
        bandwidth_scale=bandwidth_gbs / board.bandwidth_gbs,
        source=board.source,
        derived=board.derived,
        is_certain=board.certain,
    )


def _bandwidth_gbs(board: tables.Board, device: Device | None) -> float:
    """Return the bandwidth of a board; at the memory clock that the capture states where that is lower."""
    if device is None or board.bus_bits is None or board.compute_capability in _INTEGRATED:
        return board.bandwidth_gbs
    stated = device.bandwidth_gbs
    is_lower = stated is not None and _LOWEST_MEMORY <= stated / board.bandwidth_gbs < _FULL_MEMORY
    return stated if stated is not None and is_lower else board.bandwidth_gbs


def _scaled(peaks: Mapping[str, float], keys: Mapping[str, str], scale: float) -> dict[str, float]:
    return {name: peaks[key] * scale for key, name in keys.items() if key in peaks}


def _derived(device: Device, table: tables.Table) -> Gpu | RooflineObstacle:
    """Return a GPU derived from the architecture, SMs, clocks and memory bus that the capture states."""
    segment = "geforce" if "geforce" in device.name.lower() else ""
    known = (table.rates.get((device.compute_capability, each)) for each in (segment, ""))
    rates = next(filter(None, known), None)
    if rates is None:
        return RooflineObstacle("gpu-unknown", device.name)
    if device.compute_capability in _INTEGRATED:
        return RooflineObstacle("gpu-incomplete", device.name, ["memory bandwidth"])
    bandwidth_gbs = device.bandwidth_gbs
    if not (device.sms and device.clock_ghz and bandwidth_gbs):
        stated = {
            "SMs": device.sms,
            "compute clock": device.clock_ghz,
            "memory bus width": device.bus_bits,
            "memory clock": device.memory_clock_ghz,
        }
        lacking = [name for name, value in stated.items() if not value]
        return RooflineObstacle("gpu-incomplete", device.name, lacking)
    if "gtx" in device.words and device.compute_capability == "7.5":
        # The Turing boards without "RTX" have no Tensor Cores.
        rates = {key: rate for key, rate in rates.items() if key in tables.VECTOR_KEYS}
    board = tables.Board(
        name=device.name or f"GPU of compute capability {device.compute_capability}",
        compute_capability=device.compute_capability,
        bandwidth_gbs=bandwidth_gbs,
        peaks=tables.derive_peaks(rates, device.sms, device.clock_ghz),
        words=(),
        sms=device.sms,
        source="what the capture states",
        derived=tables.describe_derived(device.compute_capability, device.sms, device.clock_ghz),
    )
    found = _gpu(board, "derived", None)
    whole_sms = _whole_sms(device, table)
    return replace(found, device=device.name, l2_bytes=device.l2_bytes, whole_sms=whole_sms)


def _whole_sms(device: Device, table: tables.Table) -> int | None:
    """Return the SMs of the GPU of a name that says nothing of a part, where a capture states fewer.

    Boards that share a name, such as one for notebooks, differ in memory or bus as well.
    """
    named = [board for board in table.boards if _is_named(board, device) and board.sms and board.memory_gb]
    if len(named) != 1 or not device.memory_gb or not device.bus_bits:
        return None
    (board,) = named
    is_whole = _has_memory(board, device.memory_gb) and board.bus_bits == device.bus_bits
    is_part = device.sms is not None and board.sms is not None and device.sms < board.sms
    return board.sms if is_whole and is_part else None
