"""Pair the layers of two engines as TREx does: by type and shapes, in the order of execution.

This is for notebooks that expect TREx's pairs; `trexreport.compare` aligns layers by names and origins.

The pairs are put into tables as TREx's notebooks show them.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex.activations import create_activations
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[int | None, int | None]

_LATENCY = "latency.avg_time"
_COLUMNS = ("id", "name", "type", _LATENCY)
_Pairs = Sequence[tuple[int | None, int | None]]


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


def get_io_dimensions(layer: pd.Series[Any], use_all_tensors: bool) -> dict[str, list[list[int]]]:
    """Return the shapes of a layer's "inputs" and "outputs" without their first dimension, the batch.

    Args:
        layer: A row of `EnginePlan.df`.
        use_all_tensors: False for the first input and output only.
    """
    last = None if use_all_tensors else 1
    sides = zip(("inputs", "outputs"), create_activations(layer), strict=True)
    return {side: [tensor.shape[1:] for tensor in tensors[:last]] for side, tensors in sides}


def get_io_formats(layer: pd.Series[Any]) -> str:
    """Return formats and shapes of a layer's inputs and outputs as one text."""
    inputs, outputs = (
        ", ".join(f"{tensor.format}:{tensor.shape}" for tensor in side) for side in create_activations(layer)
    )
    return f"in: {inputs}\tout: {outputs}"


def get_io_precisions(layer: pd.Series[Any] | None) -> tuple[str, str]:
    """Return the precisions of a layer's inputs and of its outputs; two empty texts without a layer."""
    if layer is None:
        return "", ""
    inputs, outputs = (", ".join(each.precision for each in side) for side in create_activations(layer))
    return inputs, outputs


def aligned_merge_plans(plan1: EnginePlan, plan2: EnginePlan, matched_indices_pairs: _Pairs) -> pd.DataFrame:
    """Return one row for each pair: time in ms, speedup, precisions, tactics, formats and names.

    What a pair lacks is an empty text, its time 0, and the speedup NaN.
    """
    import pandas as pd

    def pair_of(column: str, rows: Sequence[Any], empty: object = "") -> list[Any]:
        return [row[column] if row is not None else empty for row in rows]

    merged = []
    for pair in matched_indices_pairs:
        rows = _rows(plan1, plan2, pair)
        times = pair_of(_LATENCY, rows, 0)
        (in1, out1), (in2, out2) = map(get_io_precisions, rows)
        merged.append(
            (
                next(row["type"] for row in rows if row is not None),
                *times,
                times[0] / times[1] if None not in pair and times[1] else math.nan,
                *(in1, in2, out1, out2),
                *pair_of("tactic", rows),
                *("" if row is None else get_io_formats(row) for row in rows),
                *pair_of("Name", rows),
            )
        )
    both = ("in-p", "out-p", "tactic", "formats")
    numbered = [f"{column} ({number})" for column in both for number in (1, 2)]
    columns = ["type", "avg_time (1)", "avg_time (2)", "speedup (2)", *numbered, plan1.name, plan2.name]
    table: pd.DataFrame = pd.DataFrame(merged, columns=columns)
    return table


def aligned_layers(
    plan1: EnginePlan, plan2: EnginePlan, matched_indices_pairs: _Pairs, layer_type: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return id, name, type and time in ms of the layers of each engine, with equally many rows.

    Where an engine lacks the layer, the row has empty texts and the time 0.

    Args:
        plan1: The first engine.
        plan2: The second one.
        matched_indices_pairs: From `match_layers`.
        layer_type: Only layers of this type; of a pair the type of the first counts.
    """
    import pandas as pd

    tables: tuple[list[Any], list[Any]] = ([], [])
    for pair in matched_indices_pairs:
        rows = _rows(plan1, plan2, pair)
        first = next(row for row in rows if row is not None)
        if layer_type is None or first["type"] == layer_type:
            for table, row in zip(tables, rows, strict=True):
                cells = ("", "", 0) if row is None else (row["Name"], row["type"], row[_LATENCY])
                table.append((len(table), *cells))
    one, other = (pd.DataFrame(table, columns=list(_COLUMNS)) for table in tables)
    return one, other


def _rows(plan1: EnginePlan, plan2: EnginePlan, pair: tuple[int | None, int | None]) -> list[Any]:
    """Return the rows of a pair."""
    return [None if at is None else plan.df.iloc[at] for plan, at in zip((plan1, plan2), pair, strict=True)]
