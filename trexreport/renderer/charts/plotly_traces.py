"""The data of a Plotly chart."""

from __future__ import annotations

from typing import Any

from trexreport.numbers import middle_ellipsis
from trexreport.renderer import palette
from trexreport.renderer.charts.areas import cell_texts, segment_texts, segment_widths, treemap_groups
from trexreport.renderer.charts.axes import scales
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import column_gap, column_thickness, frame_of, legend
from trexreport.renderer.charts.plotly_annotations import escaped
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE

#: Hovering needs no more; the panel beside the page has the whole name.
_LONGEST_HOVER = 120
_TREE_KEYS = ("ids", "labels", "parents", "values", "text", "hovertext", "customdata")
#: Parts areas of one color on any page.
HAIRLINE = "rgba(255,255,255,0.5)"
_HOVER = "%{hovertext}<extra></extra>"
Trace = dict[str, Any]


def traces_of(prepared: Prepared, width: float) -> list[Trace]:
    """Return the traces of a chart."""
    kind = prepared.chart.kind
    if kind == "strip":
        return _strip(prepared, width)
    if kind == "treemap":
        return [_treemap(prepared, width)]
    return [
        {"name": escaped(name), "showlegend": bool(name), "legendgroup": str(number)}
        | _trace(prepared, marks)
        for number, (name, marks) in enumerate(_traces(prepared))
    ]


def _trace(prepared: Prepared, marks: list[Mark]) -> Trace:
    kind = prepared.chart.kind
    if kind == "bars":
        return _bars(marks)
    if kind == "histogram":
        return _histogram(marks)
    draw = {"columns": _columns, "line": _line, "points": _points}[kind]
    return draw(prepared, marks)


def _traces(prepared: Prepared) -> list[tuple[str, list[Mark]]]:
    """Divide the marks among traces: by series, or by color where one series needs a legend."""
    entries = legend(prepared)
    series = prepared.chart.series
    found: dict[Any, list[Mark]] = {}
    if len(series) == 1 and entries:
        for mark in prepared.marks:
            found.setdefault((palette.color(mark.role), palette.pattern(mark.role)), []).append(mark)
        names = {(palette.color(e.role), palette.pattern(e.role)): e.name for e in entries}
        return [(names.get(look, ""), marks) for look, marks in found.items()]
    for mark in prepared.marks:
        found.setdefault(mark.series, []).append(mark)
    return [(series[number].name if len(series) > 1 else "", marks) for number, marks in found.items()]


def _common(marks: list[Mark]) -> Trace:
    return {
        "customdata": [mark.link for mark in marks],
        "hovertext": [hover(mark) for mark in marks],
        "hovertemplate": _HOVER,
    }


def hover(mark: Mark) -> str:
    """Return the tooltip of a mark, in the small HTML that Plotly reads."""
    return "<br>".join(escaped(middle_ellipsis(line, _LONGEST_HOVER)) for line in mark.hover)


def _marker(marks: list[Mark]) -> Trace:
    colors = [palette.color(mark.role) for mark in marks]
    return {"color": colors[0] if len(set(colors)) == 1 else colors, "line": {"width": 0}}


def _shapes(marks: list[Mark]) -> Trace:
    """Say which shapes points have; circles go without saying."""
    shapes = [palette.shape(mark.role) for mark in marks]
    if set(shapes) == {"circle"}:
        return {}
    return {"symbol": shapes[0] if len(set(shapes)) == 1 else shapes}


def _bars(marks: list[Mark]) -> Trace:
    return {
        "type": "bar",
        "orientation": "h",
        "x": [mark.value for mark in marks],
        "y": [mark.position for mark in marks],
        "marker": _marker(marks),
    } | _common(marks)


def _columns(prepared: Prepared, marks: list[Mark]) -> Trace:
    across, _ = scales(prepared, frame_of(prepared, 720.0))
    gap = column_gap(prepared)
    step = across(across.low + gap) - across(across.low)
    trace: Trace = {
        "type": "bar",
        "x": [mark.position for mark in marks],
        "y": [mark.value for mark in marks],
        "marker": _marker(marks),
    }
    if step > 0:
        trace["width"] = gap * min(1.0, column_thickness(step) / step)
    return trace | _common(marks)


