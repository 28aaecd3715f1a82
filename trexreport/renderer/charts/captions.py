"""Where the names of points are written: beside their points, and over no other point, line or text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import Scale, levels_on
from trexreport.renderer.charts.slopes import label_end, slope_lines
from trexreport.renderer.charts.text import TICK_SIZE, text_width

#: Radius of points that state none; of many points a smaller one.
RADIUS, SMALL_RADIUS, MANY = 3.5, 2.5, 500
_HEIGHT = TICK_SIZE + 2
#: Between a point and its name, in pixels; from the second on a line joins both.
_GAPS = (3.0, 16.0, 30.0, 46.0, 64.0)
#: Sides of the point: to the right, and downward.
_SIDES = ((0, -1), (0, 1), (1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1))
#: Points on a slanted line that a name must not cover.
_STEPS = 60


@dataclass(frozen=True)
class Caption:
    """A placed name.

    Attributes:
        mark: The point that it names.
        x: Of the middle of the text, in pixels from the point.
        y: Likewise, downward.
        is_joined: Whether a line from the point leads to it.
    """

    mark: Mark
    x: float
    y: float
    is_joined: bool


@bulk_facts
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        """Return whether two boxes share an area."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def radius_of(prepared: Prepared, mark: Mark) -> float:
    """Return the radius of a point in pixels."""
    return mark.radius or (RADIUS if len(prepared.marks) <= MANY else SMALL_RADIUS)


def place_captions(prepared: Prepared, across: Scale, up: Scale) -> list[Caption]:
    """Return the names that have room, each as near to its point as it can be.

    A name that would cover something everywhere within reach is left out: hovering shows it.
    """
    named = [mark for mark in prepared.marks if mark.caption]
    if not named:
        return []
    points = [
        _around(across(mark.position), up(mark.value), radius_of(prepared, mark)) for mark in prepared.marks
    ]
    taken = points + _labels(prepared, across, up)
    lines = list(_lines(prepared, across, up))
    found = []
    for mark in named:
        for obstacles in (taken + lines, taken):
            placed = _place(prepared, mark, across, up, obstacles)
            if placed:
                caption, box = placed
                found.append(caption)
                taken.append(box)
                break
    return found


def _place(
    prepared: Prepared, mark: Mark, across: Scale, up: Scale, obstacles: Sequence[_Box]
) -> tuple[Caption, _Box] | None:
    """Return the nearest place at which a name meets nothing, and its box."""
    x, y, radius = across(mark.position), up(mark.value), radius_of(prepared, mark)
    half = text_width(mark.caption, TICK_SIZE) / 2
    for gap in _GAPS:
        for right, down in _SIDES:
            reach = radius + gap
            center = right * (half + reach * (0.7 if down else 1.0))
            middle = down * (_HEIGHT / 2 + reach * (0.7 if right else 1.0))
            if not right:
                # Above and below, a name is moved into the chart.
                center = min(max(center, across.start + half - x), across.end - half - x)
            box = _Box(
                x + center - half, y + middle - _HEIGHT / 2, x + center + half, y + middle + _HEIGHT / 2
            )
            inside = across.start <= box.left and box.right <= across.end and up.end <= box.top
            if inside and box.bottom <= up.start and not any(map(box.meets, obstacles)):
                return Caption(mark, center, middle, gap > _GAPS[0]), box
    return None


def _around(x: float, y: float, radius: float) -> _Box:
    return _Box(x - radius, y - radius, x + radius, y + radius)


def _labels(prepared: Prepared, across: Scale, up: Scale) -> list[_Box]:
    """Return the room of the labels of slopes, which end at the end of their line."""
    ends = [(label_end(each, across), up(each.y2) - 9, each.label) for each in slope_lines(prepared)]
    return [_Box(x - text_width(text, TICK_SIZE), y - _HEIGHT / 2, x, y + _HEIGHT / 2) for x, y, text in ends]


def _lines(prepared: Prepared, across: Scale, up: Scale) -> Iterator[_Box]:
    """Yield what the lines to compare with cover."""
    for value, line in levels_on(prepared, "y"):
        begin = across.start if line.begin is None else across(line.begin)
        yield _Box(begin, up(value) - 1, across.end, up(value) + 1)
    for slope in slope_lines(prepared):
        x, y = across(slope.x1), up(slope.y1)
        right, down = across(slope.x2) - x, up(slope.y2) - y
        for step in range(_STEPS + 1):
            yield _around(x + right * step / _STEPS, y + down * step / _STEPS, 1.0)
