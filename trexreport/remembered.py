"""Remember what several documents of one process have in common, such as the layers of a model in a site."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """Values that are made once. What is kept has a limit; what was not asked for the longest goes first.

    Args:
        most: How large all values are together.
        size_of: How large one is, by its key and itself.
    """

    def __init__(self, most: int, size_of: Callable[[Key, Value], int]) -> None:
        self._most, self._size_of = most, size_of
        self._values: dict[Key, Value] = {}
        self._size = 0
        self._lock = Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, which is made unless it is remembered."""
        with self._lock:
            if key in self._values:
                # Asked for again, it is the newest.
                return self._values.setdefault(key, self._values.pop(key))
        value = make()
        with self._lock:
            if key not in self._values:
                self._values[key] = value
                self._size += self._size_of(key, value)
            while self._size > self._most:
                oldest = next(iter(self._values))
                self._size -= self._size_of(oldest, self._values.pop(oldest))
        return value

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._values.clear()
            self._size = 0


class RememberedOfObjects(Generic[Value]):
    """What is made of objects that are never changed and that several documents share, by which they are.

    Args:
        most: How many objects are kept with what was made of them. More at once are not.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: Remembered[tuple[int, ...], tuple[tuple[object, ...], Value]] = Remembered(
            most, lambda key, _: len(key)
        )

    def get(self, objects: Sequence[object], make: Callable[[], Value]) -> Value:
        """Return what is made of these objects, which is made unless it is remembered."""
        if len(objects) > self._most:
            return make()
        # As long as they are kept, no other object has the place of one in memory.
        return self._values.get(tuple(map(id, objects)), lambda: (tuple(objects), make()))[1]
