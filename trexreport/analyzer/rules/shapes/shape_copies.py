"""The copies of shapes between host and GPU, by the names that TensorRT gives them."""

from __future__ import annotations

#: Part of the name of a layer that copies a shape to the host, which waits for it.
TO_HOST = "devicetoshapehostcopy"
