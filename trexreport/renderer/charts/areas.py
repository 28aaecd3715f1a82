"""Parts of a whole as static SVG: the strip of the first screen, and the treemap."""

from __future__ import annotations

from itertools import groupby

from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import HEIGHTS, LINE
from trexreport.renderer.charts.markup import Markup
from trexreport.renderer.charts.parts import Canvas, draw_notes, label, linked, on_mark, rectangle
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, clean, fit, text_width
from trexreport.renderer.charts.treemap import Box, squarify

STRIP_HEIGHT = 44.0
GROUP_HEAD = 18.0
_SEGMENT_GAP = 1.5
_MOST_ROWS_BELOW = 2
_SHORTEST_NAME = 7


def draw_strip(prepared: Prepared, canvas: Canvas) -> tuple[list[Markup], float]:
    """Draw one bar of segments, named in place where the name fits and below it where not."""
    marks = prepared.marks
    total = sum(mark.value for mark in marks)
    room = canvas.width - _SEGMENT_GAP * (len(marks) - 1)
    height = float(prepared.chart.height or STRIP_HEIGHT)
    drawn: list[Markup] = []
    below: list[Mark] = []
    x = 0.0
    for mark in marks:
        width = max(room, 0.0) * mark.value / total
        text = _segment_text(mark, x, width, height)
        if not text:
            below.append(mark)
        segment = rectangle(x, 0, max(width, 0.5), height, canvas.fill(mark.role))
        drawn.append(linked(canvas, mark, segment, *text))
        x += width + _SEGMENT_GAP
    labels, used = _labels_below(canvas, below, height + 8)
    foot = height + used + LINE * len(prepared.notes)
    return [*drawn, *labels, *draw_notes(prepared, 0.0, foot)], foot


def _segment_text(mark: Mark, x: float, width: float, height: float) -> list[Markup]:
    """Write the name and what it takes into a segment; nothing if not even the name fits whole."""
    inner = width - 14
    number = mark.share_text or mark.value_text
    if text_width(mark.label) > inner or text_width(number, TICK_SIZE) > inner:
        return []
    both = f"{mark.value_text}, {mark.share_text}" if mark.share_text else mark.value_text
    line = both if text_width(both, TICK_SIZE) <= inner else number
    middle = height / 2
    if height < 34:
        return [on_mark(mark.label, x + 7, middle, mark.role, size=LABEL_SIZE)]
    return [
        on_mark(mark.label, x + 7, middle - 8, mark.role, size=LABEL_SIZE),
        on_mark(line, x + 7, middle + 8, mark.role),
    ]


def _labels_below(canvas: Canvas, marks: list[Mark], top: float) -> tuple[list[Markup], float]:
    """Name the segments that are too narrow, each with a square of its colour; say how many are left over."""
    drawn: list[Markup] = []
    x, row = 0.0, 0
    for position, mark in enumerate(marks):
        text = f"{fit(mark.label, 180.0, TICK_SIZE)} {mark.share_text or mark.value_text}"
        needed = 14 + text_width(text, TICK_SIZE) + 14
        last = row == _MOST_ROWS_BELOW - 1
        reserve = 110.0 if last and position < len(marks) - 1 else 0.0
        if x + needed + reserve > canvas.width and not last:
            x, row, reserve = 0.0, row + 1, 0.0
        elif x + needed + reserve > canvas.width:
            rest = marks[position:]
            drawn.append(label(f"and {len(rest)} more", x, top + LINE * row + 7, muted=True, size=TICK_SIZE))
            break
        y = top + LINE * row + 7
        square = rectangle(x, y - 4.5, 9, 9, canvas.fill(mark.role))
        drawn.append(linked(canvas, mark, square, label(text, x + 14, y, size=TICK_SIZE)))
        x += needed
    return drawn, (LINE * (row + 1) + 6 if drawn else 0.0)


def draw_treemap(prepared: Prepared, canvas: Canvas) -> tuple[list[Markup], float]:
    """Draw groups of items as nested boxes; the largest group and the largest item come first."""
    height = float(prepared.chart.height or HEIGHTS["treemap"])
    groups = group_marks(prepared)
    sums = [sum(mark.value for mark in marks) for _, marks in groups]
    boxes = squarify(sums, Box(0.0, 0.0, canvas.width, height))
    drawn: list[Markup] = []
    for (name, marks), box, value in zip(groups, boxes, sums, strict=True):
        headed = bool(name) and box.width >= 40 and box.height >= 40
        inner = Box(box.x, box.y, box.width - 3, box.height - 3).inset(0.0, GROUP_HEAD if headed else 0.0)
        if headed:
            drawn.append(_group_head(prepared, name, value, box))
        for mark, place in zip(marks, squarify([mark.value for mark in marks], inner), strict=True):
            drawn.append(_cell(canvas, mark, place))
    foot = height + (LINE + 4) * len(prepared.notes)
    return [*drawn, *draw_notes(prepared, 0.0, foot)], foot


def group_marks(prepared: Prepared) -> list[tuple[str, list[Mark]]]:
    """Return the groups of a treemap with their items, both from large to small."""
    groups = [
        (clean(prepared.chart.series[number].name), sorted(marks, key=lambda mark: (-mark.value, mark.index)))
        for number, marks in groupby(prepared.marks, key=lambda mark: mark.series)
    ]
    return sorted(groups, key=lambda group: -sum(mark.value for mark in group[1]))


def _group_head(prepared: Prepared, name: str, value: float, box: Box) -> Markup:
    number = prepared.value.text(value)
    room = box.width - 8
    whole = f"{name}  {number}"
    text = whole if text_width(whole, TICK_SIZE) <= room else fit(name, room, TICK_SIZE)
    return label(text, box.x + 1, box.y + GROUP_HEAD / 2, size=TICK_SIZE)


def _cell(canvas: Canvas, mark: Mark, box: Box) -> Markup:
    """Draw an item; a hairline of the page parts it from the next unless it is too small for that."""
    gap = 1.0 if min(box.width, box.height) >= 3 else 0.0
    width, height = box.width - gap, box.height - gap
    shapes = [rectangle(box.x, box.y, max(width, 0.3), max(height, 0.3), canvas.fill(mark.role))]
    if width >= 34 and height >= 16:
        name = fit(mark.item, width - 10, TICK_SIZE)
        if name != mark.item and len(name) < _SHORTEST_NAME:
            name = ""
        if name:
            shapes.append(on_mark(name, box.x + 5, box.y + 9, mark.role))
        if name and height >= 32 and text_width(mark.value_text, TICK_SIZE) <= width - 10:
            shapes.append(on_mark(mark.value_text, box.x + 5, box.y + 23, mark.role))
    return linked(canvas, mark, *shapes)
