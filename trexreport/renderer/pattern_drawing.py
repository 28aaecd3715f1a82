"""Draw the pattern of a finding as a small SVG that needs neither script nor style sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts.markup import (
    Element,
    drawing,
    element,
    path,
    with_shared_attributes,
    words,
    write,
)
from trexreport.renderer.charts.parts import label, rectangle
from trexreport.renderer.charts.text import clean, fit
from trexreport.renderer.finding_pattern import Arrow, Box, Pattern
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import LIGHT, color

#: Width of a box and of the gap right of it; of more columns than fit, the boxes are narrower.
_BOX, _GAP_X = 150.0, 84.0
_HEIGHT, _GAP_Y = 38.0, 12.0
_WIDEST, _NARROW_GAP = 940.0, 56.0
_STRIP, _HEAD, _SIZE = 4.0, 4.0, 10.0
#: Room below a row for an arrow that passes boxes, its line and its label in it, and its bends.
_LANE, _LINE, _BELOW_LINE, _BEND = 26.0, 10.0, 9.0, 12.0


@dataclass(frozen=True)
class _At:
    """The upper left corner of a box, its width, and that of the gap before it."""

    x: float
    y: float
    width: float
    gap: float


def draw_pattern(pattern: Pattern, title: str, *, with_links: bool = True) -> str:
    """Return a pattern as SVG, from left to right; the same pattern gives the same text."""
    places = _places(pattern)
    ends = [arrow for arrow in pattern.arrows if arrow.source in places and arrow.target in places]
    passing = [arrow for arrow in ends if _passes_boxes(arrow, places)]
    lane = _LANE if passing else 0.0
    if passing:
        places = _places(pattern, lane)
    width = max(at.x + at.width for at in places.values()) + 2
    height = max(at.y for at in places.values()) + _HEIGHT + lane + 2
    entering = Counter(arrow.target for arrow in ends if arrow not in passing)
    drawn = [
        _passing_arrow(arrow, places)
        if arrow in passing
        else _arrow(arrow, places, is_joined=entering[arrow.target] > 1)
        for arrow in ends
    ]
    svg = drawing(
        "pattern",
        width,
        height,
        element("title", words(title)),
        # Parts of one kind in a row share their attributes.
        *(part for parts in zip(*drawn, strict=True) for part in parts),
        *_boxes(pattern, places, with_links=with_links),
        role="group",
        aria_label=title,
    )
    return write(with_shared_attributes(svg))


def _places(pattern: Pattern, lane: float = 0.0) -> dict[int, _At]:
    """Return where each box is: right of all that it reads, and below those of its column.

    Args:
        pattern: Boxes in the order of their rows.
        lane: Additional room below each row, in pixels.
    """
    columns: dict[int, int] = {}
    for box in pattern.boxes:
        before = [
            columns[arrow.source]
            for arrow in pattern.arrows
            if arrow.target == box.key and arrow.source in columns
        ]
        columns[box.key] = max(before, default=-1) + 1
    # What has nothing before it is next to what reads it.
    for box in pattern.boxes:
        readers = [columns[arrow.target] for arrow in pattern.arrows if arrow.source == box.key]
        if readers and not any(arrow.target == box.key for arrow in pattern.arrows):
            columns[box.key] = max(min(readers) - 1, 0)
    box_width, gap = _BOX, _GAP_X
    count = max(columns.values(), default=0) + 1
    if count * _BOX + (count - 1) * _GAP_X > _WIDEST:
        gap = _NARROW_GAP
        box_width = (_WIDEST - (count - 1) * gap) / count
    rows: dict[int, int] = {}
    places = {}
    for box in pattern.boxes:
        column = columns[box.key]
        row = rows.get(column, 0)
        rows[column] = row + 1
        x, y = 1 + column * (box_width + gap), 1 + row * (_HEIGHT + _GAP_Y + lane)
        places[box.key] = _At(x, y, box_width, gap)
    return places


def _passes_boxes(arrow: Arrow, places: Mapping[int, _At]) -> bool:
    """Return whether a box is where a direct arrow would be, as beside the branch of a residual Add."""
    start, end = places[arrow.source], places[arrow.target]
    return any(start.x < at.x < end.x and at.y in (start.y, end.y) for at in places.values())


def _boxes(pattern: Pattern, places: Mapping[int, _At], *, with_links: bool) -> list[Element]:
    """Return the boxes; those of layers are links where links are wanted."""
    parts = [_parts(box, places[box.key]) for box in pattern.boxes]
    if not with_links:
        return [part for of_kind in zip(*parts, strict=True) for part in of_kind]
    drawn = []
    for box, own in zip(pattern.boxes, parts, strict=True):
        title = element("title", words(clean(f"{box.title} ({_note(box)})")))
        link = layer_link(box.key) if box.key >= 0 else None
        drawn.append(element("a", title, *own, href=link) if link else element("g", title, *own))
    return drawn


def _note(box: Box) -> str:
    return " ".join(filter(None, (box.kind, box.precision)))


def _parts(box: Box, at: _At) -> tuple[Element, ...]:
    frame = element(
        "rect",
        x=at.x,
        y=at.y,
        width=at.width,
        height=_HEIGHT,
        fill="none",
        stroke=color("accent") if box.changed else LIGHT.axis,
        stroke_width=2.0 if box.changed else 1.0,
        stroke_dasharray="3 3" if box.outside else None,
    )
    known = f"precision:{box.precision}" if box.precision else "neutral"
    return (
        frame,
        rectangle(at.x, at.y, _STRIP, _HEIGHT, color(known)),
        label(fit(clean(box.title), at.width - 16, 12), at.x + 10, at.y + 13, size=12, muted=box.outside),
        label(fit(clean(_note(box)), at.width - 16, _SIZE), at.x + 10, at.y + 28, size=_SIZE, muted=True),
    )


def _arrow(arrow: Arrow, places: Mapping[int, _At], *, is_joined: bool) -> list[Element]:
    """Return an arrow with its label: at its end, or at its beginning where others have the same end."""
    start, end = places[arrow.source], places[arrow.target]
    x1, y1, x2, y2 = start.x + start.width, start.y + _HEIGHT / 2, end.x, end.y + _HEIGHT / 2
    middle = (x1 + x2) / 2
    d = path("M", x1, y1, "C", middle, y1, middle, y2, x2 - _HEAD, y2)
    head = path("M", x2 - _HEAD - 2, y2 - _HEAD, "L", x2, y2, "L", x2 - _HEAD - 2, y2 + _HEAD, "Z")
    room = end.gap - 16
    x, y = (x1 + room / 2 + 2, y1) if is_joined else (x2 - room / 2 - 8, y2)
    return [
        *_line(arrow, d, head),
        label(fit(clean(arrow.data_type), room, _SIZE), x, y - 9, anchor="middle", size=_SIZE),
        label(fit(clean(arrow.layout), room, _SIZE), x, y + 9, anchor="middle", size=_SIZE, muted=True),
    ]


def _passing_arrow(arrow: Arrow, places: Mapping[int, _At]) -> list[Element]:
    """Return an arrow that goes below the boxes between its ends, with its label below it."""
    start, end = places[arrow.source], places[arrow.target]
    low = min(start.y, end.y) + _HEIGHT + _LINE
    x1, x2 = start.x + start.width - _BEND, end.x + _BEND
    # A box above the line is left and entered at its bottom, one below it at its top.
    y1, y2 = (at.y + _HEIGHT if at.y < low else at.y for at in (start, end))
    back = _HEAD if y2 < low else -_HEAD
    d = path(
        *("M", x1, y1, "Q", x1, low, x1 + _BEND, low, "L", x2 - _BEND, low),
        *("Q", x2, low, x2, y2 + back),
    )
    head = path("M", x2 - _HEAD, y2 + back * 1.5, "L", x2, y2, "L", x2 + _HEAD, y2 + back * 1.5, "Z")
    room, x, y = (x2 - x1) / 2 - _BEND, (x1 + x2) / 2, low + _BELOW_LINE
    return [
        *_line(arrow, d, head),
        label(fit(clean(arrow.data_type), room, _SIZE), x - 3, y, anchor="end", size=_SIZE),
        label(fit(clean(arrow.layout), room, _SIZE), x + 3, y, anchor="start", size=_SIZE, muted=True),
    ]


def _line(arrow: Arrow, d: str, head: str) -> list[Element]:
    """Return the line of an arrow and its head."""
    shade = color(f"precision:{arrow.data_type}") if arrow.data_type else color("neutral")
    return [
        element("path", d=d, fill="none", stroke=shade, stroke_width=3.0 if arrow.changed else 1.5),
        element("path", d=head, fill=shade),
    ]
