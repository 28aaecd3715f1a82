"""What the engine is, as phrases."""

from __future__ import annotations

from collections.abc import Iterable

from trexreport.analyzer.analysis import Analysis, Identity
from trexreport.model.measured_log import TYPES
from trexreport.numbers import format_count, join_names

_MAX_INPUTS, _MAX_TYPES = 3, 3


def input_shapes(identity: Identity) -> str:
    """Return the shapes of the first inputs: "image 8×3×224×224, mask 8×1 and 2 more"."""
    shown = [f"{each.name} {_extents(each.dimensions)}" for each in identity.inputs[:_MAX_INPUTS]]
    more = len(identity.inputs) - _MAX_INPUTS
    return ", ".join(shown) + (f" and {format_count(more)} more" if more > 0 else "")


def _extents(dimensions: Iterable[int]) -> str:
    return "×".join("?" if extent < 0 else str(extent) for extent in dimensions)


def precisions_text(analysis: Analysis) -> str:
    """Return the precisions that the builder was allowed, else those of the layers or of the name."""
    identity = analysis.identity
    if identity.precisions:
        return identity.precisions
    groups = sorted(analysis.by_precision, key=lambda group: -(group.time_ms or 0.0))
    names = [group.name for group in groups if group.count and group.name in TYPES]
    if names and not identity.names_only:
        return f"layers in {join_names(names[:_MAX_TYPES])}"
    return f"{identity.named_precisions} by name" if identity.named_precisions else ""


def model_name(identity: Identity) -> str:
    """Return the model file where the engine's name is another: "Model: yolov8n.onnx"; else empty."""
    stem = identity.model.rpartition(".")[0] or identity.model
    return f"Model: {identity.model}" if stem and stem.lower() not in identity.name.lower() else ""
