"""Group layers and make their table fit to be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trexreport.reader.graph_file import read_tensor
from trexreport.trex.layer import Activation

if TYPE_CHECKING:
    import pandas as pd

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


def group_count(frame: pd.DataFrame, grouping_attr: str) -> pd.DataFrame:
    """Return how many layers have each value of a column: columns `grouping_attr` and "count"."""
    counts: pd.DataFrame = frame.groupby([grouping_attr]).size().reset_index(name="count")
    return counts


def group_sum_attr(frame: pd.DataFrame, grouping_attr: str, reduced_attr: str) -> pd.DataFrame:
    """Return the sum of one column over the layers of each value of another."""
    sums: pd.DataFrame = frame.groupby([grouping_attr])[[reduced_attr]].sum().reset_index()
    return sums


def group_mean_attr(frame: pd.DataFrame, grouping_attr: str, reduced_attr: str) -> pd.DataFrame:
    """Return the mean of one column over the layers of each value of another."""
    means: pd.DataFrame = frame.groupby([grouping_attr])[[reduced_attr]].mean().reset_index()
    return means


def clean_for_display(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a copy for reading: tensors as short texts, what matters first, technical columns left out."""
    cleaned: pd.DataFrame = frame.drop(columns=[name for name in _NOT_SHOWN if name in frame.columns])
    for name in ("Inputs", "Outputs"):
        if name in cleaned.columns:
            cleaned[name] = [_short(tensors) for tensors in cleaned[name]]
    first = [name for name in _SHOWN_FIRST if name in cleaned.columns]
    shown: pd.DataFrame = cleaned[[*first, *(name for name in cleaned.columns if name not in first)]]
    return shown


def _short(tensors: Any) -> str:
    """Return dimensions and format of each tensor, such as "[32, 3, 224, 224] FP32 NCHW"."""
    if not isinstance(tensors, list):
        return ""
    activations = (Activation.of(read_tensor(raw)) for raw in tensors if isinstance(raw, dict))
    return ", ".join(f"{tensor.shape} {tensor.format}" for tensor in activations)
