"""What of an engine is drawn: boxes for layers, blocks and bindings, arrows for tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trexreport.analyzer.analysis import Analysis, Block
from trexreport.lazy_dataclass import bulk_facts, dataclass

#: A tensor that more boxes read is drawn as a named stub at each of them instead of as arrows.
MAX_ARROWS = 8


#: What is left out unless it is asked for.
FOLDABLE = ("constants", "shape", "noops")

LAYER_SIZE = (240.0, 44.0)
#: What each further line of text adds to the height of a layer.
LINE_HEIGHT = 15.0
BLOCK_SIZE = (264.0, 62.0)
#: One row of a small box, and what the box is higher than its rows.
ROW_SIZE, ROW_PAD = (168.0, 20.0), 4.0


@bulk_facts
class Row:
    """A tensor that a small box names.

    Attributes:
        kind: "input" or "output" of the engine, "constant", "stub" of a tensor that is not drawn, or "more"
            for several that would make the box too high.
        tensor: Its index.
        count: Number of tensors that the row represents.
    """

    kind: str
    tensor: int
    count: int = 1


@bulk_facts
class Box:
    """Something to draw.

    Attributes:
        kind: "layer", "block" (a collapsed one) or "small".
        index: Index of the layer or id of the block; -1 for a small box.
        rows: What a small box names, one below the other.
    """

    key: str
    kind: str
    index: int
    rows: tuple[Row, ...] = ()


@bulk_facts
class Arrow:
    """A tensor on its way from one box to another; one from or to a small box represents all its rows.

    Attributes:
        count: How many tensors take this way, where blocks are joined or a small box has several rows.
        back: It runs against the execution order.
    """

    source: str
    target: str
    tensor: int
    count: int = 1
    back: bool = False


@dataclass
class Picture:
    """What is drawn, and how many layers are left out.

    Attributes:
        folded: No-ops, through which arrows are drawn.
        hidden: Constants, shape computations and layers without inputs and outputs.
        keys: Layer to the key of the box that shows it.
    """

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    folded: int = 0
    hidden: int = 0
    keys: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """Which part of an engine is drawn, and how.

    Attributes:
        shown: Of `FOLDABLE`, what is not left out.
        only: Indices of the layers to draw; None for all. Tensors from and to others are stubs.
        focus: Indices of the layers that were asked for, to be marked among the others.
        collapsed: Id of each block that is drawn as one box to the ids of all blocks in the box.
    """

    shown: frozenset[str] = frozenset()
    only: frozenset[int] | None = None
    focus: frozenset[int] = frozenset()
    collapsed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)

    def members(self, analysis: Analysis, first: int) -> list[Block]:
        """Return the blocks that share the box of the first of them."""
        return [analysis.blocks.items[each] for each in self.collapsed[first]]


def size_of(box: Box, extra_lines: int = 0) -> tuple[float, float]:
    """Return the width and the height of a box; only layers have more lines of text."""
    if box.kind == "layer":
        return LAYER_SIZE[0], LAYER_SIZE[1] + extra_lines * LINE_HEIGHT
    if box.kind == "block":
        return BLOCK_SIZE
    return ROW_SIZE[0], len(box.rows) * ROW_SIZE[1] + ROW_PAD
