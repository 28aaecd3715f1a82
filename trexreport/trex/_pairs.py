"""Tables of pairs of layers of two engines, as TREx's notebooks show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex.activations import create_activations
from trexreport.trex.engine_plan import EnginePlan

if TYPE_CHECKING:
    import pandas as pd

_LATENCY = "latency.avg_time"
_COLUMNS = ("id", "name", "type", _LATENCY)
_Pairs = Sequence[tuple[int | None, int | None]]


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
