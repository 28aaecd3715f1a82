"""Write the same picture that the SVG shows as Graphviz DOT."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.analyzer.analysis import NOT_STATED, Analysis, LayerFacts
from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.renderer.graph import svg_text
from trexreport.renderer.graph.coloring import Coloring
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Arrow, Box, Picture, Row
from trexreport.renderer.graph.streams import SIGNALED, synchronized_boxes, waiting_boxes
from trexreport.renderer.palette import LIGHT, color, ink_on
from trexreport.wording.blocks import block_difference

_ROW_STYLES = {
    "input": "dashed",
    "output": "dashed",
    "stub": "dotted",
    "constant": "dotted",
    "more": "dotted",
}

#: Graphviz refuses texts over 16 kB; a character takes up to 5 bytes when it is escaped.
LABEL_CHARACTERS = 120
TOOLTIP_CHARACTERS = 2_000
#: What XML, and so SVG, can't hold (control characters, halves of characters, noncharacters), and overrides
#: of the direction of writing, with which a name can look like another.
_UNWRITABLE = regex("[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;", "\n": "\\n", "\t": " "})
#: Graphviz 2 puts the node's name for \N in a tooltip even where the backslash is escaped, and so on.
_SUBSTITUTED = regex(r"\\(?=[NGETHL])")
_WORD_JOINER = "\u2060"
_GRAPH_STYLE: dict[str, object] = {"fontname": "Helvetica"}
_NODE_STYLE: dict[str, object] = {"fontname": "Helvetica", "fontsize": 11}
_EDGE_STYLE: dict[str, object] = {"fontname": "Helvetica", "fontsize": 9, "color": color("neutral")}


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
        self._block_names = svg_text.block_names(analysis, options.part.collapsed)

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
        text = f"{shorten(svg_text.tensor_name(tensor))}\n{svg_text.shape(tensor)} {tensor.format}"
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
        words += (
            [svg_text.precisions(layer)] if "precision" in chosen or svg_text.changes_precision(layer) else []
        )
        words += [svg_text.cost(layer)] if "time" in chosen else []
        words += [f"stream {layer.stream}"] if layer.stream else []
        lines = [shorten(layer.name)] if "name" in chosen else []
        lines.append("  ".join(word for word in words if word))
        lines += [shorten(layer.tactic)] if "tactic" in chosen else []
        look = filled_box(self._coloring.of(layer))
        if layer.index in self._options.part.focus:
            look |= {"color": color("accent"), "penwidth": 4}
        return {
            "label": "\n".join(line for line in lines if line),
            "tooltip": "\n".join(line for line in svg_text.layer_lines(layer, origin, in_full=True) if line),
            **look,
        }

    def _block(self, first: int) -> dict[str, object]:
        members = self._options.part.members(self._analysis, first)
        block = members[0]
        name = self._block_names[first]
        count = svg_text.count_of_layers(sum(member.count for member in members))
        each = " each" if len(members) > 1 and svg_text.cost(block) else ""
        label = "\n".join(line for line in (shorten(name), f"{count}  {svg_text.cost(block)}{each}") if line)
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
            look: dict[str, object] = {"tooltip": "\n".join(svg_text.tensor_lines(tensor))}
            look["color"] = color(f"precision:{tensor.data_type}")
            texts = {"shape": svg_text.shape(tensor), "format": tensor.format}
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


def quote(text: str, *, tooltip: bool = False) -> str:
    r"""Return a DOT string that shows the text as it is: no escapes, entities or HTML in it have a meaning.

    Line breaks stay; NUL is dropped, and what may not be shown becomes U+FFFD.
    """
    cleaned = _UNWRITABLE.sub("\ufffd", text.replace("\x00", ""))
    if tooltip:
        cleaned = _SUBSTITUTED.sub(lambda found: found.group() + _WORD_JOINER, cleaned)
    return f'"{cleaned.translate(_ESCAPES)}"'


def shorten(text: str, characters: int = LABEL_CHARACTERS) -> str:
    """Return the text without its middle if it is longer than `characters`."""
    return middle_ellipsis(text, characters)


class DotWriter:
    """Collects nodes and edges of a directed graph and writes them as DOT."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._statements: list[str] = []
        self.node_count = 0
        self.edge_count = 0

    def node(self, key: str, attributes: Mapping[str, object]) -> None:
        """Add a node; `key` is a plain identifier, and attributes are shown as they are."""
        self.node_count += 1
        self._statements.append(f"  {key}{_attributes(attributes)};")

    def edge(self, source: str, target: str, attributes: Mapping[str, object] | None = None) -> None:
        """Add an edge between two nodes."""
        self.edge_count += 1
        self._statements.append(f"  {source} -> {target}{_attributes(attributes or {})};")

    def text(self) -> str:
        """Return the whole graph; the first line names who wrote it."""
        from trexreport import __version__

        head = [
            f"// Generated by trexreport {__version__}",
            f"digraph {quote(shorten(self._name))} {{",
            f"  graph{_attributes(_GRAPH_STYLE)};",
            f"  node{_attributes(_NODE_STYLE)};",
            f"  edge{_attributes(_EDGE_STYLE)};",
        ]
        return "\n".join([*head, *self._statements, "}", ""])


def _attributes(attributes: Mapping[str, object]) -> str:
    if not attributes:
        return ""
    written = ", ".join(f"{quote(shorten(key))}={_value(key, value)}" for key, value in attributes.items())
    return f" [{written}]"


def _value(key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    is_tooltip = key.endswith("tooltip")
    limit = TOOLTIP_CHARACTERS if is_tooltip else 20 * LABEL_CHARACTERS
    return quote(shorten(str(value), limit), tooltip=is_tooltip)


def box(role: str) -> dict[str, object]:
    """Return the look of a layer whose color has this role."""
    return filled_box(color(role))


def filled_box(fill: str) -> dict[str, object]:
    """Return the look of a box of this color."""
    return {
        "shape": "box",
        "style": "rounded,filled",
        "fillcolor": fill,
        "color": fill,
        "fontcolor": ink_on(fill),
    }
