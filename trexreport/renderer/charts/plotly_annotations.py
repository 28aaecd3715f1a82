"""Words and levels around a Plotly chart, where the static drawing has them."""

from __future__ import annotations

import math
from typing import Any

from trexreport.renderer import palette
from trexreport.renderer.charts import frame as frames
from trexreport.renderer.charts.areas import split_strip
from trexreport.renderer.charts.axes import scales
from trexreport.renderer.charts.captions import place_captions
from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.measure import Measure
from trexreport.renderer.charts.rows import SHARE_HEADING, Rows, row_names, row_numbers, value_heading
from trexreport.renderer.charts.slopes import pair_lines, slope_lines
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, clean, fit
from trexreport.visible import in_order

_LINE = "rgba(128,136,144,0.65)"
_SQUARE = "\u25a0"
#: The character of a legend for each shape of points.
_SIGNS = {
    "circle": "\u25cf",
    "square": _SQUARE,
    "diamond": "\u25c6",
    "triangle-up": "\u25b2",
    "triangle-down": "\u25bc",
    "cross": "\u271a",
}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def escaped(text: str) -> str:
    """Write a text so that Plotly, which reads tags and entities in all texts, shows it as it is."""
    return in_order(clean(text)).translate(_ESCAPES)


def word(text: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    """Place a text; `x` and `y` are shares of the area of the data unless `xref` or `yref` say otherwise."""
    placed = {"text": escaped(text), "x": x, "y": y, "xref": "paper", "yref": "paper", "showarrow": False}
    placed |= {"xanchor": "left", "yanchor": "middle", "borderpad": 0, "font": {"size": TICK_SIZE}}
    return placed | more


def annotations_of(prepared: Prepared, frame: frames.Frame) -> list[dict[str, Any]]:
    """Return headings, labels of levels and notes of a chart with two axes."""
    across = frames.position_scale(prepared, frame.left, frame.end)
    head = frames.HEADING - 8 + frames.levels_height(prepared, across)
    found = _upright_labels(prepared, across)
    if heading := frames.upright_heading(prepared):
        found.append(word(heading, 0, 1, xshift=-frame.left, yshift=head))
    if prepared.position.heading:
        shift = frame.bottom - frames.LINE * len(prepared.notes) - frames.LINE / 2
        text = fit(prepared.position.heading, frame.plot_width, TICK_SIZE)
        found.append(word(text, 0.5, 0, xanchor="center", yshift=-shift))
    for value, line in frames.levels_on(prepared, "y"):
        text = fit(clean(line.label), 112.0, TICK_SIZE)
        found.append(word(text, 1, _on_axis(prepared.value, value), yref="y", xshift=6))
    for slope in slope_lines(prepared):
        x, y = _on_axis(prepared.position, slope.x2), _on_axis(prepared.value, slope.y2)
        ends = {"xref": "x", "yref": "y", "xanchor": "right", "xshift": -2, "yshift": 9}
        found.append(word(slope.label, x, y, **ends))
    found += _captions(prepared, frame)
    return found + _legend(prepared, frame) + notes_of(prepared, frame.left, frame.bottom)


def _captions(prepared: Prepared, frame: frames.Frame) -> list[dict[str, Any]]:
    """Return the names of points where the drawing has them."""
    found = []
    for placed in place_captions(prepared, *scales(prepared, frame)):
        mark = placed.mark
        x, y = _on_axis(prepared.position, mark.position), _on_axis(prepared.value, mark.value)
        at = {"xref": "x", "yref": "y", "xanchor": "center"}
        if placed.is_joined:
            line = {"showarrow": True, "arrowhead": 0, "arrowwidth": 1, "arrowcolor": _LINE}
            found.append(word(mark.caption, x, y, **at, **line, ax=placed.x, ay=placed.y))
        else:
            found.append(word(mark.caption, x, y, **at, xshift=placed.x, yshift=-placed.y))
    return found


def bar_annotations(prepared: Prepared, rows: Rows) -> list[dict[str, Any]]:
    """Return the names, numbers and shares beside horizontal bars, and their headings."""
    frame, size, found = rows.frame, {"size": LABEL_SIZE}, []
    for row, (name, short) in enumerate(zip(prepared.categories, row_names(prepared, frame), strict=True)):
        hover = {"hovertext": escaped(name)} if short != name else {}
        found.append(word(short, 0, row, yref="y", xshift=-frame.left, font=size, **hover))
    number_shift = rows.number_end - frame.end
    for row, number in row_numbers(prepared).items():
        found.append(word(number, 1, row, yref="y", xanchor="right", xshift=number_shift, font=size))
    if rows.share_end > rows.number_end:
        shares = ((mark.share_text, mark.position) for mark in prepared.marks)
        found += [word(text, 1, y, yref="y", xanchor="right", xshift=frame.right) for text, y in shares]
        found.append(word(SHARE_HEADING, 1, 1, xanchor="right", xshift=frame.right, yshift=14))
    heading = value_heading(prepared)
    if heading:
        found.append(word(heading, 1, 1, xanchor="right", xshift=number_shift, yshift=14))
    return found + _legend(prepared, frame) + notes_of(prepared, frame.left, frame.bottom)


def _legend(prepared: Prepared, frame: frames.Frame) -> list[dict[str, Any]]:
    """Return the legend; Plotly's own is elsewhere and needs more room."""
    found = []
    for number, row in enumerate(frames.legend_rows(frames.legend(prepared), frame.width)):
        shift = frame.top - number * frames.LEGEND_ROW - 8
        for x, entry in row:
            look = {"size": LABEL_SIZE + 2, "color": palette.color(entry.role)}
            sign = _SIGNS[palette.shape(entry.role)] if prepared.chart.kind == "points" else _SQUARE
            found.append(word(sign, 0, 1, xshift=x - frame.left, yshift=shift, font=look))
            text = fit(entry.name, 200.0, TICK_SIZE)
            found.append(word(text, 0, 1, xshift=x + 15 - frame.left, yshift=shift))
    return found


def strip_annotations(prepared: Prepared, width: float) -> list[dict[str, Any]]:
    """Return the squares and names below a strip, of the segments that are too narrow for theirs."""
    below, _ = split_strip(prepared, width)
    height = frames.height_of(prepared)
    found = []
    for placed in below:
        shift = -(8 + frames.LINE * placed.row + 7)
        if placed.mark is not None:
            ink = {"size": TICK_SIZE, "color": palette.color(placed.mark.role)}
            found.append(word(_SQUARE, 0, 0, xshift=placed.x, yshift=shift, font=ink))
        found.append(word(placed.text, 0, 0, xshift=placed.x + (14 if placed.mark else 0), yshift=shift))
    return found + notes_of(prepared, 0.0, strip_foot(prepared, width) - height)


def strip_foot(prepared: Prepared, width: float) -> float:
    """Return the height of a strip with the texts below it."""
    _, used = split_strip(prepared, width)
    return frames.height_of(prepared) + used + frames.LINE * len(prepared.notes)


def notes_of(prepared: Prepared, left: float, bottom: float) -> list[dict[str, Any]]:
    """Say at the foot what is missing."""
    first = bottom - frames.LINE * len(prepared.notes) + frames.LINE / 2
    return [
        word(f"{note}.", 0, 0, xshift=-left, yshift=-(first + frames.LINE * number))
        for number, note in enumerate(prepared.notes)
    ]


def rules(prepared: Prepared) -> list[dict[str, Any]]:
    """Return the levels to compare with. Unlike annotations, shapes take a value as it is on a log axis."""
    found = []
    for axis, along in (("x", "y"), ("y", "x")):
        for value, line in frames.levels_on(prepared, axis):
            ends = {f"{axis}0": value, f"{axis}1": value, f"{axis}ref": axis}
            length = {f"{along}0": 0, f"{along}1": 1, f"{along}ref": "paper"}
            if line.begin is not None:
                length = {"x0": line.begin, "x1": frames.position_domain(prepared)[1], "xref": "x"}
            found.append({"type": "line", **ends, **length, "line": _dashed(line.role)})
    for slope in (*pair_lines(prepared), *slope_lines(prepared)):
        ends = {"x0": slope.x1, "y0": slope.y1, "x1": slope.x2, "y1": slope.y2}
        found.append({"type": "line", "xref": "x", "yref": "y", **ends, "line": _dashed(slope.role)})
    return found


def _dashed(role: str) -> dict[str, Any]:
    return {"color": palette.color(role), "width": 1, "dash": "4px,3px"}


def _upright_labels(prepared: Prepared, scale: frames.Scale) -> list[dict[str, Any]]:
    """Label the upright levels above the data, one above the other where they would meet."""
    found = []
    lines = frames.levels_on(prepared, "x")
    for (value, _), (_, level, text, _) in zip(lines, frames.reference_levels(prepared, scale), strict=True):
        x = _on_axis(prepared.position, value)
        found.append(word(text, x, 1, xref="x", xanchor="center", yshift=10 + 14 * level))
    return found


def _on_axis(measure: Measure, shown: float) -> float:
    """Return a value as annotations take it: on a log axis, its logarithm."""
    return math.log10(shown) if measure.log else shown
