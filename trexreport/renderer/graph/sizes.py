"""How large the boxes of a graph are, in pixels."""

from __future__ import annotations

from trexreport.renderer.graph.picture import Box

LAYER_SIZE = (240.0, 44.0)
#: What each further line of text adds to the height of a layer.
LINE_HEIGHT = 15.0
BLOCK_SIZE = (264.0, 62.0)
#: One row of a small box, and what the box is higher than its rows.
ROW_SIZE, ROW_PAD = (168.0, 20.0), 4.0


def size_of(box: Box, extra_lines: int = 0) -> tuple[float, float]:
    """Return the width and the height of a box; only layers have more lines of text."""
    if box.kind == "layer":
        return LAYER_SIZE[0], LAYER_SIZE[1] + extra_lines * LINE_HEIGHT
    if box.kind == "block":
        return BLOCK_SIZE
    return ROW_SIZE[0], len(box.rows) * ROW_SIZE[1] + ROW_PAD
