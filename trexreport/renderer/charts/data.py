"""What both renderers draw: data without holes, in the unit in which they are shown, with their words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import field, replace
from functools import lru_cache, wraps
from typing import Any, TypeVar

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.numbers import counted, format_percent, is_measured
from trexreport.regex import regex
from trexreport.renderer.charts.chart import Chart, Series
from trexreport.renderer.charts.measure import Measure, drawable, measure_of
from trexreport.renderer.charts.text import clean

AREA_KINDS = ("treemap", "strip")
Found = TypeVar("Found")
#: Begins what the title of an axis says of its order.
_REMARK = regex(r", | \(")


@bulk_facts
class Mark:
    """One datum that can be drawn.

    Attributes:
        series: Index of its series.
        index: Index in its series, as the chart has it.
        label: Its whole name; clean, not escaped.
        role: Role of its color.
        link: Where a click leads; "" for nowhere.
        position: Row, column or x; of a histogram, the left edge.
        value: Length, height or y; in the unit of the measure.
        base: Where a stacked bar begins.
        end: Of a histogram, the right edge.
        value_text: The value with its unit.
        share_text: The share of the whole; "" where shares make no sense.
        position_text: What the position says; "" where the label says it.
        item: Its own name, where `label` also has the name of its group.
        radius: Of a point, in pixels; 0 where all are alike.
        caption: Of a point, what is written above it; clean, not escaped.
    """

    series: int
    index: int
    label: str
    role: str
    link: str
    position: float
    value: float
    base: float
    end: float
    value_text: str
    share_text: str
    position_text: str
    item: str
    radius: float
    caption: str = ""

    @property
    def amount(self) -> str:
        """The value with its share, if it has one."""
        return f"{self.value_text}, {self.share_text}" if self.share_text else self.value_text

    @property
    def hover(self) -> tuple[str, ...]:
        """The lines of a tooltip."""
        return tuple([line for line in (self.label, self.position_text, self.amount) if line])


@dataclass(frozen=True)
class Prepared:
    """A chart's data, ready to be drawn.

    Attributes:
        position: Measure of the independent axis; `categories` name its whole numbers, if there are any.
        value: Measure of what is shown.
        marks: By series, then by index.
        notes: What had to be left out, in words.
        known: What was found of it, such as the range of an axis, by what finds it, and drawings.
    """

    chart: Chart
    position: Measure
    value: Measure
    categories: tuple[str, ...]
    marks: tuple[Mark, ...]
    notes: tuple[str, ...]
    known: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def empty_text(self) -> str:
        """Say why nothing is drawn."""
        why = self.notes[0] if self.notes else "no data"
        return f"Nothing to show: {why}."


def once(find: Callable[[Prepared], Found]) -> Callable[[Prepared], Found]:
    """Return a function that finds the same, once for all drawings of a chart."""

    @wraps(find)
    def found(prepared: Prepared) -> Found:
        if find not in prepared.known:
            prepared.known[find] = find(prepared)
        known: Found = prepared.known[find]
        return known

    return found


def prepare(chart: Chart) -> Prepared:
    """Take from a chart what can be drawn, and count what can not."""
    across = chart.kind in ("bars", *AREA_KINDS)
    value_axis, position_axis = (chart.x, chart.y) if across else (chart.y, chart.x)
    categories, places = _places(chart)
    value = measure_of(value_axis, [datum for series in chart.series for datum in _values(chart, series)])
    position = measure_of(position_axis, [place for row in places for place in row])
    if categories:
        position = Measure(clean(position_axis.title), "", 1.0, log=False)
    data: list[_Datum] = []
    missing = off_log = 0
    for number, series in enumerate(chart.series):
        for index, datum in enumerate(_values(chart, series)):
            place: Any = places[number][index] if index < len(places[number]) else None
            if not drawable(datum) or not drawable(place):
                missing += 1
                continue
            at, amount = position.shown(place), value.shown(datum)
            if (value.log and amount <= 0) or (position.log and at <= 0):
                off_log += 1
            elif chart.kind not in AREA_KINDS or amount > 0:
                end = _right_edge(series, index, position) if chart.kind == "histogram" else 0.0
                data.append(_Datum(number, index, at, amount, end))
    if chart.kind == "histogram":
        data = [each for each in data if each.end > each.position]
    total = chart.whole / value.divisor if is_measured(chart.whole) and chart.whole else 0.0
    total = total or math.fsum(abs(each.value) for each in data)
    prepared = Prepared(chart, position, value, categories, (), _notes(missing, off_log))
    return replace(prepared, marks=tuple(_marks(prepared, data, total)), known={})


@lru_cache(maxsize=4096)
def safe_link(link: str) -> str:
    """Return a link if it leads within the page or to the web; "" for anything else, such as a script."""
    link = clean(link).strip()
    return link if link.startswith(("#", "https://", "http://")) else ""


def _values(chart: Chart, series: Series) -> tuple[Any, ...]:
    return series.x if chart.kind in ("bars", *AREA_KINDS) else series.y


def _places(chart: Chart) -> tuple[tuple[str, ...], list[list[Any]]]:
    """Return the names of the categories, if there are any, and the position of every datum.

    A category that comes twice in one series is two rows: two layers may well have one name.
    """
    if chart.kind in AREA_KINDS:
        return (), [list(range(len(series.x))) for series in chart.series]
    if chart.kind != "bars":
        return (), [list(series.x) for series in chart.series]
    rows: dict[tuple[str, int], int] = {}
    positions: list[list[Any]] = []
    for series in chart.series:
        seen: Counter[str] = Counter()
        positions.append([])
        for name in map(clean, map(str, series.y)):
            positions[-1].append(rows.setdefault((name, seen[name]), len(rows)))
            seen[name] += 1
    return tuple(name for name, _ in rows), positions


@bulk_facts
class _Datum:
    """A datum of a series that can be drawn, in the units shown; `end` is the right edge of a bin."""

    series: int
    index: int
    position: float
    value: float
    end: float


def _right_edge(series: Series, index: int, position: Measure) -> float:
    """Return the right edge of a bin; minus infinity where it has none."""
    edge: Any = series.x[index + 1] if index + 1 < len(series.x) else None
    return position.shown(edge) if is_measured(edge) else -math.inf


def _bases(chart: Chart, data: Sequence[_Datum]) -> list[float]:
    """Put the bars of several series onto each other; what is negative goes the other way."""
    if chart.kind not in ("bars", "columns"):
        return [0.0] * len(data)
    tops: dict[tuple[float, bool], float] = {}
    bases = []
    for each in data:
        key = (each.position, each.value < 0)
        bases.append(tops.get(key, 0.0))
        tops[key] = bases[-1] + each.value
    return bases


def _marks(prepared: Prepared, data: Sequence[_Datum], total: float) -> Iterator[Mark]:
    """Yield what is drawn of each datum, with what hovering over it says."""
    chart, categories = prepared.chart, prepared.categories
    count = max((len(_values(chart, series)) for series in chart.series), default=0)
    is_bare = bool(categories) or chart.kind in AREA_KINDS
    columns = [_columns_of(series, count, with_places=not is_bare) for series in chart.series]
    is_named = len(chart.series) > 1 and chart.kind != "points"
    names = [clean(series.name) if is_named else "" for series in chart.series]
    place_of = None if is_bare else _position_text(prepared)
    value_of = prepared.value.text
    for datum, base in zip(data, _bases(chart, data), strict=True):
        index = datum.index
        labels, roles, links, places, captions, radii = columns[datum.series]
        item, name = labels[index], names[datum.series]
        label = item or (categories[int(datum.position)] if categories else "")
        if name:
            label = f"{label}: {name}" if label and name != label else label or name
        yield Mark(
            datum.series,
            index,
            label,
            roles[index],
            links[index],
            datum.position,
            datum.value,
            base,
            datum.end,
            value_of(datum.value),
            format_percent(abs(datum.value) / total) if chart.shares and total else "",
            places[index] or (place_of(datum) if place_of else ""),
            item,
            radii[index],
            captions[index],
        )


def _columns_of(series: Series, count: int, *, with_places: bool) -> tuple[Sequence[Any], ...]:
    """Return what a series says of each datum: name, role, link, place, caption and radius."""
    nothing = [""] * count
    own = [series.role] * count
    return (
        [*map(clean, series.labels), *nothing] if series.labels else nothing,
        [role or series.role for role in series.roles] + own if series.roles else own,
        [*map(safe_link, series.links), *nothing] if series.links else nothing,
        [*map(clean, series.places), *nothing] if series.places and with_places else nothing,
        [*map(clean, series.captions), *nothing] if series.captions else nothing,
        [*series.radii, *[0.0] * count] if series.radii else [0.0] * count,
    )


def _notes(missing: int, off_log: int) -> tuple[str, ...]:
    """Say what was left out and why."""
    notes = []
    if missing:
        notes.append(f"{counted(missing, 'value')} not measured")
    if off_log:
        values = counted(off_log, "value is", "values are")
        notes.append(f"{values} zero or negative, which a logarithmic axis can't show")
    return tuple(notes)


def _position_text(prepared: Prepared) -> Callable[[_Datum], str]:
    """Return what says where a datum is."""
    measure = prepared.position
    if prepared.chart.kind == "histogram":
        return lambda datum: f"{measure.text(datum.position)} to {measure.text(datum.end)}"
    # "Layer 12" of an axis "Layer (execution order)": the axis says the rest.
    title = _REMARK.split(measure.title)[0]
    return lambda datum: f"{title} {measure.text(datum.position)}".strip()
