"""The GPU's memory that other processes had when the run began."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context
from trexreport.numbers import format_bytes

#: Less may be that of the desktop, the driver and trtexec itself.
MIN_MIB = 4096.0
#: Compute capabilities, times ten, of GPUs that share the memory of the CPU with all other programs.
_SHARED_MEMORY = frozenset({53, 62, 72, 87, 101, 110, 121})


def memory_at_start(context: Context, min_mib: float = MIN_MIB) -> str:
    """Return how much of the GPU's memory was in use when the run began; empty if little or not known.

    Args:
        context: The engine.
        min_mib: Less than this may be of the system itself, in MiB.
    """
    used_mib, capability = context.memory_at_start_mib, context.stated_compute_capability
    if used_mib is None or used_mib < min_mib or capability is None or capability in _SHARED_MEMORY:
        return ""
    return format_bytes(used_mib * 2**20)
