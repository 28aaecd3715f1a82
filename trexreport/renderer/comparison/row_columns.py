"""The columns of aligned rows: declared here once, for the page, the tables without script, PDF and docs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_number, format_signed
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
    terms: tuple[str, ...] | None = None
    write: Callable[[ComparedRow, RowSide, RowSide], str] | None = None
    of_each_engine: bool = False
    with_step: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right."""
        return self.kind != "text"


ROW_COLUMNS = (
    RowColumn("index", "#", "count", 48, "page", "Rank by the largest difference."),
    RowColumn(
        "name",
        "Layers",
        "text",
        316,
        "everywhere",
        "The slowest layer, and how many more compute in the row.",
        write=lambda row, _, __: f"{row.label} and {row.more_layers} more" if row.more_layers else row.label,
    ),
    RowColumn(
        "diff",
        "Difference",
        "difference",
        156,
        "everywhere",
        "Time of the candidate minus that of the baseline.",
        unit="ms",
        write=lambda _, side, __: format_signed(side.difference_ms),
    ),
    RowColumn(
        "contribution",
        "Contribution",
        "difference",
        156,
        "page",
        "What the row contributes to the selected step; contributions add up to it.",
        unit="ms",
        with_step=True,
        terms=(),
    ),
    RowColumn(
        "changes",
        "What changed",
        "text",
        340,
        "everywhere",
        "What differs in structure; of a change of precision, inputs and outputs from which to which.",
        terms=("change", "cause"),
        write=lambda _, side, baseline: ", ".join(change_phrases(side, baseline)),
    ),
    RowColumn(
        "time",
        "Time",
        "time",
        90,
        "everywhere",
        "Time of the layers in each engine.",
        unit="ms",
        terms=("baseline", "candidate"),
        write=lambda _, side, __: format_number(side.time_ms) if side.members else "",
        of_each_engine=True,
    ),
    RowColumn(
        "status",
        "Status",
        "text",
        128,
        "everywhere",
        "Faster, slower, within noise, candidate only, baseline only.",
        write=lambda _, side, __: side.status,
    ),
    RowColumn(
        "ratio",
        "Ratio",
        "number",
        68,
        "page",
        "Time of the candidate over that of the baseline.",
        write=lambda _, side, __: format_number(side.ratio),
    ),
    RowColumn(
        "precision",
        "Precision",
        "text",
        180,
        "page",
        "Precisions of inputs and outputs.",
        terms=("precision", "out"),
    ),
    RowColumn("module", "Module", "text", 180, "on demand", "Module of the model."),
    RowColumn(
        "block",
        "Block",
        "text",
        180,
        "on demand",
        "Step of the breakdown by block; filtered by module and source line, too.",
        terms=("block", "onnx", "source"),
    ),
    RowColumn("type", "Type", "text", 128, "on demand", "Types of the layers."),
    RowColumn("tactic", "Tactic", "text", 320, "on demand", "Tactics of the candidate."),
    RowColumn(
        "matched", "Matched by", "text", 200, "on demand", "The evidence by which the layers were matched."
    ),
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
