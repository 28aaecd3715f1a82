"""Values that files should not have, and every place of a document that can have one."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

_DEEP: list = []
for _ in range(70):
    _DEEP = [_DEEP]

#: In place of a value that is left out with its key.
MISSING = object()
#: In place of a value that is written twice: in a list after itself, in an object under another key.
DOUBLED = object()
NASTY: dict[str, object] = {
    "missing": MISSING,
    "doubled": DOUBLED,
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "minus zero": -0.0,
    "minus one": -1,
    "a fraction": 0.5,
    "2^31": 2**31,
    "2^48": 2**48,
    "2^63": 2**63,
    "a number of 400 digits": 10**400,
    "minus 400 digits": -(10**400),
    "the largest float": 1.7976931348623157e308,
    "a large float": 1e15,
    "the smallest float": 5e-324,
    "not a number": float("nan"),
    "infinity": float("inf"),
    "minus infinity": float("-inf"),
    "no text": "",
    "a space": " ",
    "NUL and escapes": "\x00\x1b[31m\x9b1m\r\n\t\x7f",
    "bidirectional": "\u202eabc\u2066\u200f",
    "half a character": "\ud800",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "a long text": "a b/" * 3000,
    "many lines": "\n" * 500,
    "a text of a number": "1e999",
    "a text of digits": "9" * 5000,
    "other digits": "\u0661\u00b2\u2164",
    "markup": "</script><!--]]>&amp;'\"`<b>",
    "a formula": "=1+1|%s{0}{{x}}$(x)\\",
    "an empty list": [],
    "an empty object": {},
    "a list": [1, "a", None, [], {}],
    "an object": {"": 1, "Name": [], "a": {"b": None}},
    "a list of empty lists": [[], [[]]],
    "a long list": [1] * 300,
    "too deep": _DEEP,
}


#: What makes the whole file unusable, wherever it is: it would hide what else is wrong.
HIDING = frozenset({"too deep"})


@dataclass(frozen=True)
class Place:
    """Where something is in a document: keys and positions from the outside in."""

    path: tuple[str | int, ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """The path without positions: places of one kind hold the same field of different records."""
        return tuple("*" if isinstance(step, int) else step for step in self.path)

    def __str__(self) -> str:
        return "/".join(map(str, self.path)) or "(all)"


def places(document, path: tuple[str | int, ...] = ()) -> Iterator[Place]:
    """Yield every place of a document, the outermost first."""
    yield Place(path)
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*path, key))
    elif isinstance(document, list):
        for position, value in enumerate(document):
            yield from places(value, (*path, position))


def kinds_of_places(document) -> dict[tuple[str, ...], list[Place]]:
    """Return the places of a document by their kind."""
    found: dict[tuple[str, ...], list[Place]] = {}
    for place in places(document):
        found.setdefault(place.kind, []).append(place)
    return found


def changed(document, where: list[Place], value: object):
    """Return the document with a value in some places; places below a changed one are passed over."""
    if where == [Place(())]:
        return None if value in (MISSING, DOUBLED) else value
    result = copy.deepcopy(document)
    change(result, where, value)
    return result


def change(document, where: list[Place], value: object) -> None:
    """Put a value in some places of a document, none of them the whole."""
    # Backwards, so that leaving one out does not move the others.
    for place in reversed(where):
        *outer, last = place.path
        holder = document
        for step in outer:
            holder = holder[step]
        if value is MISSING:
            del holder[last]
        elif value is not DOUBLED:
            # A later change may go into this one.
            holder[last] = copy.deepcopy(value)
        elif isinstance(holder, list):
            holder.insert(last, copy.deepcopy(holder[last]))
        else:
            holder[f"{last} again"] = copy.deepcopy(holder[last])


def pairs(document) -> list[tuple[list[Place], str]]:
    """Return every kind of place with every nasty value: at one place of the kind, and at all of them."""
    found = []
    for where in kinds_of_places(document).values():
        for name in NASTY:
            found.append(([where[len(where) // 2]], name))
            if len(where) > 1:
                found.append((where, name))
    return found


def shallow_changes(document, depth: int = 1) -> Iterator[tuple[str, object]]:
    """Yield every change of a document near its top, one at a time: what it breaks hides everything else."""
    for where, name in pairs(document):
        if len(where[0].path) <= depth:
            yield f"{name} at {where[0]}", changed(document, where, NASTY[name])


def deep_changes(
    document, chance: Random, at_once: int, depth: int = 1, deepest: int | None = None
) -> Iterator[tuple[str, object]]:
    """Yield documents that together have every change below a depth, several in each."""
    left = [
        (where, name)
        for where, name in pairs(document)
        if depth < len(where[0].path) <= (deepest or len(where[0].path)) and name not in HIDING
    ]
    chance.shuffle(left)
    for start in range(0, len(left), at_once):
        result, names = copy.deepcopy(document), []
        for where, name in left[start : start + at_once]:
            still_there = [place for place in where if _holds(result, place)]
            if still_there:
                change(result, still_there, NASTY[name])
                names.append(f"{name} at {'every ' if len(where) > 1 else ''}{where[0]}")
        yield "; ".join(names), result


def _holds(document, place: Place) -> bool:
    for step in place.path:
        is_there = (isinstance(document, dict) and step in document) or (
            isinstance(document, list) and isinstance(step, int) and step < len(document)
        )
        if not is_there:
            return False
        document = document[step]
    return True


def as_bytes(document) -> bytes:
    """Return a document as a file: lone halves of characters as escapes, infinity as Python writes it."""
    return json.dumps(document).encode("ascii")
