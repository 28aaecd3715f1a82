"""Render an analysis as one HTML file that is the viewer, the data and the archive."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trexreport.analyzer import Analysis
from trexreport.analyzer.analysis import slowest_first
from trexreport.model import Source
from trexreport.reader.input_packing import pack_input
from trexreport.reader.report_file import inputs_manifest
from trexreport.remembered import RememberedOfObjects
from trexreport.renderer import page
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.data import Prepared, prepare
from trexreport.renderer.charts.svg import PHONE, draw_svg, narrow_chart, pack_narrow
from trexreport.renderer.finding_drawings import FindingDrawing, draw_findings
from trexreport.renderer.graph_section import (
    graph_values,
    has_model_graph,
    model_graph_values,
    opens_as_blocks,
)
from trexreport.renderer.html_options import HtmlOptions
from trexreport.renderer.icicle_drawing import draw_icicle
from trexreport.renderer.layer_column import LayerColumn, ShownRow, shown_rows
from trexreport.renderer.packing import pack_pieces
from trexreport.renderer.page_data import attribute_lines, page_data
from trexreport.renderer.sections import WIDE_CHARTS, section_values
from trexreport.renderer.timeline.drawing import draw_timeline
from trexreport.renderer.timeline.kernel_drawing import draw_kernel_timeline

if TYPE_CHECKING:
    from trexreport.renderer.plotly_bundle import PlotlyBundle

STYLES = page.page_styles("graph")
#: Widths of charts in pixels: over the whole column, and of two side by side.
_WIDE, _HALF = 1040, 504
#: Widths of the drawings of a breakdown, by what their identifiers end with.
_BARS = {"": 900, "-middle": 580, "-narrow": PHONE}
#: Charts of what no measurement changes: all runs of one engine have the same, so a site draws them once.
_UNMEASURED = frozenset({"type-precision", "precision-in-out", "live-memory", "footprint", "largest-tensors"})
#: How hard lines of layers are packed: level 9 takes twice as long, for a page 1% smaller.
_LINES_LEVEL = 6
_attributes: RememberedOfObjects[str] = RememberedOfObjects(4000)
#: Above this many layers the page's own table of layers, made without script, shows only the slowest.
STATIC_ROWS = 300


def render_html(analysis: Analysis, sources: Sequence[Source], options: HtmlOptions | None = None) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Raises:
        MissingToolError: Interactive charts are wanted and plotly is not installed.
    """
    options = options or HtmlOptions()
    bundle = _bundle() if options.interactive_charts else None
    values = section_values(analysis)
    charts, schedule = values["charts"], values["schedule"]
    # Once for both drawings of each.
    prepared = {key: _prepared(key, chart) for key, chart in charts.items()}
    patterns = draw_findings(values["findings"], analysis)
    embedded = tuple(sources) if options.embed_inputs else ()
    # First, as it takes memory that is free again for the rest.
    inputs = [pack_input(source.data) for source in embedded]
    return page.page_bytes(
        page.page_template("report.html.j2"),
        **values,
        home=options.home,
        is_part=options.is_part,
        **page.style_and_script(
            STYLES,
            report_script(analysis),
            also=[bundle.script] if bundle else [],
            # plotly.js keeps its own rules in a style element that is empty when it is inserted.
            styles_also=[""] if bundle else [],
        ),
        chart_svgs={key: _draw(key, chart) for key, chart in prepared.items()},
        narrow_drawings=_narrow_drawings(prepared, patterns),
        on_paper=False,
        breakdown_svgs={key: _breakdown(prepare(chart)) for key, chart in values["breakdowns"].items()},
        icicle_svgs={
            key: draw_icicle(each, analysis.layers, _WIDE) for key, each in values["icicles"].items()
        },
        timeline_svg=draw_timeline(analysis, schedule, _WIDE) if schedule else "",
        kernel_timeline_svg=draw_kernel_timeline(analysis, _WIDE),
        **graph_values(analysis, options.shown),
        **model_graph_values(analysis),
        patterns=patterns,
        static_rows=_static_rows(analysis, values["static_columns"]),
        data=page.packed_json(
            page_data(
                analysis, _plotly(prepared) if bundle else {}, values["icicles"], schedule, with_what_if=True
            )
        ),
        attributes=_packed_attributes(analysis, options),
        plotly=bundle,
        inputs_manifest=page.json_text(
            inputs_manifest(analysis.identity.name, embedded, analysis.identity.optimization_profile)
        ),
        inputs=inputs,
    )


