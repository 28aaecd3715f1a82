"""Show tables and headings in notebooks; without IPython they are printed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from html import escape
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from trexreport.trex._libraries import has_library, pass_on

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "HTML",
    "display",
    "display_df",
    "display_df_dtale",
    "display_df_qgrid",
    "display_filechooser",
    "section_header",
    "set_table_display_backend",
    "set_wide_display",
    "table_display_backend",
]
__getattr__ = pass_on(__name__, __all__, "Callable dtale logging pd time")

#: After this many seconds the connection between notebook and D-Tale has probably failed.
_DTALE_SECONDS = 30


def display(*objects: Any, **options: Any) -> Any:
    """Show objects as IPython does; without IPython print them."""
    if has_library("IPython"):
        from IPython import display as ipython

        return ipython.display(*objects, **options)
    for each in objects:
        print(each)
    return None


def HTML(data: str) -> Any:  # noqa: N802 - IPython's name
    """Return HTML as an object that a notebook shows."""
    if has_library("IPython"):
        from IPython import display as ipython

        return ipython.HTML(data)
    return _PlainHtml(data)


class _PlainHtml:
    """HTML for any notebook that asks for it; printed it is nothing, as styles are."""

    def __init__(self, data: str) -> None:
        self.data = data

    def _repr_html_(self) -> str:
        return self.data

    def __repr__(self) -> str:
        return ""


def display_filechooser(rootdir: str) -> Any:
    """Show files to choose from, as TREx 0.1; `selected` is None without ipyfilechooser."""
    if not has_library("ipyfilechooser"):
        print(f"Install ipyfilechooser to choose a file in {rootdir}.")
        return SimpleNamespace(selected=None)
    from ipyfilechooser import FileChooser

    chooser = FileChooser(rootdir)
    display(chooser)
    return chooser


def display_df_qgrid(df: pd.DataFrame) -> None:
    """Show a table with qgrid, of TREx 0.1; without it as IPython does."""
    if not has_library("qgrid"):
        display(df)
        return
    import qgrid

    display(qgrid.show_grid(df, grid_options={"forceFitColumns": False}))


def section_header(title: str) -> Any:
    """Return a heading, white on green."""
    style = "text-align:center;background:#76b900;padding:20px;color:#ffffff;font-size:2em;"
    return HTML(f'<div style="{style}">{escape(title)}</div>')


def set_wide_display(width_pct: int = 90) -> None:
    """Let the cells of a classic notebook take this part of the window's width, in percent."""
    if has_library("IPython"):
        display(HTML(f"<style>.container {{width:{width_pct}% !important;}}</style>"))


def display_df_dtale(
    df: pd.DataFrame,
    range_highlights: dict[str, Any] | None = None,
    nan_display: str = "...",
    precision: int = 4,
    **kwargs: Any,
) -> None:
    """Show a table with D-Tale; without it as IPython does.

    Args:
        df: The table.
        range_highlights: D-Tale's colors of values by column.
        nan_display: Shown for missing values.
        precision: Decimal places.
        kwargs: More options of `dtale.show`.
    """
    if not has_library("dtale"):
        logging.getLogger(__name__).warning("D-Tale is not installed, so the table is shown plainly.")
        display(df)
        return
    import dtale

    start = time.monotonic()
    options = {"drop_index": True, "allow_cell_edits": False, **kwargs}
    shown = dtale.show(df, precision=precision, nan_display=nan_display, **options)
    if shown and range_highlights is not None:
        shown.update_settings(range_highlights=range_highlights, background_mode="range")
    if not shown or time.monotonic() - start >= _DTALE_SECONDS:
        logging.getLogger(__name__).warning(
            "D-Tale does not answer. Set dtale.app.ACTIVE_HOST to the host of the notebook's server."
        )
    else:
        display(shown)


table_display_backend: Callable[..., Any] = display


def set_table_display_backend(tbl_display_fn: Callable[..., Any]) -> None:
    """Let `display_df` show tables with another function."""
    global table_display_backend  # noqa: PLW0603 - TREx's interface
    table_display_backend = tbl_display_fn


def display_df(df: pd.DataFrame, **kwargs: Any) -> None:
    """Show a table with the chosen function; options that it does not take are left out."""
    if table_display_backend is display:
        display(df)
        return
    try:
        table_display_backend(df, **kwargs)
    except TypeError:
        table_display_backend(df)
