"""The engine as a tree of blocks: by module of the original model where names tell, else by structure."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
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
        share_percent: Of the sum of all layers' times.
        precision_ms: Time by the precision of the layers' inputs, the dearest first.
        precision_layers: The number of layers likewise, for engines that were not measured.
        repeat_of: Id of the first block with the same structure (types, precisions and shapes of the
            layers, in order); None for the first itself.
        differs: What is unlike the other members of its series, as short statements.
    """

    id: int
    kind: str
    label: str
    path: str
    parent: int | None
    children: list[int] = field(default_factory=list)
    ranges: list[list[int]] = field(default_factory=list)
    count: int = 0
    time_ms: float | None = None
    share_percent: float | None = None
    precision_ms: dict[str, float] = field(default_factory=dict)
    precision_layers: dict[str, int] = field(default_factory=dict)
    repeat_of: int | None = None
    differs: list[str] = field(default_factory=list)


def full_path(block: Block) -> str:
    """Return the module path of a block, or the path of the module around it with its own label."""
    if block.kind == "module":
        return block.path
    return f"{block.path}/{block.label}".lstrip("/")


@dataclass
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
    members: list[int]
    alike: int
    median_ms: float | None
    odd: list[int]


@dataclass
class Blocks:
    """All blocks of an engine.

    Attributes:
        items: The root first; empty for an engine without layers.
        series: In order of their first members.
        basis: What the division follows: "names", "structure" or "order" (runs of layers only).
    """

    items: list[Block] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    basis: str = "order"
