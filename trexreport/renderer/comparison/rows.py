"""Tables of a comparison that need no script: layers that differ most, and time by names of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import nsmallest

from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide, Share
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import format_number, format_signed, without_noise
from trexreport.renderer.comparison.row_columns import STATIC_COLUMNS
from trexreport.wording.row_changes import change_phrases

_MAX_CHANGED, _MAX_STATIC_ROWS = 20, 60

_MAX_SHARES = 25


@dataclass(frozen=True)
class RowView:
    """A row of the table that needs no script.

    Attributes:
        cells: Texts by the key of their column; of a column of each engine one text for each.
        is_different: Its time or its structure differs in the candidate.
    """

    index: int
    cells: dict[str, list[str]]
    is_different: bool


@dataclass(frozen=True)
class ChangedView:
    """A row in which engines differ: its layers and the value of each engine."""

    index: int
    label: str
    values: list[str]
    difference: str


def static_rows(comparison: Comparison, focus: int) -> list[RowView]:
    """Return the rows of the table that needs no script: those in which the candidate differs most."""
    ranked = nsmallest(_MAX_STATIC_ROWS, enumerate(comparison.rows), lambda each: _size(each[1], focus))
    return [_row_view(row, at, comparison.baseline, focus) for at, row in ranked]


def _size(row: ComparedRow, focus: int) -> float:
    """Return what sorts the largest differences of time first."""
    return -abs(row.sides[focus].difference_ms or 0.0)


def _row_view(row: ComparedRow, index: int, baseline: int, focus: int) -> RowView:
    side, before = row.sides[focus], row.sides[baseline]
    cells = {
        column.key: [
            column.write(row, each, before) for each in (row.sides if column.of_each_engine else (side,))
        ]
        for column in STATIC_COLUMNS
        if column.write is not None
    }
    return RowView(
        index, cells, bool(change_phrases(side, before)) or side.status not in {"", "within noise"}
    )


def precision_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return how many rows differ in precision, and those of the largest differences."""
    return _changed(comparison, focus, _precisions)


def tactic_changes(comparison: Comparison, focus: int) -> tuple[int, list[ChangedView]]:
    """Return how many rows differ in tactic at the same precision, and those of the largest differences."""

    def tactics(side: RowSide) -> str:
        return ", ".join(dict.fromkeys([m.tactic for m in side.members if not m.is_helper and m.tactic]))

    return _changed(comparison, focus, tactics, within=_precisions)


def _changed(
    comparison: Comparison,
    focus: int,
    value_of: Callable[[RowSide], str],
    within: Callable[[RowSide], str] = lambda _: "",
) -> tuple[int, list[ChangedView]]:
    """Return the rows whose sides differ in a value, the largest differences of time first.

    Sides are compared with those that are equal in `within`.
    """
    found = []
    for index, row in enumerate(comparison.rows):
        if _are_alike(row.sides):
            continue
        values = [value_of(side) for side in row.sides]
        if len(set(values)) < 2:
            continue
        groups: dict[str, set[str]] = {}
        for side, value in zip(row.sides, values, strict=True):
            if value:
                groups.setdefault(within(side), set()).add(value)
        if any(len(group) > 1 for group in groups.values()):
            found.append((index, row, values))
    found.sort(key=lambda each: _size(each[1], focus))
    return len(found), [
        ChangedView(index, row.label, values, format_signed(row.sides[focus].difference_ms))
        for index, row, values in found[:_MAX_CHANGED]
    ]


def _are_alike(sides: Sequence[RowSide]) -> bool:
    """Return whether all engines have one layer in a row, and of equal precision and tactic: in most rows."""
    first, *others = [side.members for side in sides]
    if len(first) != 1:
        return False
    one = first[0]
    return all(
        len(members) == 1
        and members[0].tactic == one.tactic
        and members[0].precision == one.precision
        and members[0].output_precision == one.output_precision
        and members[0].is_helper == one.is_helper
        for members in others
    )


def _precisions(side: RowSide) -> str:
    """Return the precisions of inputs and outputs of the computing layers."""
    found = dict.fromkeys(
        member.precision
        if member.precision == member.output_precision or not member.output_precision
        else f"{member.precision} → {member.output_precision}"
        for member in side.members
        if not member.is_helper and member.precision
    )
    return ", ".join(found)


@dataclass(frozen=True)
class ShareView:
    """Layer time of some names of the model, in each engine."""

    label: str
    more: int
    times: list[str]
    difference: str


def share_views(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[ShareView]:
    """Return the names of the model whose latency differs most between baseline and candidate."""
    baseline = comparison.baseline

    def difference(share: Share) -> float | None:
        before, after = share.times_ms[baseline], share.times_ms[focus]
        unknown = any(
            time is None and share.layers[engine] for engine, time in ((baseline, before), (focus, after))
        )
        if unknown or (before is None and after is None):
            return None
        return without_noise((after or 0.0) - (before or 0.0), after or 0.0, before or 0.0)

    ranked = sorted(shown_shares(comparison, shares, focus), key=lambda share: -abs(difference(share) or 0.0))
    return [
        ShareView(
            label=" + ".join(share.names[:3]) or "layers without names of the model",
            more=max(0, len(share.names) - 3),
            times=[format_number(time) if time is not None else "" for time in share.times_ms],
            difference=format_signed(difference(share)),
        )
        for share in ranked[:_MAX_SHARES]
    ]


def engines_with(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[int]:
    """Return baseline and candidate, and the engines that share a name with one of them.

    The column of an engine that names its layers in another way would be empty.
    """
    both = {comparison.baseline, focus}
    named = [share for share in shares if share.names]
    return [
        engine
        for engine in range(len(comparison.engines))
        if engine in both
        or any(share.layers[engine] and any(share.layers[each] for each in both) for share in named)
    ]


def shown_shares(comparison: Comparison, shares: Sequence[Share], focus: int) -> list[Share]:
    """Return the shares of which one of the engines with a column has layers."""
    engines = engines_with(comparison, shares, focus)
    return [share for share in shares if any(share.layers[engine] for engine in engines)]


def in_common(comparison: Comparison, shares: Sequence[Share], focus: int) -> float:
    """Return which part of the names is in both the baseline and a candidate."""
    known = [(share.layers[comparison.baseline], share.layers[focus]) for share in shares if share.names]
    either = [pair for pair in known if any(pair)]
    return sum(all(pair) for pair in either) / len(either) if either else 1.0


def modules_are_blocks(comparison: Comparison) -> bool:
    """Return whether the waterfalls by block already show the time of each module."""
    if comparison.block_basis != "modules":
        return False
    blocks = {row.block for row in comparison.rows}
    return all(name in blocks for share in comparison.by_module for name in share.names)
