"""The marks that the page can show of a large plan, for its legend."""

from __future__ import annotations

from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.graph.svg_text import changes_precision


def plan_marks(analysis: Analysis, plan: dict[str, Any]) -> tuple[str, ...]:
    """Return the marks that occur when all of a plan is open, as `explained` takes them.

    Args:
        analysis: The analysis.
        plan: What `viewer_data` returned for it.
    """
    rows = {kind for shape in plan["shapes"] for kind in "".join(shape.get("small", ()))}
    hidden: set[int] = set()
    for first, last in zip(plan["hidden"][::2], plan["hidden"][1::2], strict=True):
        hidden.update(range(first, last + 1))
    drawn = [layer for layer in analysis.layers if layer.index not in hidden]
    occurring = {
        "block": True,
        "share": any("share" in block for block in plan["blocks"]),
        "odd": any("differs" in block for block in plan["blocks"]),
        "reformat": any(layer.type == "Reformat" for layer in drawn),
        "turn": any(changes_precision(layer) for layer in drawn),
        "binding": bool(rows & {"I", "O"}),
        "stub": "S" in rows,
        "constant": "C" in rows,
        "end": len(plan["flows"]) > 1,
        "wait": bool(plan["syncs"]),
    }
    return tuple(mark for mark, occurs in occurring.items() if occurs)
