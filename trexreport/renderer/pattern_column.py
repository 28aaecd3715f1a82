"""The parts of drawings of patterns, and the drawing from top to bottom, as wide as a phone's window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.parts import label
from trexreport.renderer.charts.text import clean, fit
from trexreport.renderer.finding_pattern import Arrow, Box, Pattern
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import LIGHT, color

#: Width of a drawing and of a box that has it alone; distances of boxes.
_WIDTH, _BOX = 316.0, 216.0
_GAP_X, _GAP_Y = 10.0, 42.0
#: Room right of the boxes for an arrow that passes some, and the distance of its line.
_LANE, _LINE, _BEND = 76.0, 12.0, 10.0
#: Height of a title, and of a line of a label.
_TITLE, _TEXT = 22.0, 12.0

#: Height of a box, length of an arrow's head, and size of the smaller texts, in pixels.
HEIGHT, HEAD, SIZE = 38.0, 4.0, 11.0
_STRIP = 4.0


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
    svg = markup.drawing(
        "pattern",
        _WIDTH,
        height,
        markup.hover_text(title),
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


def _arrow(arrow: Arrow, places: Mapping[int, At], *, is_joined: bool) -> list[markup.Element]:
    """Return an arrow with its label: at its end, or at its beginning where others have the same end."""
    start, end = places[arrow.source], places[arrow.target]
    x1, y1, x2, y2 = start.x + start.width / 2, start.y + HEIGHT, end.x + end.width / 2, end.y
    middle = (y1 + y2) / 2
    d = markup.path("M", x1, y1, "C", x1, middle, x2, middle, x2, y2 - HEAD)
    head = markup.path("M", x2 - HEAD, y2 - HEAD - 2, "L", x2, y2, "L", x2 + HEAD, y2 - HEAD - 2, "Z")
    at, y = (start, y1 + _TEXT) if is_joined else (end, y2 - _TEXT - 8)
    # On the side that the line does not come from or go to.
    is_left = (x2 > x1) == is_joined and x1 != x2
    x = at.x + at.width / 2 + (-8 if is_left else 8)
    return [*line_of(arrow, d, head), *_label(arrow, x, y, at.width / 2 - 8, "end" if is_left else "start")]


def _passing_arrow(arrow: Arrow, places: Mapping[int, At], order: int) -> list[markup.Element]:
    """Return an arrow that goes right of the boxes between its ends, with its label right of it."""
    start, end = places[arrow.source], places[arrow.target]
    lane = _WIDTH - _LANE + _LINE
    x1, y1, x2, y2 = start.x + start.width, start.y + HEIGHT / 2, end.x + end.width, end.y + HEIGHT / 2
    d = markup.path(
        *("M", x1, y1, "L", lane - _BEND, y1, "Q", lane, y1, lane, y1 + _BEND, "L", lane, y2 - _BEND),
        *("Q", lane, y2, lane - _BEND, y2, "L", x2 + HEAD, y2),
    )
    head = markup.path("M", x2 + HEAD + 2, y2 - HEAD, "L", x2, y2, "L", x2 + HEAD + 2, y2 + HEAD, "Z")
    y = (y1 + y2) / 2 - _TEXT / 2 + order * 2 * _TEXT
    return [*line_of(arrow, d, head), *_label(arrow, lane + 6, y, _LANE - _LINE - 8, "start")]


def _label(
    arrow: Arrow, x: float, y: float, room: float, anchor: str
) -> tuple[markup.Element, markup.Element]:
    return (
        label(fit(clean(arrow.data_type), room, SIZE), x, y, anchor=anchor, size=SIZE),
        label(fit(clean(arrow.layout), room, SIZE), x, y + _TEXT, anchor=anchor, size=SIZE, muted=True),
    )


@dataclass(frozen=True)
class At:
    """The upper left corner of a box, its width, and that of the gap before it, in pixels."""

    x: float
    y: float
    width: float
    gap: float = 0.0


def levels(pattern: Pattern) -> dict[int, int]:
    """Return how many boxes are before each box, by its key: the longest way to it counts."""
    found: dict[int, int] = {}
    for box in pattern.boxes:
        before = [
            found[arrow.source]
            for arrow in pattern.arrows
            if arrow.target == box.key and arrow.source in found
        ]
        found[box.key] = max(before, default=-1) + 1
    # What has nothing before it is next to what reads it.
    for box in pattern.boxes:
        readers = [found[arrow.target] for arrow in pattern.arrows if arrow.source == box.key]
        if readers and not any(arrow.target == box.key for arrow in pattern.arrows):
            found[box.key] = max(min(readers) - 1, 0)
    return found


def boxes_of(pattern: Pattern, places: Mapping[int, At], *, with_links: bool) -> list[markup.Element]:
    """Return the boxes; those of layers are links where links are wanted."""
    parts = [_parts(box, places[box.key]) for box in pattern.boxes]
    if not with_links:
        return [part for of_kind in zip(*parts, strict=True) for part in of_kind]
    drawn = []
    for box, own in zip(pattern.boxes, parts, strict=True):
        title = markup.hover_text(f"{box.title} ({_note(box)})")
        link = layer_link(box.key) if box.key >= 0 else None
        drawn.append(
            markup.element("a", title, *own, href=link) if link else markup.element("g", title, *own)
        )
    return drawn


def _note(box: Box) -> str:
    return " ".join(filter(None, (box.kind, box.precision)))


def _parts(box: Box, at: At) -> tuple[markup.Element, ...]:
    frame = markup.element(
        "rect",
        x=at.x,
        y=at.y,
        width=at.width,
        height=HEIGHT,
        fill="none",
        stroke=color("accent") if box.changed else LIGHT.axis,
        stroke_width=2.0 if box.changed else 1.0,
        stroke_dasharray="3 3" if box.outside else None,
    )
    known = f"precision:{box.precision}" if box.precision else "neutral"
    return (
        frame,
        markup.rectangle(at.x, at.y, _STRIP, HEIGHT, color(known)),
        label(fit(clean(box.title), at.width - 16, 12), at.x + 10, at.y + 13, size=12, muted=box.outside),
        label(fit(clean(_note(box)), at.width - 16, SIZE), at.x + 10, at.y + 28, size=SIZE, muted=True),
    )


def line_of(arrow: Arrow, d: str, head: str) -> list[markup.Element]:
    """Return the line of an arrow and its head."""
    shade = color(f"precision:{arrow.data_type}") if arrow.data_type else color("neutral")
    return [
        markup.element("path", d=d, fill="none", stroke=shade, stroke_width=3.0 if arrow.changed else 1.5),
        markup.element("path", d=head, fill=shade),
    ]
