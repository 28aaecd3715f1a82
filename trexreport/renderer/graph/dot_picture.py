"""Write the same picture that the SVG shows as Graphviz DOT."""

from __future__ import annotations

from trexreport.analyzer.analysis import NOT_STATED, Analysis, LayerFacts
from trexreport.renderer.graph.coloring import Coloring
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.dot import DotWriter, filled_box, shorten
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Arrow, Box, Picture, Row
from trexreport.renderer.graph.streams import SIGNALED, synchronized_boxes, waiting_boxes
from trexreport.renderer.graph.svg_text import (
    block_names,
    changes_precision,
    cost,
    count_of_layers,
    layer_lines,
    precisions,
    shape,
    tensor_lines,
    tensor_name,
)
from trexreport.renderer.palette import LIGHT, color
from trexreport.wording.blocks import block_difference

_ROW_STYLES = {
    "input": "dashed",
    "output": "dashed",
    "stub": "dotted",
    "constant": "dotted",
    "more": "dotted",
}


def to_dot_text(analysis: Analysis, options: DrawOptions | None = None) -> str:
    """Return layers as boxes and tensors as edges between them, or a part as the options say."""
    return _DotPen(analysis, options or DrawOptions()).draw()


class _DotPen:
    def __init__(self, analysis: Analysis, options: DrawOptions) -> None:
        self._analysis = analysis
        self._options = options
        self._picture: Picture = compose(analysis, options.part)
        self._writer = DotWriter(analysis.identity.name)
        self._coloring = Coloring(analysis, options.color_by, options.given)
        self._origins = {reformat.layer: reformat.origin for reformat in analysis.reformats}
        # The nodes of a box: a small one has a node for each row.
        self._nodes: dict[str, list[str]] = {}
        self._rows: dict[str, list[Row]] = {}
        self._named: dict[int, int] = {}
        self._block_names = block_names(analysis, options.part.collapsed)

    def draw(self) -> str:
        for box in self._picture.boxes:
            self._nodes[box.key] = self._box(box)
            self._rows[box.key] = list(box.rows)
        synchronized = synchronized_boxes(self._analysis, self._picture)
        signaled = set(synchronized)
        for arrow in self._picture.arrows:
            self._arrow(arrow, signaled=(arrow.source, arrow.target) in signaled)
        for before, after in waiting_boxes(synchronized, self._picture):
            look = {
                "style": "dotted",
                "arrowhead": "empty",
                "tooltip": "waits for a signal of another stream",
            }
            self._writer.edge(self._nodes[before][0], self._nodes[after][0], look)
        return self._writer.text()

    def _box(self, box: Box) -> list[str]:
        if box.kind == "small":
            return [self._row(row) for row in box.rows]
        if box.kind == "layer":
            layer = self._analysis.layers[box.index]
            self._writer.node(f"layer{box.index}", self._layer(layer))
            return [f"layer{box.index}"]
        self._writer.node(f"block{box.index}", self._block(box.index))
        return [f"block{box.index}"]

    def _row(self, row: Row) -> str:
        tensor = self._analysis.tensors[row.tensor]
        self._named[row.tensor] = number = self._named.get(row.tensor, 0) + 1
        key = f"tensor{row.tensor}" if number == 1 else f"tensor{row.tensor}_{number}"
        text = f"{shorten(tensor_name(tensor))}\n{shape(tensor)} {tensor.format}"
        if row.kind == "more":
            text = f"{row.count} more"
        look = {"shape": "ellipse", "style": _ROW_STYLES[row.kind]}
        self._writer.node(key, {"label": text, "tooltip": tensor.name, **look})
        return key

    def _layer(self, layer: LayerFacts) -> dict[str, object]:
        chosen = self._options.node_text
        origin = self._origins.get(layer.index, "")
        words = [layer.type or layer.subtype] if "type" in chosen else []
        words += [origin] if origin not in ("", NOT_STATED) else []
        words += [precisions(layer)] if "precision" in chosen or changes_precision(layer) else []
        words += [cost(layer)] if "time" in chosen else []
        words += [f"stream {layer.stream}"] if layer.stream else []
        lines = [shorten(layer.name)] if "name" in chosen else []
        lines.append("  ".join(word for word in words if word))
        lines += [shorten(layer.tactic)] if "tactic" in chosen else []
        look = filled_box(self._coloring.of(layer))
        if layer.index in self._options.part.focus:
            look |= {"color": color("accent"), "penwidth": 4}
        return {
            "label": "\n".join(line for line in lines if line),
            "tooltip": "\n".join(line for line in layer_lines(layer, origin, in_full=True) if line),
            **look,
        }

    def _block(self, first: int) -> dict[str, object]:
        members = self._options.part.members(self._analysis, first)
        block = members[0]
        name = self._block_names[first]
        count = count_of_layers(sum(member.count for member in members))
        each = " each" if len(members) > 1 and cost(block) else ""
        label = "\n".join(line for line in (shorten(name), f"{count}  {cost(block)}{each}") if line)
        # Graphviz fills a box with one color: that of most of its time.
        (fill, _), *_ = self._coloring.of_block(members) or [(LIGHT.raised, 1.0)]
        look: dict[str, object] = {**filled_box(fill), "shape": "box", "color": LIGHT.axis}
        if block.differs:
            look["color"] = color("warning")
        tooltip = "\n".join([block.path or block.label, *map(block_difference, block.differs)])
        return {"label": label, "tooltip": tooltip, **look}

    def _arrow(self, arrow: Arrow, *, signaled: bool) -> None:
        for source, target, index in self._ends(arrow):
            tensor = self._analysis.tensors[index]
            look: dict[str, object] = {"tooltip": "\n".join(tensor_lines(tensor))}
            look["color"] = color(f"precision:{tensor.data_type}")
            texts = {"shape": shape(tensor), "format": tensor.format}
            label = " ".join(texts[name] for name in self._options.edge_text)
            if arrow.count > 1 and not self._rows[arrow.source] and not self._rows[arrow.target]:
                label = f"{arrow.count} tensors"
            if label:
                look["label"] = label
            if signaled:
                look["arrowhead"] = "empty"
                look["tooltip"] = f"{look['tooltip']}\n{SIGNALED}"
            if arrow.back:
                look |= {"style": "dashed", "constraint": False}
            self._writer.edge(source, target, look)

    def _ends(self, arrow: Arrow) -> list[tuple[str, str, int]]:
        """Return nodes and tensor of each edge of an arrow."""
        sources, targets = self._nodes[arrow.source], self._nodes[arrow.target]
        rows = self._rows[arrow.source] or self._rows[arrow.target]
        tensors = [row.tensor for row in rows] or [arrow.tensor]
        pairs = [(source, target) for source in sources for target in targets]
        return [(*pair, tensor) for pair, tensor in zip(pairs, tensors, strict=False)]
