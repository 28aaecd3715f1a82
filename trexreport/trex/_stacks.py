"""Stacked bars of several tables of layers, and what all figures of TREx's charts share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex._libraries import has_library
from trexreport.trex.colors import GRID_COLOR, UNKNOWN_KEY_COLOR
from trexreport.trex.misc import stack_dataframes
from trexreport.trex.notebook import HTML, display, display_df

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

CLEAR = "rgba(0, 0, 0, 0)"


def show(figure: Figure) -> None:
    """Show a figure as Plotly does, as HTML without nbformat, or as its title without IPython."""
    if not has_library("IPython"):
        print(f"Figure: {figure.layout.title.text}")
    elif has_library("nbformat"):
        figure.show()
    else:
        display(HTML(figure.to_html(include_plotlyjs="cdn", full_html=False)))


def trex_base_layout(fig: Figure, gridcolor: str | None = None) -> None:
    """Give a figure a clear background and a colored grid."""
    axis = {"gridcolor": gridcolor or GRID_COLOR}
    fig.update_layout(xaxis=axis, yaxis=axis, plot_bgcolor=CLEAR, paper_bgcolor=CLEAR)


def colors_of(keys: Iterable[Any], colormap: Mapping[Any, str]) -> list[str]:
    """Return the color of each key; gray for those that the map lacks."""
    return [colormap.get(key, UNKNOWN_KEY_COLOR) for key in keys]


def rotate_columns(df: pd.DataFrame) -> pd.DataFrame:
    """Return the table with its last column first."""
    columns = df.columns.tolist()
    rotated: pd.DataFrame = df[columns[-1:] + columns[:-1]]
    return rotated


def stacked_tabular_df(
    bar_names: Sequence[str],
    df_list: Sequence[pd.DataFrame],
    names_col: str,
    values_col: str,
    empty_symbol: object = 0,
) -> pd.DataFrame:
    """Return one row for each name, with its value in each table and `empty_symbol` where it is absent."""
    import pandas as pd

    stacked = stack_dataframes(df_list, names_col, values_col, empty_symbol)
    table = pd.DataFrame(list(stacked.values()), index=list(stacked), columns=list(bar_names))
    table[values_col] = list(stacked)
    return rotate_columns(table)


def stacked_tabular(*args: Any, **kwargs: Any) -> None:
    """Show what `stacked_tabular_df` returns."""
    display_df(stacked_tabular_df(*args, **kwargs))


def stacked_bars(  # noqa: PLR0917 - TREx's order
    title: str,
    bar_names: Sequence[str],
    df_list: Sequence[pd.DataFrame],
    names_col: str,
    values_col: str,
    empty_symbol: object = 0,
    colormap: Mapping[Any, str] | None = None,
    display_tbl: bool = True,
    fig: Figure | None = None,
    xaxis_title: str | None = None,
    yaxis_title: str | None = None,
) -> Figure:
    """Return one bar for each table, of stacked values; show it unless it is added to a figure.

    Args:
        title: Of the figure.
        bar_names: Of the tables.
        df_list: The tables.
        names_col: Column with the names of the parts.
        values_col: Column with their values.
        empty_symbol: Value of a part that a table lacks.
        colormap: Name of a part to color.
        display_tbl: Show the values as a table, too.
        fig: A figure to add the bars to.
        xaxis_title: Of the axis of the tables.
        yaxis_title: Instead of `values_col`.
    """
    import plotly.graph_objects as go

    is_new = fig is None
    figure = go.Figure() if fig is None else fig
    for name, values in stack_dataframes(df_list, names_col, values_col, empty_symbol).items():
        marker = {"color": colors_of([name], colormap)[0]} if colormap else {}
        figure.add_trace(go.Bar(name=str(name), x=list(bar_names), y=values, text=values, marker=marker))
    if is_new:
        trex_base_layout(figure)
    figure.update_traces(texttemplate="%{text:.4f}")
    figure.update_layout(
        title={"text": title, "x": 0.5},
        font_size=15,
        barmode="stack",
        showlegend=colormap is not None,
        uniformtext={"minsize": 8, "mode": "hide"},
        xaxis_title=xaxis_title,
        yaxis_title=yaxis_title or values_col,
    )
    if is_new:
        show(figure)
    if display_tbl:
        stacked_tabular(bar_names, df_list, names_col, values_col, empty_symbol)
    return figure