def _packed_attributes(analysis: Analysis, options: HtmlOptions) -> str:
    def packed() -> str:
        lines = attribute_lines(analysis, left_out=not options.raw_attributes)
        return pack_pieces(lines, _LINES_LEVEL)

    if not options.raw_attributes:
        return packed()
    # Runs of one engine in a site have the same, as the layers are read once.
    return _attributes.get([layer.attributes for layer in analysis.layers], packed)


def report_script(analysis: Analysis) -> str:
    """Return the name of the page's script: it has only what the page's graphs need."""
    size = "large_" if opens_as_blocks(analysis) else ""
    return f"{size}{'model_' if has_model_graph(analysis) else ''}report"


def _bundle() -> PlotlyBundle:
    # Imported late, as below: static charts need neither.
    from trexreport.renderer.plotly_bundle import plotly_bundle

    return plotly_bundle()


def _plotly(charts: dict[str, Prepared]) -> dict[str, Any]:
    from trexreport.renderer.charts.plotly import draw_plotly

    return {key: draw_plotly(chart, _width(key)) for key, chart in charts.items()}


def _prepared(key: str, chart: Chart) -> Prepared:
    return _prepare_once(chart) if key in _UNMEASURED else prepare(chart)


@lru_cache(maxsize=256)
def _prepare_once(chart: Chart) -> Prepared:
    """Prepare a chart that several pages of one process have."""
    return prepare(chart)


def _draw(key: str, chart: Prepared, *, narrow: bool = False) -> str:
    """Return the drawing of a chart for its place in the page, or for a phone."""
    if key not in _UNMEASURED:
        return _drawn(key, chart, narrow)
    # Several pages of one process have it.
    if (key, narrow) not in chart.known:
        chart.known[key, narrow] = _drawn(key, chart, narrow)
    return str(chart.known[key, narrow])


def _drawn(key: str, chart: Prepared, narrow: bool) -> str:
    # Columns of layers have no names beside them: there patterns say what colors do.
    patterns = key == "by-layer"
    if narrow:
        return narrow_chart(chart, patterns=patterns)
    return draw_svg(chart, _width(key), patterns=patterns)


def _breakdown(chart: Prepared) -> list[str]:
    """Return the drawings of a breakdown: wide, for a tablet or beside the panel, and for a phone."""
    return [draw_svg(chart, width, suffix=suffix) for suffix, width in _BARS.items()]


def _narrow_drawings(charts: dict[str, Prepared], patterns: dict[str, FindingDrawing]) -> str:
    """Return drawings for phones, packed: charts and patterns of findings."""
    return pack_narrow(
        {key: _draw(key, chart, narrow=True) for key, chart in charts.items()},
        {f"pattern-{key}": each.narrow() for key, each in patterns.items()},
    )


def _width(key: str) -> int:
    return _WIDE if key in WIDE_CHARTS else _HALF


def _static_rows(analysis: Analysis, columns: Sequence[LayerColumn]) -> list[ShownRow]:
    """Return the rows of the table that needs no script: all layers, or the slowest of a large engine."""
    layers = analysis.layers
    if len(layers) > STATIC_ROWS:
        layers = slowest_first(layers)[:STATIC_ROWS]
    return shown_rows(layers, analysis, columns)
