"""Build the table of an engine's layers with TREx's columns.

First come the keys of the file in the order in which they appear (`LayerType` as `subtype`, `TacticName` as
`tactic`), then what is computed: type, output_precision, sizes in bytes, precision, and the latency of each
layer in milliseconds (`latency.pct_time` in percent).

No cell of the computed columns is empty, except that a profile may lack medians or totals: these are NaN.
A layer without a measured time has 0.0, as in TREx. A key that a layer lacks is 0 in a column of numbers, ""
in one of texts, and None in one of lists. So every column can be added up, and `groupby(...).sum()` works.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex.layer import PlanLayer, readable
from trexreport.trex.raw_values import raw_value

if TYPE_CHECKING:
    import pandas as pd

_RENAMED = {"LayerType": "subtype", "TacticName": "tactic"}
#: Name and kind of each computed column; the kind counts where there are no layers to show it.
_COMPUTED = {
    "type": "str",
    "output_precision": "str",
    "total_io_size_bytes": "int64",
    "weights_size": "int64",
    "total_footprint_bytes": "int64",
    "precision": "str",
    "latency.time": "float64",
    "latency.avg_time": "float64",
    "latency.median_time": "float64",
    "latency.pct_time": "float64",
}
#: Keys of the file that a computed column says already, or that would hide one.
_LEFT_OUT = {"ParameterType", *_RENAMED.values(), *_COMPUTED}
_LARGEST = 2**63
_FIRST = ("Name", "subtype", "Inputs", "Outputs")


def layers_frame(layers: Sequence[PlanLayer], iterations: int | None = None) -> pd.DataFrame:
    """Return one row a layer, in the order given; `iterations` is what the profile ran over."""
    import pandas as pd

    rows = [_raw_columns(layer) for layer in layers]
    raw_names = dict.fromkeys([*_FIRST, *(name for row in rows for name in row), "tactic"])
    columns = {name: _column([row.get(name) for row in rows]) for name in raw_names}
    columns["tactic"] = _column([layer.tactic for layer in layers])
    total_ms = math.fsum(layer.time.avg_ms for layer in layers if layer.time is not None)
    computed = [_computed_columns(layer, iterations, total_ms) for layer in layers]
    for position, (name, kind) in enumerate(_COMPUTED.items()):
        columns[name] = pd.Series([_small(row[position]) for row in computed], dtype=None if rows else kind)
    frame: pd.DataFrame = pd.DataFrame(columns)
    return frame


def _raw_columns(layer: PlanLayer) -> dict[str, Any]:
    row = {_RENAMED.get(key, key): value for key, value in layer.raw_dict.items() if key not in _LEFT_OUT}
    # Values change, keys do not: the order of columns is that of the file.
    row |= {"Name": layer.name, "subtype": layer.subtype}
    row |= {"Inputs": layer.raw_inputs, "Outputs": layer.raw_outputs}
    return row


def _computed_columns(layer: PlanLayer, iterations: int | None, total_ms: float) -> tuple[Any, ...]:
    """Return the values of `_COMPUTED` for one layer."""
    return (
        layer.type,
        layer.output_precision or "",
        layer.total_io_size_bytes,
        layer.weights_size,
        layer.total_footprint_bytes,
        layer.precision or "",
        *_latency(layer, iterations, total_ms),
    )


def _latency(layer: PlanLayer, iterations: int | None, total_ms: float) -> tuple[float, float, float, float]:
    """Return the sum, mean and median in ms and the share in percent, the file's if it has one."""
    time = layer.time
    if time is None:
        return 0.0, 0.0, 0.0, 0.0
    total = time.total_ms
    if total is None:
        total = time.avg_ms * iterations if iterations else math.nan
    share = time.share_percent
    if share is None:
        share = 100 * time.avg_ms / total_ms if total_ms > 0 else 0.0
    return total, time.avg_ms, math.nan if time.median_ms is None else time.median_ms, share


def _column(values: Iterable[Any]) -> pd.Series[Any]:
    """Return a column whose cells can be added to one another, whatever the file holds."""
    import pandas as pd

    cells = [_small(raw_value(value)) for value in values]
    present = [cell for cell in cells if cell is not None]
    if any(isinstance(cell, (list, dict)) for cell in present):
        cells = [_plain(cell, present) for cell in cells]
        dtype: Any = object
    elif any(isinstance(cell, str) for cell in present):
        cells = ["" if cell is None else readable(str(cell)) for cell in cells]
        dtype = None
    else:
        empty = False if all(isinstance(cell, bool) for cell in present) else 0
        cells = [empty if cell is None else cell for cell in cells]
        dtype = None if cells else object
    column: pd.Series[Any] = pd.Series(cells, dtype=dtype)
    return column


def _small(value: Any) -> Any:
    """Return a whole number beyond 64 bits, which only damage brings about, as the nearest float."""
    if not isinstance(value, int) or -_LARGEST <= value < _LARGEST:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _plain(cell: Any, column: Sequence[Any]) -> Any:
    """Return a cell of a column with lists; beside texts its bare numbers become texts too."""
    if isinstance(cell, str):
        return readable(cell)
    if isinstance(cell, (bool, int, float)) and any(isinstance(other, str) for other in column):
        return str(cell)
    return cell
