"""TREx's charts as Plotly figures: bars, stacked bars, histograms and pies of tables of layers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex._libraries import pass_on
from trexreport.trex._stacks import (
    CLEAR,
    colors_of,
    rotate_columns,
    show,
    stacked_bars,
    stacked_tabular,
    stacked_tabular_df,
    trex_base_layout,
)
from trexreport.trex.colors import (
    GRID_COLOR,
    NVDA_GREEN,
    UNKNOWN_KEY_COLOR,
    default_pallete,
    layer_colormap,
    precision_colormap,
)
from trexreport.trex.misc import stack_dataframes
from trexreport.trex.notebook import display_df

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure, Layout

__all__ = [
    "GRID_COLOR",
    "NVDA_GREEN",
    "UNKNOWN_KEY_COLOR",
    "create_layout",
    "default_pallete",
    "display_df",
    "layer_colormap",
    "plotly_bar2",
    "plotly_hist",
    "plotly_pie",
    "plotly_pie2",
    "precision_colormap",
    "rotate_columns",
    "stack_dataframes",
    "stacked_bars",
    "stacked_tabular",
    "stacked_tabular_df",
    "trex_base_layout",
]
__getattr__ = pass_on(__name__, __all__, "Dict List Tuple defaultdict go make_subplots math pd px")


def create_layout(  # noqa: PLR0917 - TREx's order
    title: str,
    size: Sequence[int | None],
    x_title: str,
    y_title: str,
    orientation: str,
    show_axis_ticks: Sequence[bool] = (True, True),
) -> Layout:
    """Return the layout of bars.

    Args:
        title: Of the figure.
        size: Width and height in pixels, or None.
        x_title: Of the axis of names.
        y_title: Of the axis of values.
        orientation: "v", or "h", which swaps the axes.
        show_axis_ticks: Whether each axis has labels.
    """
    import plotly.graph_objects as go

    lies = orientation == "h"
    titles = (y_title, x_title) if lies else (x_title, y_title)
    grids = (GRID_COLOR, None) if lies else (None, GRID_COLOR)
    axes = [
        {"visible": True, "showticklabels": ticks, "title": axis_title, "gridcolor": grid}
        for ticks, axis_title, grid in zip(show_axis_ticks, titles, grids, strict=True)
    ]
    return go.Layout(
        title={"text": title, "y": 0.9, "x": 0.5, "xanchor": "center", "yanchor": "bottom"},
        width=size[0],
        height=size[1],
        xaxis=axes[0],
        yaxis=axes[1],
        plot_bgcolor=CLEAR,
        legend={"yanchor": "top", "y": 0.99, "xanchor": "right", "x": 0.99},
    )


def plotly_bar2(  # noqa: PLR0917 - TREx's order
    df: pd.DataFrame | Mapping[str, pd.DataFrame],
    title: str,
    values_col: str,
    names_col: str,
    orientation: str = "v",
    color: str | None = None,
    size: Sequence[int | None] = (None, None),
    use_slider: bool = False,
    colormap: Mapping[str, str] | None = None,
    show_axis_ticks: Sequence[bool] = (False, True),
    showlegend: bool = False,
    xaxis_title: str | None = None,
    yaxis_title: str | None = None,
    do_show: bool = True,
) -> Figure:
    """Return bars, and show them.

    Args:
        df: A table, or several by name.
        title: Of the figure.
        values_col: Column with the lengths of the bars.
        names_col: Column with their names.
        orientation: "v" or "h".
        color: Column that colors the bars: numbers on a scale, anything else by `colormap`.
        size: Width and height in pixels, or None.
        use_slider: Add a slider below the axis.
        colormap: Value of the column `color` to color; others are gray.
        show_axis_ticks: Whether each axis has labels.
        showlegend: Name the tables in a legend.
        xaxis_title: Instead of `names_col`.
        yaxis_title: Instead of `values_col`.
        do_show: False to return the figure only.
    """
    import plotly.graph_objects as go

    layout = create_layout(
        title, size, xaxis_title or names_col, yaxis_title or values_col, orientation, show_axis_ticks
    )
    fig = go.Figure(layout=layout)
    x, y = (names_col, values_col) if orientation == "v" else (values_col, names_col)
    x_digits, y_digits = ("", ":.4f") if orientation == "v" else (":.4f", "")
    for name, table in (df if isinstance(df, Mapping) else {None: df}).items():
        fig.add_trace(
            go.Bar(
                x=_cells(table[x]),
                y=_cells(table[y]),
                orientation=orientation,
                marker=_marker(table, color, colormap),
                text=table[values_col],
                texttemplate="%{value:.4f}" if table[values_col].dtype == float else "%{value}",
                hovertemplate=f"{x}: %{{x{x_digits}}}<br>{y}: %{{y{y_digits}}}",
                name=name,
                showlegend=showlegend,
            )
        )
    if use_slider:
        fig.update_xaxes(rangeslider_visible=True)
    if do_show:
        show(fig)
    return fig


def _marker(table: pd.DataFrame, color: str | None, colormap: Mapping[str, str] | None) -> dict[str, Any]:
    if color is None:
        return {}
    column = table[color]
    # TREx's test, which counts 32-bit numbers such as groups as categories.
    if column.dtype in (float, int):
        return {"color": column, "colorbar": {"title": {"text": color}}}
    keys = _cells(column)
    if not colormap:
        last = len(default_pallete) - 1
        colormap = {key: default_pallete[min(at, last)] for at, key in enumerate(dict.fromkeys(keys))}
    return {"color": colors_of(keys, colormap)}


def _cells(values: Iterable[Any]) -> list[Any]:
    """Return values that can be names: lists, such as sizes of kernels, become texts."""
    return [str(value) if isinstance(value, (list, dict)) else value for value in values]


def plotly_hist(  # noqa: PLR0917 - TREx's order
    df: pd.DataFrame,
    title: str,
    values_col: str,
    xaxis_title: str,
    color: str,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> Figure:
    """Return a histogram of a column, colored by another, and show it unless `do_show` is False."""
    import plotly.express as px

    names = list(dict.fromkeys((values_col, color)))
    fig = px.histogram(
        df[names],
        x=values_col,
        title=title,
        nbins=len(df),
        histfunc="count",
        color=color,
        template="simple_white",
        color_discrete_map=dict(zip(df[color], colors_of(df[color], colormap), strict=True))
        if colormap
        else None,
    )
    fig.update_layout(xaxis={"title": {"text": xaxis_title}}, bargap=0.05)
    if do_show:
        show(fig)
    return fig


def plotly_pie(  # noqa: PLR0917 - TREx's order
    df: pd.DataFrame,
    title: str,
    values: str,
    names: str,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> Figure:
    """Return a pie of a column, its parts named by another, and show it unless `do_show` is False."""
    import plotly.graph_objects as go

    marker = {
        "colors": colors_of(df[names], colormap) if colormap else default_pallete,
        "line": {"color": NVDA_GREEN, "width": 1},
    }
    pie = go.Pie(labels=df[names], values=df[values], hole=0.0, marker=marker)
    fig = go.Figure(data=[pie])
    fig.update_traces(hoverinfo="label+percent", textinfo="value", textfont_size=20)
    fig.update_layout(title={"text": title, "x": 0.5}, font_size=20)
    if do_show:
        show(fig)
    return fig


def plotly_pie2(
    title: str,
    charts: Sequence[tuple[pd.DataFrame, str, str, str]],
    max_cols: int = 3,
    colormap: Mapping[str, str] | None = None,
    do_show: bool = True,
) -> Figure:
    """Return pies beside one another, and show them.

    Args:
        title: Of the figure.
        charts: Table, title, column of values and column of names of each.
        max_cols: Pies in a row.
        colormap: Name to color.
        do_show: False to return the figure only.
    """
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    columns = max(1, min(max_cols, len(charts)))
    rows = max(1, math.ceil(len(charts) / columns))
    fig = make_subplots(
        rows=rows,
        cols=columns,
        specs=[[{"type": "domain"}] * columns for _ in range(rows)],
        subplot_titles=[chart[1] for chart in charts],
    )
    for at, (table, name, values, names) in enumerate(charts):
        labels = _cells(table[names])
        marker = {"line": {"color": NVDA_GREEN, "width": 1}}
        pie = go.Pie(
            labels=labels,
            values=table[values],
            name=name,
            marker=marker | ({"colors": colors_of(labels, colormap)} if colormap else {}),
            texttemplate="%{value:.1f}" if table[values].dtype == float else "%{value}",
        )
        fig.add_trace(pie, at // columns + 1, at % columns + 1)
    fig.update_traces(
        hoverinfo="label+percent", textinfo="value", textfont_size=20, hole=0.4, textposition="inside"
    )
    fig.update_layout(title={"text": title, "x": 0.5}, font_size=20)
    if do_show:
        show(fig)
    return fig
