"""Draw the boxes of a graph: layers, collapsed blocks, bindings and stubs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from trexreport.analyzer.analysis import NOT_STATED, Analysis, Block, LayerFacts
from trexreport.numbers import format_count, format_ms, format_percent
from trexreport.renderer.charts.text import text_width
from trexreport.renderer.graph import picture
from trexreport.renderer.graph.coloring import Coloring
from trexreport.renderer.graph.layout.interface import Point
from trexreport.renderer.graph.legend import Legend
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.svg_text import (
    SMALL_TEXT,
    block_names,
    changes_precision,
    cost,
    count_of_layers,
    fitted,
    layer_lines,
    number,
    precisions,
    short_name,
    tensor_lines,
    tensor_name,
    title,
)
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import LIGHT, color
from trexreport.wording.blocks import block_difference

_RAISED = LIGHT.raised
#: How strong the color of a box is: texts on it keep their contrast on white and on dark pages.
FILL = 0.22


class NodeRenderer:
    """Writes the SVG of boxes and notes in the legend which marks it used."""

    def __init__(self, analysis: Analysis, options: DrawOptions, legend: Legend) -> None:
        self._analysis = analysis
        self._options = options
        self._legend = legend
        self.coloring = Coloring(analysis, options.color_by, options.given)
        self._origins = {reformat.layer: reformat.origin for reformat in analysis.reformats}
        streams = {layer.stream for layer in analysis.layers if layer.stream is not None}
        self._has_streams = len(streams) > 1
        self._lines = extra_lines(options)
        self._block_names = block_names(analysis, options.part.collapsed)
        #: Of each layer what is drawn in its box, wherever that is.
        self._inside: dict[int, str] = {}

    def draw(self, box: picture.Box, x: float, y: float) -> str:
        """Return a box whose center is given."""
        corners = self.corners(box, x, y)
        if box.kind == "layer":
            return self._layer(self._analysis.layers[box.index], *corners[0])
        if box.kind == "block":
            return self._block(box.index, *corners[0])
        is_below = box.key.startswith("below:")
        return "".join(
            self._row(row, is_below, *corner) for row, corner in zip(box.rows, corners, strict=True)
        )

    def corners(self, box: picture.Box, x: float, y: float) -> list[Point]:
        """Return the upper left corner of a box whose center is given, or those of its rows."""
        width, height = picture.size_of(box, self._lines)
        if box.kind in ("layer", "block"):
            return [(x - width / 2, y - height / 2)]
        top = y - (height - picture.ROW_PAD) / 2
        return [(x - width / 2, top + place * picture.ROW_SIZE[1]) for place in range(len(box.rows))]

    def _layer(self, layer: LayerFacts, left: float, top: float) -> str:
        if layer.index not in self._inside:
            width, height = picture.LAYER_SIZE[0], picture.LAYER_SIZE[1] + self._lines * picture.LINE_HEIGHT
            self._inside[layer.index] = self._inside_of(layer, width, height)
        return f"{self._node_start(layer, left, top)}{self._inside[layer.index]}</a>"

    def _inside_of(self, layer: LayerFacts, width: float, height: float) -> str:
        origin = self._origins.get(layer.index, "")
        chosen = self._options.node_text
        right = cost(layer) if "time" in chosen else ""
        name, kind, further = self._words(layer, origin)
        stream = f"s{layer.stream}" if self._has_streams and layer.stream else ""
        if stream:
            self._legend.add("stream")
        room = width - 30 - text_width(right, SMALL_TEXT)
        return "".join(
            (
                title(*layer_lines(layer, origin, in_full=self._options.standalone)),
                self._outline(layer, width, height, is_reformat=bool(origin)),
                f'<text class="node-name" x="14" y="18" font-size="12" fill="{LIGHT.text}">',
                f"{fitted(name, width - 22 - (18 if stream else 0))}</text>",
                self._small(14, 34, fitted(kind, room, SMALL_TEXT), "node-kind"),
                self._small(width - 8, 34, escape(right), "node-cost", ' text-anchor="end"') if right else "",
                self._small(width - 8, 18, stream, "node-stream", ' text-anchor="end"') if stream else "",
                self._small(
                    14, 34 + picture.LINE_HEIGHT, fitted(further, width - 22, SMALL_TEXT), "node-kind"
                )
                if further
                else "",
            )
        )

    def _words(self, layer: LayerFacts, origin: str) -> tuple[str, str, str]:
        """Return the first line, the left of the second one and the third one."""
        chosen = self._options.node_text
        kind = layer.type or "layer"
        second = origin if layer.type == "Reformat" and origin not in ("", NOT_STATED, "REFORMAT") else kind
        second = second if "type" in chosen and ("name" in chosen or second != kind) else ""
        further = [precisions(layer)] if "precision" in chosen else []
        further += [layer.tactic] if "tactic" in chosen else []
        name = short_name(layer) if "name" in chosen else kind
        return name, second, " · ".join(word for word in further if word)

    def _node_start(self, layer: LayerFacts, left: float, top: float) -> str:
        own_id = f' id="L{layer.index}"' if self._options.standalone else ""
        return (
            f'<a class="node" href="{layer_link(layer.index)}"{own_id} data-layer="{layer.index}" '
            f'transform="translate({number(left)} {number(top)})">'
        )

    def _outline(self, layer: LayerFacts, width: float, height: float, *, is_reformat: bool) -> str:
        """Draw the border, the mark of what the layer is, and that of a change of precision."""
        shade = self.coloring.of(layer)
        radius = 4
        if is_reformat:
            radius = 14
            self._legend.add("reformat")
        stroke = f'stroke="{LIGHT.axis}"'
        if layer.index in self._options.part.focus:
            stroke = f'stroke="{color("accent")}" stroke-width="3"'
            self._legend.add("focus")
        size = f'width="{number(width)}" height="{number(height)}"'
        parts = [
            f'<rect class="node-box" {size} rx="{radius}" fill="{LIGHT.page}" {stroke}/>',
            f'<rect class="node-fill" {size} rx="{radius}" fill="{shade}" fill-opacity="{FILL}"/>',
        ]
        inset = 8 if is_reformat else 0
        mark = f'y="{inset}" width="6" height="{number(height - 2 * inset)}" rx="2"'
        parts.append(f'<rect class="node-mark" {mark} fill="{shade}"/>'.replace(' y="0"', ""))
        if changes_precision(layer):
            after = color(f"precision:{layer.output_precision}")
            parts.append(f'<rect class="node-turn" x="{number(width - 4)}" {mark} fill="{after}"/>')
            self._legend.add("turn")
        return "".join(parts)

    def _small(self, x: float, y: float, text: str, name: str, more: str = "") -> str:
        return f'<text class="{name}" x="{number(x)}" y="{number(y)}"{more}>{text}</text>'

    def _row(self, row: picture.Row, is_below: bool, left: float, top: float) -> str:
        """Draw a binding, a constant or a stub: a rounded box with the tensor's name.

        A stub leads to the layer that writes the tensor, one below a layer to the first that reads it.
        """
        tensor, (width, height) = self._analysis.tensors[row.tensor], picture.ROW_SIZE
        dash, lines = "", tensor_lines(tensor)
        name = fitted(tensor_name(tensor), width - 16, SMALL_TEXT)
        if row.kind == "more":
            name, lines = f"{format_count(row.count)} more", ()
        elif row.kind == "stub":
            dash = ' stroke-dasharray="4 2"'
            lines = (*lines, f"Written by {_layers(tensor.producers)}, read by {_layers(tensor.consumers)}.")
            self._legend.add("stub")
        elif row.kind == "constant":
            dash = ' stroke-dasharray="1 2"'
            self._legend.add("constant")
        else:
            self._legend.add("binding")
        target = next(iter(tensor.consumers if is_below else tensor.producers), None)
        leads = row.kind == "stub" and target is not None
        tag = f'a href="#L{target}"' if leads and self._options.standalone else "g"
        jump = f'data-jump="{target}" ' if leads and not self._options.standalone else ""
        return "".join(
            (
                f'<{tag} class="port port-{row.kind}" data-tensor="{row.tensor}" ',
                f'{jump}transform="translate({number(left)} {number(top)})">',
                title(*lines) if lines else "",
                f'<rect class="port-box" width="{number(width)}" height="{number(height - 1)}" rx="9" ',
                f'fill="{_RAISED}" stroke="{LIGHT.axis}"{dash}/>',
                f'<text class="port-name" x="{number(width / 2)}" y="14" text-anchor="middle" ',
                f'fill="{LIGHT.text}">{name}</text></{tag[0]}>',
            )
        )

    def _block(self, first: int, left: float, top: float) -> str:
        """Draw a collapsed block, or several of the same structure as one."""
        members = self._options.part.members(self._analysis, first)
        block, (width, height) = members[0], picture.BLOCK_SIZE
        name = self._block_names[first]
        if len(members) > 1:
            self._legend.add("times")
        differs = "; ".join(map(block_difference, block.differs))
        stroke = LIGHT.axis
        if differs:
            stroke = color("warning")
            self._legend.add("odd")
        self._legend.add("block")
        words = count_of_layers(sum(member.count for member in members))
        return "".join(
            (
                f'<a class="block" href="#B{first}" id="B{first}" data-block="{first}" ',
                f'transform="translate({number(left)} {number(top)})">',
                title(block.path, name, words, *(_times(members)), differs),
                f'<rect class="node-box" width="{number(width)}" height="{number(height)}" rx="4" ',
                f'fill="{_RAISED}" stroke="{stroke}" stroke-width="{2 if differs else 1}"/>',
                self._fills(members, width, height),
                '<text class="node-name" x="14" y="18" font-size="12" font-weight="600" ',
                f'fill="{LIGHT.text}">{fitted(name, (width - 22) / 1.08)}</text>',
                self._small(14, 36, words, "node-kind"),
                self._small(width - 8, 36, escape(_cost(members)), "node-cost", ' text-anchor="end"'),
                self._strip(members, width),
                "</a>",
            )
        )

    def _fills(self, members: list[Block], width: float, height: float) -> str:
        """Fill a block with the colors of its layers, each as wide as its share of the time."""
        x, parts = 0.0, []
        for shade, share in self.coloring.of_block(members):
            parts.append(
                f'<rect class="node-fill" x="{number(x)}" width="{number(width * share)}" '
                f'height="{number(height)}" fill="{shade}" fill-opacity="{FILL}"/>'
            )
            x += width * share
        return "".join(parts)

    def _strip(self, members: list[Block], width: float) -> str:
        """Draw the precisions of blocks as shares of a bar: of their time, or of their layers."""
        totals: dict[str, float] = {}
        for member in members:
            parts: Mapping[str, float] = member.precision_ms or member.precision_layers
            for name, amount in parts.items():
                totals[name] = totals.get(name, 0.0) + amount
        whole = math.fsum(totals.values())
        x, parts_drawn, room = 14.0, [], width - 22
        for name, amount in sorted(totals.items(), key=lambda item: (-item[1], item[0])):
            part = room * amount / whole if whole else 0.0
            if part >= 0.5:
                parts_drawn.append(
                    f'<rect x="{number(x)}" y="46" width="{number(part)}" height="8" '
                    f'fill="{color(f"precision:{name}")}">'
                    f"{title(f'{name}: {format_percent(amount / whole)}')}</rect>"
                )
                self._legend.add_precision(name)
            x += part
        return "".join(parts_drawn)


def extra_lines(options: DrawOptions) -> int:
    """Return how many lines the box of a layer has beyond the usual two."""
    return int("tactic" in options.node_text or "precision" in options.node_text)


def _layers(indices: Sequence[int]) -> str:
    if not indices:
        return "none"
    return f"layer {indices[0]}" if len(indices) == 1 else count_of_layers(len(indices))


def _cost(members: list[Block]) -> str:
    if len(members) == 1:
        return cost(members[0])
    times = [member.time_ms for member in members if member.time_ms is not None]
    shares = [member.share_percent for member in members if member.share_percent is not None]
    if not times:
        return ""
    return f"{format_ms(math.fsum(times))} · {format_percent(math.fsum(shares) / 100)}"


def _times(members: list[Block]) -> tuple[str, ...]:
    """Return what a tooltip says of the time of blocks."""
    times = [member.time_ms for member in members if member.time_ms is not None]
    if not times:
        return ()
    if len(times) == 1:
        return (f"{cost(members[0])} of layer time",)
    return f"{_cost(members)} of layer time", f"{format_ms(min(times))} to {format_ms(max(times))} each"
