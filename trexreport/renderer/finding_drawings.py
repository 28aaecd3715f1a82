"""The drawings of findings: their layers as they are, and as they are once the finding is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from trexreport.analyzer.analysis import Analysis
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.parts import label
from trexreport.renderer.charts.text import clean, fit
from trexreport.renderer.finding_pattern import Arrow, Pattern, finding_pattern
from trexreport.renderer.findings_page import FindingsPage
from trexreport.renderer.pattern_column import (
    HEAD,
    HEIGHT,
    SIZE,
    At,
    boxes_of,
    draw_pattern_down,
    levels,
    line_of,
)

#: Findings with a drawing, the top findings first: each adds some 5 kB to a page.
_MAX_DRAWN = 15
_BEFORE, _AFTER = "As it is", "As recommended"
_WIDTH = regex(r'viewBox="0 0 ([\d.]+) ')
#: Width of a box and of the gap right of it; of more columns than fit, the boxes are narrower.
_BOX, _GAP_X = 150.0, 84.0
_GAP_Y = 12.0
_WIDEST, _NARROW_GAP = 940.0, 56.0
#: Room below a row for an arrow that passes boxes, its line and its label in it, and its bends.
_LANE, _LINE, _BELOW_LINE, _BEND = 26.0, 10.0, 9.0, 12.0


@dataclass(frozen=True)
class FindingDrawing:
    """The two drawings of a finding.

    Attributes:
        before: The layers as they are, as SVG.
        after: As they are once it is fixed.
        patterns: What the two draw.
    """

    before: str
    after: str
    patterns: tuple[Pattern, Pattern]

    def narrow(self) -> tuple[str, str]:
        """Return both from top to bottom as SVG, for a window with no room for them as they are."""
        return _narrow(*self.patterns)

    @property
    def widths(self) -> tuple[float, float]:
        """Return how wide they are, in pixels."""
        before, after = (_WIDTH.search(each) for each in (self.before, self.after))
        return (float(before[1]) if before else 0.0, float(after[1]) if after else 0.0)


def draw_findings(findings: FindingsPage, analysis: Analysis) -> dict[str, FindingDrawing]:
    """Return the drawings by the id of the finding, of those that concern layers in a pattern."""
    drawn: dict[str, FindingDrawing] = {}
    for view in {view.id: view for view in (*findings.first, *findings.views)}.values():
        if len(drawn) == _MAX_DRAWN:
            break
        found = finding_pattern(analysis, view.finding)
        if found:
            drawn[view.id] = _drawn(*map(_fixed, found))
    return drawn


def _fixed(pattern: Pattern) -> Pattern:
    """Return a pattern that can be remembered."""
    return Pattern(tuple(pattern.boxes), tuple(pattern.arrows))


@lru_cache(maxsize=256)
def _drawn(before: Pattern, after: Pattern) -> FindingDrawing:
    """Draw what several pages of one process have: a site has many captures of one model."""
    return FindingDrawing(
        draw_pattern(before, _BEFORE), draw_pattern(after, _AFTER, with_links=False), (before, after)
    )


@lru_cache(maxsize=256)
def _narrow(before: Pattern, after: Pattern) -> tuple[str, str]:
    return draw_pattern_down(before, _BEFORE), draw_pattern_down(after, _AFTER, with_links=False)


def draw_pattern(pattern: Pattern, title: str, *, with_links: bool = True) -> str:
    """Return a pattern as SVG, from left to right; the same pattern gives the same text."""
    places = _places(pattern)
    ends = [arrow for arrow in pattern.arrows if arrow.source in places and arrow.target in places]
    passing = [arrow for arrow in ends if _passes_boxes(arrow, places)]
    lane = _LANE if passing else 0.0
    if passing:
        places = _places(pattern, lane)
    width = max(at.x + at.width for at in places.values()) + 2
    height = max(at.y for at in places.values()) + HEIGHT + lane + 2
    entering = Counter(arrow.target for arrow in ends if arrow not in passing)
    drawn = [
        _passing_arrow(arrow, places)
        if arrow in passing
        else _arrow(arrow, places, is_joined=entering[arrow.target] > 1)
        for arrow in ends
    ]
    svg = markup.drawing(
        "pattern",
        width,
        height,
        markup.hover_text(title),
        # Parts of one kind in a row share their attributes.
        *(part for parts in zip(*drawn, strict=True) for part in parts),
        *boxes_of(pattern, places, with_links=with_links),
        role="group",
    )
    return write_drawing(svg)


def _places(pattern: Pattern, lane: float = 0.0) -> dict[int, At]:
    """Return where each box is: right of all that it reads, and below those of its column.

    Args:
        pattern: Boxes in the order of their rows.
        lane: Additional room below each row, in pixels.
    """
    columns = levels(pattern)
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
        x, y = 1 + column * (box_width + gap), 1 + row * (HEIGHT + _GAP_Y + lane)
        places[box.key] = At(x, y, box_width, gap)
    return places


def _passes_boxes(arrow: Arrow, places: Mapping[int, At]) -> bool:
    """Return whether a box is where a direct arrow would be, as beside the branch of a residual Add."""
    start, end = places[arrow.source], places[arrow.target]
    return any(start.x < at.x < end.x and at.y in (start.y, end.y) for at in places.values())


def _arrow(arrow: Arrow, places: Mapping[int, At], *, is_joined: bool) -> list[markup.Element]:
    """Return an arrow with its label: at its end, or at its beginning where others have the same end."""
    start, end = places[arrow.source], places[arrow.target]
    x1, y1, x2, y2 = start.x + start.width, start.y + HEIGHT / 2, end.x, end.y + HEIGHT / 2
    middle = (x1 + x2) / 2
    d = markup.path("M", x1, y1, "C", middle, y1, middle, y2, x2 - HEAD, y2)
    head = markup.path("M", x2 - HEAD - 2, y2 - HEAD, "L", x2, y2, "L", x2 - HEAD - 2, y2 + HEAD, "Z")
    room = end.gap - 16
    x, y = (x1 + room / 2 + 2, y1) if is_joined else (x2 - room / 2 - 8, y2)
    return [
        *line_of(arrow, d, head),
        label(fit(clean(arrow.data_type), room, SIZE), x, y - 9, anchor="middle", size=SIZE),
        label(fit(clean(arrow.layout), room, SIZE), x, y + 9, anchor="middle", size=SIZE, muted=True),
    ]


def _passing_arrow(arrow: Arrow, places: Mapping[int, At]) -> list[markup.Element]:
    """Return an arrow that goes below the boxes between its ends, with its label below it."""
    start, end = places[arrow.source], places[arrow.target]
    low = min(start.y, end.y) + HEIGHT + _LINE
    x1, x2 = start.x + start.width - _BEND, end.x + _BEND
    # A box above the line is left and entered at its bottom, one below it at its top.
    y1, y2 = (at.y + HEIGHT if at.y < low else at.y for at in (start, end))
    back = HEAD if y2 < low else -HEAD
    d = markup.path(
        *("M", x1, y1, "Q", x1, low, x1 + _BEND, low, "L", x2 - _BEND, low),
        *("Q", x2, low, x2, y2 + back),
    )
    head = markup.path("M", x2 - HEAD, y2 + back * 1.5, "L", x2, y2, "L", x2 + HEAD, y2 + back * 1.5, "Z")
    room, x, y = (x2 - x1) / 2 - _BEND, (x1 + x2) / 2, low + _BELOW_LINE
    return [
        *line_of(arrow, d, head),
        label(fit(clean(arrow.data_type), room, SIZE), x - 3, y, anchor="end", size=SIZE),
        label(fit(clean(arrow.layout), room, SIZE), x + 3, y, anchor="start", size=SIZE, muted=True),
    ]
