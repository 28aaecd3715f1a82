"""`dataclass` for facts: a frozen dataclass that gets its methods when the first of them is called.

The standard decorator compiles six methods for each class, which takes half a millisecond. A command imports
about 220 such classes and uses half of them: this was a quarter of the time of `lint`. For type checkers it
is the standard decorator; `dataclasses.fields`, `replace` and `is_dataclass` work as they do with it.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Callable, Iterator
from operator import attrgetter
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

_FactsT = TypeVar("_FactsT")

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - for others to import

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: bool) -> Callable[[Any], Any]:
        """Return a decorator that changes nothing: only the type checker needs it."""
        return lambda decorated: decorated

    def dataclass(kind: type | None = None, /, **options: bool) -> Any:
        """Decorate a class as `dataclasses.dataclass` does."""
        return _decorated(options) if kind is None else _decorated(options)(kind)


#: Options of classes that wait for their first use. All others, such as slots, change the class itself.
_WAITING_OPTIONS = {"frozen", "kw_only", "repr", "eq"}
_FIELDS = "__dataclass_fields__"
_SIGNATURE = "__signature__"
#: What each class has for itself.
_OWN = {"__dict__", "__weakref__", "_abc_impl"}
#: Each class that waits: the names of the methods that it lacks, and its options.
_waiting: dict[type, tuple[tuple[str, ...], dict[str, bool]]] = {}
#: Two threads may call methods first at once; completing a class completes those that it is based on.
_lock = RLock()


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def bulk_facts(kind: type[_FactsT]) -> type[_FactsT]:
    """Return the class as a dataclass with slots, which the type checker takes for a frozen one.

    For facts of which an engine has tens of thousands: `frozen=True` makes creating them about three times
    as slow. So only the type checker enforces that nothing is assigned after construction.
    """
    made = dataclasses.dataclass(slots=True, eq=False, repr=False)(kind)
    for name, method in _shared_methods(made).items():
        if name not in vars(kind):
            setattr(made, name, method)
    return made


def _decorated(options: dict[str, bool]) -> Callable[[type], type]:
    if not options.get("frozen") or not options.keys() <= _WAITING_OPTIONS:
        return dataclasses.dataclass(**options)

    def decorate(kind: type) -> type:
        names = tuple(_missing(kind, options))
        for name in names:
            setattr(kind, name, _placeholder(kind, name))
        for name in (_FIELDS, _SIGNATURE):
            setattr(kind, name, _OnDemand(kind, name))
        _waiting[kind] = (names, options)
        return kind

    return decorate


def _missing(kind: type, options: dict[str, bool]) -> Iterator[str]:
    """Yield the names of the methods that the standard decorator would add."""
    yield from ("__setattr__", "__delattr__")
    if "__init__" not in vars(kind):
        yield "__init__"
    if options.get("repr", True) and "__repr__" not in vars(kind):
        yield "__repr__"
    if options.get("eq", True):
        if "__eq__" not in vars(kind):
            yield "__eq__"
        # A class with an __eq__ of its own has None here.
        if vars(kind).get("__hash__") is None:
            yield "__hash__"


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
    """Put the methods of a class in the place of their placeholders.

    Each is replaced in one step: another thread finds one or the other, and both work. The standard
    decorator wants a class without placeholders, so it works on a twin. It would bind the methods that refuse
    changes to the twin, so these are made here.
    """
    with _lock:
        if kind not in _waiting:
            return
        names, options = _waiting[kind]
        removed = {*names, *_OWN, _FIELDS, _SIGNATURE}
        given = {name: value for name, value in vars(kind).items() if name not in removed}
        twin = type(kind)(kind.__name__, kind.__bases__, given | {"__qualname__": kind.__qualname__})
        dataclasses.dataclass(**(options | {"eq": False, "repr": False}))(twin)
        methods = {
            "__setattr__": _refusal(kind, "__setattr__", "assign to"),
            "__delattr__": _refusal(kind, "__delattr__", "delete"),
            **_shared_methods(twin),
        }
        made = {name: value for name, value in vars(twin).items() if name not in _OWN}
        made |= {name: methods[name] for name in names if name in methods}
        for name, value in made.items():
            if name not in given or given[name] is not value:
                setattr(kind, name, value)
        # Defaults that are made for each instance leave the class.
        for name in (*(given.keys() - made.keys()), _SIGNATURE):
            delattr(kind, name)
        del _waiting[kind]


def _shared_methods(kind: Any) -> dict[str, Callable[..., Any]]:
    """Return the methods of a dataclass that need no code of their own."""
    fields = dataclasses.fields(kind)
    return {
        "__repr__": _representation([field.name for field in fields if field.repr]),
        "__eq__": _equality([field.name for field in fields if field.compare]),
        "__hash__": _hash([field.name for field in fields if _is_hashed(field)]),
    }


def _is_hashed(field: dataclasses.Field[Any]) -> bool:
    return field.compare if field.hash is None else field.hash


def _refusal(kind: type, method: str, verb: str) -> Callable[..., None]:
    """Return what refuses to change a field of a frozen class, as PEP 557 has it."""

    def refuse(self: object, name: str, *value: Any) -> None:
        if type(self) is kind or name in getattr(kind, _FIELDS):
            raise dataclasses.FrozenInstanceError(f"cannot {verb} field {name!r}")
        getattr(super(kind, self), method)(name, *value)

    return refuse


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
