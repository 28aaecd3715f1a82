"""Tables of several phases: those of one engine, with the phase in a first column."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.errors import UsageError
from trexreport.renderer.tables import Table, TableColumn, make_table

_PHASE = TableColumn("phase")
_GROUPS = (
    TableColumn("name"),
    TableColumn("count", "count"),
    TableColumn("time_ms", "number"),
    TableColumn("share_percent", "number"),
)
_BINDINGS = (
    TableColumn("name"),
    TableColumn("mode"),
    TableColumn("dimensions", "list"),
    TableColumn("format"),
    TableColumn("size_bytes", "bytes"),
)


def make_phases_table(phases: Sequence[tuple[str, Analysis]], name: str) -> Table:
    """Return a table of all phases.

    Args:
        phases: Name and analysis of each; at least one.
        name: Of the table.

    Raises:
        UsageError: There is no such table, or the ONNX model of a phase, which it needs, is not known.
    """
    tables = [_table(phase, analysis, name) for phase, analysis in phases]
    rows = [
        {_PHASE.key: phase, **row}
        for (phase, _), table in zip(phases, tables, strict=True)
        for row in table.rows
    ]
    note = f"{tables[0].note} Shares and indices are those of one phase."
    return Table(name, [_PHASE, *tables[0].columns], rows, note)


def _table(phase: str, analysis: Analysis, name: str) -> Table:
    try:
        return make_table(analysis, name)
    except UsageError as error:
        raise UsageError(f"{phase}: {error}") from None


def phases_groups(phases: Sequence[tuple[str, Analysis]]) -> list[Table]:
    """Return the sheets that a workbook of layers has besides: by type, by precision, bindings."""
    groups = {
        "by type": [(phase, group) for phase, each in phases for group in each.by_type],
        "by precision": [(phase, group) for phase, each in phases for group in each.by_precision],
    }
    tables = [
        Table(
            name,
            [_PHASE, *_GROUPS],
            [
                {_PHASE.key: phase, **{column.key: getattr(group, column.key) for column in _GROUPS}}
                for phase, group in rows
            ],
            "",
        )
        for name, rows in groups.items()
    ]
    bindings = [
        {_PHASE.key: phase, **{column.key: getattr(binding, column.key) for column in _BINDINGS}}
        for phase, each in phases
        for binding in each.bindings
    ]
    return [*tables, Table("bindings", [_PHASE, *_BINDINGS], bindings, "")]
