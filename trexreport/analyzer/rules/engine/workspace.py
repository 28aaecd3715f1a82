"""How much workspace memory the builder was allowed, and how much more it could be."""

from __future__ import annotations

import re

from trexreport.analyzer.rules import Context
from trexreport.regex import regex

MEBIBYTES = regex(r"([0-9]{1,9})(?:\.[0-9]{1,9})? Mi?B", re.ASCII)
_TACTICS = regex(r"(\d+), up to (\d+) bytes requested, (\d+) bytes available", re.ASCII)
_SIZE = regex(r"(\d+) up to (\d+) MiB", re.ASCII)
_ON_GPU = regex(r"(\d+)(?:, up to (\d+) MiB requested, (\d+) MiB available)?", re.ASCII)
#: The first version with --memPoolSize, before which the default is 16 MiB and not all of the GPU's memory.
_WITH_POOLS = (8, 4)
_USUAL_MIB, _USUAL_MIB_BEFORE = 4096, 1024
#: Tensors, weights and other programs need the rest of the GPU's memory.
_MOST_OF_MEMORY = 0.5


def tactics_without(context: Context) -> tuple[int, int, int]:
    """Return how many tactics were left out, and the bytes that they requested and that were available."""
    found = _TACTICS.fullmatch(context.build_fact("Tactics without workspace"))
    return (int(found[1]), int(found[2]), int(found[3])) if found else (0, 0, 0)


def tactics_without_gpu_memory(context: Context) -> tuple[int, int, int] | None:
    """Return how many tactics were left out for lack of free GPU memory, and MiB requested and available.

    Both are 0 if they are not known; None without such tactics.
    """
    found = _ON_GPU.fullmatch(context.build_fact("Tactics without GPU memory"))
    return (int(found[1]), int(found[2] or 0), int(found[3] or 0)) if found else None


def is_memory_in_use(context: Context) -> bool:
    """Return whether most of the GPU's memory was in use already, so that little is left for a workspace."""
    memory_mib, used_mib = gpu_memory_mib(context), context.memory_in_use_mib
    return memory_mib is not None and (used_mib or 0.0) > _MOST_OF_MEMORY * memory_mib


def gpu_memory_mib(context: Context) -> int | None:
    """Return the GPU's memory in MiB as the log states it; None where it does not."""
    stated = MEBIBYTES.match(context.analysis.settings.get("Device", {}).get("Device Global Memory", ""))
    return int(stated[1]) if stated else None


def _larger_mib(context: Context) -> int:
    """Return a larger workspace in MiB, which allows some tactics; 0 if the GPU has no memory for it."""
    has_pools = context.version is None or context.version >= _WITH_POOLS
    limit = MEBIBYTES.match(context.build_option("Workspace"))
    limit_mib = max(int(limit[1]) if limit else 0, tactics_without(context)[2] >> 20)
    sizes = _requested_sizes(context)
    least_mib = min((size for size in sizes if size > limit_mib), default=0)
    size_mib = max(_USUAL_MIB if has_pools else _USUAL_MIB_BEFORE, 2 * limit_mib, least_mib)
    memory_mib = gpu_memory_mib(context)
    if memory_mib is not None:
        free_mib = max(0.0, memory_mib - (context.memory_in_use_mib or 0.0))
        # The next lower power of two; nothing of no memory.
        most_mib = 1 << int(min(_MOST_OF_MEMORY * memory_mib, free_mib)).bit_length() >> 1
        size_mib = min(size_mib, most_mib)
        if size_mib <= limit_mib or size_mib < least_mib:
            return 0
    return size_mib


def larger_workspace(context: Context) -> str:
    """Return trtexec's option for a larger workspace; an empty text if the GPU has no memory for one."""
    size_mib = _larger_mib(context)
    has_pools = context.version is None or context.version >= _WITH_POOLS
    option = f"--memPoolSize=workspace:{size_mib}" if has_pools else f"--workspace={size_mib}"
    return option if size_mib else ""


def allowed_by_larger(context: Context) -> int:
    """Return how many tactics at least a larger workspace would allow; 0 where that is not known."""
    size_mib = _larger_mib(context)
    return sum(count for size, count in _requested_sizes(context).items() if size <= size_mib)


def _requested_sizes(context: Context) -> dict[int, int]:
    """Return how many tactics asked for up to which size in MiB."""
    stated = _SIZE.findall(context.build_fact("Sizes of workspace"))
    return {int(size): int(count) for count, size in stated}
