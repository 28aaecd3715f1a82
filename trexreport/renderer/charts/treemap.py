"""Areas in proportion to values, as near to squares as they come."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Box:
    """A rectangle: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


def squarify(values: Sequence[float], box: Box) -> list[Box]:
    """Divide a box among positive values, in their order; sorted from large to small it looks best.

    Source: M. Bruls, K. Huizing and J. van Wijk, Squarified Treemaps (2000).
    """
    total = math.fsum(values)
    if not values or total <= 0 or box.width <= 0 or box.height <= 0:
        return [Box(box.x, box.y, 0.0, 0.0) for _ in values]
    scale = box.width * box.height / total
    areas = [value * scale for value in values]
    boxes: list[Box] = []
    rest = box
    start = 0
    while start < len(areas):
        end = _row_end(areas, start, min(rest.width, rest.height))
        row = areas[start:end]
        placed, rest = _place(row, rest, last=end == len(areas))
        boxes += placed
        start = end
    return boxes


def _row_end(areas: list[float], start: int, side: float) -> int:
    """Return how far a row reaches: as long as another area makes the worst shape in it better."""
    end = start + 1
    total = smallest = largest = areas[start]
    worst = _worst(total, smallest, largest, side)
    while end < len(areas):
        area = areas[end]
        candidate = _worst(total + area, min(smallest, area), max(largest, area), side)
        if candidate > worst:
            break
        total, smallest, largest, worst = total + area, min(smallest, area), max(largest, area), candidate
        end += 1
    return end


def _worst(total: float, smallest: float, largest: float, side: float) -> float:
    """Return the largest ratio of long to short side in a row of areas along a side."""
    square = (total / side) ** 2 if side > 0 else 0.0
    return max(largest / square, square / smallest) if square > 0 and smallest > 0 else float("inf")


def _place(row: list[float], box: Box, *, last: bool) -> tuple[list[Box], Box]:
    """Lay a row along the shorter side of a box; return its boxes and what is left of the box."""
    total = math.fsum(row)
    upright = box.width >= box.height
    side = box.height if upright else box.width
    full = box.width if upright else box.height
    # The last row takes all that is left, so that rounding leaves no sliver.
    depth = full if last else min(full, total / side if side > 0 else 0.0)
    boxes = []
    offset = 0.0
    for area in row:
        length = side * area / total if total > 0 else 0.0
        if upright:
            boxes.append(Box(box.x, box.y + offset, depth, length))
        else:
            boxes.append(Box(box.x + offset, box.y, length, depth))
        offset += length
    if upright:
        return boxes, Box(box.x + depth, box.y, box.width - depth, box.height)
    return boxes, Box(box.x, box.y + depth, box.width, box.height - depth)
