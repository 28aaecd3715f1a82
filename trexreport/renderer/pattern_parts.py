"""What the drawings of patterns share, from left to right and from top to bottom: boxes, lines and levels."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts.markup import Element, element, hover_text, rectangle
from trexreport.renderer.charts.parts import label
from trexreport.renderer.charts.text import clean, fit
from trexreport.renderer.finding_pattern import Arrow, Box, Pattern
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import LIGHT, color

#: Height of a box, length of an arrow's head, and size of the smaller texts, in pixels.
HEIGHT, HEAD, SIZE = 38.0, 4.0, 11.0
_STRIP = 4.0


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


def boxes_of(pattern: Pattern, places: Mapping[int, At], *, with_links: bool) -> list[Element]:
    """Return the boxes; those of layers are links where links are wanted."""
    parts = [_parts(box, places[box.key]) for box in pattern.boxes]
    if not with_links:
        return [part for of_kind in zip(*parts, strict=True) for part in of_kind]
    drawn = []
    for box, own in zip(pattern.boxes, parts, strict=True):
        title = hover_text(f"{box.title} ({_note(box)})")
        link = layer_link(box.key) if box.key >= 0 else None
        drawn.append(element("a", title, *own, href=link) if link else element("g", title, *own))
    return drawn


def _note(box: Box) -> str:
    return " ".join(filter(None, (box.kind, box.precision)))


def _parts(box: Box, at: At) -> tuple[Element, ...]:
    frame = element(
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
        rectangle(at.x, at.y, _STRIP, HEIGHT, color(known)),
        label(fit(clean(box.title), at.width - 16, 12), at.x + 10, at.y + 13, size=12, muted=box.outside),
        label(fit(clean(_note(box)), at.width - 16, SIZE), at.x + 10, at.y + 28, size=SIZE, muted=True),
    )


def line_of(arrow: Arrow, d: str, head: str) -> list[Element]:
    """Return the line of an arrow and its head."""
    shade = color(f"precision:{arrow.data_type}") if arrow.data_type else color("neutral")
    return [
        element("path", d=d, fill="none", stroke=shade, stroke_width=3.0 if arrow.changed else 1.5),
        element("path", d=head, fill=shade),
    ]
