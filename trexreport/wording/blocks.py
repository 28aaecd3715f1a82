"""How a block differs from the other members of its series, as short statements."""

from __future__ import annotations

from trexreport.analyzer.analysis.blocks import BlockDifference
from trexreport.numbers import counted, format_ms
from trexreport.wording.shares import percent


def block_difference(difference: BlockDifference) -> str:
    """Return in which respect a block differs."""
    count = difference.count or 0
    if difference.code == "layer-count":
        return f"{count} layers instead of {difference.usual_count}"
    if difference.code == "layer-types":
        return f"{counted(count, 'layer')} of another type"
    if difference.code == "precision":
        usual = difference.usual_precision or "none"
        return f"{counted(count, 'layer')} in {difference.precision or 'no precision'} instead of {usual}"
    if difference.code == "shapes-or-formats":
        return "other shapes or formats"
    if difference.code == "tactics":
        return f"another tactic in {counted(count, 'layer')}"
    return f"{format_ms(difference.time_ms)}, {_off(difference)} than usual"


def _off(difference: BlockDifference) -> str:
    """Return by how much a time differs from the usual one."""
    more = "more" if difference.code == "longer-time" else "less"
    if not difference.usual_ms or difference.time_ms is None:
        return f"far {more}"
    return f"{percent(100 * abs(difference.time_ms - difference.usual_ms) / difference.usual_ms)} {more}"
