"""Read convolutions that one kernel computes side by side ("a || b"): each writes an output of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def joined_maps(outputs: Sequence[Sequence[int] | None], maps: Any) -> tuple[int, ...] | None:
    """Return the extents of the outputs of a convolution joined by their channels, which its maps confirm.

    None for one output, and where outputs are copies of each other, or not known.

    Args:
        outputs: The extents of each output.
        maps: The number of maps that the layer states.
    """
    known = [tuple(each) for each in outputs if each and len(each) > 1]
    if not 1 < len(known) == len(outputs) or len({(each[0], each[2:]) for each in known}) > 1:
        return None
    batch, *spatial = (known[0][0], *known[0][2:])
    channels = [each[1] for each in known]
    return (batch, maps, *spatial) if min(channels) > 0 and sum(channels) == maps else None
