"""What the engine is, as phrases."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import Identity
from trexreport.numbers import format_count

_MAX_INPUTS = 3


def input_shapes(identity: Identity) -> str:
    """Return the shapes of the first inputs: "image 8×3×224×224, mask 8×1 and 2 more"."""
    shown = [f"{each.name} {_extents(each.dimensions)}" for each in identity.inputs[:_MAX_INPUTS]]
    more = len(identity.inputs) - _MAX_INPUTS
    return ", ".join(shown) + (f" and {format_count(more)} more" if more > 0 else "")


def _extents(dimensions: Iterable[int]) -> str:
    return "×".join("?" if extent < 0 else str(extent) for extent in dimensions)


def model_name(identity: Identity) -> str:
    """Return the model file where the engine's name is another: "Model: yolov8n.onnx"; else empty."""
    stem = identity.model.rpartition(".")[0] or identity.model
    return f"Model: {identity.model}" if stem and stem.lower() not in identity.name.lower() else ""
