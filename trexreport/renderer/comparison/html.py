"""Render a comparison as one HTML file: the verdict first, then where the difference is, then every row.

The part of a comparison that its page's script works with; empty and missing values are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Change
from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.charts.data import prepare
from trexreport.renderer.charts.svg import draw_svg, narrow_chart, pack_narrow
from trexreport.renderer.comparison import sections
from trexreport.renderer.comparison.baseline_graph import baseline_graph_values
from trexreport.renderer.comparison.differences import NARROW, WIDE, difference_view
from trexreport.renderer.comparison.intervals import draw_intervals
from trexreport.renderer.comparison.row_columns import page_columns
from trexreport.renderer.comparison.speedups import speedup_views
from trexreport.renderer.comparison.verdicts import candidates
from trexreport.renderer.graph_section import graph_values, opens_as_blocks
from trexreport.renderer.packing import columns_of
from trexreport.renderer.page import packed_json, page_bytes, page_styles, style_and_script
from trexreport.renderer.page_data import page_data
from trexreport.renderer.palette import color

if TYPE_CHECKING:
    from jinja2 import Template

#: Structural changes that the color of a layer can show; of several the first is shown.
STRUCTURE: tuple[Change, ...] = (
    "candidate only",
    "fused",
    "split",
    "precision changed",
    "reformats added",
    "reformats removed",
    "tactic changed",
)
#: What the script needs of the layers of engines whose graph is not shown.
_LAYER_KEYS = ("name", "type", "precision", "output_precision", "tactic", "avg_ms", "origins")
STYLES = page_styles("graph", "comparison")
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
    focus = sections.default_focus(comparison) if focus is None else focus
    shown = analyses[focus]
    values = sections.whole_values(comparison, analyses) | sections.column_values(comparison, focus)
    charts = {key: prepare(chart) for key, chart in values["charts"].items()}
    ratios, effect = sections.intervals(comparison), comparison.settings.minimum_effect_percent
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
        **graph_values(shown, given=sections.change_colors(comparison, focus)),
        **baseline_graph_values(comparison, analyses, focus),
        data=packed_json(comparison_data(comparison, analyses, focus)),
    )


def comparison_script(shown: Analysis, baseline: Analysis) -> str:
    """Return the name of the page's script, which depends on the engines whose graphs are shown."""
    return "large_comparison" if opens_as_blocks(shown) or opens_as_blocks(baseline) else "comparison"


@cache
def _page_template() -> Template:
    return sections.comparison_environment().get_template("comparison.html.j2")


def comparison_data(comparison: Comparison, analyses: Sequence[Analysis], focus: int) -> dict[str, Any]:
    """Return what the script needs, ready for JSON.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order.
        focus: Index of the engine whose graph the page has; with its layers in full.
    """
    # New and resolved findings have their own section.
    shown = page_data(analyses[focus], {}, with_findings=False)
    statuses = ("faster", "slower", "within noise", "candidate only", "baseline only", *STRUCTURE)
    return shown | {
        "baseline": comparison.baseline,
        "focus": focus,
        "engines": [
            {
                "name": engine.name,
                "sum": engine.figures.layer_sum_ms,
                "layers": None if index == focus else _layers(analysis.layers),
                "steps": {by: [steps.names, steps.layers] for by, steps in engine.model_steps.items()},
            }
            for index, (engine, analysis) in enumerate(zip(comparison.engines, analyses, strict=True))
        ],
        "rows": _rows(comparison.rows),
        "sides": [
            _sides([row.sides[index] for row in comparison.rows]) for index in range(len(comparison.engines))
        ],
        "changeColors": {status: color(f"change:{status}") for status in sorted(statuses)},
        "structure": list(STRUCTURE),
        "rowColumns": page_columns(),
    }


def _rows(rows: Sequence[ComparedRow]) -> dict[str, Any]:
    return columns_of(
        len(rows),
        {
            "label": _known(row.label for row in rows),
            "moreLayers": _known(row.more_layers for row in rows),
            "module": _known(row.module for row in rows),
            "block": _known(row.block for row in rows),
            "cut": _known(row.cut for row in rows),
        },
    )


def _sides(sides: Sequence[RowSide]) -> dict[str, Any]:
    return columns_of(
        len(sides),
        {
            "members": _known(_indices(side, helpers=False) for side in sides),
            "helpers": _known(_indices(side, helpers=True) for side in sides),
            "keys": _known(tuple(side.keys) for side in sides),
            "ms": [side.time_ms for side in sides],
            "diff": [side.difference_ms for side in sides],
            "ratio": _known(None if side.ratio is None else float(f"{side.ratio:.6g}") for side in sides),
            "status": _known(side.status for side in sides),
            "changes": _known(tuple(side.changes) for side in sides),
            "causes": _known(
                {name: float(f"{part:.6g}") for name, part in side.causes.items()} for side in sides
            ),
        },
    )


def _indices(side: RowSide, *, helpers: bool) -> tuple[int, ...]:
    """Return the layers that serve others, or those that compute; as a tuple, which packs faster."""
    return tuple([member.index for member in side.members if member.is_helper is helpers])


def _layers(layers: Sequence[LayerFacts]) -> dict[str, Any]:
    columns = {key: _known(getattr(layer, key) for layer in layers) for key in _LAYER_KEYS}
    # A zero is empty except where it is measured.
    return columns_of(len(layers), columns | {"avg_ms": [layer.avg_ms for layer in layers]})


def _known(values: Iterable[Any]) -> list[Any]:
    """Return values of which the empty ones are None, zeros too."""
    return [value or None for value in values]
