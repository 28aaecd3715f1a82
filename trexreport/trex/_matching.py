"""Pair the layers of two engines as TREx does: by type and shapes, in the order of execution.

This is for notebooks that expect TREx's pairs; `trexreport.compare` aligns layers by names and origins.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from trexreport.trex._pairs import get_io_dimensions
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[int | None, int | None]


def match_layers(plan1: EnginePlan, plan2: EnginePlan, exact_matching: bool) -> list[Pair]:
    """Return pairs of row numbers of `df`, with None where the other engine has no such layer.

    Each engine in turn takes its first layer that is left, and pairs it with the first one left in the other
    that has the same type and shapes without the batch. Pointwise layers may have their two inputs swapped.

    Args:
        plan1: The first engine.
        plan2: The second one.
        exact_matching: Compare all tensors of a layer; otherwise only its first input and output.
    """
    lists = [_Layers(plan.df, exact_matching) for plan in (plan1, plan2)]
    pairs: list[Pair] = []
    while all(each.has_more for each in lists):
        for taker in (0, 1):
            if not all(each.has_more for each in lists):
                break
            own = lists[taker].head
            found = lists[1 - taker].first_like(lists[taker], own)
            lists[taker].remove(own)
            if found is not None:
                lists[1 - taker].remove(found)
            pairs.append((own, found) if taker == 0 else (found, own))
    pairs += [(each, None) for each in lists[0].left()]
    pairs += [(None, each) for each in lists[1].left()]
    return pairs


class _Layers:
    """The layers of one engine that are left, found by what they look like."""

    def __init__(self, frame: pd.DataFrame, exact: bool) -> None:
        self._seen = [False] * len(frame)
        self._next = 0
        self._signatures: list[Hashable] = []
        self._swapped: list[Hashable | None] = []
        self._alike: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        #: Pointwise layers of two inputs and one output by their inputs alone, as in TREx.
        self._pointwise: defaultdict[Hashable, deque[int]] = defaultdict(deque)
        for at, (_, row) in enumerate(frame.iterrows()):
            signature, inputs = _signature(row, exact)
            self._signatures.append(signature)
            self._swapped.append(inputs[::-1] if inputs is not None else None)
            self._alike[signature].append(at)
            if inputs is not None:
                self._pointwise[inputs].append(at)

    @property
    def head(self) -> int:
        """The first layer that is left."""
        while self._seen[self._next]:
            self._next += 1
        return self._next

    @property
    def has_more(self) -> bool:
        """Whether any layer is left."""
        while self._next < len(self._seen) and self._seen[self._next]:
            self._next += 1
        return self._next < len(self._seen)

    def remove(self, at: int) -> None:
        """Take a layer out."""
        self._seen[at] = True

    def left(self) -> Iterator[int]:
        """Yield the layers that are left."""
        return (at for at, seen in enumerate(self._seen) if not seen)

    def first_like(self, others: _Layers, at: int) -> int | None:
        """Return the first layer left that looks like one of another engine."""
        swapped = others._swapped[at]
        same = self._first(self._alike.get(others._signatures[at]))
        turned = None if swapped is None else self._first(self._pointwise.get(swapped))
        return min((each for each in (same, turned) if each is not None), default=None)

    def _first(self, places: deque[int] | None) -> int | None:
        while places and self._seen[places[0]]:
            places.popleft()
        return places[0] if places else None


def _signature(row: pd.Series[Any], exact: bool) -> tuple[Hashable, tuple[Hashable, ...] | None]:
    """Return type and shapes of a layer, and the shapes of its inputs if they may be swapped."""
    shapes = get_io_dimensions(row, use_all_tensors=exact)
    inputs, outputs = (tuple(map(tuple, shapes[side])) for side in ("inputs", "outputs"))
    may_swap = row["type"] == "PointWise" and len(inputs) == 2 and len(outputs) == 1
    return (row["type"], inputs, outputs), inputs if may_swap else None
