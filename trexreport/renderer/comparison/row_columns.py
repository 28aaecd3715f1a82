"""The columns of aligned rows: declared here once, for the page, the tables without script, PDF and docs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from trexreport.analyzer.analysis.comparison import ComparedRow, RowSide
from trexreport.numbers import format_ms, format_number
from trexreport.wording.comparison import signed_ms

#: Where a column is: in the page's table, from the start or on demand; in the tables that need no script.
Place = Literal["page", "page on demand", "static"]
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
        places: Where it is.
        terms: Names by which the page's filter knows it.
        about: What it has, for the documentation.
        write: Returns its text for a row, given the indices of the baseline and of the candidate; for a
            column of each engine that of the engine.
        of_each_engine: There is one for each engine, headed by the engine's name.
        with_step: It is shown only while the rows of one step of the breakdown are selected.
    """

    key: str
    heading: str
    kind: Kind
    width: int
    places: frozenset[Place]
    about: str
    unit: str = ""
    terms: tuple[str, ...] = ()
    write: Callable[[ComparedRow, int, int], str] | None = None
    of_each_engine: bool = False
    with_step: bool = False

    @property
    def is_number(self) -> bool:
        """Whether it is aligned to the right."""
        return self.kind != "text"


def _label(row: ComparedRow, _baseline: int, _candidate: int) -> str:
    return f"{row.label} and {row.more_layers} more" if row.more_layers else row.label


def _time(row: ComparedRow, _baseline: int, engine: int) -> str:
    side = row.sides[engine]
    return format_ms(side.time_ms) if side.members else ""


def _difference(row: ComparedRow, _baseline: int, candidate: int) -> str:
    return signed_ms(row.sides[candidate].difference_ms)


def _ratio(row: ComparedRow, _baseline: int, candidate: int) -> str:
    return format_number(row.sides[candidate].ratio)


def _status(row: ComparedRow, _baseline: int, candidate: int) -> str:
    return row.sides[candidate].status


def other_changes(side: RowSide) -> list[str]:
    """Return the structural changes that the status does not state already."""
    return [change for change in side.changes if change != side.status]


def _changes(row: ComparedRow, _baseline: int, candidate: int) -> str:
    return ", ".join(other_changes(row.sides[candidate]))


_EVERYWHERE: frozenset[Place] = frozenset({"page", "static"})
_PAGE: frozenset[Place] = frozenset({"page"})
_ON_DEMAND: frozenset[Place] = frozenset({"page on demand"})

ROW_COLUMNS = (
    RowColumn("index", "#", "count", 48, _PAGE, "Rank by the largest difference.", terms=("index",)),
    RowColumn(
        "name",
        "Layers",
        "text",
        200,
        _EVERYWHERE,
        "The slowest layer, and how many more compute in the row.",
        terms=("name",),
        write=_label,
    ),
    RowColumn("module", "Module", "text", 180, _ON_DEMAND, "Module of the model.", terms=("module",)),
    RowColumn("block", "Block", "text", 180, _ON_DEMAND, "Step of the breakdown by block.", terms=("block",)),
    RowColumn(
        "time",
        "Time",
        "time",
        144,
        _EVERYWHERE,
        "Time of the layers in each engine.",
        unit="ms",
        terms=("baseline", "candidate"),
        write=_time,
        of_each_engine=True,
    ),
    RowColumn(
        "diff",
        "Difference",
        "difference",
        148,
        _EVERYWHERE,
        "Time of the candidate minus that of the baseline.",
        unit="ms",
        terms=("diff",),
        write=_difference,
    ),
    RowColumn(
        "contribution",
        "Contribution",
        "difference",
        148,
        _PAGE,
        "What the row contributes to the selected step; contributions add up to it.",
        unit="ms",
        with_step=True,
    ),
    RowColumn(
        "ratio",
        "Ratio",
        "number",
        68,
        _PAGE,
        "Time of the candidate over that of the baseline.",
        terms=("ratio",),
        write=_ratio,
    ),
    RowColumn(
        "status",
        "Status",
        "text",
        116,
        _EVERYWHERE,
        "Faster, slower, within noise, candidate only, baseline only.",
        terms=("status",),
        write=_status,
    ),
    RowColumn(
        "changes",
        "What changed",
        "text",
        216,
        _EVERYWHERE,
        "What differs in structure.",
        terms=("change", "cause"),
        write=_changes,
    ),
    RowColumn(
        "precision",
        "Precision",
        "text",
        180,
        _PAGE,
        "Precisions of inputs and outputs.",
        terms=("precision", "out"),
    ),
    RowColumn("type", "Type", "text", 128, _ON_DEMAND, "Types of the layers.", terms=("type",)),
    RowColumn("tactic", "Tactic", "text", 320, _ON_DEMAND, "Tactics of the candidate.", terms=("tactic",)),
    RowColumn(
        "matched",
        "Matched by",
        "text",
        200,
        _ON_DEMAND,
        "The evidence by which the layers were matched.",
        terms=("matched",),
    ),
)
STATIC_COLUMNS = tuple(column for column in ROW_COLUMNS if "static" in column.places)


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
            "on": "page" in column.places and not column.with_step,
            "ofEachEngine": column.of_each_engine,
            "withStep": column.with_step,
        }
        for column in ROW_COLUMNS
        if not column.places.isdisjoint({"page", "page on demand"})
    ]


def columns_markdown() -> str:
    """Return the table of all columns for the documentation."""
    lines = ["| column | content | filter term |", "|---|---|---|"]
    for column in ROW_COLUMNS:
        terms = " ".join(f"`{term}`" for term in column.terms)
        lines.append(f"| {column.heading} | {column.about} | {terms} |")
    return "\n".join(lines)
