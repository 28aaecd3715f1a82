"""The columns of aligned rows (`row_columns.json`), for the page, the tables without script, PDF and docs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_number, format_signed
from trexreport.resources import packaged_table
from trexreport.wording.row_changes import change_phrases

#: Where a column is: in the page's table, from the start or on demand, or also in those that need no script.
Place = Literal["everywhere", "page", "on demand"]
#: What its values are, which decides how the page's script writes and aligns them.
Kind = Literal["text", "count", "number", "time", "difference"]


@dataclass(frozen=True)
class RowColumn:
    """A column of aligned rows.

    Attributes:
        key: Of the values in the page's script, and in the links that sort by it.
        heading: As tables show it, without the unit.
        unit: Of the numbers; empty for none.
        width: In pixels, at the usual text size.
        place: Where it is.
        about: What it has, for the documentation.
        terms: Names by which the page's filter knows it; its key if not given.
        write: Returns its text for a row, what the candidate does in it, and what the baseline does; for a
            column of each engine, what that engine does is the second.
        of_each_engine: There is one for each engine, headed by the engine's name.
        with_step: It is shown only while the rows of one step of the breakdown are selected.
    """

    key: str
    heading: str
    kind: Kind
    width: int
    place: Place
    about: str
    unit: str = ""
    terms: Sequence[str] | None = None
    write: Callable[[ComparedRow, RowSide, RowSide], str] | None = None
    of_each_engine: bool = False
    with_step: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right."""
        return self.kind != "text"


_WRITERS: dict[str, Callable[[ComparedRow, RowSide, RowSide], str]] = {
    "name": lambda row, _, __: f"{row.label} and {row.more_layers} more" if row.more_layers else row.label,
    "diff": lambda _, side, __: format_signed(side.difference_ms),
    "changes": lambda _, side, baseline: ", ".join(change_phrases(side, baseline)),
    "time": lambda _, side, __: format_number(side.time_ms) if side.members else "",
    "status": lambda _, side, __: side.status,
    "ratio": lambda _, side, __: format_number(side.ratio),
}
ROW_COLUMNS = tuple(
    RowColumn(**stated, write=_WRITERS.get(stated["key"]))
    for stated in packaged_table("renderer/comparison/row_columns.json")
)
STATIC_COLUMNS = tuple(column for column in ROW_COLUMNS if column.place == "everywhere")


def row_heading(key: str) -> str:
    """Return the heading of a column.

    Raises:
        KeyError: There is no such column.
    """
    return {column.key: column.heading for column in ROW_COLUMNS}[key]


def page_columns() -> list[dict[str, Any]]:
    """Return the columns of the page's table for its script, in their order."""
    return [
        {
            "key": column.key,
            "heading": column.heading,
            "unit": column.unit,
            "kind": column.kind,
            "width": column.width,
            "isNumber": column.is_number,
            "on": column.place != "on demand" and not column.with_step,
            "ofEachEngine": column.of_each_engine,
            "withStep": column.with_step,
        }
        for column in ROW_COLUMNS
    ]
