"""Boxes of a row of a timeline, as wide as their time; narrow neighbors are one box."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from trexreport.lazy_dataclass import bulk_facts
from trexreport.numbers import counted, format_ms
from trexreport.renderer.charts.markup import Element, hover_text, link_to, rectangle
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import color

#: Where time begins: right of the names of the rows.
LEFT = 96.0
#: Neighbors narrower than this, in pixels, are one box.
_MIN_WIDTH = 1.5


class Timed(Protocol):
    """What has a place in time, in milliseconds from the begin of a query."""

    @property
    def begin_ms(self) -> float:
        """The begin."""

    @property
    def end_ms(self) -> float:
        """The end."""


TimedT = TypeVar("TimedT", bound=Timed)


@bulk_facts
class Look:
    """How a box of its own looks.

    Attributes:
        hover: Lines of its hover text, before the times.
        role: Of its color.
        layer: Index of the layer that it leads to.
    """

    hover: tuple[str, ...]
    role: str
    layer: int | None


def draw_boxes(
    row: Sequence[TimedT], look: Callable[[TimedT], Look], noun: str, place: tuple[float, float], scale: float
) -> Iterator[Element]:
    """Yield the boxes of a row.

    Args:
        row: By time.
        look: Of a single one.
        noun: What several are: "layer".
        place: Top and height in pixels.
        scale: Pixels for each millisecond.
    """
    top, height = place
    for run in _joined(row, scale):
        first, end_ms = run[0], max(each.end_ms for each in run)
        width = max((end_ms - first.begin_ms) * scale - 0.3, 0.4)
        times = f"{format_ms(first.begin_ms)} to {format_ms(end_ms)}"
        shown = (
            look(first)
            if len(run) == 1
            else Look((f"{counted(len(run), noun)} too narrow to show",), "neutral", None)
        )
        parts = (
            hover_text(*shown.hover, times),
            rectangle(LEFT + first.begin_ms * scale, top, width, height, color(shown.role)),
        )
        if shown.layer is None:
            yield Element("g", children=parts)
        else:
            yield link_to(layer_link(shown.layer), *parts, in_order=False)


def _joined(row: Sequence[TimedT], scale: float) -> list[list[TimedT]]:
    """Return boxes one by one, and narrow neighbors together until they are wide enough."""
    found: list[list[TimedT]] = []
    for box in row:
        last = found[-1] if found else []
        if (
            last
            and (box.end_ms - box.begin_ms) * scale < _MIN_WIDTH
            and (last[-1].end_ms - last[0].begin_ms) * scale < _MIN_WIDTH
            and (box.begin_ms - last[-1].end_ms) * scale < _MIN_WIDTH
        ):
            last.append(box)
        else:
            found.append([box])
    return found
