"""The methods of dataclasses: `__init__`, which is compiled, and those that need no code of their own."""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

_MISSING = dataclasses.MISSING


class _Made:
    """The default of a field whose value is made for each instance; signatures show it."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def positional_names(kind: Any) -> tuple[str, ...]:
    """Return the names of the arguments of `__init__` that can be given by position."""
    return tuple(field.name for field in _parameters(kind) if not field.kw_only)


def initializer(kind: type, fields_of: Any, *, frozen: bool) -> Callable[..., None]:
    """Return the `__init__` of a dataclass.

    Args:
        kind: The class that gets it.
        fields_of: A dataclass with the same fields; the class itself, if it knows them.
        frozen: The class refuses to assign to fields.

    Raises:
        TypeError: A field without a default follows one with a default.
    """
    stored, parameters = dataclasses.fields(fields_of), _parameters(fields_of)
    known: dict[str, Any] = {"_made": _MADE, "_set": object.__setattr__}
    lines = []
    for field in stored:
        value = field.name
        if field.default_factory is not _MISSING:
            known[f"_factory_{field.name}"] = field.default_factory
            made = f"_factory_{field.name}()"
            value = f"{made} if {field.name} is _made else {field.name}" if field.init else made
        elif not field.init:
            continue
        lines.append(f"_set(self, {field.name!r}, {value})" if frozen else f"self.{field.name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append(
            f"self.__post_init__({', '.join(each.name for each in parameters if each not in stored)})"
        )
    positional = [_parameter(each, known) for each in parameters if not each.kw_only]
    named = [_parameter(each, known) for each in parameters if each.kw_only]
    signature = ", ".join(("self", *positional, *(("*", *named) if named else ())))
    try:
        exec(f"def __init__({signature}):\n " + "\n ".join(lines or ["pass"]), known)  # noqa: S102 - names of fields
    except SyntaxError as error:
        raise TypeError(f"{kind.__name__}: {error.msg}") from None
    method: Any = known["__init__"]
    method.__qualname__ = f"{kind.__qualname__}.__init__"
    method.__module__ = kind.__module__
    method.__annotations__ = {each.name: each.type for each in parameters} | {"return": None}
    return method  # type: ignore[no-any-return]


def _parameters(kind: Any) -> list[dataclasses.Field[Any]]:
    """Return the fields that are arguments, also those that are only passed to `__post_init__`."""
    stored = dataclasses.fields(kind)
    every: Mapping[str, dataclasses.Field[Any]] = kind.__dataclass_fields__
    return [
        each for each in every.values() if each.init and (each in stored or "ClassVar" not in str(each.type))
    ]


def _parameter(field: dataclasses.Field[Any], known: dict[str, Any]) -> str:
    if field.default_factory is not _MISSING:
        return f"{field.name}=_made"
    if field.default is _MISSING:
        return field.name
    known[f"_default_{field.name}"] = field.default
    return f"{field.name}=_default_{field.name}"


def shared_methods(kind: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of a dataclass that need no code of their own."""
    fields = dataclasses.fields(kind)
    return {
        "__repr__": _representation([field.name for field in fields if field.repr]),
        "__eq__": _equality([field.name for field in fields if field.compare]),
        "__hash__": _hash([field.name for field in fields if _is_hashed(field)]),
    }


def _is_hashed(field: dataclasses.Field[Any]) -> bool:
    return field.compare if field.hash is None else field.hash


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
