"""What notebooks show of an engine: its report in a cell, and its charts as Plotly figures."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.api import Settings, analyze, load, render
from trexreport.api_arguments import refusal
from trexreport.model import Engine

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

    from trexreport.renderer.charts.chart import Chart

#: Of a figure's title, in pixels.
_TITLE_HEIGHT = 40


def figures(
    subject: Analysis | Engine | Comparison, *, settings: Settings | None = None
) -> dict[str, Figure]:
    """Return the charts of a report or of a comparison that there are data for, by key, such as "by-type".

    Args:
        subject: What `analyze`, `load` or `compare` returned.
        settings: Of an analysis that is made here; see `analyze`.

    Raises:
        UsageError: Something else is given.
    """
    import plotly.graph_objects as go

    from trexreport.renderer.charts.plotly import to_plotly

    made = {}
    for key, chart in _charts(subject, settings).items():
        drawn = to_plotly(chart)
        figure = go.Figure(data=drawn["data"], layout=drawn["layout"])
        # On the page the title is above the chart, in a notebook it is in the chart's margin.
        title = {
            "text": chart.title,
            "x": 0.01,
            "y": 1,
            "yanchor": "top",
            "pad": {"t": 10},
            "font": {"size": 15},
        }
        top, height = figure.layout.margin.t or 0, figure.layout.height
        figure.update_layout(title=title, margin={"t": top + _TITLE_HEIGHT})
        if height is not None:
            figure.update_layout(height=height + _TITLE_HEIGHT)
        made[key] = figure
    return made


def _charts(subject: Analysis | Engine | Comparison, settings: Settings | None) -> dict[str, Chart]:
    if isinstance(subject, Comparison):
        from trexreport.renderer.comparison.charts import comparison_charts

        return comparison_charts(subject)
    from trexreport.renderer.charts.catalog import report_charts

    if isinstance(subject, Engine):
        subject = analyze(subject, settings=settings)
    if not isinstance(subject, Analysis):
        hint = "Give what trexreport.load, analyze or compare returns."
        raise refusal("figures", "an engine, analysis or comparison", subject, hint)
    return report_charts(subject)


def display(engine: Engine | str | Path, *, settings: Settings | None = None) -> None:
    """Show the report of an engine in a notebook's cell; elsewhere print its summary.

    Args:
        engine: What `load` returned, or a path that it takes.
        settings: Of rules and GPU; see `analyze`.

    Raises:
        InputError: A file can't be read, or nothing usable is there.
        UsageError: Something else is given.
    """
    if not isinstance(engine, (Engine, str, Path)):
        hint = "Give what trexreport.load returns, or show trexreport.render_comparison(engines)."
        raise refusal("display", "an engine or a path", engine, hint)
    read = engine if isinstance(engine, Engine) else load(engine)
    if _is_in_notebook():
        from IPython import display as ipython

        ipython.display(render(read, interactive_charts=False, settings=settings))
        return
    from trexreport.renderer.console import open_console
    from trexreport.renderer.engine_summary import engine_summary
    from trexreport.renderer.short_document.terminal import print_document

    print_document(engine_summary(analyze(read, settings=settings), max_findings=None), open_console())


def _is_in_notebook() -> bool:
    """Return whether IPython runs the code."""
    if importlib.util.find_spec("IPython") is None:
        return False
    from IPython import get_ipython

    return get_ipython() is not None
