"""Render a comparison as one HTML file: the verdict first, then where the difference is, then every row."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import ComparedEngine, ComparedRow, Comparison
from trexreport.renderer.charts.svg import to_svg
from trexreport.renderer.comparison import views, wording
from trexreport.renderer.comparison.charts import comparison_charts
from trexreport.renderer.comparison.intervals import Interval, draw_intervals
from trexreport.renderer.comparison.page_data import comparison_data
from trexreport.renderer.graph_section import graph_scripts, graph_values
from trexreport.renderer.page import environment, packed_json, style_and_script
from trexreport.renderer.palette import colour

_STYLES = (
    "tokens.css",
    "layout.css",
    "findings.css",
    "parts.css",
    "graph.css",
    "comparison.css",
    "print.css",
)
_SCRIPTS = (
    "base.js",
    "data.js",
    "state.js",
    "query.js",
    "columns.js",
    "grid.js",
    "compared.js",
    "row_terms.js",
    "row_columns.js",
    "row_table.js",
    "detail.js",
    "row_detail.js",
)
#: Width of a chart of which two stand side by side.
_HALF = 504
_UNCOMPARED = "not compared"


def render_comparison_html(
    comparison: Comparison, analyses: Sequence[Analysis], focus: int | None = None, *, home: str = ""
) -> bytes:
    """Return the page; the same inputs give the same bytes.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order; that of the focus with blocks.
        focus: Index of the candidate whose graph is shown; the first one if not given.
        home: Link to the site that the page is a part of; empty of a page alone.
    """
    focus = _focus(comparison) if focus is None else focus
    shown = analyses[focus]
    colours = _change_colours(comparison, focus)
    charts = comparison_charts(comparison)
    intervals, effect = _intervals(comparison), comparison.settings.minimum_effect_percent
    told = [each for each in comparison.comparability if each.differs or each.unknown]
    precisions, tactics = (
        views.precision_changes(comparison, focus),
        views.tactic_changes(comparison, focus),
    )
    templates = environment()
    templates.filters["verdict_word"] = wording.verdict_word
    text = templates.get_template("comparison.html.j2").render(
        home=home,
        comparison=comparison,
        analyses=analyses,
        focus=focus,
        headline=wording.headline(comparison),
        ranking=wording.ranking(comparison),
        version=__version__,
        **style_and_script(
            _STYLES, (*_SCRIPTS, *graph_scripts(shown), "keys.js", "frame.js", "compare_main.js")
        ),
        verdicts=views.verdict_views(comparison),
        intervals=[draw_intervals(intervals, effect, width) for width in (views.WIDE, views.NARROW)],
        figure_titles=views.FIGURE_TITLES,
        figures=views.figure_rows(comparison),
        differences=[
            views.difference_view(comparison, index, is_focus=index == focus)
            for index, _ in views.candidates(comparison)
        ],
        static_rows=views.static_rows(comparison, focus),
        operators=views.share_views(comparison, comparison.by_operator, focus),
        operators_in_common=views.in_common(comparison, comparison.by_operator, focus),
        modules=views.share_views(comparison, comparison.by_module, focus),
        precision_count=precisions[0],
        precision_changes=precisions[1],
        tactic_count=tactics[0],
        tactic_changes=tactics[1],
        alike_facts=views.alike_facts(comparison),
        conditions_sentence=views.conditions_sentence(comparison),
        conditions_told=told,
        conditions_alike=[each for each in comparison.comparability if each not in told],
        charts=charts,
        chart_svgs={key: to_svg(chart, _HALF) for key, chart in charts.items()},
        wide_charts=set(),
        **graph_values(shown, given=colours),
        data=packed_json(comparison_data(comparison, analyses, focus)),
    )
    return text.encode("utf-8")


def _focus(comparison: Comparison) -> int:
    return next(
        (index for index in range(len(comparison.engines)) if index != comparison.baseline),
        comparison.baseline,
    )


def _intervals(comparison: Comparison) -> list[Interval]:
    found = []
    for _, engine in views.candidates(comparison):
        ratio = wording.ratio_of(engine)
        if ratio is not None and engine.verdict is not None and wording.is_comparable(engine):
            found.append(_interval(engine, ratio, engine.verdict.verdict))
    return found


def _interval(engine: ComparedEngine, ratio: float, verdict: str) -> Interval:
    known = engine.verdict.median_ratio if engine.verdict else None
    change = wording.signed_percent(ratio, 1)
    return Interval(
        name=engine.name,
        value=ratio,
        low=known.low if known else None,
        high=known.high if known else None,
        words=f"{wording.verdict_word(verdict)}, {change}" if change else wording.verdict_word(verdict),
        role=wording.verdict_role(verdict),
    )


def _change_colours(comparison: Comparison, index: int) -> dict[int, tuple[str, str]]:
    """Return what became of each layer of a candidate, and the colour of that."""
    meanings = [_meaning(row, index) for row in comparison.rows]
    return {layer: meanings[row] for layer, row in enumerate(comparison.row_of[index])}


def _meaning(row: ComparedRow, index: int) -> tuple[str, str]:
    mark = row.sides[index].mark
    return mark or _UNCOMPARED, colour(f"change:{mark}" if mark not in ("", "unknown") else "neutral")
