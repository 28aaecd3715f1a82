"""How much a capture in one file may hold: more is not a capture, and would fill the memory."""

from __future__ import annotations

MOST_FILES = 10_000
LARGEST_FILE_BYTES = 512 * 2**20
LARGEST_CAPTURE_BYTES = 2 * 2**30
#: Captures shrink to a tenth or so; bombs of zeros to a thousandth.
_LARGEST_RATIO = 300
_BOMB_BYTES = 16 * 2**20


def room_in(packed_size: int, largest_ratio: int = _LARGEST_RATIO) -> int:
    """Return the largest unpacked size of this many packed bytes in any file that trexreport writes."""
    return max(_BOMB_BYTES, largest_ratio * packed_size)


def is_bomb(size: int, packed_size: int, largest_ratio: int = _LARGEST_RATIO) -> bool:
    """Return whether packed bytes claim to unpack to more than any file that trexreport writes."""
    return size > room_in(packed_size, largest_ratio)
