"""The graph for paper: the blocks in the section, all layers on sheets in an appendix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trexreport.analyzer import Analysis
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.drawing import draw_graph
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Choice
from trexreport.renderer.graph.sheets import draw_sheets
from trexreport.renderer.graph.svg_text import number
from trexreport.renderer.pdf.writer import Drawings
from trexreport.renderer.sections import as_blocks
from trexreport.wording.sections import section_sentence

#: What a drawing may take of the page, in its pixels; the page is 680 wide.
_PAGE, _OVERVIEW_PAGE, _WIDE_PAGE = (680.0, 900.0), (680.0, 800.0), (1008.0, 600.0)
#: A sheet of the graph in its own pixels, and its scale, at which texts have 5.5 points.
_SHEET, _SCALE = (1096.0, 1440.0), 0.62
#: The first sheet is drawn this small rather than on a page after that of the heading, which takes so much.
_MIN_FIRST_SCALE, _HEADING = 0.5, 80.0
#: Scales of the overview: the usual one, and the least for a whole that is wider than a sheet.
_OVERVIEW_SCALE, _MIN_SCALE = 0.8, 0.45
#: A page in landscape breaks the flow of the others, so it has to make the overview larger by so much.
_WORTH_TURNING = 1.2
#: A page shows about 20 layers of a large engine: more pages would not be read.
_MAX_DRAWN_LAYERS = 500
#: How many blocks the overview has; fewer where it has to be cut into columns.
_MAX_BLOCKS, _FEWER_BLOCKS = 40, 24


def graph_pages(
    analysis: Analysis,
    drawings: Drawings,
    shown: frozenset[str] = frozenset(),
    given: Mapping[int, tuple[str, str]] | None = None,
    weights: Mapping[int, float] | None = None,
) -> dict[str, Any]:
    """Return what the templates of the graph need.

    Args:
        analysis: Of the engine, with blocks.
        drawings: Take the drawings in.
        shown: What is not left out; see `DrawOptions`.
        given: Meaning and color of each layer, where it is not its type.
        weights: What a layer counts where not all can be drawn, if that is not its time.
    """
    options = DrawOptions(part=Choice(shown), given=given)
    sheets = draw_sheets(analysis, _SHEET, _MAX_DRAWN_LAYERS, options, weights)
    legend = _scaled(sheets.legend, _SHEET[0], sheets.legend_height, _SCALE)
    first_page = (_PAGE[0], _PAGE[1] - _HEADING - sheets.legend_height * _SCALE)
    pages = [_PAGE] * len(sheets.sheets)
    if sheets.sheets and first_page[1] >= sheets.sheets[0].height * _MIN_FIRST_SCALE:
        pages[0] = first_page
    return {
        "overview": _overview(analysis, drawings),
        "sheets": sheets,
        "sheet_drawings": [
            drawings.add(_scaled(sheet.svg, sheet.width, sheet.height, _SCALE, page), sheet.words)
            for sheet, page in zip(sheets.sheets, pages, strict=True)
        ],
        "legend": drawings.add(legend, "Legend of the graph"),
    }


@dataclass(frozen=True)
class _Overview:
    """The elements that show the blocks, and whether they need a page in landscape."""

    elements: list[str]
    is_wide: bool = False


def _overview(analysis: Analysis, drawings: Drawings) -> _Overview | None:
    """Return the drawing of the blocks, in columns where it would be too small; None for a single block."""
    options = as_blocks(analysis, _MAX_BLOCKS) if analysis.blocks.items else DrawOptions()
    drawing = draw_graph(analysis, options)
    if len(options.part.collapsed) < 2 or not drawing.svg:
        return None
    upright, wide = (
        min(page[0] / drawing.width, page[1] / drawing.height) for page in (_OVERVIEW_PAGE, _WIDE_PAGE)
    )
    words = f"Graph of the blocks. {section_sentence(analysis, 'graph')}"
    if max(upright, wide) >= (_SCALE if drawing.width < _SHEET[0] else _MIN_SCALE):
        is_wide = upright < min(_SCALE, wide / _WORTH_TURNING)
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
    return svg.replace(given, f' width="{number(width * scale)}" height="{number(height * scale)}"', 1)
