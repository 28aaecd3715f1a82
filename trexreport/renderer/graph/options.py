"""What a user can choose about a drawing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trexreport.renderer.graph.picture import Choice

#: What the color of a layer can show.
COLORINGS = ("type", "precision", "latency", "bound", "findings", "stream")
#: What the box of a layer can say.
NODE_TEXTS = ("name", "type", "time", "precision", "tactic")
#: What can be written beside an arrow.
EDGE_TEXTS = ("shape", "format")


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
        standalone: The drawing is a file of its own: it has a legend, and its links lead to its own boxes.
    """

    engine: str = "layered"
    color_by: str = "type"
    node_text: tuple[str, ...] = ("name", "type", "time")
    edge_text: tuple[str, ...] = ()
    part: Choice = field(default_factory=Choice)
    given: Mapping[int, tuple[str, str]] | None = None
    standalone: bool = False
