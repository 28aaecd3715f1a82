"""Put the drawings of separate parts of a graph beside each other."""

from __future__ import annotations

import math
from math import sqrt

Size = tuple[float, float]
Offset = tuple[float, float]

PART_GAP = 48.0
SINGLE_GAP = 24.0


def pack_rows(sizes: list[Size], width: float) -> tuple[list[Offset], Size]:
    """Place boxes from left to right in rows of at most a width; return their offsets and the size."""
    offsets: list[Offset] = []
    x = y = row_height = full_width = 0.0
    for box_width, box_height in sizes:
        if x and x + box_width > width:
            x, y, row_height = 0.0, y + row_height + SINGLE_GAP, 0.0
        offsets.append((x, y))
        full_width = max(full_width, x + box_width)
        row_height = max(row_height, box_height)
        x += box_width + SINGLE_GAP
    return offsets, (full_width, y + row_height)


def pack_columns(sizes: list[Size]) -> tuple[list[Offset], Size]:
    """Place parts from top to bottom in columns about as high as the highest; return offsets and size."""
    if not sizes:
        return [], (0.0, 0.0)
    area = math.fsum((width + PART_GAP) * (height + PART_GAP) for width, height in sizes)
    limit = max(sqrt(area), *(height for _, height in sizes), 1.0)
    offsets: list[Offset] = []
    x = y = column_width = full_height = 0.0
    for width, height in sizes:
        if y and y + height > limit:
            x, y, column_width = x + column_width + PART_GAP, 0.0, 0.0
        offsets.append((x, y))
        full_height = max(full_height, y + height)
        column_width = max(column_width, width)
        y += height + PART_GAP
    return offsets, (x + column_width, full_height)
