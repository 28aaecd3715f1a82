"""Render a comparison as one HTML file: the verdict first, then where the difference is, then every row."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.svg import draw_svg
from trexreport.renderer.comparison.baseline_graph import baseline_graph_values
from trexreport.renderer.comparison.differences import NARROW, WIDE, difference_view
from trexreport.renderer.comparison.intervals import draw_intervals
from trexreport.renderer.comparison.page_data import comparison_data
from trexreport.renderer.comparison.sections import (
    change_colors,
    column_values,
    comparison_environment,
    default_focus,
    intervals,
    whole_values,
)
from trexreport.renderer.comparison.speedups import speedup_views
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.renderer.graph_section import graph_values, opens_as_blocks
from trexreport.renderer.narrow_drawings import narrow_chart, pack_narrow
from trexreport.renderer.page import packed_json, page_bytes, style_and_script

if TYPE_CHECKING:
    from jinja2 import Template

STYLES = (
    "tokens.css",
    "layout.css",
    "findings.css",
    "parts.css",
    "cards.css",
    "graph.css",
    "comparison.css",
    "wide.css",
    "forced.css",
    "print.css",
    "live_page.css",
    "live_table.css",
    "live_charts.css",
    "live_graph.css",
)
#: Engines of the ranking that the page shows.
_MAX_RANKED = 50
#: Width of a chart of which two are side by side.
_HALF = 504


def render_comparison_html(
    comparison: Comparison,
    analyses: Sequence[Analysis],
    focus: int | None = None,
    *,
    home: str = "",
    is_part: bool = False,
) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order; those of the focus and of the baseline with blocks.
        focus: Index of the candidate whose graph is shown; the first one if not given.
        home: Link to the site that the page is a part of; empty of a page alone.
        is_part: The page is put into another one, which has style and script.
    """
    focus = default_focus(comparison) if focus is None else focus
    shown = analyses[focus]
    values = whole_values(comparison, analyses) | column_values(comparison, focus)
    charts = {key: prepare(chart) for key, chart in values["charts"].items()}
    ratios, effect = intervals(comparison), comparison.settings.minimum_effect_percent
    return page_bytes(
        _page_template(),
        home=home,
        is_part=is_part,
        max_ranked=_MAX_RANKED,
        **values,
        **style_and_script(STYLES, comparison_script(shown, analyses[comparison.baseline])),
        intervals=[draw_intervals(ratios, effect, width) for width in (WIDE, NARROW)],
        differences=[
            difference_view(comparison, index, is_focus=index == focus) for index, _ in candidates(comparison)
        ],
        speedups=speedup_views(comparison, focus),
        chart_svgs={key: draw_svg(chart, _HALF) for key, chart in charts.items()},
        narrow_drawings=pack_narrow({key: narrow_chart(chart) for key, chart in charts.items()}),
        **graph_values(shown, given=change_colors(comparison, focus)),
        **baseline_graph_values(comparison, analyses, focus),
        data=packed_json(comparison_data(comparison, analyses, focus)),
    )


def comparison_script(shown: Analysis, baseline: Analysis) -> str:
    """Return the name of the page's script, which depends on the engines whose graphs are shown."""
    return "large_comparison" if opens_as_blocks(shown) or opens_as_blocks(baseline) else "comparison"


@cache
def _page_template() -> Template:
    return comparison_environment().get_template("comparison.html.j2")
