"""Fold a tall stack of segments into columns, and lead its connections from a foot to the next head."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.interface import Point

#: No stack of this height, in pixels, is folded; higher ones become about as wide as they are high.
TALLEST = 10_000.0
#: The last part of a column in which it may end where the fewest connections are open.
_FLEXIBLE = 0.3
_LANE_GAP, _MARGIN = 10.0, 30.0


@dataclass(frozen=True)
class Area:
    """The position of a segment, and the number of connections that are open below it."""

    x: float
    y: float
    width: float
    height: float
    open_below: int


@dataclass(frozen=True)
class Turn:
    """The way from the foot of a column to the head of the next.

    Connections keep their order from left to right, so none of them crosses another.

    Attributes:
        foot: Height of the lower border of the last segment of the column.
        left: Where the lanes between the columns begin.
        lanes: How many connections take this way.
    """

    foot: float
    left: float
    lanes: int

    def points(self, place: int, start_x: float, end_x: float) -> list[Point]:
        """Return the corners of the connection at a place, counted from the left."""
        step = _LANE_GAP * (self.lanes - place)
        lane, below, above = (round(value + step, 1) for value in (self.left, self.foot, 0.0))
        return [(start_x, below), (lane, below), (lane, above), (end_x, above)]


@dataclass(frozen=True)
class Folded:
    """The stack in columns; `turns` are by the number of the last segment of a column."""

    offsets: list[Point]
    width: float
    height: float
    turns: dict[int, Turn]


def fold(
    areas: Sequence[Area], *, tallest: float | None = None, aspect: float = 1.0, flexible: float = _FLEXIBLE
) -> Folded:
    """Put the columns of a stack side by side.

    Args:
        areas: The segments of the stack from top to bottom, the first one at height 0.
        tallest: Up to this height, in pixels, a stack is left as it is; `TALLEST` by default.
        aspect: About how much wider than high the result is.
        flexible: The last part of a column in which it may end where the fewest connections are open.
    """
    columns = _columns(areas, TALLEST if tallest is None else tallest, aspect, flexible)
    offsets: list[Point] = []
    turns: dict[int, Turn] = {}
    x, entering, full_height = 0.0, 0, 0.0
    for column in columns:
        members = [areas[number] for number in column]
        left = min(area.x for area in members)
        head = _room(entering)
        offsets += [(round(x + area.x - left, 1), round(head + area.y - members[0].y, 1)) for area in members]
        x += max(area.x + area.width for area in members) - left
        foot = offsets[-1][1] + members[-1].height
        full_height = max(full_height, foot)
        if column is not columns[-1]:
            entering = members[-1].open_below
            turns[column[-1]] = Turn(foot, round(x + _MARGIN, 1), entering)
            full_height = max(full_height, foot + _room(entering))
            x += 2 * _MARGIN + _room(entering)
    return Folded(offsets, round(x, 1), round(full_height, 1), turns)


def _room(lanes: int) -> float:
    return _LANE_GAP * (lanes + 1) if lanes else 0.0


def _columns(areas: Sequence[Area], tallest: float, aspect: float, flexible: float) -> list[range]:
    """Choose which segments stand in which column; break where the fewest connections are open."""
    height = areas[-1].y + areas[-1].height
    width = max(area.x + area.width for area in areas) - min(area.x for area in areas)
    limit = max(tallest, sqrt(height * (width + 2 * _MARGIN) / aspect))
    columns: list[range] = []
    start = 0
    while areas[-1].y + areas[-1].height - areas[start].y > limit:
        feet = [area.y + area.height - areas[start].y for area in areas[start:-1]]
        fitting = [start + number for number, foot in enumerate(feet) if foot <= limit]
        late = [number for number in fitting if feet[number - start] > (1 - flexible) * limit]
        last = min(late, key=lambda number: (areas[number].open_below, -number)) if late else None
        last = last if last is not None else (fitting[-1] if fitting else start)
        columns.append(range(start, last + 1))
        start = last + 1
        if start == len(areas) - 1:
            break
    columns.append(range(start, len(areas)))
    return columns
