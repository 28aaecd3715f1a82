"""The engine as a tree of blocks: by module of the original model where names state it, else by structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from trexreport.analyzer.analysis.layers import Group
from trexreport.lazy_dataclass import dataclass

#: The root, a module, neighboring modules taken together, a repetition that only the structure shows, a run.
BlockKind = Literal["engine", "module", "group", "unit", "layers"]
#: What the division follows.
BlockBasis = Literal["names", "structure", "order"]
#: In which respect a block differs from the other members of its series.
DifferenceCode = Literal[
    "layer-count", "layer-types", "precision", "shapes-or-formats", "tactics", "longer-time", "shorter-time"
]


@dataclass(frozen=True)
class BlockDifference:
    """In which respect a block differs from the other members of its series.

    Attributes:
        code: The respect.
        count: Number of layers that differ; for "layer-count" that of the block; None for a time.
        usual_count: For "layer-count" the number of layers of the others.
        precision, usual_precision: For "precision" that of the block's layers and of the others'.
        time_ms, usual_ms: For a time that of the block, and the median of the others.
    """

    code: DifferenceCode
    count: int | None = None
    usual_count: int | None = None
    precision: str = ""
    usual_precision: str = ""
    time_ms: float | None = None
    usual_ms: float | None = None


@dataclass(frozen=True)
class Block:
    """A part of the engine: a module of the model, a group of them, or a run of layers.

    Every layer belongs to exactly one block without children; a block with children holds what they hold.

    Attributes:
        id: Its index in `Blocks.items`; parents come before children, and siblings are in execution order.
        kind: "engine" (the root), "module", "group" (neighboring modules taken together), "unit" (one
            of several repetitions that only the structure shows) or "layers" (a run of layers).
        label: Short name, unique among its siblings.
        path: Module path such as "model/layers.12/self_attn"; that of the parent where it has none itself.
        parent: Id of the block around it; None for the root.
        children: Ids.
        ranges: Pairs of the first and the last index of its layers, ascending; more than one where other
            blocks run in between.
        count: Layers in it that are not structural.
        time_ms: Sum of its layers' times; None if none was measured.
        share_percent: Of the total layer time.
        precision_ms: Time by the precision of the layers' inputs, the slowest first.
        precision_layers: The number of layers likewise, for engines that were not measured.
        repeat_of: Id of the first block with the same structure (types, precisions and shapes of the
            layers, in order); None for the first itself.
        differs: In which respects it differs from the other members of its series.
    """

    id: int
    kind: BlockKind
    label: str
    path: str
    parent: int | None
    children: Sequence[int] = ()
    ranges: Sequence[Sequence[int]] = ()
    count: int = 0
    time_ms: float | None = None
    share_percent: float | None = None
    precision_ms: Mapping[str, float] = field(default_factory=dict)
    precision_layers: Mapping[str, int] = field(default_factory=dict)
    repeat_of: int | None = None
    differs: Sequence[BlockDifference] = ()

    @property
    def layers(self) -> list[int]:
        """Indices of its layers, ascending."""
        return [index for first, last in self.ranges for index in range(first, last + 1)]


def leaf_blocks(blocks: Sequence[Block]) -> dict[int, int]:
    """Return for each layer the id of the block without children that it belongs to."""
    return {index: block.id for block in blocks if not block.children for index in block.layers}


def full_path(block: Block) -> str:
    """Return the module path of a block, or the path of the module around it with its own label."""
    if block.kind == "module":
        return block.path
    return f"{block.path}/{block.label}".lstrip("/")


@dataclass(frozen=True)
class Series:
    """Modules that repeat, such as the decoder layers "layers.0" to "layers.31" of one module.

    Attributes:
        label: What the members' labels have in common, with a star for the number: "layers.*".
        parent: Id of the block that holds them all, perhaps in groups.
        members: Ids of the blocks.
        alike: How many of them have the structure that most of them have.
        median_ms: Median time of those; None if not measured.
        odd: Ids of the members that differ from the others.
    """

    label: str
    parent: int
    members: Sequence[int]
    alike: int
    median_ms: float | None
    odd: Sequence[int]


@dataclass(frozen=True)
class Blocks:
    """All blocks of an engine.

    Attributes:
        items: The root first; empty for an engine without layers.
        series: In order of their first members.
        basis: What the division follows: "names", "structure" or "order" (runs of layers only).
        sections: The layer time by few sections of the network, in the order of execution: modules, those
            whose names differ in a number alone as one, or runs of layers where names state no modules; empty
            where the times show none.
    """

    items: Sequence[Block] = ()
    series: Sequence[Series] = ()
    basis: BlockBasis = "order"
    sections: Sequence[Group] = ()
