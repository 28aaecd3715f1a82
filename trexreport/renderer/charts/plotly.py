"""A chart as JSON for plotly.js, from the same data and with the same margins as the static drawing.

Neither plotly.py nor plotly.js is imported here. Colors of texts are left to the page, which knows its
theme; lines of the grid are half transparent, so that they suit both. Plotly reads a small part of HTML
in every text, so texts from files are escaped and show as what they are.
"""

from __future__ import annotations

import math
from typing import Any

from trexreport.renderer.charts import frame as frames
from trexreport.renderer.charts.axes import scales
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.data import Prepared, prepare
from trexreport.renderer.charts.markup import FONT_FAMILY
from trexreport.renderer.charts.plotly_annotations import (
    annotations_of,
    bar_annotations,
    notes_of,
    rules,
    strip_annotations,
    strip_foot,
    word,
)
from trexreport.renderer.charts.plotly_traces import traces_of
from trexreport.renderer.charts.rows import rows_of
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE

TRANSPARENT = "rgba(0,0,0,0)"
GRID = "rgba(128,136,144,0.22)"
AXIS = "rgba(128,136,144,0.65)"
#: A text that does not fit is hidden rather than shrunk.
_WHOLE_OR_NOT_AT_ALL = {"mode": "hide", "minsize": TICK_SIZE}
_HALF_A_NUMBER = 20.0
#: Up to this many positions that are whole numbers, each has its number: Plotly would number halves.
_FEW_POSITIONS = 10
#: All numbers of an axis have as many decimals as its step has, however far a reader zooms.
_EQUAL_DECIMALS = [
    {
        "dtickrange": [0 if decimals == 9 else 0.99 * 10.0**-decimals, 0.99 * 10.0 ** (1 - decimals)],
        "value": f",.{decimals}f",
    }
    for decimals in range(9, 0, -1)
]
_CONFIG = {"displayModeBar": False, "displaylogo": False, "responsive": True, "scrollZoom": False}


def to_plotly(chart: Chart, width: int = 720) -> dict[str, Any]:
    """Return `{"data", "layout", "config"}` for `Plotly.newPlot`; JSON can hold all of it.

    `width` is only what the margins are made for; the drawing follows the width of its element. Each
    trace carries the links of its data in `customdata`, "" for none.
    """
    return draw_plotly(prepare(chart), width)


def draw_plotly(prepared: Prepared, width: int = 720) -> dict[str, Any]:
    """Return `to_plotly` of a chart whose data were prepared."""
    chart = prepared.chart
    if not prepared.marks:
        return {"data": [], "layout": _empty_layout(prepared), "config": dict(_CONFIG)}
    if chart.kind in ("treemap", "strip"):
        layout = _area_layout(prepared, float(width))
    elif chart.kind == "bars":
        layout = _bars_layout(prepared, float(width))
    else:
        layout = _curves_layout(prepared, float(width))
    return {"data": traces_of(prepared, float(width)), "layout": layout, "config": dict(_CONFIG)}


def _base_layout(height: float, left: float, right: float, top: float, bottom: float) -> dict[str, Any]:
    return {
        "autosize": True,
        "height": round(height, 2),
        "margin": {"l": round(left), "r": round(right), "t": round(top), "b": round(bottom), "pad": 0},
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"family": FONT_FAMILY, "size": LABEL_SIZE},
        "separators": ".,",
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "namelength": 0},
        "showlegend": False,
        "dragmode": False,
    }


def _empty_layout(prepared: Prepared) -> dict[str, Any]:
    layout = _base_layout(32, 0, 0, 0, 0)
    hidden = {"visible": False}
    return {**layout, "xaxis": hidden, "yaxis": hidden, "annotations": [word(prepared.empty_text, 0, 0.5)]}


def _area_layout(prepared: Prepared, width: float) -> dict[str, Any]:
    chart = prepared.chart
    if chart.kind == "treemap":
        height = frames.height_of(prepared)
        foot = 20.0 * len(prepared.notes)
        layout = _base_layout(height + foot, 0, 0, 0, foot)
        return layout | {"annotations": notes_of(prepared, 0.0, foot), "uniformtext": _WHOLE_OR_NOT_AT_ALL}
    height = strip_foot(prepared, width)
    layout = _base_layout(height, 0, 0, 0, height - frames.height_of(prepared))
    return layout | {
        "barmode": "stack",
        "bargap": 0,
        "xaxis": {
            "visible": False,
            "range": [0, math.fsum(mark.value for mark in prepared.marks)],
            "fixedrange": True,
        },
        "yaxis": {"visible": False, "range": [-0.5, 0.5], "fixedrange": True},
        "annotations": strip_annotations(prepared, width),
        "uniformtext": _WHOLE_OR_NOT_AT_ALL,
    }


def _bars_layout(prepared: Prepared, width: float) -> dict[str, Any]:
    rows = rows_of(prepared, width)
    frame = rows.frame
    needs_axis = frames.bars_need_axis(prepared)
    axis = _axis(frames.value_scale(prepared, frame.left, frame.end), grid=needs_axis)
    return _base_layout(frame.height, frame.left, frame.right, frame.top, frame.bottom) | {
        "barmode": "relative",
        "bargap": 0.38,
        "xaxis": axis | {"fixedrange": True, "showticklabels": needs_axis},
        "yaxis": {
            "range": [len(prepared.categories) - 0.5, -0.5],
            "showticklabels": False,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "automargin": False,
        },
        "annotations": bar_annotations(prepared, rows),
        "shapes": [],
    }


def _curves_layout(prepared: Prepared, width: float) -> dict[str, Any]:
    frame = frames.frame_of(prepared, width)
    across, up = scales(prepared, frame)
    # The drawing has ticks where their numbers fit; Plotly would choose others, and cut one at the edge.
    right = max(frame.right, _HALF_A_NUMBER)
    few = frames.has_whole_positions(prepared) and across.high - across.low < _FEW_POSITIONS
    return _base_layout(frame.height, frame.left, right, frame.top, frame.bottom) | {
        "barmode": "relative",
        "bargap": 0,
        "dragmode": "zoom",
        "xaxis": _axis(across, grid=False)
        | {"showline": True, "linecolor": AXIS, "linewidth": 1, "zeroline": False, "nticks": 12}
        | ({"tick0": 0, "dtick": 1} if few else {}),
        "yaxis": _axis(up, grid=True),
        "annotations": annotations_of(prepared, frame),
        "shapes": rules(prepared),
    }


def _axis(scale: frames.Scale, *, grid: bool) -> dict[str, Any]:
    ends = [math.log10(scale.low), math.log10(scale.high)] if scale.log else [scale.low, scale.high]
    axis: dict[str, Any] = {
        "type": "log" if scale.log else "linear",
        "range": ends,
        "showgrid": grid,
        "gridcolor": GRID,
        "zeroline": not scale.log and scale.low <= 0,
        "zerolinecolor": AXIS,
        "zerolinewidth": 1,
        "nticks": 6,
        "tickfont": {"size": TICK_SIZE},
        "exponentformat": "none",
        "separatethousands": True,
        "automargin": False,
        "ticklabelstandoff": 3,
        "ticklabeloverflow": "allow",
        "title": {"text": ""},
    }
    if not scale.log:
        axis["tickformatstops"] = _EQUAL_DECIMALS
    else:
        # Plotly's own labels of a logarithmic axis stop at bare digits.
        ticks = scale.ticks(6)
        axis |= {"tickmode": "array", "tickvals": list(ticks.values), "ticktext": list(ticks.labels)}
    return axis
