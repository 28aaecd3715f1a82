"""Aligned layers in tables that need no script: those that differ most, in time, precision or tactic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trexreport.analyzer.analysis.comparison import ComparedRow, Comparison, RowSide
from trexreport.numbers import format_ms
from trexreport.wording.comparison import signed_ms

_MOST_CHANGED, _MOST_STATIC_ROWS = 20, 60


@dataclass(frozen=True)
class RowView:
    """A row of the table that needs no script."""

    index: int
    label: str
    more_layers: int
    times: list[str]
    difference: str
    status: str
    changes: list[str]


@dataclass(frozen=True)
class ChangedView:
    """A row in which engines disagree: its layers and what each engine has there."""

    index: int
    label: str
    values: list[str]
    difference: str


def static_rows(comparison: Comparison, focus: int) -> list[RowView]:
    """Return the rows of the table that needs no script: those in which the candidate differs most."""
    order = sorted(
        range(len(comparison.rows)),
        key=lambda at: (-abs(comparison.rows[at].sides[focus].difference_ms or 0.0), at),
    )
    return [_row_view(comparison.rows[at], at, focus) for at in order[:_MOST_STATIC_ROWS]]


def _row_view(row: ComparedRow, index: int, focus: int) -> RowView:
    side = row.sides[focus]
    return RowView(
        index=index,
        label=row.label,
        more_layers=row.more_layers,
        times=[format_ms(each.time_ms) if each.members else "" for each in row.sides],
        difference=signed_ms(side.difference_ms),
        status=side.status,
        changes=[change for change in side.changes if change != side.status],
    )


def precision_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return how many aligned groups of layers differ in precision, and those that cost most."""
    return _changed(comparison, focus, _precisions)


def tactic_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return in how many aligned groups engines run other kernels in the same precision; the dearest."""

    def tactics(side: RowSide) -> str:
        return ", ".join(dict.fromkeys(m.tactic for m in side.members if not m.is_helper and m.tactic))

    return _changed(comparison, focus, tactics, within=_precisions)


def _changed(
    comparison: Comparison,
    focus: int,
    told: Callable[[RowSide], str],
    within: Callable[[RowSide], str] = lambda _: "",
) -> tuple[int, list[ChangedView]]:
    """Return the rows whose sides tell different things, those first in which the candidate costs most.

    Sides are held against those of which `within` says the same.
    """
    found = []
    for index, row in enumerate(comparison.rows):
        values = [told(side) for side in row.sides]
        groups: dict[str, set[str]] = {}
        for side, value in zip(row.sides, values, strict=True):
            if value:
                groups.setdefault(within(side), set()).add(value)
        if any(len(group) > 1 for group in groups.values()):
            found.append((index, row, values))
    found.sort(key=lambda each: (-abs(each[1].sides[focus].difference_ms or 0.0), each[0]))
    return len(found), [
        ChangedView(index, row.label, values, signed_ms(row.sides[focus].difference_ms))
        for index, row, values in found[:_MOST_CHANGED]
    ]


def _precisions(side: RowSide) -> str:
    """Return the precisions that the computing layers take in and put out."""
    found = dict.fromkeys(
        member.precision
        if member.precision == member.output_precision or not member.output_precision
        else f"{member.precision} → {member.output_precision}"
        for member in side.members
        if not member.is_helper and member.precision
    )
    return ", ".join(found)
