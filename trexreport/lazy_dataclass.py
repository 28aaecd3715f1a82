"""`dataclass` for facts: a frozen dataclass that gets its methods when the first of them is called.

The standard decorator compiles six methods for each class, which takes half a millisecond. A command imports
about 220 such classes and uses half of them: this was a quarter of the time of `lint`. For type checkers it
is the standard decorator; `dataclasses.fields`, `replace` and `is_dataclass` work as they do with it.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for others to import
else:

    def dataclass(kind: type | None = None, /, **options: bool) -> Any:
        """Decorate a class as `dataclasses.dataclass` does."""
        return _decorated(options) if kind is None else _decorated(options)(kind)


#: Options of classes that wait for their first use. All others, such as slots, change the class itself.
_WAITING_OPTIONS = {"frozen", "kw_only", "repr", "eq"}
_METHODS = ("__init__", "__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__")
_FIELDS = "__dataclass_fields__"
#: Each class that waits: the names of its placeholders, and its options.
_waiting: dict[type, tuple[tuple[str, ...], dict[str, bool]]] = {}
#: Two threads may call methods first at once; completing a class completes those that it is based on.
_lock = RLock()


def _decorated(options: dict[str, bool]) -> Callable[[type], type]:
    if not options.get("frozen") or not options.keys() <= _WAITING_OPTIONS:
        return dataclasses.dataclass(**options)

    def decorate(kind: type) -> type:
        names = tuple(name for name in _METHODS if name not in kind.__dict__)
        for name in names:
            setattr(kind, name, _placeholder(kind, name))
        attributes = (_FIELDS, "__signature__")
        for name in attributes:
            setattr(kind, name, _OnDemand(kind, name))
        _waiting[kind] = ((*names, *attributes), options)
        return kind

    return decorate


def _placeholder(kind: type, name: str) -> Callable[..., Any]:
    def method(self: object, *arguments: Any, **named: Any) -> Any:
        _complete(kind)
        return getattr(kind, name)(self, *arguments, **named)

    return method


class _OnDemand:
    """An attribute of a class that exists once the class is complete."""

    def __init__(self, kind: type, name: str) -> None:
        self._kind = kind
        self._name = name

    def __get__(self, _instance: object, owner: type) -> Any:
        _complete(self._kind)
        if self._name == "__signature__":
            # Complete classes have none of their own: it is that of their __init__.
            import inspect

            return inspect.signature(owner)
        return getattr(owner, self._name)


def _complete(kind: type) -> None:
    with _lock:
        if kind not in _waiting:
            return
        names, options = _waiting.pop(kind)
        for name in names:
            delattr(kind, name)
        # As the standard decorator does for frozen classes that are compared.
        compared = options.get("eq", True) and "__eq__" not in kind.__dict__
        hashed = options.get("eq", True) and kind.__dict__.get("__hash__") is None
        shown = options.get("repr", True) and "__repr__" not in kind.__dict__
        dataclasses.dataclass(**(options | {"eq": False, "repr": False}))(kind)
        fields = dataclasses.fields(kind)
        if compared:
            setattr(kind, "__eq__", _equality([field.name for field in fields if field.compare]))  # noqa: B010
        if hashed:
            keys = [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
            setattr(kind, "__hash__", _hash(keys))  # noqa: B010
        if shown:
            setattr(kind, "__repr__", _representation([field.name for field in fields if field.repr]))  # noqa: B010


def _values(names: list[str]) -> Callable[[object], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _equality(names: list[str]) -> Callable[[object, object], bool]:
    values = _values(names)

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(values(self) == values(other))

    return __eq__


def _hash(names: list[str]) -> Callable[[object], int]:
    values = _values(names)

    def __hash__(self: object) -> int:  # noqa: N807
        return hash(values(self))

    return __hash__


def _representation(names: list[str]) -> Callable[[object], str]:
    @reprlib.recursive_repr()
    def __repr__(self: object) -> str:  # noqa: N807
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return __repr__
