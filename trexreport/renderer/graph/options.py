"""What a user can choose about a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.reflow import Proportions
from trexreport.renderer.graph.picture import Choice

#: What the color of a layer can show.
COLORINGS = ("type", "precision", "latency", "bound", "findings", "stream", "error", "increase")
#: What the box of a layer can say.
NODE_TEXTS = ("name", "type", "time", "precision", "tactic")
#: What can be written beside an arrow.
EDGE_TEXTS = ("shape", "format")


#: A drawing in columns that is a file of its own.
IN_FILE = Proportions(1400.0, 1.4)


@dataclass(frozen=True)
class DrawOptions:
    """How a graph is drawn, and which part of it.

    Attributes:
        engine: Name of the layout engine: "layered" (needs nothing) or "dot" (Graphviz).
        color_by: One of `COLORINGS`.
        node_text: Of `NODE_TEXTS`.
        edge_text: Of `EDGE_TEXTS`; nothing by default, as the tooltip of an arrow says it all.
        part: What is drawn.
        given: Meaning and color of each layer by index, instead of `color_by`.
        columns: Proportions of a drawing in columns; None draws from top to bottom, however high that is.
        standalone: The drawing is a file of its own: it has a legend, and its links lead to its own boxes.
    """

    engine: str = "layered"
    color_by: str = "type"
    node_text: tuple[str, ...] = ("name", "type", "time")
    edge_text: tuple[str, ...] = ()
    part: Choice = field(default_factory=Choice)
    given: Mapping[int, tuple[str, str]] | None = None
    columns: Proportions | None = None
    standalone: bool = False
