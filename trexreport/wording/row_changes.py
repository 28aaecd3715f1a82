"""What differs in structure between the sides of aligned rows, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis.compared_rows import Cause, RowSide
from trexreport.numbers import format_ms, format_signed

#: Part of the baseline's time from which on a cause is named although the sum of all is within noise, and the
#: least time.
_MIN_SHARE, _MIN_MS = 0.05, 0.001


def change_phrases(side: RowSide, baseline: RowSide) -> list[str]:
    """Return what an engine does otherwise than the baseline in a row, but for what the status states.

    A change of precision says from which to which: "inputs FP32 → FP16, outputs FP32 → INT8". A time within
    noise has no one cause; those that offset each other are named with what they add and save.
    """
    phrases = [
        _precision_change(baseline, side) if change == "precision changed" else change
        for change in side.changes
        if change != side.status
    ]
    offset = offset_causes(side.causes, baseline.time_ms or 0.0) if side.status == "within noise" else ""
    return [*phrases, offset] if offset else phrases


def offset_causes(causes: Mapping[Cause, float], baseline_ms: float) -> str:
    """Return the causes that change a time much, up and down; empty if they do so in one direction."""
    much = [(name, ms) for name, ms in causes.items() if abs(ms) >= max(_MIN_SHARE * baseline_ms, _MIN_MS)]
    less, more = (
        " and ".join(f"{name} {format_signed(ms, format_ms)}" for name, ms in much if sign * ms > 0)
        for sign in (-1, 1)
    )
    return f"{less} offset by {more}" if less and more else ""


def _precision_change(before: RowSide, after: RowSide) -> str:
    inputs = _from_to(_inputs(before), _inputs(after))
    outputs = _from_to(_outputs(before), _outputs(after))
    if inputs and inputs == outputs:
        return inputs
    found = [f"{of} {text}" for of, text in (("inputs", inputs), ("outputs", outputs)) if text]
    # Others than the first input or output, or other layers of the same precisions.
    return ", ".join(found) or "precision changed"


def _from_to(before: Sequence[str], after: Sequence[str]) -> str:
    """Return two lists of precisions with an arrow; nothing if either is not stated or both are alike."""
    if not (before and after) or {*before} == {*after}:
        return ""
    return f"{'+'.join(before)} → {'+'.join(after)}"


def _inputs(side: RowSide) -> list[str]:
    return [*dict.fromkeys(each.precision for each in side.members if not each.is_helper and each.precision)]


def _outputs(side: RowSide) -> list[str]:
    members = [each for each in side.members if not each.is_helper]
    return [*dict.fromkeys(each.output_precision for each in members if each.output_precision)]
