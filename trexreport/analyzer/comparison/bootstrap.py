"""Resample a run in blocks of consecutive iterations, to see how much its percentiles could have differed.

The circular block bootstrap of D. N. Politis and J. P. Romano (1992): blocks of one length that start
anywhere and go on from the end at the beginning. What hangs together in the run stays together within a
block.
"""

from __future__ import annotations

import hashlib
import random
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray

#: How many drawn iterations are in memory at a time.
_CHUNK = 2_000_000


def seed_of(times: Sequence[float], seed: int) -> int:
    """Return a seed that depends on the times too.

    Two runs are then drawn independently of each other, whichever of them is called the baseline.
    """
    digest = hashlib.sha256(b"%d:" % seed + array("d", times).tobytes())
    return int.from_bytes(digest.digest(), "little")


def draw_percentiles(
    times: Sequence[float], block_length: int, positions: Sequence[int], resamples: int, seed: int
) -> NDArray[float64]:
    """Return the values at some positions of the sorted times, for each time that the run is resampled.

    Args:
        times: In the order in which they were measured.
        block_length: In iterations.
        positions: From 0, in ascending order.
        resamples: How often to draw.
        seed: Any whole number.

    Returns:
        One row for each resample, one column for each position.
    """
    import numpy as np

    values, codes = np.unique(np.asarray(times, dtype=np.float64), return_inverse=True)
    # Small whole numbers in place of times: the sorting below is most of the work.
    codes = codes.astype(np.uint16 if len(values) <= 1 << 16 else np.uint32)
    around = np.concatenate([codes, codes[: block_length - 1]])
    blocks = np.lib.stride_tricks.sliding_window_view(around, block_length)
    starts = _draw_starts(len(times), resamples, -(-len(times) // block_length), seed)
    rows = max(1, _CHUNK // len(times))
    drawn = []
    for first in range(0, resamples, rows):
        chosen = starts[first : first + rows]
        sample = blocks[chosen].reshape(len(chosen), -1)[:, : len(times)]
        drawn.append(np.partition(sample, list(positions), axis=1)[:, list(positions)])
    found: NDArray[float64] = values[np.concatenate(drawn)]
    return found


def _draw_starts(count: int, resamples: int, blocks: int, seed: int) -> NDArray[int64]:
    """Return where blocks start.

    Python's generator and not NumPy's: its bits are the same in every version.
    """
    import numpy as np

    size = resamples * blocks
    bits = np.frombuffer(random.Random(seed).randbytes(4 * size), dtype="<u4").astype(np.uint64)
    starts: NDArray[int64] = ((bits * np.uint64(count)) >> np.uint64(32)).astype(np.int64)
    return starts.reshape(resamples, blocks)
