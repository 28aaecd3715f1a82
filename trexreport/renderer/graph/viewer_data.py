"""What the page needs to draw a large graph block by block; `docs/graph-data.md` describes the format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trexreport.analyzer.analysis import Analysis, Block
from trexreport.analyzer.analysis.blocks import Series
from trexreport.garbage import collection_paused
from trexreport.renderer.graph.interiors import Interiors, Part, ends_of_edges, lay_out_interiors
from trexreport.renderer.graph.layout.interface import Layout
from trexreport.renderer.graph.picture import LAYER_SIZE, ROW_PAD, ROW_SIZE, size_of
from trexreport.renderer.graph.streams import synchronizations
from trexreport.renderer.packing import six_digits
from trexreport.wording.blocks import block_difference

#: Raised by one whenever the viewer would have to change.
VERSION = 1

_LETTERS = {"input": "I", "output": "O", "stub": "S", "constant": "C"}


@collection_paused()
def viewer_data(analysis: Analysis, shown: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return blocks, geometry and what joins the blocks, ready for JSON.

    Args:
        analysis: The analysis.
        shown: Of `FOLDABLE`, what is not left out.
    """
    interiors = lay_out_interiors(analysis, shown)
    return {
        "version": VERSION,
        "basis": analysis.blocks.basis,
        "sizes": {"layer": [*map(round, LAYER_SIZE)], "row": [*map(round, ROW_SIZE)], "pad": round(ROW_PAD)},
        "blocks": [_block(block) for block in analysis.blocks.items],
        "series": [_series(series) for series in analysis.blocks.series],
        "hidden": _ranges(layer.index for layer in analysis.layers if layer.index not in interiors.drawn),
        "shapes": _shapes(interiors),
        "parts": _parts(interiors),
        "flows": [[flow.tensor, flow.source, *flow.targets] for flow in interiors.flows],
        "syncs": [list(pair) for pair in synchronizations(analysis.layers, interiors.drawn)],
    }


def _block(block: Block) -> dict[str, Any]:
    return _without_empty(
        {
            "kind": block.kind,
            "label": block.label,
            "path": block.path if block.path.rpartition("/")[2] != block.label else None,
            "parent": block.parent,
            "ranges": [index for pair in block.ranges for index in pair],
            "count": block.count,
            "ms": _six_digits(block.time_ms),
            "share": _six_digits(block.share_percent),
            "precisions": (
                {name: _six_digits(time) for name, time in block.precision_ms.items()}
                or block.precision_layers
            ),
            "repeats": block.repeat_of,
            "differs": [block_difference(each) for each in block.differs],
        }
    )


def _series(series: Series) -> dict[str, Any]:
    return _without_empty(
        {
            "label": series.label,
            "parent": series.parent,
            "members": _ranges(series.members),
            "alike": series.alike,
            "ms": _six_digits(series.median_ms),
            "odd": series.odd,
        }
    )


def _shapes(interiors: Interiors) -> list[dict[str, Any]]:
    """Return the geometries; any part of a shape has the kinds of its boxes."""
    example: dict[int, Part] = {}
    for part in interiors.parts:
        example.setdefault(part.shape, part)
    return [_shape(layout, example[number]) for number, layout in enumerate(interiors.layouts)]


def _shape(layout: Layout, part: Part) -> dict[str, Any]:
    """Return one geometry in whole pixels; edges name boxes by number and ports by negative numbers."""
    at: list[int] = []
    for number, box in enumerate(part.boxes.values()):
        x, y = layout.positions[str(number)]
        width, height = size_of(box)
        at += [round(x - width / 2), round(y - height / 2)]
    edges = [
        [
            *(int(end) if end.isdecimal() else -1 - int(end[1:]) for end in (source, target)),
            *(round(value) for point in layout.routes[str(number)] for value in point),
        ]
        for number, (source, target, _) in enumerate(ends_of_edges(part))
    ]
    small = [box for box in part.boxes.values() if box.kind == "small"]
    return _without_empty(
        {
            "w": round(layout.width),
            "h": round(layout.height),
            "layers": sum(box.kind == "layer" for box in part.boxes.values()),
            # A letter for each row.
            "small": ["".join(_LETTERS[row.kind] for row in box.rows) for box in small],
            "at": at,
            "top": [round(layout.positions[f"t{number}"][0]) for number in range(len(part.arriving))],
            "bottom": [round(layout.positions[f"b{number}"][0]) for number in range(len(part.leaving))],
            "edges": edges,
        }
    )


def _parts(interiors: Interiors) -> list[dict[str, Any]]:
    count = Counter(part.block for part in interiors.parts)
    layers = [[box.index for box in part.boxes.values() if box.kind == "layer"] for part in interiors.parts]
    return [
        _without_empty(
            {
                "block": part.block,
                "shape": part.shape,
                "layers": _ranges(indices) if count[part.block] > 1 else None,
                "rows": [row.tensor for box in part.boxes.values() for row in box.rows],
                "tensors": [arrow.tensor for arrow in part.arrows],
                "in": list(part.arriving),
                "out": list(part.leaving),
            }
        )
        for part, indices in zip(interiors.parts, layers, strict=True)
    ]


def _without_empty(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without empty and unknown values."""
    return {key: value for key, value in record.items() if value not in (None, "", [], {})}


def _ranges(indices: Iterable[int]) -> list[int]:
    """Return ascending numbers as pairs of first and last."""
    pairs: list[int] = []
    for index in indices:
        if pairs and pairs[-1] == index - 1:
            pairs[-1] = index
        else:
            pairs += [index, index]
    return pairs


def _six_digits(value: float | None) -> float | None:
    return None if value is None else six_digits(value)
