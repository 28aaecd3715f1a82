"""Cut the execution order into segments where the fewest connections are open."""

from __future__ import annotations

from bisect import bisect_left

from trexreport.renderer.graph.layout.ranking import Arc

LEAST, USUAL, MOST = 40, 80, 160


def open_tails(count: int, arcs: list[Arc]) -> list[int]:
    """Count, for the gap after each position, the tails above it that have a head below it."""
    last = list(range(count))
    for tail, head in arcs:
        last[tail] = max(last[tail], head)
    change = [0] * (count + 1)
    for tail, end in enumerate(last):
        change[tail] += 1
        change[end] -= 1
    total, opened = 0, []
    for step in change[:count]:
        total += step
        opened.append(total)
    return opened


def segment_starts(count: int, arcs: list[Arc]) -> list[int]:
    """Return where the segments begin; each holds 40 to 160 positions unless there are fewer in all.

    Args:
        count: Number of positions in the execution order.
        arcs: Positions of tail and head of each arc, tail before head.
    """
    opened = open_tails(count, arcs)
    starts = [0] if count else []
    while starts and count - starts[-1] > MOST:
        start = starts[-1]
        ends = range(start + LEAST - 1, min(start + MOST, count - LEAST))
        # Equal gaps: the choice depends on the distance only, so that repeated blocks are cut alike.
        end = min(ends, key=lambda position: (opened[position], abs(position - start - USUAL), position))
        starts.append(end + 1)
    return starts


def segment_of(starts: list[int], position: int) -> int:
    """Return the number of the segment that holds a position."""
    return bisect_left(starts, position + 1) - 1
