"""Select the layers of one type, give their attributes TREx's names, and make tables fit to be shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.operations import count_operations
from trexreport.resources import packaged_table
from trexreport.trex._columns import COMPUTED, layers_frame
from trexreport.trex._libraries import pass_on
from trexreport.trex.activations import Activation, create_activations
from trexreport.trex.layer import Layer

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Activation",
    "annotate_convolutions",
    "change_col_order",
    "clean_df",
    "clean_for_display",
    "clean_io",
    "create_activations",
    "drop_columns",
    "filter_by_layer",
    "fix_df",
    "layer_attributes",
]
__getattr__ = pass_on(__name__, __all__, "Dict np pd")

_COMMON = (
    "Name",
    "type",
    "precision",
    "tactic",
    "latency.pct_time",
    "latency.avg_time",
    "total_io_size_bytes",
    "total_footprint_bytes",
    "Inputs",
    "Outputs",
    "subtype",
)
_SHOWN_FIRST = (
    "Name",
    "type",
    "Inputs",
    "Outputs",
    "latency.avg_time",
    "latency.pct_time",
    "total_footprint_bytes",
    "tactic",
)
_NOT_SHOWN = ("subtype", "TacticValue", "precision", "total_io_size_bytes")
#: By layer type: keys of the file and the columns that they become.
layer_attributes: dict[str, dict[str, str]] = packaged_table("trex/layer_attributes.json")
_CONVOLVING = ("Convolution", "Deconvolution")
_FIGURES = (
    "attr.macs",
    "attr.arithmetic_intensity",
    "attr.compute_efficiency",
    "attr.memory_efficiency",
    "attr.M",
    "attr.N",
    "attr.K",
)
#: Figures beyond 64 bits come from damaged shapes only.
_LARGEST = 2**63


def fix_df(df: pd.DataFrame) -> pd.DataFrame:
    """Turn a table of the file's records into one with TREx's columns, in place, and return it.

    Adds `type`, `subtype`, `tactic` and `output_precision`; what is missing becomes 0.
    """
    rows = [
        {str(key): value for key, value in row.items() if not _is_missing(value)}
        for row in df.to_dict("records")
    ]
    fixed = layers_frame([Layer(row) for row in rows])
    added = [name for name in COMPUTED if name not in ("type", "output_precision")]
    drop_columns(df, list(df.columns))
    for name in fixed.columns.difference(added, sort=False):
        df[name] = fixed[name].array
    return df


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def clean_io(df: pd.DataFrame) -> None:
    """Replace the records of tensors by their formats, in place: all inputs, and the first output."""
    sides = ([_formats(tensors) for tensors in df[name]] for name in ("Inputs", "Outputs") if name in df)
    inputs, outputs = (next(sides, None) for _ in range(2))
    if inputs is not None:
        df["Inputs"] = [", ".join(each) for each in inputs]
    if outputs is not None:
        df["Outputs"] = [each[0] if each else "" for each in outputs]


def _formats(tensors: Any) -> list[str]:
    if not isinstance(tensors, list):
        return [tensors] if isinstance(tensors, str) and tensors else []
    return [Activation(raw).format for raw in tensors if isinstance(raw, Mapping)]


def filter_by_layer(df: pd.DataFrame, layer_type: str) -> pd.DataFrame:
    """Return the layers of a type: common columns, the type's attributes, and what is computed for it.

    Rows keep their index. An attribute that no layer of the engine has gives no column, unless there are no
    layers of the type: then there are all columns, so that charts of nothing can be drawn. Pointwise layers
    of TensorRT 8.2 precede those of later versions, as in TREx.
    """
    layers: pd.DataFrame = df[df["type"] == layer_type].copy()
    attributes = dict(layer_attributes.get(layer_type, {}))
    if layer_type == "PointWise":
        attributes |= layer_attributes["PointWiseV2"]
        rank = layers["subtype"].map({"PointWise": 0, "PointWiseV2": 1}).fillna(2)
        layers = layers.loc[rank.sort_values(kind="stable").index]
    if layers.empty:
        computed = _FIGURES if layer_type in _CONVOLVING else ()
        columns = [*df.columns, *attributes.values(), *computed]
        layers = layers.reindex(columns=list(dict.fromkeys(columns)))
        return layers
    stated = {key: name for key, name in attributes.items() if key in layers}
    common = [name for name in _COMMON if name in layers]
    chosen: pd.DataFrame = layers[[*common, *stated]].rename(columns=stated)
    chosen = _merged(chosen)
    if layer_type in _CONVOLVING:
        annotate_convolutions(chosen)
    return chosen


def _merged(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table with columns of one name joined: of each row what is not 0."""
    if frame.columns.is_unique:
        return frame
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in dict.fromkeys(frame.columns):
        cells = zip(
            *(frame.iloc[:, at] for at, each in enumerate(frame.columns) if each == name), strict=True
        )
        values = [next((cell for cell in row if isinstance(cell, list) or cell != 0), 0) for row in cells]
        columns[str(name)] = pd.Series(values, index=frame.index)
    merged: pd.DataFrame = pd.DataFrame(columns)
    return merged


