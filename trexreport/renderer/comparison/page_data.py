"""The part of a comparison that its page's script works with; empty and missing values are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Change
from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.comparison.row_columns import page_columns
from trexreport.renderer.packing import in_columns
from trexreport.renderer.page_data import page_data
from trexreport.renderer.palette import color

#: Structural changes that the color of a layer can show; of several the first is shown.
STRUCTURE: tuple[Change, ...] = (
    "candidate only",
    "fused",
    "split",
    "precision changed",
    "reformats added",
    "reformats removed",
    "tactic changed",
)
#: What the script needs of the layers of engines whose graph is not shown.
_LAYER_KEYS = ("name", "type", "precision", "output_precision", "tactic", "avg_ms", "origins")


def comparison_data(comparison: Comparison, analyses: Sequence[Analysis], focus: int) -> dict[str, Any]:
    """Return what the script needs, ready for JSON.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order.
        focus: Index of the engine whose graph the page has; with its layers in full.
    """
    shown = page_data(analyses[focus], {})
    # New and resolved findings have their own section.
    shown["findings"] = []
    statuses = ("faster", "slower", "within noise", "candidate only", "baseline only", *STRUCTURE)
    return shown | {
        "baseline": comparison.baseline,
        "focus": focus,
        "engines": [
            {
                "name": engine.name,
                "sum": engine.figures.layer_sum_ms,
                "layers": None if index == focus else in_columns([_layer(each) for each in analysis.layers]),
                "steps": {by: [steps.names, steps.layers] for by, steps in engine.model_steps.items()},
            }
            for index, (engine, analysis) in enumerate(zip(comparison.engines, analyses, strict=True))
        ],
        "rows": in_columns([_row(row) for row in comparison.rows]),
        "sides": [
            in_columns([_side(row.sides[index]) for row in comparison.rows])
            for index in range(len(comparison.engines))
        ],
        "changeColors": {status: color(f"change:{status}") for status in sorted(statuses)},
        "structure": list(STRUCTURE),
        "rowColumns": page_columns(),
    }


def _row(row: ComparedRow) -> dict[str, Any]:
    return _without_empty(
        {
            "label": row.label,
            "moreLayers": row.more_layers,
            "module": row.module,
            "block": row.block,
            "cut": row.cut,
        }
    )


def _side(side: RowSide) -> dict[str, Any]:
    return _without_empty(
        {
            "members": [member.index for member in side.members if not member.is_helper],
            "helpers": [member.index for member in side.members if member.is_helper],
            "keys": side.keys,
            "ms": side.time_ms,
            "diff": side.difference_ms,
            "ratio": None if side.ratio is None else float(f"{side.ratio:.6g}"),
            "status": side.status,
            "changes": side.changes,
            "causes": {name: float(f"{part:.6g}") for name, part in side.causes.items()},
        },
        zero=("ms", "diff"),
    )


def _layer(layer: LayerFacts) -> dict[str, Any]:
    return _without_empty({key: getattr(layer, key) for key in _LAYER_KEYS}, zero=("avg_ms",))


def _without_empty(record: dict[str, Any], zero: Sequence[str] = ()) -> dict[str, Any]:
    """Leave out empty values; a zero is one except where it is measured."""
    return {
        key: value
        for key, value in record.items()
        if value is not None and (key in zero or value not in ("", [], {}, 0, False))
    }
