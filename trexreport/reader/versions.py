"""Separate the values that pass through one tensor name.

TensorRT reuses names (and memory). A name begins a new version at each write that follows a read; writes
without a read between them fill one buffer together, as the branches of a concatenation do.
"""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.model import Tensor


class TensorVersions:
    """Hands out version numbers while walking the layers in execution order."""

    def __init__(self) -> None:
        self._version: dict[str, int] = {}
        self._was_read: set[str] = set()
        self.rewritten: set[str] = set()

    def read(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return what the next layer reads with the version of each filled in."""
        return tuple([self._read(tensor) for tensor in tensors])

    def written(self, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
        """Return what it then writes."""
        return tuple([self._write(tensor) for tensor in tensors])

    def _read(self, tensor: Tensor) -> Tensor:
        self._was_read.add(tensor.name)
        version = self._version.get(tensor.name, 0)
        return _with_version(tensor, version) if version else tensor

    def _write(self, tensor: Tensor) -> Tensor:
        version = self._version.get(tensor.name, 0)
        was_read = tensor.name in self._was_read
        if was_read:
            self.rewritten.add(tensor.name)
        if version == 0 or was_read:
            version += 1
        self._version[tensor.name] = version
        self._was_read.discard(tensor.name)
        return _with_version(tensor, version)


def _with_version(tensor: Tensor, version: int) -> Tensor:
    return Tensor(tensor.name, tensor.dimensions, tensor.format, tensor.location, version)
