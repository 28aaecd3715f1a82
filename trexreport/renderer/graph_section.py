"""The graph as a section of a page: in full if it is small, else as blocks that the script opens.

The marks that the page can show of a large plan, for its legend.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import sqrt
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.graph.drawing import GraphDrawer
from trexreport.renderer.graph.legend import by_color, explained, precisions_in_order
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.svg_text import changes_precision
from trexreport.renderer.page import packed_json
from trexreport.renderer.palette import color
from trexreport.renderer.sections import as_blocks

#: Above this many layers the graph opens as blocks, and the script draws what is in view of it.
MAX_DRAWN_LAYERS = 300
_MAX_BLOCKS = 48
#: Of the graph in columns: the width of a window over its height, the width of a column and its least height
#: in pixels, and how many can be read beside each other.
_ASPECT, _COLUMN, _LOWEST, _MOST_COLUMNS = 1.5, 320.0, 400.0, 5


def opens_as_blocks(analysis: Analysis) -> bool:
    """Return whether the graph opens as blocks that the page's script draws, not as a drawing in the page."""
    return len(analysis.layers) > MAX_DRAWN_LAYERS and not analysis.identity.names_only


def graph_values(
    analysis: Analysis,
    shown: frozenset[str] = frozenset(),
    given: Mapping[int, tuple[str, str]] | None = None,
) -> dict[str, Any]:
    """Return what the template of the graph needs.

    Args:
        analysis: Of the engine, with blocks.
        shown: What is not left out; see `DrawOptions`.
        given: Meaning and color of each layer, where it is not its type.
    """
    plan = _plan(analysis, shown) if opens_as_blocks(analysis) else None
    # The script shows the texts at the arrows when they can be read.
    in_full = DrawOptions(edge_text=("shape", "format"), part=Choice(shown))
    options = as_blocks(analysis, _MAX_BLOCKS) if len(analysis.layers) > MAX_DRAWN_LAYERS else in_full
    options = replace(options, given=given)
    drawer = GraphDrawer(analysis, options)
    drawing = drawer.draw(options.columns)
    # Where there is room the script arranges it in columns. Without a script, and perhaps without styles, one
    # column fits every window.
    arranged = "" if plan else drawer.once(lambda: _packed_arrangements(drawer, drawing.height))
    precisions = _tensor_types(analysis) if plan else drawing.precisions
    return {
        "graph": drawing,
        "arrangements": arranged,
        "graph_colors": by_color(dict(drawing.colors)),
        "graph_precisions": by_color(
            {name: color(f"precision:{name}") for name in precisions_in_order(precisions)}
        ),
        "graph_marks": explained(_plan_marks(analysis, plan) if plan else drawing.marks),
        "plan": packed_json(plan) if plan else "",
    }


def _plan(analysis: Analysis, shown: frozenset[str]) -> dict[str, Any]:
    # Imported late: only large engines have a viewer.
    from trexreport.renderer.graph.viewer_data import viewer_data

    return viewer_data(analysis, shown)


def _packed_arrangements(drawer: GraphDrawer, height: float) -> str:
    """Return a drawing in two and three columns, and in as many as a window shows as a whole, packed."""
    most = min(round(sqrt(height * _ASPECT / _COLUMN)), int(height / _LOWEST), _MOST_COLUMNS)
    counts = sorted({count for count in (2, 3, most) if 1 < count <= most})
    found = {(each["w"], each["h"]): each for count in counts if (each := drawer.arrangement(count))}
    return packed_json(list(found.values())) if found else ""


def has_model_graph(analysis: Analysis) -> bool:
    """Return whether the page has the graph of the ONNX model beside that of the engine."""
    return analysis.onnx is not None and bool(analysis.onnx.blocks.items)


def model_graph_values(analysis: Analysis) -> dict[str, Any]:
    """Return what the template of the graph needs of the ONNX model."""
    if analysis.onnx is None:
        return {"model_graph": "", "model_graph_folds": False}
    from trexreport.renderer.model_graph import model_graph

    found = model_graph(analysis)
    return {
        "model_graph": packed_json(found) if found else "",
        "model_graph_folds": bool(found and found["folded"]),
    }


def _tensor_types(analysis: Analysis) -> list[str]:
    """Return the data types of all tensors, the most frequent first."""
    counts = Counter(tensor.data_type for tensor in analysis.tensors)
    return sorted(counts, key=lambda name: (-counts[name], name))


def _plan_marks(analysis: Analysis, plan: dict[str, Any]) -> tuple[str, ...]:
    """Return the marks that occur when all of a plan is open, as `explained` takes them.

    Args:
        analysis: The analysis.
        plan: What `viewer_data` returned for it.
    """
    rows = {kind for shape in plan["shapes"] for kind in "".join(shape.get("small", ()))}
    hidden: set[int] = set()
    for first, last in zip(plan["hidden"][::2], plan["hidden"][1::2], strict=True):
        hidden.update(range(first, last + 1))
    drawn = [layer for layer in analysis.layers if layer.index not in hidden]
    occurring = {
        "block": True,
        "share": any("share" in block for block in plan["blocks"]),
        "odd": any("differs" in block for block in plan["blocks"]),
        "reformat": any(layer.type == "Reformat" for layer in drawn),
        "turn": any(changes_precision(layer) for layer in drawn),
        "binding": bool(rows & {"I", "O"}),
        "stub": "S" in rows,
        "constant": "C" in rows,
        "end": len(plan["flows"]) > 1,
        "wait": bool(plan["syncs"]),
    }
    return tuple(mark for mark, occurs in occurring.items() if occurs)
