"""Lay out what is inside of the blocks without children, each distinct shape once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field

from trexreport.analyzer.analysis import Analysis, Block
from trexreport.analyzer.analysis.blocks import leaf_blocks
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.composing import add_stubs, compose
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.layout.ranking import components
from trexreport.renderer.graph.picture import Arrow, Box, Choice, Picture, size_of

#: With more tensors than this on one border that come from far or go far, those become named stubs;
#: tensors to and from the part above or below have more room, as they need no lane beside the stack.
_MAX_FAR_PORTS = 12
_MAX_NEAR_PORTS = 40
#: The first boxes, up to this number, are laid out as well as possible. Networks repeat their blocks:
#: that is enough for most. Where no shape repeats, the rest is laid out quickly: 20,000 would take 10 s.
_MAX_THOROUGH = 3_000


@dataclass(frozen=True)
class Flow:
    """A tensor that leaves a block without children, and the blocks that read it; all by their ids."""

    tensor: int
    source: int
    targets: tuple[int, ...]


@dataclass
class Part:
    """Layers of one block that arrows inside of it connect.

    Attributes:
        block: Id of the block.
        boxes: By key, the layers in execution order, then the small boxes.
        arrows: Between these boxes.
        arriving: Tensor to the keys of the boxes that read it, for tensors that enter at the upper border.
        leaving: Tensor to the keys of the boxes that write it, for tensors that leave at the lower border.
        shape: Index of its geometry.
    """

    block: int
    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    arriving: dict[int, dict[str, None]] = field(default_factory=dict)
    leaving: dict[int, dict[str, None]] = field(default_factory=dict)
    shape: int = -1


@dataclass
class Interiors:
    """The insides of all blocks without children.

    Attributes:
        parts: In the order of the blocks, then of their first layers.
        flows: Tensors between blocks, in the order of tensors.
        layouts: The geometries; node keys are "0", "1", … for boxes, "t0", … and "b0", … for ports.
        drawn: Which layers have a box.
    """

    parts: list[Part]
    flows: list[Flow]
    layouts: list[Layout]
    drawn: set[int]


def lay_out_interiors(analysis: Analysis, shown: frozenset[str] = frozenset()) -> Interiors:
    """Return the insides of all blocks without children, laid out by the built-in engine.

    Args:
        analysis: The analysis.
        shown: Of `FOLDABLE`, what is not left out.
    """
    picture = compose(analysis, Choice(shown))
    sorter = _Sorter(analysis.blocks.items, picture)
    sorter.sort()
    engine = LayeredEngine()
    numbers: dict[object, int] = {}
    layouts: list[Layout] = []
    placed = 0
    for part in sorter.parts:
        key = _form(part)
        if key not in numbers:
            numbers[key] = len(layouts)
            nodes, edges = _graph_of(part)
            top = [node.key for node in nodes if node.key.startswith("t")]
            bottom = [node.key for node in nodes if node.key.startswith("b")]
            placed += len(nodes)
            is_thorough = placed <= _MAX_THOROUGH
            layouts.append(engine.place(nodes, edges, top, bottom, keep_order=False, is_thorough=is_thorough))
        part.shape = numbers[key]
    return Interiors(sorter.parts, sorter.flows, layouts, set(picture.keys))


def ends_of_edges(part: Part) -> list[tuple[str, str, bool]]:
    """Return source, target and direction of each edge of a part, by the names of its layout's nodes."""
    names = {key: str(number) for number, key in enumerate(part.boxes)}
    ends = [(names[arrow.source], names[arrow.target], arrow.back) for arrow in part.arrows]
    for number, readers in enumerate(part.arriving.values()):
        ends += [(f"t{number}", names[reader], False) for reader in readers]
    for number, writers in enumerate(part.leaving.values()):
        ends += [(names[writer], f"b{number}", False) for writer in writers]
    return ends


def _form(part: Part) -> object:
    """Return what is equal for parts of the same shape: kinds of boxes and of their rows, ports and edges."""
    boxes = [tuple([row.kind for row in box.rows]) or box.kind for box in part.boxes.values()]
    return tuple(boxes), len(part.arriving), len(part.leaving), tuple(ends_of_edges(part))


def _graph_of(part: Part) -> tuple[list[Node], list[Edge]]:
    """Return a part under names that are the same for every part of the same shape."""
    nodes = [Node(str(number), *size_of(box)) for number, box in enumerate(part.boxes.values())]
    nodes += [Node(f"t{number}", 0.0, 0.0) for number in range(len(part.arriving))]
    nodes += [Node(f"b{number}", 0.0, 0.0) for number in range(len(part.leaving))]
    return nodes, [Edge(str(number), *ends) for number, ends in enumerate(ends_of_edges(part))]


