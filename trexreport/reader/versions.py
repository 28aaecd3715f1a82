"""Separate the values that pass through one tensor name.

TensorRT reuses names (and memory). A name begins a new version at each write that follows a read; writes
without a read between them fill one buffer together, as the branches of a concatenation do.
"""

from __future__ import annotations


class TensorVersions:
    """Hands out version numbers while walking the layers in execution order."""

    def __init__(self) -> None:
        self._version: dict[str, int] = {}
        self._was_read: set[str] = set()
        self.rewritten: set[str] = set()

    def read(self, name: str) -> int:
        """Return the version of a name that the next layer reads."""
        self._was_read.add(name)
        return self._version.get(name, 0)

    def written(self, name: str) -> int:
        """Return the version of a name that the next layer writes."""
        version = self._version.get(name, 0)
        was_read = name in self._was_read
        if was_read:
            self.rewritten.add(name)
            self._was_read.discard(name)
        if version == 0 or was_read:
            version += 1
            self._version[name] = version
        return version
