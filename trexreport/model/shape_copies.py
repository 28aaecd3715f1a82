"""The copies of shapes between host and GPU, by the names that TensorRT gives them."""

from __future__ import annotations

#: Part of the name of a layer that copies a shape to the host, which waits for it.
_TO_HOST = "devicetoshapehostcopy"


def copies_shape_to_host(name: str) -> bool:
    """Return whether a layer of this name copies a shape to the host."""
    return _TO_HOST in name.casefold()
