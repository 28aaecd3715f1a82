"""The part of a comparison that its page's script works with; empty and missing values are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Change
from trexreport.analyzer.analysis.comparison import ComparedRow, Comparison, RowSide
from trexreport.renderer.packing import in_columns
from trexreport.renderer.page_data import page_data
from trexreport.renderer.palette import color

#: What the color of a layer can say besides its mark; of several the first is shown.
STRUCTURE: tuple[Change, ...] = (
    "candidate only",
    "fused",
    "split",
    "precision changed",
    "reformats added",
    "reformats removed",
    "tactic changed",
)


def comparison_data(comparison: Comparison, analyses: Sequence[Analysis], focus: int) -> dict[str, Any]:
    """Return what the script needs, ready for JSON.

    Args:
        comparison: Of the engines.
        analyses: Of the engines, in their order.
        focus: Index of the engine whose graph the page has; its layers are told in full.
    """
    shown = page_data(analyses[focus], {})
    # Findings have their own section in a comparison: those that appeared or vanished.
    shown["findings"] = []
    marks = ("faster", "slower", "within noise", "candidate only", "baseline only", *STRUCTURE)
    return shown | {
        "baseline": comparison.baseline,
        "focus": focus,
        "engines": [
            {
                "name": engine.name,
                "sum": engine.figures.layer_sum_ms,
                "layers": None if index == focus else in_columns([_layer(each) for each in analysis.layers]),
            }
            for index, (engine, analysis) in enumerate(zip(comparison.engines, analyses, strict=True))
        ],
        "rows": in_columns([_row(row) for row in comparison.rows]),
        "sides": [
            in_columns([_side(row.sides[index]) for row in comparison.rows])
            for index in range(len(comparison.engines))
        ],
        "changeColors": {mark: color(f"change:{mark}") for mark in sorted(marks)},
        "structure": list(STRUCTURE),
    }


def _row(row: ComparedRow) -> dict[str, Any]:
    return _told(
        {
            "label": row.label,
            "others": row.more_layers,
            "module": row.module,
            "cut": row.cut,
            "place": row.position,
        }
    )


def _side(side: RowSide) -> dict[str, Any]:
    return _told(
        {
            "members": [member.index for member in side.members if not member.is_helper],
            "helpers": [member.index for member in side.members if member.is_helper],
            "keys": side.keys,
            "ms": side.time_ms,
            "diff": side.difference_ms,
            "ratio": None if side.ratio is None else float(f"{side.ratio:.6g}"),
            "mark": side.status,
            "changes": side.changes,
            "causes": {name: float(f"{part:.6g}") for name, part in side.causes.items()},
        },
        zero=("ms", "diff"),
    )


def _layer(layer: LayerFacts) -> dict[str, Any]:
    return _told(
        {
            "name": layer.name,
            "type": layer.type,
            "precision": layer.precision,
            "output_precision": layer.output_precision,
            "tactic": layer.tactic,
            "avg_ms": layer.avg_ms,
            "origins": layer.origins,
        },
        zero=("avg_ms",),
    )


def _told(record: dict[str, Any], zero: Sequence[str] = ()) -> dict[str, Any]:
    """Leave out what says nothing; a zero says nothing except where it is measured."""
    return {
        key: value
        for key, value in record.items()
        if value is not None and (key in zero or value not in ("", [], {}, 0, False))
    }
