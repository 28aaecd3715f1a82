"""Long names in narrow places: a beginning that may be cut, and an end that says how a name differs.

`static/js/format/name_parts.js` divides names alike; `tests/name_part_vectors.json` holds both to one rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from trexreport.numbers import middle_ellipsis

#: Names up to this length are not divided.
_SHORT = 14
#: Where names differ within this number of first characters, their beginnings show it.
_BEGINNING = 18
#: Characters of the end that is to stay, where the beginning shows what differs and where not.
_END, _LONG_END = 8, 14
#: An end that begins with what differs is divided if it is longer than this, before its last characters.
_LONGEST_END, _REST = 18, 8
#: Of a beginning; what is longer is not shown in any place.
_LONGEST_BEGINNING = 240


def name_parts(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the parts of each name: all of a short one, else a beginning and an end that is to stay.

    The beginning or the end has what the name differs in from the one most like it. A long end is two parts,
    of which the first may be cut too, but not where it begins.
    """
    order = sorted(set(names))
    alike = dict.fromkeys(order, 0)
    for first, second in pairwise(order):
        shared = _shared(first, second)
        alike[first] = max(alike[first], shared)
        alike[second] = max(alike[second], shared)
    return [_parts(name, alike[name]) for name in names]


def _parts(name: str, alike: int) -> tuple[str, ...]:
    if len(name) <= _SHORT:
        return (name,)
    is_clear = alike <= _BEGINNING
    start = len(name) - _END if is_clear else min(len(name) - _LONG_END, alike - 2)
    beginning, end = middle_ellipsis(name[:start], _LONGEST_BEGINNING), name[start:]
    if len(end) <= _LONGEST_END:
        return (beginning, end)
    return (beginning, middle_ellipsis(end[:-_REST], _LONGEST_BEGINNING), end[-_REST:])


def _shared(first: str, second: str) -> int:
    """Return how many characters two names have in common from the beginning on."""
    pairs = zip(first, second, strict=False)
    return next((at for at, (left, right) in enumerate(pairs) if left != right), min(len(first), len(second)))
