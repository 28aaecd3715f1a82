"""Cut the picture of an engine into parts of the execution order that fit a given room."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.composing import add_stubs
from trexreport.renderer.graph.layout.cuts import open_tails
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.picture import Arrow, Box, Picture, size_of

#: How many layers are tried first, and at most.
_USUAL, _MOST = 14, 96
#: A part may end in the last third of what fits, where the fewest connections are open.
_FLEXIBLE = 0.35


@dataclass(frozen=True)
class Part:
    """Neighbors in the execution order with their small boxes, laid out.

    Attributes:
        waits: Boxes of which the second waits for the first, on another stream.
        count: How many of the boxes are layers or blocks; these come first.
        layout: The places of boxes and arrows, by their numbers as texts.
    """

    boxes: list[Box]
    arrows: list[Arrow]
    waits: list[tuple[str, str]]
    count: int
    layout: Layout


class Cutter:
    """Cuts a picture into parts that fit a room; `main` are its layers and blocks in execution order."""

    def __init__(self, picture: Picture, waits: Iterable[tuple[str, str]] = ()) -> None:
        self.main = [box for box in picture.boxes if box.kind != "small"]
        self._boxes = {box.key: box for box in picture.boxes}
        self._place = {box.key: place for place, box in enumerate(self.main)}
        self._arrows: list[list[Arrow]] = [[] for _ in self.main]
        for arrow in picture.arrows:
            for place in dict.fromkeys((self._home(arrow.source), self._home(arrow.target))):
                if place is not None:
                    self._arrows[place].append(arrow)
        self._waits: list[list[tuple[str, str]]] = [[] for _ in self.main]
        for pair in waits:
            self._waits[self._place[pair[1]]].append(pair)
        self._open = open_tails(len(self.main), self._arcs(picture.arrows))
        self._engine = LayeredEngine()
        self._layouts: dict[object, Layout] = {}

    def next_part(self, first: int, end: int, room: tuple[float, float]) -> Part | None:
        """Return the part that begins at a place and fits the room best; None if not one layer does.

        Args:
            first: Place of its first layer.
            end: Where it ends at the latest.
            room: Width and height in pixels.
        """
        last = self._furthest(first, end, room)
        if last == first:
            return None
        if last < end:
            least = first + max(1, round((1 - _FLEXIBLE) * (last - first)))
            last = min(range(least, last + 1), key=lambda place: (self._open[place - 1], -place))
        return self.part(first, last)

    def _furthest(self, first: int, end: int, room: tuple[float, float]) -> int:
        """Return the end of the largest part that fits."""
        best, tried = first, min(first + _USUAL, end)
        while self._fits(first, tried, room):
            best = tried
            if tried == min(end, first + _MOST):
                return best
            tried = min(end, first + _MOST, tried + max(1, (tried - first) // 4))
        while tried - best > 1:
            middle = (best + tried) // 2
            best, tried = (middle, tried) if self._fits(first, middle, room) else (best, middle)
        return best

    def _fits(self, first: int, end: int, room: tuple[float, float]) -> bool:
        layout = self.part(first, end).layout
        return layout.width <= room[0] and layout.height <= room[1]

    def part(self, first: int, end: int) -> Part:
        """Return the layers from one place up to another, the latter not included, laid out."""
        boxes, arrows = self._content(first, end)
        names = {box.key: str(place) for place, box in enumerate(boxes)}
        waits = [pair for pairs in self._waits[first:end] for pair in pairs if pair[0] in names]
        nodes = [Node(names[box.key], *size_of(box)) for box in boxes]
        edges = [
            Edge(str(place), names[arrow.source], names[arrow.target], arrow.back)
            for place, arrow in enumerate(arrows)
        ]
        edges += [
            Edge(f"wait {place}", names[before], names[after]) for place, (before, after) in enumerate(waits)
        ]
        key = tuple(nodes), tuple(edges)
        if key not in self._layouts:
            self._layouts[key] = self._engine(nodes, edges)
        return Part(boxes, arrows, waits, end - first, self._layouts[key])

    def _content(self, first: int, end: int) -> tuple[list[Box], list[Arrow]]:
        """Return the content between two places; small boxes name the tensors that cross its borders."""
        boxes = {box.key: box for box in self.main[first:end]}
        within: list[Arrow] = []
        stubs: dict[tuple[str, str], dict[int, None]] = {}
        # An arrow between two layers is in the lists of both.
        for arrow in {id(arrow): arrow for arrows in self._arrows[first:end] for arrow in arrows}.values():
            here = [self._is_within(key, first, end) for key in (arrow.source, arrow.target)]
            if all(here):
                within.append(arrow)
                for key in (arrow.source, arrow.target):
                    boxes.setdefault(key, self._boxes[key])
            else:
                stub = ("below", arrow.source) if here[0] else ("above", arrow.target)
                stubs.setdefault(stub, {})[arrow.tensor] = None
        for (side, key), tensors in stubs.items():
            add_stubs(boxes, within, side, key, tensors)
        return list(boxes.values()), within

    def _is_within(self, key: str, first: int, end: int) -> bool:
        """Return whether a box is in the part; one shared by several layers is in each of their parts."""
        place = self._home(key)
        return place is None or first <= place < end

    def _home(self, key: str) -> int | None:
        """Return the place of a layer, or of the one that a small box belongs to; None for a shared one."""
        side, _, layer = key.partition(":")
        return self._place.get(layer if side in ("above", "below") else key)

    def _arcs(self, arrows: Iterable[Arrow]) -> list[tuple[int, int]]:
        homes = ((self._home(arrow.source), self._home(arrow.target)) for arrow in arrows)
        return [
            (min(tail, head), max(tail, head))
            for tail, head in homes
            if tail is not None and head is not None and tail != head
        ]
