"""What a chart shows, without saying who draws it: plain values, from which SVG and Plotly are made."""

from __future__ import annotations

from typing import Literal

from trexreport.lazy_dataclass import dataclass

Kind = Literal["bars", "columns", "line", "points", "histogram", "treemap", "strip"]
Scale = Literal["linear", "log", "count", "percentile"]
Datum = float | int | str | None


@dataclass(frozen=True)
class Axis:
    """One axis of a chart.

    Attributes:
        title: What is shown, without its unit.
        unit: Unit of the values, "" for none. "bytes" is drawn in binary units; "%" means that
            64.9 means 64.9%, not 0.649.
        scale: "linear", "log", "count" or "percentile". Values that a logarithm has no place for are left out
            and counted; places that are counted, such as the first run and the second, have nothing between
            them. A percentile is the number of queries of which one takes longer, on a logarithm.
    """

    title: str = ""
    unit: str = ""
    scale: Scale = "linear"


@dataclass(frozen=True)
class ReferenceLine:
    """A level to compare with, such as a limit or a median.

    Attributes:
        value: Position of the line, in the unit of its axis.
        label: A word or two.
        axis: Which axis the value belongs to.
        role: Role of its color.
        begin: Of a level on the vertical axis, the x from which it holds; None for everywhere.
    """

    value: float
    label: str = ""
    axis: Literal["x", "y"] = "y"
    role: str = "muted"
    begin: float | None = None


@dataclass(frozen=True)
class Slope:
    """A level that grows with x: y = ratio * x. It ends at the highest level of the vertical axis.

    Attributes:
        ratio: In the units of the axes, which must not be bytes.
        label: A word or two.
        role: Role of its color.
    """

    ratio: float
    label: str = ""
    role: str = "muted"


@dataclass(frozen=True)
class Pair:
    """Two points of a chart of points that are joined by a line: what was expected, and what was measured.

    Attributes:
        x1, y1, x2, y2: Where the line begins and ends, in the units of the axes, which must not be bytes.
        role: Role of its color.
    """

    x1: float
    y1: float
    x2: float
    y2: float
    role: str = "muted"


@dataclass(frozen=True)
class Series:
    """Data of one color or one group. What `x` and `y` mean depends on the kind of the chart.

    * bars: `y` the categories, `x` the values; several series with the same categories are stacked.
    * columns: `x` an index, `y` the values; several series are stacked.
    * line, points: `x` and `y` numbers.
    * histogram: `x` the n + 1 edges of the bins, `y` the n counts.
    * treemap: one series for each group, named for it; `labels` its items, `x` their values, large first.
    * strip: `labels` the segments, `x` their values.

    Attributes:
        name: Name in the legend; of a treemap, the group.
        role: Role of the color (see `trexreport.renderer.palette`).
        x: See above; None or NaN where nothing was measured.
        y: See above.
        labels: Whole name of each datum, for hover and links; empty where the category says it.
        places: What a tooltip says of each datum's position, where its number says too little.
        links: Where a click on each datum leads, such as "#layer=12"; "" for nowhere.
        roles: Role of each datum, where they differ from `role`.
        step: Draw a line as steps: the value holds until the next point. Points are joined by a thin line of
            steps, each of which first goes up or down: what comes before a point reaches its value.
        radii: Of points, the radius of each in pixels, where they differ.
        captions: Of points, what is written above each; "" for nothing.
    """

    name: str = ""
    role: str = "accent"
    x: tuple[Datum, ...] = ()
    y: tuple[Datum, ...] = ()
    labels: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    step: bool = False
    radii: tuple[float, ...] = ()
    captions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chart:
    """A chart to draw.

    Attributes:
        key: Short and unique on the page; becomes part of element ids.
        kind: How the data are drawn; see `Series`.
        title: What it is, in a few words; also its accessible name.
        summary: One sentence that says what the chart shows; its accessible description.
        series: The data.
        x: The horizontal axis.
        y: The vertical axis.
        height: Of points, in pixels; 0 for the usual one.
        reference_lines: Levels to compare with, of charts with an axis at the left and one at the foot.
        slopes: Slanted ones, of charts of points.
        pairs: Points that belong together.
        shares: Whether values are parts of a whole, so that hover can say what share each is.
        whole: What the shares are of, if that is more than the sum of the data shown.
    """

    key: str
    kind: Kind
    title: str
    summary: str = ""
    series: tuple[Series, ...] = ()
    x: Axis = Axis()
    y: Axis = Axis()
    height: int = 0
    reference_lines: tuple[ReferenceLine, ...] = ()
    slopes: tuple[Slope, ...] = ()
    pairs: tuple[Pair, ...] = ()
    shares: bool = False
    whole: float | None = None
