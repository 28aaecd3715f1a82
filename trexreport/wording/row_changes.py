"""What differs in structure between the sides of aligned rows, in words."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.compared_rows import RowSide


def change_phrases(side: RowSide, baseline: RowSide) -> list[str]:
    """Return what an engine does otherwise than the baseline in a row, but for what the status states.

    A change of precision says from which to which: "inputs FP32 → FP16, outputs FP32 → INT8".
    """
    return [
        _precision_change(baseline, side) if change == "precision changed" else change
        for change in side.changes
        if change != side.status
    ]


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
