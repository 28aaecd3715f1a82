"""Classes that wait for their first use behave as those of the standard decorator."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
import threading
from dataclasses import InitVar, dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest

from trexreport import lazy_dataclass

DECORATORS = [pytest.param(dataclass, id="standard"), pytest.param(lazy_dataclass.dataclass, id="lazy")]


@lazy_dataclass.dataclass(frozen=True)
class Kept:
    """For pickles, which name a class of a module."""

    value: int


def classes(decorate):
    @decorate(frozen=True)
    class Point:
        x: int
        y: int = 2
        seen: list = field(default_factory=list, compare=False, repr=False)

    @decorate(frozen=True)
    class Named(Point):
        name: str = "?"

        def __post_init__(self):
            self.seen.append(self.name)

    return Point, Named


@pytest.mark.parametrize("decorate", DECORATORS)
@pytest.mark.parametrize(
    "use",
    [
        lambda point, _: repr(point(1)),
        lambda point, _: (point(1) == point(1, 2), point(1) == point(1, 3), point(1) == 1),
        lambda point, named: point(1) == named(1),
        lambda point, _: len({point(1), point(1, 2), point(2)}),
        lambda point, _: hash(point(1)) == hash(point(1, seen=[1])),
        lambda _, named: named(1, name="a").seen,
        lambda _, named: repr(named(1, 5, name="a")),
        lambda _, named: [each.name for each in dataclasses.fields(named)],
        lambda point, _: dataclasses.asdict(dataclasses.replace(point(1), y=7)),
        lambda point, _: dataclasses.is_dataclass(point),
        lambda point, _: str(inspect.signature(point)),
        lambda _, named: str(inspect.signature(named)),
        lambda point, _: copy.deepcopy(point(1)) == point(1),
        lambda point, _: point.y,
    ],
)
def test_it_does_what_the_standard_does(decorate, use):
    expected = use(*classes(dataclass))
    assert use(*classes(decorate)) == expected


@pytest.mark.parametrize("decorate", DECORATORS)
def test_nothing_is_assigned_or_deleted(decorate):
    point, named = classes(decorate)
    for each in (point(1), named(1)):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
            each.x = 5
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
            del each.x


@pytest.mark.parametrize("decorate", DECORATORS)
def test_own_methods_and_options_are_kept(decorate):
    @decorate(frozen=True, eq=False)
    class ByIdentity:
        x: int

    @decorate(frozen=True, repr=False)
    class Base:  # noqa: PLW1641 - the decorator adds __hash__
        x: int

        def __eq__(self, other):
            return True

        def __repr__(self):
            return "own"

    @decorate(frozen=True, kw_only=True)
    class Sub(Base):
        y: InitVar[int]

        def __init__(self, y):
            super().__init__(x=y)

    assert ByIdentity(1) != ByIdentity(1)
    assert len({ByIdentity(1), ByIdentity(1)}) == 2
    assert (Base(1) == 5, repr(Base(1)), Sub(y=3).x, repr(Sub(3)).endswith("Sub(x=3)")) == (
        True,
        "own",
        3,
        True,
    )
    assert hash(Base(1)) == hash(Base(1))
    with pytest.raises(TypeError):
        Base()


@pytest.mark.parametrize("decorate", DECORATORS)
def test_no_fields_and_a_circle(decorate):
    @decorate(frozen=True)
    class Nothing:
        pass

    @decorate(frozen=True)
    class Node:
        next: list

    assert Nothing() == Nothing()
    assert hash(Nothing()) == hash(())
    node = Node([])
    node.next.append(node)
    assert repr(node).endswith("Node(next=[...])")


@pytest.mark.parametrize("decorate", DECORATORS)
def test_every_kind_of_field(decorate):
    @decorate(frozen=True)
    class Base:
        count: ClassVar[int] = 0
        x: int
        seen: InitVar[int] = 4
        made: list = field(default_factory=list, init=False)
        fixed: int = field(default=3, init=False)

        def __post_init__(self, seen):
            self.made.append(seen)

    @decorate(frozen=True, kw_only=True)
    class Sub(Base):
        named: int
        x: int = 9

    base, sub = Base(1, 5), Sub(named=2)
    assert (base.x, base.made, base.fixed, Base.count) == (1, [5], 3, 0)
    assert (sub.x, sub.made, sub.named, Sub(7, named=1).seen) == (9, [4], 2, 4)
    assert (Base.__match_args__, Sub.__match_args__) == (("x", "seen"), ("seen",))
    assert [each.name for each in dataclasses.fields(Sub)] == ["x", "made", "fixed", "named"]
    with pytest.raises(TypeError):
        Sub(1, 2, 3)

    @dataclass(frozen=True)
    class Standard(Base):
        y: int = 1

    assert Standard(1).made == [4]


@pytest.mark.parametrize("decorate", DECORATORS)
def test_a_field_without_a_default_after_one_with_a_default(decorate):
    def make():
        @decorate(frozen=True)
        class Wrong:
            x: int = 1
            y: int

        return Wrong(1, 2)

    with pytest.raises(TypeError, match="default"):
        make()


def test_an_instance_may_come_before_the_class_is_complete():
    """As in the process that reads what another one pickled."""
    data = pickle.dumps(Kept(3))
    script = f"import pickle; a, b = (pickle.loads({data!r}) for _ in range(2)); print(a == b, a, {{a, b}})"
    shown = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=Path(__file__).parent
    )
    assert shown.stdout == "True Kept(value=3) {Kept(value=3)}\n"


#: Each is True for an instance of the second class of `classes`, with x=1.
USES = [
    lambda old: type(old)(1).x == 1,
    lambda old: repr(old).endswith("Named(x=1, y=2, name='?')"),
    lambda old: old == type(old)(1) and hash(old) == hash(type(old)(1)),
    lambda old: [each.name for each in dataclasses.fields(old)] == ["x", "y", "seen", "name"],
    lambda old: str(inspect.signature(type(old))).startswith("(x: "),
]


@pytest.mark.parametrize("first", USES)
def test_threads_may_use_a_class_first_at_once(first):
    """After each step of a class that becomes complete, another thread uses it in all ways."""
    # As instances that were pickled: the class is not complete yet.
    old = object.__new__(classes(lazy_dataclass.dataclass)[1])
    old.__dict__.update(x=1, y=2, seen=[], name="?")
    seen = []
    threads = []

    def step(frame, event, _):
        if frame.f_code is not lazy_dataclass._complete.__code__:
            return None
        # Before it has the lock, the other thread would do all the work.
        if event == "line" and "names" in frame.f_locals:
            threads.append(threading.Thread(target=lambda: seen.append([use(old) for use in USES])))
            threads[-1].start()
            threads[-1].join(0.002)
        return step

    before = sys.gettrace()
    sys.settrace(step)
    try:
        assert first(old)
    finally:
        sys.settrace(before)
    for each in threads:
        each.join()
    assert len(seen) > 20
    assert seen == [[True] * len(USES)] * len(seen)


def test_classes_with_slots_are_complete_at_once():
    @lazy_dataclass.dataclass(frozen=True, slots=True)
    class Small:
        x: int

    assert "__dataclass_fields__" in Small.__dict__
    assert not hasattr(Small(1), "__dict__")


def test_bulk_facts_compare_hash_and_print_as_frozen_classes_do():
    @lazy_dataclass.bulk_facts
    class Bulk:
        x: int
        hidden: int = dataclasses.field(default=0, repr=False, compare=False)

    @lazy_dataclass.bulk_facts
    class Other(Bulk):
        y: int = 2

    assert Bulk(1, 5) == Bulk(1) != Bulk(2)
    assert Other(1) != Bulk(1)
    assert len({Bulk(1, 5), Bulk(1), Other(1), Other(1, y=3)}) == 3
    assert repr(Other(1, y=3)).endswith("Other(x=1, y=3)")
    assert dataclasses.replace(Other(1), y=4) == Other(1, y=4)
    assert not hasattr(Other(1), "__dict__")


def test_the_initializer_of_bulk_facts_waits_and_is_that_of_the_standard():
    def classes(decorate):
        @decorate
        class Base:
            """Else the standard asks for the signature at once."""

            x: int
            seen: list = field(default_factory=list)

        @decorate
        class Sub(Base):
            """As above."""

            y: int = 2

            def __post_init__(self):
                self.seen.append(self.y)

        return Base, Sub

    pairs = list(zip(classes(lazy_dataclass.bulk_facts), classes(dataclass), strict=True))
    assert len(pairs) == 2
    for kind, standard in pairs:
        assert not inspect.isfunction(vars(kind)["__init__"])
        assert kind(1).seen == standard(1).seen
        assert inspect.isfunction(vars(kind)["__init__"])
        assert str(inspect.signature(kind)) == str(inspect.signature(standard))
        assert dataclasses.asdict(kind(1, [3])) == dataclasses.asdict(standard(1, [3]))
        with pytest.raises(TypeError, match="'x'"):
            kind()


def test_a_class_waits_until_it_is_used():
    point, named = classes(lazy_dataclass.dataclass)
    assert {point, named} <= lazy_dataclass._waiting.keys()
    point(1)
    assert point not in lazy_dataclass._waiting
    assert named in lazy_dataclass._waiting