class _Sorter:
    """Gives boxes and arrows of the whole picture to the parts that they belong to."""

    def __init__(self, blocks: Sequence[Block], picture: Picture) -> None:
        self.parts: list[Part] = []
        self.flows: list[Flow] = []
        self._blocks = blocks
        self._picture = picture
        # Position among the parts, by key of a box.
        self._home: dict[str, int] = {}
        self._stubs: dict[tuple[str, str], dict[int, None]] = {}

    def sort(self) -> None:
        """Fill `parts` and `flows`."""
        self._make_parts()
        crossing: dict[int, list[Arrow]] = {}
        for arrow in self._picture.arrows:
            source, target = self._home.get(arrow.source), self._home.get(arrow.target)
            if source is None or target is None:
                # An input that several layers read is in the part of each of them.
                home = source if source is not None else target
                if home is not None:
                    self._add_shared(self.parts[home], arrow)
            elif source == target:
                self.parts[source].arrows.append(arrow)
            else:
                crossing.setdefault(arrow.tensor, []).append(arrow)
        self._let_cross(crossing)
        self._add_stubs()

    def _make_parts(self) -> None:
        """Split the layers of each block into what arrows inside of it connect."""
        block_of = leaf_blocks(self._blocks)
        boxes = self._picture.boxes
        number_of = {box.key: number for number, box in enumerate(boxes)}
        homes = [block_of[box.index] if box.kind == "layer" else self._anchor(box, block_of) for box in boxes]
        arcs = [(number_of[arrow.source], number_of[arrow.target]) for arrow in self._picture.arrows]
        groups = components(
            len(boxes), [(one, other) for one, other in arcs if homes[one] == homes[other] is not None]
        )
        found = []
        for group in groups:
            home = homes[group[0]]
            if home is not None:
                # Layers first.
                members = sorted((boxes[number] for number in group), key=lambda box: box.kind != "layer")
                found.append((home, members[0].index, {box.key: box for box in members}))
        self.parts = [Part(home, members) for home, _, members in sorted(found, key=lambda each: each[:2])]
        self._home = {key: number for number, part in enumerate(self.parts) for key in part.boxes}

    def _anchor(self, box: Box, block_of: dict[int, int]) -> int | None:
        """Return the block of the one layer that a small box belongs to; None where there are several."""
        place, _, key = box.key.partition(":")
        return block_of[int(key.partition(":")[2])] if place in ("above", "below") else None

    def _add_shared(self, part: Part, arrow: Arrow) -> None:
        outside = arrow.source if arrow.source not in self._home else arrow.target
        if outside not in part.boxes:
            part.boxes[outside] = next(box for box in self._picture.boxes if box.key == outside)
        part.arrows.append(arrow)

    def _let_cross(self, crossing: dict[int, list[Arrow]]) -> None:
        """Join tensors between parts by ports, or by stubs where ports would be too many."""
        cut = self._too_many(crossing)
        for tensor, arrows in sorted(crossing.items()):
            self.flows += self._flows(tensor, arrows)
            for arrow in arrows:
                for key, side in ((arrow.source, "below"), (arrow.target, "above")):
                    if tensor in cut:
                        self._stubs.setdefault((key, side), {})[tensor] = None
                    else:
                        part = self.parts[self._home[key]]
                        crossing_here = part.leaving if side == "below" else part.arriving
                        crossing_here.setdefault(tensor, {})[key] = None

    def _flows(self, tensor: int, arrows: Sequence[Arrow]) -> Iterator[Flow]:
        """Return who of the blocks writes a tensor and which others read it."""
        readers: dict[int, set[int]] = {}
        for arrow in arrows:
            source, target = (self.parts[self._home[key]].block for key in (arrow.source, arrow.target))
            readers.setdefault(source, set()).add(target)
        return (Flow(tensor, source, tuple(sorted(found))) for source, found in sorted(readers.items()))

    def _too_many(self, crossing: dict[int, list[Arrow]]) -> set[int]:
        """Return the tensors that get stubs because one of the borders that they cross is full."""
        borders: dict[tuple[int, bool, bool], set[int]] = {}
        for tensor, arrows in crossing.items():
            pairs = {(self._home[arrow.source], self._home[arrow.target]) for arrow in arrows}
            near = all(target == source + 1 for source, target in pairs)
            for source, target in pairs:
                borders.setdefault((source, True, near), set()).add(tensor)
                borders.setdefault((target, False, near), set()).add(tensor)
        cut: set[int] = set()
        for (_, _, near), tensors in borders.items():
            if len(tensors) > (_MAX_NEAR_PORTS if near else _MAX_FAR_PORTS):
                cut |= tensors
        return cut

    def _add_stubs(self) -> None:
        """Name the tensors that cross without ports in the small boxes of the layers that they belong to."""
        for (key, side), tensors in self._stubs.items():
            part = self.parts[self._home[key]]
            add_stubs(part.boxes, part.arrows, side, key, tensors)
