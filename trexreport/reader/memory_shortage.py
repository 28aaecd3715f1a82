"""How much memory a failed run asked for, how much there was, and what to do about it."""

from __future__ import annotations

import re
from typing import NamedTuple

from trexreport.numbers import format_bytes
from trexreport.regex import regex

_NO_MEMORY = regex(
    r"nsuff?icient memory|memory is insufficient|scratch requested|OutOfMemory"
    r"|increas\w+ (?:the )?workspace|insufficient workspace|invalid memory size \(0\)"
    r"|Skipping tactic .{0,200}CUDA error 2 allocating",
    re.IGNORECASE,
)
#: What Myelin says of a build that allows no workspace at all.
_NONE_ALLOWED = "called with invalid memory size (0)"
_SCRATCH = regex(r"scratch requested: (\d{1,15}), available: (\d{1,15})", re.ASCII | re.IGNORECASE)
_DEVICE = regex(r"Tactic Device request: (\d{1,9}) ?MB Available: (\d{1,9}) ?MB", re.ASCII)
_TACTIC = regex(r"nsuff?icient memory on requested size of (\d{1,15})", re.ASCII)
_REFUSED = regex(
    r"Requested amount of GPU memory \((\d{1,15}) bytes\) could not be allocated"
    r"|OutOfMemory.{0,99}?[Rr]equested size was (\d{1,15}) bytes"
    r"|CUDA error 2 allocating (\d{1,15})-byte buffer",
    re.ASCII,
)
_GPU = regex(r"Device Global Memory: (\d{1,9}) MiB", re.ASCII)
_LIMIT = regex(r"--(?:workspace=|memPoolSize=(?:\S{0,200},)?workspace:)(\d{1,9})([KMGB]?)", re.ASCII)
_UNITS = {"": 20, "M": 20, "K": 10, "G": 30, "B": 0}
_SHAPES = "--maxShapes="
_JETSON = regex(
    r"Selected Device: (?:Orin|Xavier|Thor|NVIDIA (?:Tegra|Jetson|Thor)|\S*Tegra|GV11B)", re.ASCII
)
_BUILT = regex(r"\] Engine built in |Loaded engine size: |Engine deserialized in ", re.ASCII)
#: Messages before TensorRT 8.5 write the size in MB.
_SMALLEST_BYTES = 1 << 20


class Shortage(NamedTuple):
    """Memory that was asked for.

    Attributes:
        clause: What to say of the amounts, such as ": tactics asked for up to 1.20 GiB, and 640 MiB were
            available"; it may be empty.
        remedy: What to do.
    """

    clause: str
    remedy: str


def is_short_of_memory(text: str) -> bool:
    """Return whether a log says that memory was not sufficient."""
    return _NO_MEMORY.search(text) is not None


def tactics_shortage(text: str, command: str, version: str) -> Shortage:
    """Return what tactics asked for that were left out for lack of memory.

    Which limit it was, the log shows: that of the workspace, or the free memory of the GPU, of which a larger
    workspace gives none.
    """
    scratch = [(int(want), int(has)) for want, has in _SCRATCH.findall(text) if int(want) > int(has)]
    device = [(int(want) << 20, int(has) << 20) for want, has in _DEVICE.findall(text)]
    if _NONE_ALLOWED in text:
        remedy = f"Allow a workspace, such as {workspace_option(version, text=text)}."
        return Shortage(", as the build allows no workspace memory", remedy)
    sizes = map(int, (*_TACTIC.findall(text), *_refused(text)))
    wanted = max([size if size >= _SMALLEST_BYTES else size << 20 for size in sizes], default=0)
    limits = [int(size) << _UNITS[unit] for size, unit in _LIMIT.findall(command)]
    if scratch or (limits and wanted > limits[-1]):
        asked, had = max(scratch) if scratch else (wanted, limits[-1])
        size_mib = 1 << (2 * asked >> 20).bit_length()
        clause = f": tactics asked for up to {format_bytes(asked)} of workspace, of {format_bytes(had)}"
        if 0 < (memory := _memory_of_gpu(text)) < asked:
            clause += f" on a GPU with {format_bytes(memory)}"
            return Shortage(clause, _more_memory(text, command, is_too_large=True))
        return Shortage(
            clause, f"Allow a larger workspace, such as {workspace_option(version, size_mib, text)}."
        )
    if not device and not wanted:
        remedy = f"allow a larger workspace, such as {workspace_option(version, text=text)}."
        return Shortage("", f"Tactics were left out for lack of memory: {remedy}")
    asked, had = max(device) if device else (wanted, 0)
    free = f", and {format_bytes(had)} were available" if device else ", which the GPU did not have"
    remedy = _more_memory(text, command)
    return Shortage(f": tactics asked for up to {format_bytes(asked)}{free}", remedy)


def allocation_shortage(text: str, command: str, version: str) -> Shortage | None:
    """Return what the GPU could not allocate; None where the log states no amount."""
    asked = max(map(int, _refused(text)), default=0)
    if not asked:
        return None
    memory = _memory_of_gpu(text)
    on_gpu = f" of a GPU with {format_bytes(memory)}" if memory else ""
    clause = f": {format_bytes(asked)} were requested{on_gpu}"
    remedy = _more_memory(text, command, is_too_large=0 < memory < asked)
    if _BUILT.search(text) and _SHAPES in text and not version.startswith(tuple("5678")):
        remedy += " --allocationStrategy=runtime reserves memory for the shapes of the run alone."
    return Shortage(clause, remedy)


def workspace_option(version: str, size_mib: int = 4096, text: str = "") -> str:
    """Return the option for a workspace: that of ONNX Runtime in its logs, else that of trtexec."""
    if ":onnxruntime:" in text:
        return f"trt_max_workspace_size={size_mib << 20} (in bytes)"
    numbers = tuple(int(each[:9]) for each in re.findall(r"[0-9]+", version)[:2])
    has_pools = not numbers or numbers >= (8, 4)
    return f"--memPoolSize=workspace:{size_mib}" if has_pools else f"--workspace={size_mib}"


def _refused(text: str) -> list[str]:
    """Return how many bytes the GPU could not allocate, each time."""
    return [size for found in _REFUSED.findall(text) for size in found if size]


def _memory_of_gpu(text: str) -> int:
    """Return the bytes of the GPU's memory that a log states, else 0."""
    gpu = _GPU.search(text)
    return int(gpu[1]) << 20 if gpu else 0


def _more_memory(text: str, command: str, *, is_too_large: bool = False) -> str:
    """Return how a build or a run gets by with the memory of the GPU.

    Args:
        text: The log.
        command: The command line.
        is_too_large: All of the GPU's memory would not be enough.
    """
    shared = " (a desktop and containers too: CPU and GPU share the memory)" if _JETSON.search(text) else ""
    free = "" if is_too_large else f"end what else uses the GPU's memory{shared}, "
    less = (
        "smaller --optShapes and --maxShapes, or several narrower profiles in an engine each"
        if _SHAPES in command or _SHAPES in text
        else "a smaller batch or smaller inputs"
    )
    remedy = f"{free}build for {less}, or take a GPU with more memory. A larger workspace gives none."
    return remedy[0].upper() + remedy[1:]
