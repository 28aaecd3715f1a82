"""Draw the first levels of an icicle as SVG, for pages without script."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.numbers import counted, format_ms, format_percent
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.parts import identity, label, on_mark
from trexreport.renderer.charts.text import TICK_SIZE, clean, fit
from trexreport.renderer.icicle import Icicle, IcicleChildren, Item
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import color

ROW = 26.0

_GAP, _STRIP = 1.0, 4.0

#: Rows of the drawing that needs no script.
_STATIC_ROWS = 6

#: Neighbors narrower than this are one box; boxes narrower than that have no text.
_MIN_WIDTH, _MIN_LABEL = 3.0, 28.0

_SHORTEST_NAME = 6


def draw_icicle(each: Icicle, layers: Sequence[LayerFacts], width: int) -> str:
    """Return the first levels of an icicle as SVG; the same values give the same text."""
    boxes = _Drawing(IcicleChildren(each, layers))
    boxes.draw(Item(boxes.children.totals[0], group=0), 0, 0.0, float(width))
    name = identity(f"icicle-{each.key}")
    svg = markup.drawing(
        "icicle",
        float(width),
        ROW * (boxes.deepest + 1),
        markup.element("title", markup.words(each.title), id=f"{name}-title"),
        markup.element("desc", markup.words(each.summary), id=f"{name}-summary"),
        *boxes.drawn,
        role="group",
        aria_labelledby=f"{name}-title {name}-summary",
    )
    return write_drawing(svg)


class _Drawing:
    """The boxes that were drawn, and how deep they reach."""

    def __init__(self, children: IcicleChildren) -> None:
        self.children = children
        self.drawn: list[markup.Element] = []
        self.deepest = 0

    def draw(self, item: Item, row: int, x: float, width: float) -> None:
        self.deepest = max(self.deepest, row)
        self.drawn.append(self._box(item, row * ROW, x, width))
        if item.group < 0 or row + 1 >= _STATIC_ROWS or not item.ms:
            return
        scale = width / item.ms
        for inside in merged(self.children.items(item.group), scale):
            self.draw(inside, row + 1, x, inside.ms * scale)
            x += inside.ms * scale

    def _box(self, item: Item, y: float, x: float, width: float) -> markup.Element:
        shown = max(width - _GAP, 0.5)
        share = format_percent(item.ms / self.children.totals[0])
        amount = f"{format_ms(item.ms)}, {share}"
        if item.layer >= 0:
            layer = self.children.layers[item.layer]
            role, name = f"type:{layer.type}", clean(layer.name)
            box = markup.rectangle(x, y, shown, ROW - _GAP, color(role))
            text = _shown(name, width)
            texts = [on_mark(text, x + 5, y + ROW / 2, role)] if text else []
            title = markup.hover_text(name, layer.type, amount)
            return markup.link_to(layer_link(layer.index), title, box, *texts, in_order=False)
        if item.merged:
            name = counted(item.merged, "box", "boxes") + " too narrow to show"
        else:
            layers = counted(self.children.counts[item.group], "layer")
            name, amount = clean(self.children.icicle.labels[item.group]), f"{amount}, {layers}"
        box = markup.rectangle(
            x, y, shown, ROW - _GAP, color("neutral"), opacity=0.4 if item.merged else 0.16
        )
        parts = tuple(self._group_parts(item, y, x, width))
        return markup.Element("g", children=(markup.hover_text(name, amount), box, *parts))

    def _group_parts(self, item: Item, y: float, x: float, width: float) -> Iterator[markup.Element]:
        """Yield what layer types a group consists of, as a strip at its foot, and its name."""
        if item.merged:
            return
        start = x
        for name, ms in self.children.by_type(item.group):
            part = max(width - _GAP, 0.5) * ms / item.ms
            if part >= 1:
                yield markup.rectangle(start, y + ROW - _GAP - _STRIP, part, _STRIP, color(f"type:{name}"))
            start += part
        if width < _MIN_LABEL:
            return
        name = clean(self.children.icicle.labels[item.group])
        share = format_percent(item.ms / self.children.totals[0])
        text = fit(f"{name} {share}", width - 10, TICK_SIZE)
        if text != f"{name} {share}":
            text = _shown(name, width)
        if text:
            yield label(text, x + 5, y + (ROW - _STRIP) / 2, size=TICK_SIZE)


def _shown(name: str, width: float) -> str:
    """Return a name as a box of this width shows it; nothing where too little of it would be left."""
    text = fit(name, width - 10, TICK_SIZE) if width >= _MIN_LABEL else ""
    return text if text == name or len(text) >= _SHORTEST_NAME else ""


def merged(items: Sequence[Item], scale: float) -> list[Item]:
    """Return items with neighbors that are too narrow joined into one; `scale` is pixels per millisecond."""
    found: list[Item] = []
    narrow: list[Item] = []
    for item in [*items, None]:
        if item is not None and item.ms * scale < _MIN_WIDTH:
            narrow.append(item)
            continue
        if len(narrow) == 1:
            found += narrow
        elif narrow:
            found.append(Item(math.fsum(each.ms for each in narrow), merged=len(narrow)))
        narrow = []
        if item is not None:
            found.append(item)
    return found
