"""Draw the pattern of a finding from top to bottom, for a phone: as wide as its window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.markup import (
    Element,
    drawing,
    hover_text,
    path,
)
from trexreport.renderer.charts.parts import label
from trexreport.renderer.charts.text import clean, fit
from trexreport.renderer.finding_pattern import Arrow, Pattern
from trexreport.renderer.pattern_parts import HEAD, HEIGHT, SIZE, At, boxes_of, levels, line_of

#: Width of a drawing and of a box that has it alone; distances of boxes.
_WIDTH, _BOX = 316.0, 216.0
_GAP_X, _GAP_Y = 10.0, 42.0
#: Room right of the boxes for an arrow that passes some, and the distance of its line.
_LANE, _LINE, _BEND = 76.0, 12.0, 10.0
#: Height of a title, and of a line of a label.
_TITLE, _TEXT = 22.0, 12.0


def draw_pattern_down(pattern: Pattern, title: str, *, with_links: bool = True) -> str:
    """Return a pattern as SVG below its title; the same pattern gives the same text."""
    level = levels(pattern)
    ends = [arrow for arrow in pattern.arrows if arrow.source in level and arrow.target in level]
    passing = [arrow for arrow in ends if level[arrow.target] - level[arrow.source] > 1]
    places = _places(pattern, level, passing)
    entering = Counter(arrow.target for arrow in ends if arrow not in passing)
    leaving = Counter(arrow.source for arrow in ends if arrow not in passing)
    drawn = []
    for arrow in ends:
        if arrow in passing:
            drawn.append(_passing_arrow(arrow, places, passing.index(arrow)))
        else:
            # Beside other arrows only the end that is its own has room for the label.
            is_joined = entering[arrow.target] > 1 and leaving[arrow.source] == 1
            drawn.append(_arrow(arrow, places, is_joined=is_joined))
    height = max(at.y for at in places.values()) + HEIGHT + 2
    svg = drawing(
        "pattern",
        _WIDTH,
        height,
        hover_text(title),
        label(title, 1, 11, size=12, muted=True),
        *(part for parts in zip(*drawn, strict=True) for part in parts),
        *boxes_of(pattern, places, with_links=with_links),
        role="group",
    )
    return write_drawing(svg)


def _places(pattern: Pattern, level: Mapping[int, int], passing: list[Arrow]) -> dict[int, At]:
    """Return where each box is: below all that it reads, and beside those of its level."""
    room = _WIDTH - 2 - (_LANE if passing else 0)
    outer = {key for arrow in passing for key in (arrow.source, arrow.target)}
    rows: dict[int, list[int]] = {}
    # What an arrow of the lane leaves or enters is next to the lane.
    for box in sorted(pattern.boxes, key=lambda box: box.key in outer):
        rows.setdefault(level[box.key], []).append(box.key)
    places = {}
    for row, (_, keys) in enumerate(sorted(rows.items())):
        width = min(_BOX, (room - (len(keys) - 1) * _GAP_X) / len(keys))
        left = 1 + (room - len(keys) * width - (len(keys) - 1) * _GAP_X) / 2
        for at, key in enumerate(keys):
            places[key] = At(left + at * (width + _GAP_X), _TITLE + 1 + row * (HEIGHT + _GAP_Y), width)
    return places


def _arrow(arrow: Arrow, places: Mapping[int, At], *, is_joined: bool) -> list[Element]:
    """Return an arrow with its label: at its end, or at its beginning where others have the same end."""
    start, end = places[arrow.source], places[arrow.target]
    x1, y1, x2, y2 = start.x + start.width / 2, start.y + HEIGHT, end.x + end.width / 2, end.y
    middle = (y1 + y2) / 2
    d = path("M", x1, y1, "C", x1, middle, x2, middle, x2, y2 - HEAD)
    head = path("M", x2 - HEAD, y2 - HEAD - 2, "L", x2, y2, "L", x2 + HEAD, y2 - HEAD - 2, "Z")
    at, y = (start, y1 + _TEXT) if is_joined else (end, y2 - _TEXT - 8)
    # On the side that the line does not come from or go to.
    is_left = (x2 > x1) == is_joined and x1 != x2
    x = at.x + at.width / 2 + (-8 if is_left else 8)
    return [*line_of(arrow, d, head), *_label(arrow, x, y, at.width / 2 - 8, "end" if is_left else "start")]


def _passing_arrow(arrow: Arrow, places: Mapping[int, At], order: int) -> list[Element]:
    """Return an arrow that goes right of the boxes between its ends, with its label right of it."""
    start, end = places[arrow.source], places[arrow.target]
    lane = _WIDTH - _LANE + _LINE
    x1, y1, x2, y2 = start.x + start.width, start.y + HEIGHT / 2, end.x + end.width, end.y + HEIGHT / 2
    d = path(
        *("M", x1, y1, "L", lane - _BEND, y1, "Q", lane, y1, lane, y1 + _BEND, "L", lane, y2 - _BEND),
        *("Q", lane, y2, lane - _BEND, y2, "L", x2 + HEAD, y2),
    )
    head = path("M", x2 + HEAD + 2, y2 - HEAD, "L", x2, y2, "L", x2 + HEAD + 2, y2 + HEAD, "Z")
    y = (y1 + y2) / 2 - _TEXT / 2 + order * 2 * _TEXT
    return [*line_of(arrow, d, head), *_label(arrow, lane + 6, y, _LANE - _LINE - 8, "start")]


def _label(arrow: Arrow, x: float, y: float, room: float, anchor: str) -> tuple[Element, Element]:
    return (
        label(fit(clean(arrow.data_type), room, SIZE), x, y, anchor=anchor, size=SIZE),
        label(fit(clean(arrow.layout), room, SIZE), x, y + _TEXT, anchor=anchor, size=SIZE, muted=True),
    )
