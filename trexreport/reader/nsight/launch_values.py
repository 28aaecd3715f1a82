"""How a kernel was launched, within the limits of CUDA. Source: CUDA C++ Programming Guide."""

from __future__ import annotations

import math
from typing import Any

from trexreport.reader.values import LARGEST_EXTENT, items

#: Of a thread, of a block (GPUs have up to 228 KiB), and in a block.
_MOST_REGISTERS, _MOST_SHARED_BYTES, _MOST_THREADS = 255, 1 << 20, 1024


def whole(value: Any, most: int = LARGEST_EXTENT) -> int | None:
    """Return a whole number from 0 on, or None for anything else."""
    return value if type(value) is int and 0 <= value <= most else None


def registers(value: Any) -> int | None:
    """Return the registers of a thread."""
    return whole(value, _MOST_REGISTERS)


def shared_bytes(value: Any) -> int | None:
    """Return the shared memory of a block."""
    return whole(value, _MOST_SHARED_BYTES)


def extents(value: Any) -> tuple[int, ...]:
    """Return three whole numbers of at least 1, or none."""
    found = [each for each in map(whole, items(value)) if each]
    return tuple(found) if len(found) == len(items(value)) == 3 else ()


def block(value: Any) -> tuple[int, ...]:
    """Return the threads of a block in x, y and z, or none."""
    found = extents(value)
    return found if math.prod(found) <= _MOST_THREADS else ()
