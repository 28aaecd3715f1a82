"""Render an analysis as a PDF: a summary on its cover, every section, the graph, all layers, the inputs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer import Analysis
from trexreport.garbage import collection_paused
from trexreport.model import Source
from trexreport.reader.containers import inputs_manifest
from trexreport.reader.pdf_file import MANIFEST_NAME, pack_manifest
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.sheets import draw_sheets
from trexreport.renderer.graph.svg_text import number
from trexreport.renderer.page import environment, joined
from trexreport.renderer.pdf.layer_pages import layer_pages
from trexreport.renderer.pdf.writer import AttachedFile, Drawings, check_pdf_tools, write_pdf
from trexreport.renderer.sections import WIDE_CHARTS, MostRows, as_blocks, section_values

#: Widths of charts in pixels, over the whole page and of two side by side; the page is 680 wide.
_WIDE, _HALF = 800, 392
#: What a drawing may take of the page, in its pixels.
_PAGE, _OVERVIEW_PAGE, _WIDE_PAGE = (680.0, 900.0), (680.0, 800.0), (1008.0, 600.0)
#: A sheet of the graph in its own pixels, and its scale, at which texts have 5.5 points.
_SHEET, _SCALE = (1096.0, 1440.0), 0.62
#: Scales of the overview: the usual one, and the least for a whole that is wider than a sheet.
_OVERVIEW_SCALE, _LEAST_SCALE = 0.8, 0.45
_MOST_DRAWN_LAYERS = 1500
#: How many blocks the overview has; fewer where it has to be cut into columns.
_MOST_BLOCKS, _FEWER_BLOCKS = 40, 24
_TOOLTIP = re.compile("<title>[^<]*</title>")
#: Layers in the table of the slowest, and rows of others: a row of a table takes longer than ten lines do.
_MOST_ROWS = 40
_TABLE_ROWS = MostRows(work=40, reformats=30, bindings=60)


@collection_paused()
def render_pdf(analysis: Analysis, sources: Sequence[Source], shown: frozenset[str] = frozenset()) -> bytes:
    """Return the report as PDF/A-3b that carries its inputs; the same inputs give the same bytes.

    Args:
        analysis: The analysis.
        sources: The inputs.
        shown: What the graph does not leave out: "constants", "noops", "shape".

    Raises:
        MissingToolError: WeasyPrint is not installed, or the libraries of Pango are missing.
    """
    check_pdf_tools()
    drawings = Drawings()
    page = report_page(analysis, drawings, shown, carries_inputs=bool(sources))
    return write_pdf(page, drawings, attached_inputs(analysis, sources))


def attached_inputs(analysis: Analysis, sources: Sequence[Source]) -> list[AttachedFile]:
    """Return the inputs and the list of them, each under a name of its own."""
    identity = analysis.identity
    manifest = inputs_manifest(identity.name, tuple(sources), identity.optimization_profile)
    taken: set[str] = set()
    files = []
    for source in sources:
        name, count = source.name, 1
        while name.casefold() in taken or name == MANIFEST_NAME:
            count += 1
            name = f"{count}.{source.name}"
        taken.add(name.casefold())
        files.append(AttachedFile(name, source.data, f"Input of the report, read as {source.role}"))
    description = "Which attached files the report was made from; trexreport extract reads it"
    return [*files, AttachedFile(MANIFEST_NAME, pack_manifest(manifest), description)]


def report_page(
    analysis: Analysis, drawings: Drawings, shown: frozenset[str], *, carries_inputs: bool
) -> str:
    """Return the report as HTML for paper."""
    values = section_values(analysis)
    pages = layer_pages(analysis, values["findings"].of_layer)
    templates = environment()
    templates.filters.update(
        layer_link=lambda index: f"#layers-{pages.page_of(index)}", filter_link=lambda _: "#all-layers"
    )
    sheets = draw_sheets(analysis, _SHEET, _MOST_DRAWN_LAYERS, DrawOptions(part=Choice(shown)))
    slowest = sorted(
        (layer for layer in analysis.layers if layer.time_ms),
        key=lambda layer: (-(layer.time_ms or 0.0), layer.index),
    )
    return templates.get_template("pdf/report.html.j2").render(
        **{**values, "most_rows": _TABLE_ROWS},
        style=joined("css", ("pdf.css",)),
        chart_svgs={
            key: drawings.add(
                _TOOLTIP.sub("", to_svg(chart, _WIDE if key in WIDE_CHARTS else _HALF)),
                f"{chart.title}. {chart.summary}",
            )
            for key, chart in values["charts"].items()
        },
        narrow_strip="",
        overview=_overview(analysis, drawings),
        sheets=sheets,
        sheet_drawings=[
            drawings.add(_scaled(sheet.svg, sheet.width, sheet.height, _SCALE), sheet.words)
            for sheet in sheets.sheets
        ],
        legend=drawings.add(
            _scaled(sheets.legend, _SHEET[0], sheets.legend_height, _SCALE), "Marks of the graph"
        ),
        slowest=slowest[:_MOST_ROWS],
        timed=len(slowest),
        layer_pages=pages,
        inputs=carries_inputs,
        plotly=None,
        own_ending="pdf",
    )


@dataclass(frozen=True)
class _Overview:
    """The elements that show the blocks, and whether they need a page in landscape."""

    elements: list[str]
    is_wide: bool = False


def _overview(analysis: Analysis, drawings: Drawings) -> _Overview | None:
    """Return the drawing of the blocks, in columns where it would be too small; None for a single block."""
    options = as_blocks(analysis, _MOST_BLOCKS) if analysis.blocks.items else DrawOptions()
    drawing = draw_graph(analysis, options)
    if len(options.part.collapsed) < 2 or not drawing.svg:
        return None
    upright, wide = (
        min(page[0] / drawing.width, page[1] / drawing.height) for page in (_OVERVIEW_PAGE, _WIDE_PAGE)
    )
    words = f"Graph of the blocks. {analysis.sentences.get('graph', '')}"
    if max(upright, wide) >= (_SCALE if drawing.width < _SHEET[0] else _LEAST_SCALE):
        is_wide = wide > upright < _SCALE
        page = _WIDE_PAGE if is_wide else _OVERVIEW_PAGE
        svg = _scaled(drawing.svg, drawing.width, drawing.height, _OVERVIEW_SCALE, page)
        return _Overview([drawings.add(svg, words)], is_wide)
    size = (_SHEET[0], _OVERVIEW_PAGE[1] / _SCALE)
    parts = draw_sheets(analysis, size, len(analysis.layers), as_blocks(analysis, _FEWER_BLOCKS))
    return _Overview(
        [drawings.add(_scaled(each.svg, each.width, each.height, _SCALE), words) for each in parts.sheets]
    )


def _scaled(svg: str, width: float, height: float, scale: float, page: tuple[float, float] = _PAGE) -> str:
    """Return a drawing in the page's pixels, smaller than the scale where it would not fit the page."""
    scale = min(scale, page[0] / width, page[1] / height)
    given = f' width="{number(width)}" height="{number(height)}"'
    sized = svg.replace(given, f' width="{number(width * scale)}" height="{number(height * scale)}"', 1)
    # Paper has no tooltips, and each would be looked at.
    return _TOOLTIP.sub("", sized)
