"""What is made of objects is made once, as long as they are the same ones, and what is kept has a limit."""

from __future__ import annotations

from pathlib import Path

from trexreport.reader import assemble, locate
from trexreport.remembered import RememberedOfObjects

SAMPLE = Path(__file__).parents[1] / "samples" / "resnet18-int8-before"


def test_the_same_objects_give_the_same_value():
    made = []
    kept: RememberedOfObjects[int] = RememberedOfObjects(4)
    ones = [{"a": 1}, {"b": 2}]

    def make():
        made.append(len(made))
        return made[-1]

    assert [kept.get(ones, make), kept.get(tuple(ones), make)] == [0, 0]
    # Equal, and others.
    assert kept.get([dict(each) for each in ones], make) == 1
    assert kept.get(ones[:1], make) == 2
    assert made == [0, 1, 2]


def test_objects_are_kept_as_long_as_what_was_made_of_them():
    kept: RememberedOfObjects[str] = RememberedOfObjects(100)
    # Each would have the place in memory of the one before it.
    assert [kept.get([{"layer": number}], lambda: str(number)) for number in range(50)] == [  # noqa: B023
        str(number) for number in range(50)
    ]


def test_more_objects_than_the_limit_are_not_kept():
    kept: RememberedOfObjects[object] = RememberedOfObjects(2)
    many = [{}, {}, {}]
    assert kept.get(many, object) is not kept.get(many, object)


def test_layers_of_runs_of_one_engine_are_read_once():
    one, other = (assemble(locate([SAMPLE])) for _ in range(2))
    assert one.layers
    assert all(a.attributes is b.attributes for a, b in zip(one.layers, other.layers, strict=True))
    assert one == other