def annotate_convolutions(convs: pd.DataFrame) -> None:
    """Add the work of each (de)convolution, in place; NaN where shapes leave it open.

    attr.macs are multiply-accumulate operations, attr.arithmetic_intensity is in MAC/byte,
    attr.compute_efficiency in MAC/ms, attr.memory_efficiency in bytes/ms (both 0 without a time), and
    attr.M, attr.N and attr.K are the extents as an implicit matrix multiplication. As in TREx, bytes are
    those of the first input, the first output and the weights in the type of the input, and attr.K is not
    divided by the number of groups.
    """
    figures = [_figures(row) for row in convs.to_dict("records")]
    for position, name in enumerate(_FIGURES):
        convs[name] = [row[position] for row in figures]


def _figures(row: Mapping[Any, Any]) -> tuple[Any, ...]:
    """Return the values of `_FIGURES` for one row."""
    layer = Layer(
        {
            "Name": row["Name"],
            "LayerType": row.get("subtype"),
            "ParameterType": row.get("type"),
            "Inputs": row["Inputs"],
            "Outputs": row["Outputs"],
            "Kernel": row.get("attr.kernel"),
            "Groups": row.get("attr.groups", 1) or 1,
            "Weights": row.get("Weights"),
        }
    )
    operation = count_operations(layer.model)
    moved = _moved_bytes(layer, operation) if operation else 0
    if operation is None or max(moved, operation.macs) >= _LARGEST:
        return (math.nan,) * len(_FIGURES)
    time_ms = row.get("latency.avg_time") or 0.0
    k = operation.k * operation.groups if operation.kind == "convolution" else operation.k
    return (
        operation.macs,
        operation.macs / moved if moved else math.nan,
        operation.macs / time_ms if time_ms else 0.0,
        moved / time_ms if time_ms else 0.0,
        operation.m,
        operation.n,
        k,
    )


def _moved_bytes(layer: Layer, operation: Operation) -> int:
    source, result = layer.inputs[0], layer.outputs[0]
    # Counted in half bytes, as an element may have four bits.
    weights_bytes = -(-operation.n * operation.k * int(2 * source.data_size) // 2)
    return source.size_bytes + weights_bytes + result.size_bytes


def change_col_order(df: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the columns first that matter most."""
    first = [name for name in _SHOWN_FIRST if name in df.columns]
    ordered: pd.DataFrame = df[[*first, *(name for name in df.columns if name not in first)]]
    return ordered


def drop_columns(df: pd.DataFrame, columns: Sequence[str]) -> None:
    """Remove columns in place; those that the table lacks are passed over."""
    for name in columns:
        if name in df.columns:
            del df[name]


def clean_df(df: pd.DataFrame, inplace: bool = True) -> pd.DataFrame:
    """Replace the records of tensors by their formats, and missing cells by 0, and return the table.

    Args:
        df: A table of layers.
        inplace: Change it; otherwise a copy is changed.
    """
    cleaned = df if inplace else df.copy()
    clean_io(cleaned)
    for name in cleaned.columns[cleaned.isna().any().to_numpy()]:
        kept = cleaned[name].notna()
        cells = [cell if keep else 0 for cell, keep in zip(cleaned[name], kept, strict=True)]
        cleaned[name] = cells
    return cleaned


def clean_for_display(df: pd.DataFrame) -> pd.DataFrame:
    """Return a copy for reading: tensors as formats, what matters first, technical columns left out.

    Args:
        df: A row for each layer, as `EnginePlan.df`; it stays as it is.
    """
    cleaned: pd.DataFrame = change_col_order(clean_df(df.copy())).copy()
    drop_columns(cleaned, _NOT_SHOWN)
    return cleaned
