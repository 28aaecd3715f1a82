"""The graph of the baseline, which the page's script draws beside that of the candidate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.comparison.sections import change_colors
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.viewer_data import viewer_data
from trexreport.renderer.graph_section import opens_as_blocks
from trexreport.renderer.page import packed_json
from trexreport.renderer.page_data import graph_data

#: Characters that the second graph may add to a page, packed: those of an engine of some 10,000 layers.
_MAX_PACKED = 1_500_000
#: What the script needs of each layer.
_LAYER_KEYS = (
    "name",
    "type",
    "subtype",
    "precision",
    "output_precision",
    "avg_ms",
    "share_percent",
    "bound",
    "stream",
    "operations",
    "tactic",
    "inputs",
    "outputs",
    "origins",
)


def baseline_graph_values(comparison: Comparison, analyses: Sequence[Analysis], focus: int) -> dict[str, Any]:
    """Return what the template and the script need of the graph of the baseline.

    It is empty where the baseline has no graph, or is the engine whose graph is shown; where it would make
    the page much larger it is left out, and `baseline_graph_layers` states of how many layers.
    """
    baseline = analyses[comparison.baseline]
    packed = ""
    if comparison.baseline != focus and _has_graph(baseline) and _has_graph(analyses[focus]):
        packed = packed_json(_graph(comparison, baseline))
    is_small = len(packed) <= _MAX_PACKED
    return {
        "baseline_graph": packed if is_small else "",
        "baseline_graph_layers": 0 if is_small else len(baseline.layers),
    }


def _has_graph(analysis: Analysis) -> bool:
    """Return whether the layers of an engine have tensors, and blocks where its drawing consists of them."""
    if analysis.identity.names_only or not analysis.tensors:
        return False
    return not opens_as_blocks(analysis) or bool(analysis.blocks.items)


def _graph(comparison: Comparison, baseline: Analysis) -> dict[str, Any]:
    data = graph_data(baseline, _LAYER_KEYS) | {"findings": []}
    drawn: dict[str, Any] = {"data": data, "rowOf": list(comparison.row_of[comparison.baseline])}
    if opens_as_blocks(baseline):
        return drawn | {"plan": viewer_data(baseline)}
    options = DrawOptions(edge_text=("shape", "format"), given=change_colors(comparison, comparison.baseline))
    return drawn | {"svg": draw_graph(baseline, options).svg}
