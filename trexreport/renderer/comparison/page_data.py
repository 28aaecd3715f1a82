"""The part of a comparison that its page's script works with; empty and missing values are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import Change
from trexreport.analyzer.analysis.compared_rows import ComparedRow, RowSide
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.renderer.comparison.row_columns import page_columns
from trexreport.renderer.packing import columns_of
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
    # New and resolved findings have their own section.
    shown = page_data(analyses[focus], {}, with_findings=False)
    statuses = ("faster", "slower", "within noise", "candidate only", "baseline only", *STRUCTURE)
    return shown | {
        "baseline": comparison.baseline,
        "focus": focus,
        "engines": [
            {
                "name": engine.name,
                "sum": engine.figures.layer_sum_ms,
                "layers": None if index == focus else _layers(analysis.layers),
                "steps": {by: [steps.names, steps.layers] for by, steps in engine.model_steps.items()},
            }
            for index, (engine, analysis) in enumerate(zip(comparison.engines, analyses, strict=True))
        ],
        "rows": _rows(comparison.rows),
        "sides": [
            _sides([row.sides[index] for row in comparison.rows]) for index in range(len(comparison.engines))
        ],
        "changeColors": {status: color(f"change:{status}") for status in sorted(statuses)},
        "structure": list(STRUCTURE),
        "rowColumns": page_columns(),
    }


def _rows(rows: Sequence[ComparedRow]) -> dict[str, Any]:
    return columns_of(
        len(rows),
        {
            "label": _known(row.label for row in rows),
            "moreLayers": _known(row.more_layers for row in rows),
            "module": _known(row.module for row in rows),
            "block": _known(row.block for row in rows),
            "cut": _known(row.cut for row in rows),
        },
    )


def _sides(sides: Sequence[RowSide]) -> dict[str, Any]:
    return columns_of(
        len(sides),
        {
            "members": _known(_indices(side, helpers=False) for side in sides),
            "helpers": _known(_indices(side, helpers=True) for side in sides),
            "keys": _known(tuple(side.keys) for side in sides),
            "ms": [side.time_ms for side in sides],
            "diff": [side.difference_ms for side in sides],
            "ratio": _known(None if side.ratio is None else float(f"{side.ratio:.6g}") for side in sides),
            "status": _known(side.status for side in sides),
            "changes": _known(tuple(side.changes) for side in sides),
            "causes": _known(
                {name: float(f"{part:.6g}") for name, part in side.causes.items()} for side in sides
            ),
        },
    )


def _indices(side: RowSide, *, helpers: bool) -> tuple[int, ...]:
    """Return the layers that serve others, or those that compute; as a tuple, which packs faster."""
    return tuple([member.index for member in side.members if member.is_helper is helpers])


def _layers(layers: Sequence[LayerFacts]) -> dict[str, Any]:
    columns = {key: _known(getattr(layer, key) for layer in layers) for key in _LAYER_KEYS}
    # A zero is empty except where it is measured.
    return columns_of(len(layers), columns | {"avg_ms": [layer.avg_ms for layer in layers]})


def _known(values: Iterable[Any]) -> list[Any]:
    """Return values of which the empty ones are None, zeros too."""
    return [value or None for value in values]
