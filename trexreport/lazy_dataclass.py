"""`dataclass` for facts: a frozen dataclass that gets its methods when the first of them is called.

The standard decorator compiles six methods for each class, which takes half a millisecond; here only
`__init__` is compiled. A command imports about 220 such classes and uses half of them: this was a quarter of
the time of `lint`. For type checkers it is the standard decorator; `dataclasses.fields`, `replace` and
`is_dataclass` work as they do with it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from functools import cache
from threading import RLock
from typing import TYPE_CHECKING, Any, TypeVar

from trexreport.dataclass_methods import initializer, positional_names, shared_methods

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
_MATCHED = "__match_args__"
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
    made: Any = dataclasses.dataclass(slots=True, init=False, eq=False, repr=False)(kind)
    if "__init__" not in vars(kind):
        made.__init__ = _InitializerOnDemand(made)
    for name, method in shared_methods(made).items():
        if name not in vars(kind):
            setattr(made, name, method)
    return made  # type: ignore[no-any-return]


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


class _InitializerOnDemand:
    """The `__init__` of a class with slots, which is compiled for the first instance."""

    def __init__(self, kind: type) -> None:
        self._kind: Any = kind

    def __get__(self, instance: object, owner: type) -> Any:
        made = initializer(self._kind, self._kind, frozen=False)
        self._kind.__init__ = made
        return made if instance is None else made.__get__(instance, owner)


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
    decorator wants a class without placeholders, so it finds the fields of a twin. Of the methods it makes
    none, as it compiles each by itself, and three for a frozen class.
    """
    with _lock:
        if kind not in _waiting:
            return
        names, options = _waiting[kind]
        removed = {*names, *_OWN, _FIELDS, _SIGNATURE}
        given = {name: value for name, value in vars(kind).items() if name not in removed}
        # Without a docstring the standard decorator would compute a signature to write one.
        twin: Any = type(kind.__name__, (), given | {"__doc__": kind.__doc__ or kind.__name__})
        keyword_only = options.get("kw_only", False)
        dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=keyword_only)(twin)
        inherited: dict[str, dataclasses.Field[Any]] = {}
        for base in reversed(kind.__mro__[1:]):
            inherited |= getattr(base, _FIELDS, {})
        setattr(twin, _FIELDS, inherited | getattr(twin, _FIELDS))
        twin.__dataclass_params__ = _parameters(keyword_only)
        twin.__doc__ = kind.__doc__
        if _MATCHED not in given:
            setattr(twin, _MATCHED, positional_names(twin))
        methods = {
            "__init__": initializer(kind, twin, frozen=True),
            "__setattr__": _refusal(kind, "__setattr__", "assign to"),
            "__delattr__": _refusal(kind, "__delattr__", "delete"),
            **shared_methods(twin),
        }
        made = {name: value for name, value in vars(twin).items() if name not in _OWN}
        made |= {name: methods[name] for name in names}
        for name, value in made.items():
            if name not in given or given[name] is not value:
                setattr(kind, name, value)
        # Defaults that are made for each instance leave the class.
        for name in (*(given.keys() - made.keys()), _SIGNATURE):
            delattr(kind, name)
        del _waiting[kind]


@cache
def _parameters(keyword_only: bool) -> object:
    """Return what a frozen class says of how it was made, from which the standard decorator knows one."""

    class Frozen:
        """For its parameters."""

    made: Any = dataclasses.dataclass(frozen=True, kw_only=keyword_only)(Frozen)
    return made.__dataclass_params__


def _refusal(kind: type, method: str, verb: str) -> Callable[..., None]:
    """Return what refuses to change a field of a frozen class, as PEP 557 has it."""

    def refuse(self: object, name: str, *value: Any) -> None:
        if type(self) is kind or name in getattr(kind, _FIELDS):
            raise dataclasses.FrozenInstanceError(f"cannot {verb} field {name!r}")
        getattr(super(kind, self), method)(name, *value)

    return refuse
