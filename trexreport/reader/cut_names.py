"""Find the layers whose names a printed table of times cuts at the width of its column."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import takewhile
from operator import methodcaller

#: Shorter names are not cut.
_MIN_WIDTH = 20
#: A column cuts all long names at one width; one such name alone may just be the longest.
_MIN_CUT = 2
_ELLIPSES = ("...", "\u2026")


def cut_names(layers: Sequence[str], rows: Sequence[str]) -> dict[str, str]:
    """Return names of layers to the names of the rows that are their beginnings.

    A row may be cut if it ends with an ellipsis, or if no row is longer and several are as long. As many
    layers as rows must begin so, else which is which is not known.

    Args:
        layers: The names of all layers.
        rows: Those of the table, in its order.
    """
    known, count = set(layers), Counter(rows)
    widest = max(map(len, rows), default=0)
    if sum(len(row) == widest for row in rows) < _MIN_CUT:
        widest = 0
    cut = [(row, beginning) for row in count if row not in known and (beginning := _beginning(row, widest))]
    names = sorted(name for name in layers if name not in count) if cut else []
    found: dict[str, str] = {}
    for row, beginning in cut:
        # Names that begin alike stand together.
        rest = (names[at] for at in range(bisect_left(names, beginning), len(names)))
        whole = list(takewhile(methodcaller("startswith", beginning), rest))
        if len(whole) == count[row]:
            found.update(dict.fromkeys(whole, row))
    return found


def _beginning(row: str, widest: int) -> str:
    """Return what a row has of a name, or an empty text if the name is whole."""
    ellipsis = next((each for each in _ELLIPSES if row.endswith(each)), "")
    left = row.removesuffix(ellipsis)
    return left if len(left) >= _MIN_WIDTH and (ellipsis or len(row) == widest) else ""
