"""Render an analysis as one HTML file that is the viewer, the data and the archive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trexreport.analyzer import Analysis
from trexreport.model import Source
from trexreport.reader.containers import inputs_manifest, pack_input
from trexreport.renderer.charts.plotly import to_plotly
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.renderer.graph.legend import explained
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.plan_legend import plan_marks
from trexreport.renderer.graph.viewer_data import viewer_data
from trexreport.renderer.packing import pack_for_script
from trexreport.renderer.page import environment, json_text, packed_json, style_and_script
from trexreport.renderer.page_data import attribute_lines, page_data
from trexreport.renderer.plotly_bundle import plotly_bundle
from trexreport.renderer.sections import WIDE_CHARTS, as_blocks, section_values

if TYPE_CHECKING:
    from trexreport.renderer.charts.chart import Chart

_STYLES = ("tokens.css", "layout.css", "findings.css", "parts.css", "graph.css", "print.css")
_SCRIPTS = (
    "base.js",
    "data.js",
    "state.js",
    "query.js",
    "layer_terms.js",
    "grid.js",
    "columns.js",
    "table.js",
    "detail.js",
    "svg.js",
    "pane.js",
    "paint.js",
    "follow.js",
    "graph_tools.js",
    "graph.js",
    "charts.js",
    "search.js",
    "findings.js",
    "keys.js",
)
#: What the page of a large engine needs besides.
PLAN_SCRIPTS = ("plan_tree.js", "plan_stack.js", "plan_pen.js", "plan_draw.js", "plan_map.js", "plan.js")
#: Widths of charts in pixels: over the whole column, and of two side by side.
_WIDE, _HALF, _PHONE = 1040, 504, 388
#: Above this many layers the page's own table of layers, made without script, shows only the slowest.
STATIC_ROWS = 300
#: Above this many layers the graph opens as blocks, and the script draws what is in view of it.
MOST_DRAWN_LAYERS = 300
_MOST_BLOCKS = 48


@dataclass(frozen=True)
class HtmlOptions:
    """What to put into the page.

    Attributes:
        interactive_charts: Embed plotly.js; else the charts are static SVG.
        embed_inputs: Carry the input files, so that the report can be given back as an input.
    """

    interactive_charts: bool = True
    embed_inputs: bool = True
    shown: frozenset[str] = frozenset()


def render_html(analysis: Analysis, sources: Sequence[Source], options: HtmlOptions | None = None) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
    """
    options = options or HtmlOptions()
    bundle = plotly_bundle() if options.interactive_charts else None
    values = section_values(analysis)
    charts = values["charts"]
    plan = viewer_data(analysis, options.shown) if len(analysis.layers) > MOST_DRAWN_LAYERS else None
    drawing = draw_graph(analysis, as_blocks(analysis, _MOST_BLOCKS) if plan else _in_full(options.shown))
    embedded = tuple(sources) if options.embed_inputs else ()
    page = environment().get_template("report.html.j2")
    text = page.render(
        **values,
        **style_and_script(
            _STYLES,
            (*_SCRIPTS, *(PLAN_SCRIPTS if plan else ()), "main.js"),
            also=[bundle.script] if bundle else [],
            # plotly.js keeps its own rules in a style element that is empty when it is inserted.
            styles_also=[""] if bundle else [],
        ),
        chart_svgs={key: to_svg(chart, _width(key)) for key, chart in charts.items()},
        narrow_strip=to_svg(charts["strip"], _PHONE) if "strip" in charts else "",
        graph=drawing,
        graph_precisions=_tensor_types(analysis) if plan else drawing.precisions,
        graph_marks=explained(plan_marks(analysis, plan) if plan else drawing.marks),
        plan=packed_json(plan) if plan else "",
        static_rows=_static_rows(analysis),
        data=packed_json(page_data(analysis, _plotly(charts) if bundle else {})),
        attributes=pack_for_script(attribute_lines(analysis)),
        plotly=bundle,
        plotly_packed=pack_for_script(bundle.script.encode("utf-8"), level=6) if bundle else "",
        inputs_manifest=json_text(
            inputs_manifest(analysis.identity.name, embedded, analysis.identity.optimization_profile)
        ),
        inputs=[pack_input(source.data) for source in embedded],
    )
    return text.encode("utf-8")


def _in_full(shown: frozenset[str]) -> DrawOptions:
    """Return how a small engine is drawn; the script shows the texts at the arrows when they can be read."""
    return DrawOptions(edge_text=("shape", "format"), part=Choice(shown))


def _tensor_types(analysis: Analysis) -> list[str]:
    """Return the data types of all tensors, the most frequent first."""
    counts = Counter(tensor.data_type for tensor in analysis.tensors)
    return sorted(counts, key=lambda name: (-counts[name], name))


def _plotly(charts: dict[str, Chart]) -> dict[str, Any]:
    return {key: to_plotly(chart, _width(key)) for key, chart in charts.items()}


def _width(key: str) -> int:
    return _WIDE if key in WIDE_CHARTS else _HALF


def _static_rows(analysis: Analysis) -> list[Any]:
    """Return the layers of the table that needs no script: all, or the slowest of a large engine."""
    if len(analysis.layers) <= STATIC_ROWS:
        return list(analysis.layers)
    by_time = sorted(analysis.layers, key=lambda layer: (-(layer.time_ms or 0.0), layer.index))
    return by_time[:STATIC_ROWS]
