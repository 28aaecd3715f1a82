"""Build the table of an engine's layers with TREx's columns.

First come the keys of the file in the order in which they appear (`LayerType` as `subtype`, `TacticName` as
`tactic`), then what is computed: type, output_precision, sizes in bytes, precision, and the latency of each
layer in milliseconds (`latency.pct_time` in percent).

A key that a layer lacks is 0, as in TREx, and so is the time of a layer without a measured one. The precision
of a layer without inputs is None. A profile may lack medians or totals: these are NaN. Every column can be
added up, so `groupby(...).sum()` works.

Lists and records of the file as cells of a table that can be added up.

pandas adds the cells of every column in `frame.groupby(...).sum()`. Lists join under "+", but dictionaries
raise an error, and a list or text beside a number does too. These types join under "+" with anything: the
sum of lists and dictionaries is the list of all their items, and 0, the mark of a missing cell, adds
nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.trex.activations import readable
from trexreport.trex.layer import Layer

if TYPE_CHECKING:
    import pandas as pd


_RENAMED = {"LayerType": "subtype", "TacticName": "tactic"}
#: Name and kind of each computed column; the kind counts where there are no layers to show it.
COMPUTED = {
    "type": "str",
    "output_precision": "str",
    "total_io_size_bytes": "int64",
    "weights_size": "int64",
    "total_footprint_bytes": "int64",
    "precision": "object",
    "latency.time": "float64",
    "latency.avg_time": "float64",
    "latency.median_time": "float64",
    "latency.pct_time": "float64",
}
#: Keys of the file that a computed column says already, or that would hide one.
_LEFT_OUT = {"ParameterType", *_RENAMED.values(), *COMPUTED}
_LARGEST = 2**63
_FIRST = ("Name", "subtype", "Inputs", "Outputs")
#: Columns that TREx makes whole numbers of 32 bits, as far as their values fit.
_INT32 = {
    "AllowSparse",
    "Groups",
    "HasBias",
    "HasReLU",
    "NbInputArgs",
    "NbLiterals",
    "NbOutputVars",
    "NbParams",
    "OutMaps",
}


class _RawList(list[Any]):
    """A list of the file; "+" appends whatever is not a list, and columns of lists can be grouped by."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(len(each) if isinstance(each, (list, dict)) else each for each in self))

    def __add__(self, other: Any) -> _RawList:
        return _RawList([*self, *_items(other)])

    def __radd__(self, other: Any) -> _RawList:
        return _RawList([*_items(other), *self])


class _RawRecord(dict[str, Any]):
    """A dictionary of the file; "+" gives a list of both sides."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(map(str, self))))

    def __add__(self, other: Any) -> _RawList:
        return _RawList([self, *_items(other)])

    def __radd__(self, other: Any) -> _RawList:
        return _RawList([*_items(other), self])


class _RawText(str):
    """A text of a column that holds other cells too; "+" appends whatever is not a list."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        if isinstance(other, (list, dict)):
            return _RawList([self, *_items(other)])
        return _RawText(f"{self}{'' if _is_missing(other) else other}")

    def __radd__(self, other: Any) -> Any:
        return _RawText(f"{'' if _is_missing(other) else other}{self}")


def layers_frame(layers: Sequence[Layer], iterations: int | None = None) -> pd.DataFrame:
    """Return one row a layer, in the order given; `iterations` is what the profile ran over."""
    import pandas as pd

    rows = [_raw_columns(layer) for layer in layers]
    raw_names = dict.fromkeys([*_FIRST, *(name for row in rows for name in row), "tactic"])
    columns = {name: _column([row.get(name) for row in rows], name) for name in raw_names}
    columns["tactic"] = _column([layer.tactic for layer in layers], "tactic")
    total_ms = math.fsum(layer.time.avg_ms for layer in layers if layer.time is not None)
    computed = [_computed_columns(layer, iterations, total_ms) for layer in layers]
    for position, (name, kind) in enumerate(COMPUTED.items()):
        cells = [_small(row[position]) for row in computed]
        columns[name] = pd.Series(cells, dtype=None if rows and kind != "object" else kind)
    frame: pd.DataFrame = pd.DataFrame(columns)
    return frame


def _raw_columns(layer: Layer) -> dict[str, Any]:
    row = {_RENAMED.get(key, key): value for key, value in layer.raw_dict.items() if key not in _LEFT_OUT}
    # Values change, keys do not: the order of columns is that of the file.
    return {**row, "subtype": layer.subtype}


def _computed_columns(layer: Layer, iterations: int | None, total_ms: float) -> tuple[Any, ...]:
    """Return the values of `COMPUTED` for one layer."""
    return (
        layer.type,
        layer.output_precision or "",
        layer.total_io_size_bytes,
        layer.weights_size,
        layer.total_footprint_bytes,
        layer.precision,
        *_latency(layer, iterations, total_ms),
    )


def _latency(layer: Layer, iterations: int | None, total_ms: float) -> tuple[float, float, float, float]:
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


def _column(values: Iterable[Any], name: str) -> pd.Series[Any]:
    """Return a column whose cells can be added to one another, whatever the file holds."""
    import pandas as pd

    column: pd.Series[Any] = pd.Series(**_content(values, name))
    return column


def _content(values: Iterable[Any], name: str) -> dict[str, Any]:
    """Return cells and type of a column, 0 where a layer has none."""
    cells = [_small(_raw_value(value)) for value in values]
    kinds = {type(cell) for cell in cells}
    if kinds <= {int, type(None)} and kinds and name in _INT32:
        numbers = [cell or 0 for cell in cells]
        return {"data": numbers, "dtype": "int32" if max(map(abs, numbers)) < 2**31 else "int64"}
    if kinds == {str}:
        return {"data": [readable(cell) for cell in cells]}
    if kinds <= {int, float, type(None)} and kinds & {int, float}:
        # Missing ones make floats of all, as in TREx.
        numbers = [0 if cell is None else cell for cell in cells]
        return {"data": numbers, "dtype": "int64" if kinds == {int} else "float64"}
    mixed = (_RawText(readable(cell)) if isinstance(cell, str) else cell for cell in cells)
    return {
        "data": [0 if cell is None else cell for cell in mixed],
        "dtype": None if kinds == {bool} else object,
    }


def _small(value: Any) -> Any:
    """Return a whole number beyond 64 bits, which only damage brings about, as the nearest float."""
    if not isinstance(value, int) or -_LARGEST <= value < _LARGEST:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and value == 0)


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    # Sums begin with 0.
    return [] if _is_missing(value) else [value]


def _raw_value(value: Any) -> Any:
    """Return a list or dictionary as one that can be added; anything else as it is."""
    if isinstance(value, list):
        return _RawList(value)
    return _RawRecord(value) if isinstance(value, dict) else value
