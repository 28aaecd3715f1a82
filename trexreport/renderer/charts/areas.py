"""Parts of a whole as static SVG: the strip of the first screen, and the treemap.

Areas in proportion to values, as near to squares as they come.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import LINE, height_of
from trexreport.renderer.charts.markup import Element, rectangle
from trexreport.renderer.charts.parts import Canvas, caption, draw_notes, label, linked, on_mark
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, clean, fit, text_width

GROUP_HEAD = 18.0
_SEGMENT_GAP = 1.5
_MAX_ROWS_BELOW = 2
_SHORTEST_NAME = 7
#: Below a strip, more of a name can be read than this.
_SHORTEST_SHORTENED = 14
_OTHERS = regex("([0-9,]+) others")


@dataclass(frozen=True)
class Box:
    """A rectangle: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Below:
    """A text under a strip: where it begins, in which row, and the segment it names, if it names one."""

    x: float
    row: int
    text: str
    mark: Mark | None


def draw_strip(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    """Draw one bar of segments, named in place where the name fits and below it where not."""
    height = height_of(prepared)
    drawn: list[Element] = []
    x = 0.0
    for mark, width in zip(prepared.marks, segment_widths(prepared, canvas.width), strict=True):
        segment = rectangle(x, 0, max(width, 0.5), height, canvas.fill(mark.role))
        ys, sizes = (height / 2 - 8, height / 2 + 8), (LABEL_SIZE, TICK_SIZE)
        places = zip(segment_texts(mark, width), ys, sizes, strict=False)
        words = [on_mark(text, x + 7, y, mark.role, size=size) for text, y, size in places]
        drawn.append(linked(canvas, mark, segment, *words))
        x += width + _SEGMENT_GAP
    below, used = split_strip(prepared, canvas.width)
    for placed in below:
        y = height + 8 + LINE * placed.row + 7
        if placed.mark is None:
            drawn.append(caption(placed.text, placed.x, y))
        else:
            square = rectangle(placed.x, y - 4.5, 9, 9, canvas.fill(placed.mark.role))
            name = label(placed.text, placed.x + 14, y, size=TICK_SIZE)
            drawn.append(linked(canvas, placed.mark, square, name))
    foot = height + used + LINE * len(prepared.notes)
    return [*drawn, *draw_notes(prepared, foot)], foot


def segment_widths(prepared: Prepared, width: float) -> list[float]:
    """Return the widths of the segments of a strip; the gaps between them are not data."""
    total = math.fsum(mark.value for mark in prepared.marks)
    room = max(width - _SEGMENT_GAP * (len(prepared.marks) - 1), 1.0)
    return [room * mark.value / total for mark in prepared.marks]


def segment_texts(mark: Mark, width: float) -> tuple[str, ...]:
    """Return what is written into a segment; nothing if too little of its name fits."""
    inner = width - 14
    number = mark.share_text or mark.value_text
    name = fit(mark.label, inner)
    if text_width(number, TICK_SIZE) > inner or (name != mark.label and len(name) < _SHORTEST_SHORTENED):
        return ()
    line = mark.amount if text_width(mark.amount, TICK_SIZE) <= inner else number
    return (name, line)


def split_strip(prepared: Prepared, width: float) -> tuple[list[Below], float]:
    """Return the texts under a strip, for segments too narrow for theirs, and the height they take."""
    segments = zip(prepared.marks, segment_widths(prepared, width), strict=True)
    narrow = [mark for mark, room in segments if not segment_texts(mark, room)]
    below: list[Below] = []
    x, row = 0.0, 0
    for position, mark in enumerate(narrow):
        text = f"{fit(mark.label, 180.0, TICK_SIZE)} {mark.share_text or mark.value_text}"
        needed = 14 + text_width(text, TICK_SIZE) + 14
        last = row == _MAX_ROWS_BELOW - 1
        reserve = 110.0 if last and position < len(narrow) - 1 else 0.0
        if x + needed + reserve > width and last:
            below.append(Below(x, row, f"and {len(narrow) - position} more", None))
            break
        if x + needed > width:
            x, row = 0.0, row + 1
        below.append(Below(x, row, text, mark))
        x += needed
    return below, (LINE * (row + 1) + 6 if below else 0.0)


@dataclass(frozen=True)
class Group:
    """A group of a treemap: its place, the room for its name, and its items with theirs."""

    name: str
    value: float
    box: Box
    headed: bool
    items: tuple[tuple[Mark, Box], ...]


def draw_treemap(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    """Draw groups of items as nested boxes; the largest group comes first."""
    drawn: list[Element] = []
    for group in treemap_groups(prepared, canvas.width):
        if group.headed:
            drawn.append(_group_head(prepared, group))
        drawn += [_cell(canvas, mark, place) for mark, place in group.items]
    height = height_of(prepared)
    foot = height + (LINE + 4) * len(prepared.notes)
    return [*drawn, *draw_notes(prepared, foot)], foot


def treemap_groups(prepared: Prepared, width: float) -> list[Group]:
    """Return the groups of a treemap with everything placed."""
    height = height_of(prepared)
    groups = group_marks(prepared)
    sums = [math.fsum(mark.value for mark in marks) for _, marks in groups]
    placed = []
    boxes = squarify(sums, Box(0.0, 0.0, width, height))
    for (name, marks), box, value in zip(groups, boxes, sums, strict=True):
        headed = bool(name) and box.width >= 40 and box.height >= 40
        head = GROUP_HEAD if headed else 0.0
        inner = Box(box.x, box.y + head, max(0.0, box.width - 3), max(0.0, box.height - 3 - head))
        places = squarify([mark.value for mark in marks], inner)
        placed.append(Group(name, value, box, headed, tuple(zip(marks, places, strict=True))))
    return placed


def cell_texts(mark: Mark, box: Box) -> tuple[str, ...]:
    """Return what is written into an item: its name, and its value below if there is room."""
    room = box.width - 11
    if room < 24 or box.height < 17:
        return ()
    name = fit(mark.item, room, TICK_SIZE)
    others = _OTHERS.fullmatch(mark.item)
    if others and name != mark.item:
        # Shortened in its middle, "40 others" would name nothing.
        short = f"+{others.group(1)}"
        return (short,) if text_width(short, TICK_SIZE) <= room else ()
    if not name or (name != mark.item and len(name) < _SHORTEST_NAME):
        return ()
    both = box.height >= 33 and text_width(mark.value_text, TICK_SIZE) <= room
    return (name, mark.value_text) if both else (name,)


def group_marks(prepared: Prepared) -> list[tuple[str, list[Mark]]]:
    """Return the groups of a treemap from large to small, with their items in the order of the data."""
    groups = [
        (clean(prepared.chart.series[number].name), list(marks))
        for number, marks in groupby(prepared.marks, key=lambda mark: mark.series)
    ]
    return sorted(groups, key=lambda group: -math.fsum(mark.value for mark in group[1]))


def _group_head(prepared: Prepared, group: Group) -> Element:
    room = group.box.width - 8
    whole = f"{group.name} {prepared.value.text(group.value)}"
    text = whole if text_width(whole, TICK_SIZE) <= room else fit(group.name, room, TICK_SIZE)
    return label(text, group.box.x + 1, group.box.y + GROUP_HEAD / 2, size=TICK_SIZE)


def _cell(canvas: Canvas, mark: Mark, box: Box) -> Element:
    """Draw an item; a hairline of the page parts it from the next unless it is too small for that."""
    gap = 1.0 if min(box.width, box.height) >= 3 else 0.0
    width, height = max(box.width - gap, 0.3), max(box.height - gap, 0.3)
    shapes = [rectangle(box.x, box.y, width, height, canvas.fill(mark.role))]
    for line, text in enumerate(cell_texts(mark, box)):
        shapes.append(on_mark(text, box.x + 5, box.y + 9 + 14 * line, mark.role))
    return linked(canvas, mark, *shapes)


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
