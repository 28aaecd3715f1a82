"""Whether extents are unknown until run time, or because what a file states is impossible."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class _Tensor(Protocol):
    @property
    def dimensions(self) -> Sequence[int]: ...


def has_dynamic_extent(
    attributes: Mapping[str, Any], inputs: Sequence[_Tensor], outputs: Sequence[_Tensor]
) -> bool:
    """Return whether an extent of a layer's tensors is unknown because it is known only at run time.

    What a file states and nothing can have is unknown, too, and no option of a run makes it known.

    Args:
        attributes: What the file says of the layer.
        inputs: The tensors that it reads.
        outputs: The tensors that it writes.
    """
    return any(
        min(tensor.dimensions, default=0) < 0 and not (at < len(stated) and _is_refused(stated[at]))
        for key, tensors in (("Inputs", inputs), ("Outputs", outputs))
        for stated in [_records(attributes.get(key))]
        for at, tensor in enumerate(tensors)
    )


def keeps_unknown_extents(layer_type: str) -> bool:
    """Return whether Myelin generates layers of a type: their extents stay unknown whatever the run has."""
    return layer_type[:1].islower() or layer_type == "Myelin"


def _records(items: Any) -> list[dict[str, Any]]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _is_refused(item: Mapping[str, Any]) -> bool:
    extents = item.get("Dimensions")
    return isinstance(extents, list) and -1 not in extents