def _histogram(marks: list[Mark]) -> Trace:
    """Draw the bins as bars: their counts are given and must not be computed again."""
    return {
        "type": "bar",
        "x": [(mark.position + mark.end) / 2 for mark in marks],
        "width": [(mark.end - mark.position) * 0.95 for mark in marks],
        "y": [mark.value for mark in marks],
        "marker": _marker(marks),
    } | _common(marks)


def _points(prepared: Prepared, marks: list[Mark]) -> Trace:
    size = 7 if len(prepared.marks) <= 500 else 5
    sizes = [2 * mark.radius for mark in marks]
    series = prepared.chart.series[marks[0].series]
    is_joined = series.step
    return {
        "type": "scatter",
        "mode": "lines+markers" if is_joined else "markers",
        **({"line": {"color": palette.color(series.role), "width": 1.5, "shape": "vh"}} if is_joined else {}),
        "x": [mark.position for mark in marks],
        "y": [mark.value for mark in marks],
        "marker": _marker(marks) | {"size": sizes if any(sizes) else size, "opacity": 0.8} | _shapes(marks),
    } | _common(marks)


def _line(prepared: Prepared, marks: list[Mark]) -> Trace:
    """Draw a line that is broken where a value was not measured."""
    series = prepared.chart.series[marks[0].series]
    rows: list[tuple[Any, ...]] = []
    before: Mark | None = None
    for mark in marks:
        if before is not None and mark.index != before.index + 1:
            rows.append((None, None, "", ""))
        rows.append((mark.position, mark.value, mark.link, hover(mark)))
        before = mark
    look = {"color": palette.color(series.role), "width": 1.75, "shape": "hv" if series.step else "linear"}
    return {
        "type": "scatter",
        "mode": "lines",
        "line": look,
        "connectgaps": False,
        "hovertemplate": _HOVER,
        **_in_columns(("x", "y", "customdata", "hovertext"), rows),
    }


def _in_columns(keys: tuple[str, ...], rows: list[tuple[Any, ...]]) -> Trace:
    columns = map(list, zip(*rows, strict=True))
    return dict(zip(keys, columns, strict=True))


def _strip(prepared: Prepared, width: float) -> list[Trace]:
    traces = []
    for mark, room in zip(prepared.marks, segment_widths(prepared, width), strict=True):
        fill = palette.color(mark.role)
        traces.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": escaped(mark.label),
                "x": [mark.value],
                "y": [0],
                "width": [1],
                "marker": {"color": fill, "line": {"width": 0}},
                "text": ["<br>".join(escaped(text) for text in segment_texts(mark, room))],
                "textposition": "inside",
                "insidetextanchor": "start",
                "textangle": 0,
                "textfont": {"color": palette.ink_on(fill), "size": LABEL_SIZE},
                "showlegend": False,
            }
            | _common([mark])
        )
    return traces


def _treemap(prepared: Prepared, width: float) -> Trace:
    """Draw groups and items. A group's value is what its items add up to, so it has none of its own."""
    rows: list[tuple[Any, ...]] = []
    colors: list[str] = []
    for group in treemap_groups(prepared, width):
        number = group.items[0][0].series
        key = f"group {number}"
        heading = escaped(f"{group.name} {prepared.value.text(group.value)}".strip())
        rows.append((key, escaped(group.name), "", 0, heading, heading, ""))
        colors.append(palette.color(prepared.chart.series[number].role))
        for mark, box in group.items:
            name = escaped(middle_ellipsis(mark.item, 40))
            text = "<br>".join(escaped(text) for text in cell_texts(mark, box))
            rows.append((f"{key} item {mark.index}", name, key, mark.value, text, hover(mark), mark.link))
            colors.append(palette.color(mark.role))
    line = {"width": 1, "color": HAIRLINE}
    return {
        "type": "treemap",
        "branchvalues": "remainder",
        "sort": False,
        "marker": {"colors": colors, "line": line, "pad": {"t": 22, "l": 0, "r": 0, "b": 0}},
        "textfont": {"color": [palette.ink_on(color) for color in colors], "size": TICK_SIZE},
        "textinfo": "text",
        "hovertemplate": _HOVER,
        "tiling": {"packing": "squarify", "pad": 0},
        "pathbar": {"visible": False},
        **_in_columns(_TREE_KEYS, rows),
    }
